import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// Which part of something numbered a page shows.
typealias PageRange = (after: Int, limit: Int)

extension Api {
    func getPayment(_ call: Call) async throws(Problem) -> HttpResponse {
        let snapshot = try await snapshot(try call.paymentId(), call)
        return try Preconditions.answer(call.headers, version: snapshot.payment.version) {
            PaymentResource(snapshot).response(200)
        }
    }

    // MARK: Lists

    func listPayments(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        var query = PaymentQuery(call.kind)
        try form.search(&query, of: call.merchant, keys)
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        let seal = try page(&form, &query, call)
        if let name {
            guard let account = try await account(named: name, call) else { return Self.page([], next: nil) }
            query.account = account.id
        }
        let found = try await reader.payments(query, merchant: call.merchant)
        return Self.page(found.rows, next: found.next.map(seal.text))
    }

    func page(_ form: inout QueryForm, _ query: inout PaymentQuery, _ call: Call) throws(Problem) -> CursorSeal {
        let seal = seal(of: form, call)
        query.limit = try form.integer("limit", in: 1...Limits.pageRows) ?? query.limit
        query.cursor = try form.cursor(seal)
        try form.end()
        return seal
    }

    /// The seal of the cursors of a list as it is asked for.
    func seal(of form: QueryForm, _ call: Call) -> CursorSeal {
        CursorSeal(keys, merchant: call.merchant, list: call.endpoint.pattern, filter: form.filter)
    }

    static func page(_ items: [Json], next: String?) -> HttpResponse {
        .json(200, .compact([("items", .array(items)), ("next", next.map(Json.string))]))
    }

    // MARK: One payment's log

    func paymentEvents(_ call: Call) async throws(Problem) -> HttpResponse {
        let range = try Self.range(call)
        let found = try await snapshot(try call.paymentId(), call)
        return Self.page(of: found.events, range).with(found.payment.account?.mode)
    }

    static func range(_ call: Call) throws(Problem) -> PageRange {
        var form = try QueryForm(call.query)
        let after = try form.integer("after", in: 0...Int(Int32.max)) ?? 0
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? Limits.pageRows
        try form.end()
        return (after, limit)
    }

    /// A page of a log.
    static func page(of events: [RecordedEvent], _ range: PageRange) -> HttpResponse {
        page(events.map { (Int($0.version), EventResource.json($0)) }, range)
    }

    /// A page of what is numbered.
    static func page(_ items: [(number: Int, json: Json)], _ range: PageRange) -> HttpResponse {
        let rest = items.filter { $0.number > range.after }
        let page = rest.prefix(range.limit)
        let next = rest.count > page.count ? page.last.map { String($0.number) } : nil
        return Self.page(page.map(\.json), next: next)
    }

    func paymentReadModel(_ call: Call) async throws(Problem) -> HttpResponse {
        let id = try call.paymentId()
        let row = try await asked { () async throws(StoreFailure) in
            try await reader.tables.row(call.stream(of: id))
        }
        if let row {
            var response = HttpResponse.json(200, row)
            response.headers.set("Paystream-Mode", row.at("account", "mode")?.text)
            return response
        }
        _ = try await snapshot(id, call)
        throw Problem(
            .readModelBehind,
            "The read model has not come to this payment yet.",
            headers: HttpHeaders([("Retry-After", "1")])
        )
    }
}

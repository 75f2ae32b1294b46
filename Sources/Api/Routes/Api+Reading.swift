import EventSourcing
import Http
import Kernel
import Payments
import Projections

extension Api {
    func getPayment(_ call: Call) async throws(Problem) -> HttpResponse {
        let snapshot = try await snapshot(try call.paymentId(), call)
        return try Preconditions.answer(call.request, version: snapshot.payment.version) {
            PaymentResource(snapshot).response(200)
        }
    }

    // MARK: Lists

    func listPayments(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.request)
        var query = PaymentQuery(call.route.streamKind)
        query.status = try form.word("status")
        query.reference = try form.text("reference")
        query.customer = try form.text("customer")
        query.createdFrom = try form.time("createdFrom")
        query.createdBefore = try form.time("createdBefore")
        query.needsOperator = try form.flag("needsOperator") ?? false
        query.isDisputed = try form.flag("disputed") ?? false
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        try page(&form, &query)
        if let name {
            guard let account = try await account(named: name, call) else { return Self.page([], next: nil) }
            query.account = account.id
        }
        return try await list(query, call)
    }

    /// Payments and transfers that someone still owes something, with what and who; on the first page also what is
    /// unresolved and no payment's.
    func listUnresolved(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.request)
        var query = PaymentQuery(nil)
        query.hasObligations = true
        query.needsOperator = try form.flag("needsOperator") ?? false
        try page(&form, &query)
        let filter = query
        let (found, openItems) = try await read { () async throws(ReadFailure) in
            let found = try await ports.reader.payments(filter, merchant: call.merchant)
            guard filter.cursor == nil else { return (found, [OpenItem]?.none) }
            let openItems = try await ports.reader.openItems(merchant: call.merchant, limit: filter.limit)
            return (found, openItems.filter { !filter.needsOperator || $0.needsOperator })
        }
        return .json(
            200,
            .compact([
                ("items", .array(found.rows)), ("matters", openItems.map { .array($0.map(\.json)) }),
                ("next", (found.next?.text).map(Json.string)),
            ])
        )
    }

    private func page(_ form: inout QueryForm, _ query: inout PaymentQuery) throws(Problem) {
        query.limit = try form.integer("limit", in: 1...Limits.pageRows) ?? query.limit
        query.cursor = try cursor(&form)
        try form.end()
    }

    func cursor(_ form: inout QueryForm) throws(Problem) -> PageCursor? {
        guard let text = try form.text("cursor") else { return nil }
        guard let cursor = PageCursor(text) else {
            throw Problem(.cursorInvalid, "A cursor is the word that an earlier page gave.", path: "cursor")
        }
        return cursor
    }

    private func list(_ query: PaymentQuery, _ call: Call) async throws(Problem) -> HttpResponse {
        let found = try await read { () async throws(ReadFailure) in
            try await ports.reader.payments(query, merchant: call.merchant)
        }
        return Self.page(found.rows, next: found.next?.text)
    }

    static func page(_ items: [Json], next: String?) -> HttpResponse {
        .json(200, .compact([("items", .array(items)), ("next", next.map(Json.string))]))
    }

    // MARK: One payment's log

    func paymentEvents(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.request)
        let after = try form.integer("after", in: 0...Int(Int32.max)) ?? 0
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? Limits.pageRows
        try form.end()
        let found = try await snapshot(try call.paymentId(), call)
        let rest = found.events.filter { Int($0.version) > after }
        let page = rest.prefix(limit)
        let next = rest.count > page.count ? page.last.map { String($0.version) } : nil
        var response = Self.page(page.map(EventResource.json), next: next)
        response.headers.set("Paystream-Mode", found.payment.account?.mode.rawValue)
        return response
    }

    func paymentReadModel(_ call: Call) async throws(Problem) -> HttpResponse {
        let id = try call.paymentId()
        let row = try await read { () async throws(ReadFailure) in try await ports.reader.row(call.stream(of: id)) }
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

    // MARK: Instruments and the inbox

    func getInstrument(_ call: Call) async throws(Problem) -> HttpResponse {
        let instrument = try await instrument(call)
        return .json(200, try await resource(instrument, call))
    }

    func removeInstrument(_ call: Call) async throws(Problem) -> HttpResponse {
        let (submission, _) = try await removal(call)
        let submitted = try await submit(submission)
        let after = try await self.instrument(call)
        var response = HttpResponse.json(submitted.version == nil ? 202 : 200, try await resource(after, call))
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    /// Asks the provider whether it still keeps the credential; what it says is marked when it comes.
    func checkInstrument(_ call: Call) async throws(Problem) -> HttpResponse {
        let submitted = try await submit(try await check(call))
        let after = try await self.instrument(call)
        var response = HttpResponse.json(submitted.version == nil ? 202 : 200, try await resource(after, call))
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    func check(_ call: Call) async throws(Problem) -> Submission {
        let instrument = try await instrument(call)
        let command = InstrumentCommand.check
        let stream = StreamName(call.merchant, .instrument, instrument.id.uuid)
        return try call.submission(stream, command.name.rawValue, command.json)
    }

    /// The command that removes the instrument in the path.
    func removal(_ call: Call) async throws(Problem) -> (Submission, Instrument) {
        let instrument = try await instrument(call)
        let command = InstrumentCommand.remove(reason: nil)
        let stream = StreamName(call.merchant, .instrument, instrument.id.uuid)
        return (try call.submission(stream, command.name.rawValue, command.json), instrument)
    }

    private func instrument(_ call: Call) async throws(Problem) -> Instrument {
        let unknown = Problem(.instrumentUnknown, "There is no such instrument.")
        guard let id = call.path["instrument"].flatMap({ InstrumentId($0) }) else { throw unknown }
        let found = try await read { () async throws(ReadFailure) in
            try await ports.reader.instrument(id, merchant: call.merchant)
        }
        guard let found, found.saved != nil else { throw unknown }
        return found
    }

    func listInstruments(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.request)
        var query = InstrumentQuery()
        query.customer = try form.text("customer")
        query.status = try form.word("status")
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        query.limit = try form.integer("limit", in: 1...Limits.pageRows) ?? query.limit
        query.cursor = try cursor(&form)
        try form.end()
        if let name {
            guard let account = try await account(named: name, call) else { return Self.page([], next: nil) }
            query.account = account.id
        }
        let narrowed = query
        let found = try await read { () async throws(ReadFailure) in
            try await ports.reader.instruments(narrowed, merchant: call.merchant)
        }
        var items: [Json] = []
        for row in found.rows { items.append(try await withAccount(row, call)) }
        return Self.page(items, next: found.next?.text)
    }

    private func resource(_ instrument: Instrument, _ call: Call) async throws(Problem) -> Json {
        try await withAccount(instrument.shown, call)
    }

    /// Shows the account by its name, provider and mode.
    private func withAccount(_ shown: Json, _ call: Call) async throws(Problem) -> Json {
        let accounts = try await read { () async throws(ReadFailure) in
            try await ports.reader.accounts(merchant: call.merchant)
        }
        guard case .object(var members) = shown else { return shown }
        let id = shown["account"]?.text.flatMap { Uuid($0) }
        members["account"] = accounts.first { $0.id == id }?.facts?.shown
        return .object(members)
    }

    func inboxOutcome(_ call: Call) async throws(Problem) -> HttpResponse {
        let unknown = Problem(.inboxUnknown, "There is no such command in the inbox.")
        guard let id = call.path["inbox"].flatMap({ Uuid($0) }) else { throw unknown }
        let found = try await read { () async throws(ReadFailure) in
            try await ports.reader.inboxOutcome(id, merchant: call.merchant)
        }
        guard let found else { throw unknown }
        return .json(200, found)
    }
}

import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit
import Telemetry

/// Questions to a provider about an account, outside of any payment: nothing of it is a command or stored.
extension Api {
    /// Asks the provider whether the account's credentials work; that they don't is an answer, too.
    func testConnection(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await inquired(call)
        try Form(call.body).end()
        let verdict: ConnectionWord
        var code: String?
        var detail: String?
        do throws(InquiryFailure) {
            switch try await engine.inquirer.connection(account.id, call.merchant) {
            case .connected: verdict = .works
            case .refused(let status, let word):
                verdict = .refused
                code = word
                detail = "The provider answered HTTP \(status)."
            case .session, .products, .cardPrefix, .unknown:
                throw InquiryFailure(.unreadable, "The provider answered something else.")
            }
        } catch {
            guard error.code == .unreachable || error.code == .unreadable else { throw Problem(error) }
            verdict = .unreachable
            detail = error.detail
        }
        let body = Json.compact([
            ("object", "connectionTest"), ("account", account.id.json), ("result", .string(verdict.rawValue)),
            ("code", code.map(Json.string)), ("detail", detail.map(Json.string)), ("testedAt", call.now.json),
        ])
        return shown(body, account)
    }

    /// Opens a session for one payer's app, with that payer's saved credentials.
    ///
    /// Those that the provider does not know any more can't be used from here on.
    func openSession(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await inquired(call)
        let form = try SessionForm(call.body)
        let adapter = try inquiries(of: account)
        do throws(PlanFailure) { try adapter.checkPresentation(form.presentation) } catch { throw Problem(error) }
        let instruments = try await usable(form.instruments, of: form.customer, account, call)
        // The lifetime counts from the question: the answer took its time.
        let asked = now
        let (session, invalid) = try await ask { () async throws(InquiryFailure) in
            try await engine.inquirer.session(tokens: instruments.map(\.token), account.id, call.merchant)
        }
        try await recordAccess("client_session", StreamName(call.merchant, .account, account.id), call)
        let gone = invalid.filter(instruments.indices.contains).map { instruments[$0].instrument }
        for instrument in gone { try await forget(instrument, account, call) }
        let body = Json.compact([
            ("object", "clientSession"), ("account", account.id.json), ("provider", .string(account.provider)),
            ("customer", .string(form.customer)), ("session", session.object),
            ("presentation", form.presentation == [:] ? nil : form.presentation),
            ("removedInstruments", .array(gone.map(\.id.json))), ("expiresAt", asked.adding(session.lifetime).json),
        ])
        return shown(body, account)
    }

    func listProducts(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await inquired(call)
        let query = try ProductQuery(call)
        guard let listed = try await products(query, nil, account, call) else {
            throw Problem(.productUnknown, "The provider lists nothing.")
        }
        return shown(listed.json(items: true), account)
    }

    func getProduct(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await inquired(call)
        let query = try ProductQuery(call)
        return shown(try await product(query, account, call).json(items: false), account)
    }

    /// Runs the rules of a product's fields on what the payer entered, card data excepted.
    func checkFields(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await inquired(call)
        let form = try FieldsForm(call.body)
        let listed = try await product(form.query, account, call)
        let report = try inquiries(of: account).report(form.values, product: listed.list.items.first ?? [:])
        let described = report.described.sorted { $0.key < $1.key }.map { field, rules in
            (field, Json.array(rules.map(Json.string)))
        }
        let body: Json = [
            "object": "fieldCheck", "valid": .bool(report.errors.isEmpty), "errors": .array(report.errors),
            "described": .object(JsonObject(described)),
        ]
        return shown(body, account)
    }

    /// Tells what a card's first digits say; they are sent on once and kept nowhere.
    func cardPrefix(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await inquired(call)
        let form = try CardPrefixForm(call.body)
        let reply = try await ask { () async throws(InquiryFailure) in
            try await engine.inquirer.cardPrefix(form.digits, form.setting, account.id, call.merchant)
        }
        let brands = reply.brands.map { brand -> Json in
            ["product": .integer(brand.product), "allowed": .bool(brand.isAllowed)]
        }
        let body = Json.compact([
            ("object", "cardPrefix"), ("status", .string(reply.status.rawValue)),
            ("product", reply.product.map(Json.integer)), ("country", reply.country.map(Json.string)),
            ("cardType", reply.cardType.map(Json.string)), ("brands", brands.isEmpty ? nil : .array(brands)),
            ("mustChooseBrand", .bool(reply.mustChooseBrand)),
        ])
        return shown(body, account)
    }

    // MARK: The account

    /// The account in the path, by its name or its id, open and within its rate.
    private func inquired(_ call: Call) async throws(Problem) -> AccountFacts {
        let account = try await accountInPath(call)
        guard let facts = account.facts else { throw .unknownAccount }
        guard account.isOpen else { throw Problem(.accountClosed, "The account was closed.") }
        _ = try inquiries(of: facts)
        if let pause = inquiryLimiter.take(facts.id, at: now) {
            throw .tooMany(pause, "This account is asked more than it may.")
        }
        return facts
    }

    private func inquiries(of account: AccountFacts) throws(Problem) -> any InquiryAdapter {
        guard let adapter = adapters[account.provider]?.inquiries else {
            throw Problem(.notOffered, "\(account.provider) answers no such question.")
        }
        return adapter
    }

    private func ask<Value>(_ question: () async throws(InquiryFailure) -> Value) async throws(Problem) -> Value {
        do throws(InquiryFailure) { return try await question() } catch { throw Problem(error) }
    }

    private func shown(_ body: Json, _ account: AccountFacts) -> HttpResponse {
        HttpResponse.json(200, body).with("Cache-Control", "no-store").with(account.mode)
    }

    // MARK: Products

    private func products(
        _ query: ProductQuery,
        _ product: Int64?,
        _ account: AccountFacts,
        _ call: Call
    ) async throws(Problem) -> CachedProducts? {
        let payer = try await payer(query.customer, account, call)
        return try await ask { () async throws(InquiryFailure) in
            try await engine.inquirer.products(
                query.setting,
                product: product,
                payer: payer,
                account.id,
                call.merchant
            )
        }
    }

    /// The customer with what they saved here.
    private func payer(_ customer: String?, _ account: AccountFacts, _ call: Call) async throws(Problem) -> PayerTokens?
    {
        guard let customer else { return nil }
        var query = InstrumentQuery()
        query.customer = customer
        query.account = account.id
        query.status = .usable
        query.limit = Limits.pageRows
        let wanted = query
        let page = try await asked { () async throws(StoreFailure) in
            try await reader.tables.instruments(wanted, merchant: call.merchant)
        }
        var tokens: [Json] = []
        for id in page.rows.compactMap({ $0["id"]?.text.flatMap(InstrumentId.init) }) {
            let saved = try await reader.instrument(id, merchant: call.merchant)
            if let token = saved?.usableToken { tokens.append(token) }
        }
        return PayerTokens(customer: customer, tokens: tokens)
    }

    private func product(_ query: ProductQuery, _ account: AccountFacts, _ call: Call) async throws(Problem)
        -> CachedProducts
    {
        guard let id = call.path["product"].flatMap({ Int64($0) }), (1...99_999).contains(id),
            let listed = try await products(query, id, account, call), !listed.list.items.isEmpty
        else { throw Problem(.productUnknown, "There is no such product.") }
        return listed
    }

    // MARK: Saved credentials

    private struct Usable {
        let instrument: Instrument
        let token: Json
    }

    /// The named credentials, each this payer's and this account's.
    private func usable(
        _ ids: [InstrumentId],
        of customer: String,
        _ account: AccountFacts,
        _ call: Call
    ) async throws(Problem) -> [Usable] {
        var found: [Usable] = []
        for (index, id) in ids.enumerated() {
            let instrument = try await reader.instrument(id, merchant: call.merchant)
            guard let instrument, let token = instrument.usableToken, instrument.saved?.account == account.id,
                instrument.saved?.customer == customer
            else {
                throw Problem(
                    status: 422,
                    code: ProblemCode.instrumentUnknown,
                    "This payer has no such instrument here.",
                    path: "instruments.\(index)"
                )
            }
            found.append(Usable(instrument: instrument, token: token))
        }
        return found
    }

    /// Notes that the provider does not know a credential any more: no client's key can be this one, which has spaces.
    private func forget(_ instrument: Instrument, _ account: AccountFacts, _ call: Call) async throws(Problem) {
        let command = InstrumentCommand.report(.invalid(code: "unknown_to_provider"))
        _ = try await submit(
            Submission(
                merchant: call.merchant,
                key: "invalid token \(instrument.id) \(instrument.version)",
                stream: StreamName(call.merchant, .instrument, instrument.id.uuid),
                name: command.name.rawValue,
                body: command.canonical,
                fingerprint: [
                    "body": command.json, "name": .string(command.name.rawValue), "target": instrument.id.json,
                ],
                actor: Actor(id: "provider:\(account.provider)", isOperator: false),
                account: nil,
                traceparent: call.trace.traceparent,
                correlation: call.correlation
            )
        )
    }
}

/// The words of a connection test.
enum ConnectionWord: String, CaseIterable {
    case works, refused, unreachable
}

extension CachedProducts {
    fileprivate func json(items: Bool) -> Json {
        .compact([
            ("object", items ? "productList" : "product"), ("items", items ? .array(list.items) : nil),
            ("product", items ? nil : list.items.first), ("fetchedAt", fetchedAt.json), ("stale", .bool(isStale)),
        ])
    }
}

extension Problem {
    fileprivate init(_ failure: InquiryFailure) {
        switch failure.code {
        case .accountUnknown: self.init(status: 404, code: ProblemCode.accountUnknown, failure.detail)
        case .notOffered: self.init(.notOffered, failure.detail)
        case .invalid:
            if let plan = failure.plan { self.init(plan) } else { self.init(.settingsInvalid, failure.detail) }
        case .erased: self.init(status: 422, code: ProblemCode.personalDataErased, failure.detail)
        case .refused: self.init(.providerRefused, failure.detail)
        case .unreachable, .unreadable:
            self.init(.providerUnreachable, failure.detail, headers: HttpHeaders([("Retry-After", "1")]))
        case .unavailable: self = .unavailable(failure.detail)
        }
    }
}

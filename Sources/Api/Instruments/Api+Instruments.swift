import EventSourcing
import Http
import Kernel
import Payments
import Projections

extension Api {
    func getInstrument(_ call: Call) async throws(Problem) -> HttpResponse {
        let instrument = try await instrument(call)
        return .json(200, try await resource(instrument, call))
    }

    func removeInstrument(_ call: Call) async throws(Problem) -> HttpResponse {
        let submitted = try await submit(try await removal(call))
        return .outcome(of: submitted, try await resource(try await instrument(call), call))
    }

    /// Asks the provider whether it still keeps the credential; what it says is marked when it comes.
    func checkInstrument(_ call: Call) async throws(Problem) -> HttpResponse {
        let submitted = try await submit(try await check(call))
        return .outcome(of: submitted, try await resource(try await instrument(call), call))
    }

    func removal(_ call: Call) async throws(Problem) -> Submission { try await submission(.remove(reason: nil), call) }
    func check(_ call: Call) async throws(Problem) -> Submission { try await submission(.check, call) }

    private func submission(_ command: InstrumentCommand, _ call: Call) async throws(Problem) -> Submission {
        let stream = StreamName(call.merchant, .instrument, try await instrument(call).id.uuid)
        return call.submission(stream, command.name.rawValue, command.canonical)
    }

    private func instrument(_ call: Call) async throws(Problem) -> Instrument {
        let unknown = Problem(.instrumentUnknown, "There is no such instrument.")
        guard let id = call.path["instrument"].flatMap({ InstrumentId($0) }) else { throw unknown }
        let found = try await reader.instrument(id, merchant: call.merchant)
        guard let found, found.saved != nil else { throw unknown }
        return found
    }

    func listInstruments(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        var query = InstrumentQuery()
        query.customer = try form.text("customer")
        query.status = try form.word("status")
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        query.limit = try form.integer("limit", in: 1...Limits.pageRows) ?? query.limit
        let seal = seal(of: form, call)
        query.cursor = try form.cursor(seal)
        try form.end()
        if let name {
            guard let account = try await account(named: name, call) else { return Self.page([], next: nil) }
            query.account = account.id
        }
        let narrowed = query
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.instruments(narrowed, merchant: call.merchant)
        }
        var items: [Json] = []
        for row in found.rows { items.append(try await withAccount(row, call)) }
        return Self.page(items, next: found.next.map(seal.text))
    }

    private func resource(_ instrument: Instrument, _ call: Call) async throws(Problem) -> Json {
        try await withAccount(instrument.shown, call)
    }

    /// Shows the account by its name, provider and mode.
    private func withAccount(_ shown: Json, _ call: Call) async throws(Problem) -> Json {
        let accounts = try await accounts(call)
        guard case .object(var members) = shown else { return shown }
        let id = shown["account"]?.text.flatMap { Uuid($0) }
        members["account"] = accounts[id]?.facts?.shown
        return .object(members)
    }
}

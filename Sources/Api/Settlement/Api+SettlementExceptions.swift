import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// What does not fit between books and files, and what persons decide about it.
extension Api {
    func listExceptions(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let seal = seal(of: form, call)
        var query = ExceptionQuery()
        query.word = try form.word("class")
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        query.owner = try form.text("owner", bytes: Self.ownerBytes)
        query.file = try form.id("file")
        query.isOpen = try form.flag("open") ?? true
        query.limit = try form.integer("limit", in: 1...Limits.pageRows) ?? 20
        query.cursor = try form.cursor(seal)
        try form.end()
        if let name {
            guard let account = try await account(named: name, call) else { return Self.page([], next: nil) }
            query.account = account.id
        }
        let narrowed = query
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.exceptions(narrowed, of: call.merchant)
        }
        return Self.page(found.rows, next: found.next.map(seal.text))
    }

    func getException(_ call: Call) async throws(Problem) -> HttpResponse {
        .json(200, try await exception(try Self.exceptionId(call), call))
    }

    func assignException(_ call: Call) async throws(Problem) -> HttpResponse {
        let id = try Self.exceptionId(call)
        var form = try Form(call.body)
        let owner = try form.text("owner", bytes: Self.ownerBytes)
        try form.end()
        let act = random.uuid(at: now)
        let step = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.assign(id, to: owner, by: call.actor.id, as: act, of: call.merchant)
        }
        return try await answer(step, id, call)
    }

    func proposeException(_ call: Call) async throws(Problem) -> HttpResponse {
        let id = try Self.exceptionId(call)
        var form = try Form(call.body)
        guard let given = form.value("verdict") else { throw form.missing("verdict") }
        let verdict = try Self.verdict(try Form(given, at: form.path.appending("verdict")))
        let reason = try form.needed("reason", bytes: Limits.evidenceBytes)
        try form.end()
        let act = random.uuid(at: now)
        let step = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.propose(
                verdict,
                for: id,
                because: reason,
                by: call.actor.id,
                as: act,
                of: call.merchant
            )
        }
        return try await answer(step, id, call)
    }

    private static func verdict(_ given: Form) throws(Problem) -> ExceptionVerdict {
        var form = given
        guard let name: VerdictName = try form.word("is") else { throw form.missing("is") }
        let position = try form.integer("position", in: 0...Int64.max)
        let number = try form.integer("number", in: 0...Int64(Int16.max))
        let file: SettlementFileId? = try form.id("file")
        let line = try form.integer("line", in: 1...Int64(Int32.max))
        try form.end()
        switch (name, position, file, line) {
        case (.adjust, nil, nil, nil): return .adjust
        case (.disregard, nil, nil, nil): return .disregard
        case (.link, let position?, nil, nil): return .linkMovement(position: position, number: Int32(number ?? 0))
        case (.link, nil, let file?, let line?) where number == nil: return .linkLine(file, line: Int32(line))
        case (.adjust, _, _, _), (.disregard, _, _, _), (.link, _, _, _):
            throw Problem(
                .verdictUnfit,
                "A link has a movement's position and number, or a file's line; other verdicts have none of them.",
                path: form.path.description
            )
        }
    }

    func approveException(_ call: Call) async throws(Problem) -> HttpResponse {
        let id = try Self.exceptionId(call)
        guard let proposal = call.path["proposal"].flatMap({ Int32($0) }), proposal > 0 else {
            throw Problem(.proposalUnknown, "There is no such proposal.")
        }
        let act = random.uuid(at: now)
        let step = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.approve(
                proposal,
                for: id,
                by: call.actor.id,
                as: act,
                of: call.merchant
            )
        }
        return try await answer(step, id, call)
    }

    private func answer(_ step: ExceptionStep, _ id: SettlementExceptionId, _ call: Call) async throws(Problem)
        -> HttpResponse
    {
        switch step {
        case .ok: return .json(200, try await exception(id, call))
        case .unknown:
            // Of an exception that is there it is the proposal that is not.
            _ = try await exception(id, call)
            throw Problem(.proposalUnknown, "There is no such proposal.")
        case .ended: throw Problem(.exceptionEnded, "This is settled already.")
        case .sameActor:
            throw Problem(status: 422, code: Rejection.Code.sameActor.rawValue, detail: "A second person approves.")
        case .stale:
            throw Problem(
                status: 422,
                code: Rejection.Code.proposalStale.rawValue,
                detail: "Another proposal came since; look again."
            )
        case .unfit: throw Problem(.verdictUnfit, "This can't be resolved so.", path: "verdict")
        }
    }

    private static func exceptionId(_ call: Call) throws(Problem) -> SettlementExceptionId {
        guard let id = call.path["exception"].flatMap({ SettlementExceptionId($0) }) else { throw .unknownException }
        return id
    }

    private func exception(_ id: SettlementExceptionId, _ call: Call) async throws(Problem) -> Json {
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.exception(id, of: call.merchant)
        }
        guard let found else { throw .unknownException }
        return found
    }
}

extension Problem {
    fileprivate static var unknownException: Problem { Problem(.exceptionUnknown, "There is no such exception.") }
}

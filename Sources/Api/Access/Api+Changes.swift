import EventSourcing
import Http
import Kernel
import Payments

/// Changes that one person proposes and another approves, for merchants that ask for two.
extension Api {
    func getMerchant(_ call: Call) async throws(Problem) -> HttpResponse {
        .json(200, Self.shown(try await reader.merchant(call.merchant), call))
    }

    func setPersons(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        guard let persons = try form.integer("persons", in: 1...2) else { throw form.missing("persons") }
        try form.end()
        let submitted = try await submit(call, .setPersons(needsTwo: persons == 2, asks: true))
        return .outcome(of: submitted, Self.shown(try await reader.merchant(call.merchant), call))
    }

    func listChanges(_ call: Call) async throws(Problem) -> HttpResponse {
        let merchant = try await reader.merchant(call.merchant)
        let newest = merchant.changes.suffix(Limits.pageRows).reversed()
        return Self.page(newest.map { $0.shown(at: call.now) }, next: nil)
    }

    /// Carries out what another person proposed: a command goes to its stream with the approval.
    func approveChange(_ call: Call) async throws(Problem) -> HttpResponse {
        _ = try Form(call.body).end()
        let change = try await changeInPath(call)
        let submitted = try await submit(call, .approve(change.id))
        if submitted.version != nil, case .key(let key) = change.what {
            try await asked { () async throws(StoreFailure) in
                try await reader.tables.access.approve(key, of: call.merchant)
            }
        }
        reader.forgetConfiguration(of: call.merchant)
        return .outcome(of: submitted, try await changeInPath(call).shown(at: call.now))
    }

    func rejectChange(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        guard let reason = try form.text("reason", characters: Merchant.reasonCharacters) else {
            throw form.missing("reason")
        }
        try form.end()
        let change = try await changeInPath(call)
        let submitted = try await submit(call, .reject(change.id, reason: reason))
        if submitted.version != nil, case .key(let key) = change.what {
            _ = try await asked { () async throws(StoreFailure) in
                try await reader.tables.access.revoke(key, isForced: false, of: call.merchant)
            }
        }
        return .outcome(of: submitted, try await changeInPath(call).shown(at: call.now))
    }

    /// Proposes a command where the merchant asks for two persons; `nil` where one is enough.
    func proposed(_ call: Call, _ stream: StreamName, _ name: String, _ body: Json) async throws(Problem)
        -> HttpResponse?
    {
        guard try await reader.merchant(call.merchant).needsTwoPersons else { return nil }
        let what = ProposedChange.What.command(kind: stream.kind.rawValue, stream: stream.id, name: name, body: body)
        let submitted = try await submit(call, .propose(what))
        let id = DerivedNames.change(proposedBy: call.inputId)
        let change = try await reader.merchant(call.merchant)[change: id]
        return HttpResponse.json(202, change?.shown(at: call.now) ?? ["object": "change", "id": id.json])
            .marked(submitted)
    }

    private func changeInPath(_ call: Call) async throws(Problem) -> ProposedChange {
        let id = call.path["change"].flatMap { Uuid($0) }
        guard let id, let change = try await reader.merchant(call.merchant)[change: id] else {
            throw Problem(.changeUnknown, "There is no such change.")
        }
        return change
    }

    private static func shown(_ merchant: Merchant, _ call: Call) -> Json {
        .compact([
            ("limit", merchant.limit?.json), ("name", .string(call.caller.merchantName)), ("object", "merchant"),
            ("persons", .integer(merchant.needsTwoPersons ? 2 : 1)),
            ("suspended", .bool(merchant.suspendedAt != nil)),
        ])
    }
}

extension ProposedChange {
    enum State: String, CaseIterable {
        case open, approved, rejected, expired
    }

    /// The change as it is shown: of secrets their names alone.
    func shown(at now: Timestamp) -> Json {
        let state: State =
            switch ending?.state {
            case .approved: .approved
            case .rejected: .rejected
            case nil: isOpen(at: now) ? .open : .expired
            }
        return .compact([
            ("by", .string(by)), ("endedAt", ending?.at.json), ("endedBy", (ending?.by).map(Json.string)),
            ("expiresAt", expiresAt.json), ("id", id.json), ("object", "change"), ("proposedAt", proposedAt.json),
            ("reason", (ending?.reason).map(Json.string)), ("state", .string(state.rawValue)),
            ("what", what.json.withoutSecrets),
        ])
    }
}

extension Json {
    /// The same with the names of secrets in place of what they are sealed as.
    var withoutSecrets: Json {
        switch self {
        case .object(let object):
            .object(
                JsonObject(
                    object.members.map { member in
                        guard ["secret", "secrets"].contains(member.name), let secrets = member.value.members else {
                            return (member.name, member.value.withoutSecrets)
                        }
                        return (member.name, .array(secrets.names.sorted().map(Json.string)))
                    }
                )
            )
        case .array(let items): .array(items.map(\.withoutSecrets))
        case .null, .bool, .number, .string: self
        }
    }
}

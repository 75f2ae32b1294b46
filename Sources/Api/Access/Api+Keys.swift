import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// Keys: made, listed, rotated and revoked by who may, and never beyond what he may himself.
extension Api {
    func listRoles(_: Call) async throws(Problem) -> HttpResponse {
        let roles = Role.allCases.map { role -> Json in
            [
                "about": .string(role.about), "name": .string(role.rawValue), "object": "role",
                "scopes": .array(role.scopes.map { .string($0.rawValue) }),
            ]
        }
        return Self.page(roles, next: nil)
    }

    func listKeys(_ call: Call) async throws(Problem) -> HttpResponse {
        Self.page(try await apiKeys(call).map { $0.shown(at: call.now) }, next: nil)
    }

    /// Makes a key.
    ///
    /// What is left out of networks, expiry and limit is as the key that asks has it.
    func createKey(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try KeyForm(call.body, at: call.now)
        let networks = form.networks ?? call.caller.networks
        let expiresAt = form.expiresAt ?? call.caller.expiresAt
        let limit = form.limit ?? call.caller.limit
        try call.caller.checkGrant(Set(form.scopes), networks, expiresAt, limit)
        let facts = KeyFacts(
            id: DerivedNames.key(createdBy: call.inputId),
            name: form.name,
            role: form.role?.rawValue,
            scopes: form.scopes.map(\.rawValue),
            networks: networks.map(\.description),
            expiresAt: expiresAt,
            limit: limit
        )
        let submitted = try await submit(call, .createKey(facts, asks: true))
        // While the command waits nobody knows whether a second person is needed: no token is made before.
        var token: Secret?
        if submitted.version != nil {
            let merchant = try await reader.merchant(call.merchant)
            let awaits = merchant.changes.contains { $0.what == .key(facts.id) && $0.ending?.state != .approved }
            token = try await asked { () async throws(StoreFailure) in
                try await reader.tables.access.keep(facts, awaitsApproval: awaits, of: call.merchant)
            }
        }
        let known = try await apiKeys(call).first { $0.facts.id == facts.id }
        let key =
            known
            ?? ApiKey(
                facts: facts,
                createdAt: call.now,
                revokedAt: nil,
                usedAt: nil,
                oldUntil: nil,
                awaitsApproval: true
            )
        return .outcome(of: submitted, Self.with(token, key.shown(at: call.now)))
    }

    func rotateKey(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try RotationForm(call.body)
        let key = try await keyInPath(call)
        let facts = key.facts
        // Whoever rotates a key has its token.
        if facts.id != call.caller.keyId {
            try call.caller.checkGrant(
                Scope.held(by: facts.scopes),
                facts.networks.compactMap { SourceNetwork($0) },
                facts.expiresAt,
                facts.limit
            )
        }
        guard key.revokedAt == nil else { throw Problem(.apiKeyUnknown, "The key was revoked.") }
        let endsAt = call.now.adding(form.overlap)
        let submitted = try await submit(call, .rotateKey(facts.id, endsAt: endsAt, asks: true))
        var token: Secret?
        if submitted.version != nil, !submitted.isReplay {
            token = try await asked { () async throws(StoreFailure) in
                try await reader.tables.access.rotate(facts.id, endsAt: endsAt, of: call.merchant)
            }
        }
        let now = try await keyInPath(call)
        return .outcome(of: submitted, Self.with(token, now.shown(at: call.now)))
    }

    func revokeKey(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let reason = try form.text("reason", characters: Merchant.reasonCharacters)
        try form.end()
        let key = try await keyInPath(call)
        // What can't be done is not said to be done: the register comes first, and repeating the command says it again.
        let outcome = try await asked { () async throws(StoreFailure) in
            try await reader.tables.access.revoke(key.facts.id, isForced: false, of: call.merchant)
        }
        switch outcome {
        case .revoked: break
        case .unknown: throw .unknownKey
        case .last: throw Problem(.lastAdminKey, "Nobody could administer the merchant any more.")
        }
        let submitted = try await submit(call, .revokeKey(key.facts.id, reason: reason))
        return .outcome(of: submitted, try await keyInPath(call).shown(at: call.now))
    }

    /// Submits a command to the stream of the merchant as a whole.
    func submit(_ call: Call, _ command: MerchantCommand) async throws(Problem) -> Submitted {
        try await submit(
            call.submission(DerivedNames.merchant(call.merchant), command.name.rawValue, command.canonical)
        )
    }

    private func apiKeys(_ call: Call) async throws(Problem) -> [ApiKey] {
        try await asked { () async throws(StoreFailure) in try await reader.tables.access.keys(of: call.merchant) }
    }

    private func keyInPath(_ call: Call) async throws(Problem) -> ApiKey {
        let id = call.path["key"].flatMap { Uuid($0) }
        guard let id, let key = try await apiKeys(call).first(where: { $0.facts.id == id }) else { throw .unknownKey }
        return key
    }

    private static func with(_ token: Secret?, _ key: Json) -> Json {
        guard let token, var members = key.members else { return key }
        members["token"] = .string(token.withBytes { String(decoding: $0, as: UTF8.self) })
        return .object(members)
    }
}

extension Problem {
    fileprivate static var unknownKey: Problem { Problem(.apiKeyUnknown, "There is no such key.") }
}

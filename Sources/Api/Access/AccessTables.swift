package import EventSourcing
package import Kernel
package import Payments

/// Keys as the register has them, and what administrators did.
package protocol AccessTables: Sendable {
    /// Keys of a merchant, the oldest first; those that were revoked too.
    func keys(of merchant: MerchantNumber) async throws(StoreFailure) -> [ApiKey]
    /// Keeps a key under a new token; no token where it is kept already.
    func keep(_ facts: KeyFacts, awaitsApproval: Bool, of merchant: MerchantNumber) async throws(StoreFailure)
        -> Secret?
    /// Gives a key a new token; the one that it had goes on until `endsAt`. No token where there is no such key.
    func rotate(_ id: Uuid, endsAt: Timestamp, of merchant: MerchantNumber) async throws(StoreFailure) -> Secret?
    func revoke(_ id: Uuid, isForced: Bool, of merchant: MerchantNumber) async throws(StoreFailure) -> KeyRevocation
    /// Lets a key be used that a second person approved.
    func approve(_ id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure)
    /// Events that name who made them, the newest first.
    func acts(_ query: ActQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> [RecordedEvent]
}

/// What became of a wish to revoke a key.
package enum KeyRevocation: String, Hashable, Sendable {
    case revoked, unknown
    /// Nobody could administer the merchant any more.
    case last
}

/// An API key as the register has it: never its token.
package struct ApiKey: Hashable, Sendable {
    package let facts: KeyFacts
    package let createdAt: Timestamp
    package let revokedAt: Timestamp?
    package let usedAt: Timestamp?
    /// Until when the token before the last rotation goes on.
    package let oldUntil: Timestamp?
    package let awaitsApproval: Bool

    package init(
        facts: KeyFacts,
        createdAt: Timestamp,
        revokedAt: Timestamp?,
        usedAt: Timestamp?,
        oldUntil: Timestamp?,
        awaitsApproval: Bool
    ) {
        self.facts = facts
        self.createdAt = createdAt
        self.revokedAt = revokedAt
        self.usedAt = usedAt
        self.oldUntil = oldUntil
        self.awaitsApproval = awaitsApproval
    }

    package enum State: String, Hashable, Sendable, CaseIterable {
        case usable, expired, revoked
        case awaitsApproval = "awaits_approval"
    }

    package func state(at now: Timestamp) -> State {
        if revokedAt != nil { return .revoked }
        if let end = facts.expiresAt, end <= now { return .expired }
        return awaitsApproval ? .awaitsApproval : .usable
    }

    /// The key as it is shown: on a page, in an answer, by a command.
    package func shown(at now: Timestamp) -> Json {
        .compact([
            ("createdAt", createdAt.json), ("expiresAt", facts.expiresAt?.json), ("id", facts.id.json),
            ("lastUsedAt", usedAt?.json), ("limit", facts.limit?.json), ("name", .string(facts.name)),
            ("networks", .array(facts.networks.map(Json.string))), ("object", "key"),
            ("oldTokenUntil", oldUntil.flatMap { $0 > now ? $0.json : nil }), ("revokedAt", revokedAt?.json),
            ("role", facts.role.map(Json.string)), ("scopes", .array(facts.scopes.map(Json.string))),
            ("state", .string(state(at: now).rawValue)),
        ])
    }
}

/// Which acts of administrators.
package struct ActQuery: Hashable, Sendable {
    /// Before this position of the log.
    package var before: Int64?
    /// As in `key:…`.
    package var actor: String?
    /// The name of an event, or its first part, as in `account`.
    package var kind: String?
    package var from: Timestamp?
    package var to: Timestamp?
    package var limit = Limits.pageRows

    package init() {}
}

import EventSourcing
package import Kernel

/// What administrators did about a merchant as a whole: its keys, whether it is suspended, and what waits for a second person.
///
/// Tokens and their hashes are no part of it: they stand in a register beside the log.
package struct Merchant: Aggregate, Hashable {
    /// Events folded so far.
    package private(set) var version: Int32 = 0
    /// Keys that were made since such events are kept; older ones are known to the register alone.
    package private(set) var keys: [Uuid: KeyFacts] = [:]
    package private(set) var suspendedAt: Timestamp?
    /// Whether one person proposes and another approves what changes routing, accounts and keys.
    package private(set) var needsTwoPersons = false
    /// How many requests all of its keys may send together; `nil` where nobody set that.
    package private(set) var limit: RateLimit?
    /// Every change that was proposed, the oldest first.
    package private(set) var changes: [ProposedChange] = []

    /// Proposals that may be open at once.
    package static let openChanges = 50
    package static let reasonCharacters = 500
    /// How long a proposal can be approved.
    package static let patience = Duration.seconds(7 * 86_400)
    /// Keys that a merchant may have that are not revoked.
    package static let keysPerMerchant = 500

    package init() {}

    /// It holds nothing of its name.
    package init(id _: Uuid) {}

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: MerchantEvent) {
        version += 1
        switch event {
        case .created: break
        case .suspended(_, _, let at): suspendedAt = at
        case .resumed: suspendedAt = nil
        case .personsSet(let needsTwo, _, _): needsTwoPersons = needsTwo
        case .limitSet(let limit, _, _): self.limit = limit
        case .keyCreated(let facts, _, _): keys[facts.id] = facts
        case .keyRotated: break
        case .keyRevoked(let id, _, _, _): keys[id] = nil
        case .changeProposed(let change, _, _): changes.append(change)
        case .changeApproved(let id, let actor, let at): end(id, .approved, actor, nil, at)
        case .changeRejected(let id, let reason, let actor, let at): end(id, .rejected, actor, reason, at)
        case .clockOwned, .clockSent, .dunningKept, .periodClosed: break
        }
    }

    private mutating func end(
        _ id: Uuid,
        _ state: ProposedChange.Ending.State,
        _ actor: String,
        _ reason: String?,
        _ at: Timestamp
    ) {
        guard let index = changes.firstIndex(where: { $0.id == id }) else { return }
        changes[index].ending = ProposedChange.Ending(state: state, by: actor, reason: reason, at: at)
    }

    package subscript(change id: Uuid) -> ProposedChange? { changes.first { $0.id == id } }
}

/// An API key as it was made: never its token.
package struct KeyFacts: Hashable, Sendable {
    package let id: Uuid
    package let name: String
    /// `nil` where its scopes were named one by one.
    package let role: String?
    package let scopes: [String]
    /// Networks that it may be used from, as in `10.0.0.0/8`; none stands for all.
    package let networks: [String]
    package let expiresAt: Timestamp?
    /// How many requests it may send; `nil` where it has no limit of its own.
    package let limit: RateLimit?

    /// Scopes by which somebody is one of two persons, in the words of the API.
    private static let scopesOfPersons: Set = ["admin", "approve", "finance", "resolve"]

    /// Whether whoever holds it counts as one of two persons somewhere.
    package var isPerson: Bool { !Self.scopesOfPersons.isDisjoint(with: scopes) }

    package init(
        id: Uuid,
        name: String,
        role: String?,
        scopes: [String],
        networks: [String],
        expiresAt: Timestamp?,
        limit: RateLimit? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.scopes = scopes
        self.networks = networks
        self.expiresAt = expiresAt
        self.limit = limit
    }
}

/// A change of a merchant that needs two persons, on its way from the one to the other.
package struct ProposedChange: Hashable, Sendable {
    /// What is carried out once it is approved.
    package enum What: Hashable, Sendable {
        /// A command to another stream, as it is stored: secrets in it are sealed.
        case command(kind: Int16, stream: Uuid, name: String, body: Json)
        /// A key that is made already and can't be used before.
        case key(Uuid)
        /// From then on one person is enough.
        case onePerson
    }

    /// How it ended.
    package struct Ending: Hashable, Sendable {
        package enum State: String, Hashable, Sendable, CaseIterable {
            case approved, rejected
        }

        package let state: State
        package let by: String
        package let reason: String?
        package let at: Timestamp
    }

    package let id: Uuid
    package let what: What
    package let by: String
    package let proposedAt: Timestamp
    package let expiresAt: Timestamp
    package var ending: Ending?

    package init(
        id: Uuid,
        what: What,
        by: String,
        proposedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.what = what
        self.by = by
        self.proposedAt = proposedAt
        self.expiresAt = expiresAt
    }

    package func isOpen(at now: Timestamp) -> Bool { ending == nil && now < expiresAt }
}

import EventSourcing
package import Kernel

/// A fact about a merchant as a whole, and who made it one.
package enum MerchantEvent: StoredEvent, Hashable {
    case created(name: String, by: String, at: Timestamp)
    /// Its keys begin nothing new; what runs goes on.
    case suspended(reason: String?, by: String, at: Timestamp)
    case resumed(by: String, at: Timestamp)
    case personsSet(needsTwo: Bool, by: String, at: Timestamp)
    /// How many requests all of its keys may send together; `nil` takes the limit away.
    case limitSet(RateLimit?, by: String, at: Timestamp)
    case keyCreated(KeyFacts, by: String, at: Timestamp)
    /// The token that it had goes on until `endsAt`.
    case keyRotated(Uuid, endsAt: Timestamp, by: String, at: Timestamp)
    case keyRevoked(Uuid, reason: String?, by: String, at: Timestamp)
    case changeProposed(ProposedChange, by: String, at: Timestamp)
    case changeApproved(Uuid, by: String, at: Timestamp)
    case changeRejected(Uuid, reason: String, by: String, at: Timestamp)
    /// It lives by a clock of its own from then on, which began at `start`.
    case clockOwned(start: Timestamp, by: String, at: Timestamp)
    case clockSent(to: Timestamp, by: String, at: Timestamp)
    case dunningKept(name: String, version: Int, by: String, at: Timestamp)
    /// As in `2026-10`.
    case periodClosed(month: String, by: String, at: Timestamp)

    /// The stored names; a changed shape gets a new version beside the old one.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case created = "merchant.created.v1"
        case suspended = "merchant.suspended.v1"
        case resumed = "merchant.resumed.v1"
        case personsSet = "merchant.persons_set.v1"
        case limitSet = "merchant.limit_set.v1"
        case keyCreated = "key.created.v1"
        case keyRotated = "key.rotated.v1"
        case keyRevoked = "key.revoked.v1"
        case changeProposed = "change.proposed.v1"
        case changeApproved = "change.approved.v1"
        case changeRejected = "change.rejected.v1"
        case clockOwned = "clock.owned.v1"
        case clockSent = "clock.sent.v1"
        case dunningKept = "dunning.kept.v1"
        case periodClosed = "period.closed.v1"
    }

    package var name: Name {
        switch self {
        case .created: .created
        case .suspended: .suspended
        case .resumed: .resumed
        case .personsSet: .personsSet
        case .limitSet: .limitSet
        case .keyCreated: .keyCreated
        case .keyRotated: .keyRotated
        case .keyRevoked: .keyRevoked
        case .changeProposed: .changeProposed
        case .changeApproved: .changeApproved
        case .changeRejected: .changeRejected
        case .clockOwned: .clockOwned
        case .clockSent: .clockSent
        case .dunningKept: .dunningKept
        case .periodClosed: .periodClosed
        }
    }
}

/// A request of an administrator about a merchant.
///
/// `asks` is true for whoever is bound by the rule of two persons: every key is, and whoever owns the database is not.
package enum MerchantCommand: StoredCommand, Hashable {
    case create(name: String)
    case suspend(reason: String?)
    case resume
    case setPersons(needsTwo: Bool, asks: Bool)
    case setLimit(RateLimit?)
    case createKey(KeyFacts, asks: Bool)
    case rotateKey(Uuid, endsAt: Timestamp, asks: Bool)
    case revokeKey(Uuid, reason: String?)
    case propose(ProposedChange.What)
    case approve(Uuid)
    case reject(Uuid, reason: String)
    /// Acts whose effect stands in a table of its own; the log keeps who made them.
    case noteClock(start: Timestamp)
    case noteClockSent(to: Timestamp)
    case noteDunning(name: String, version: Int)
    case notePeriod(month: String)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case create = "merchant.create"
        case suspend = "merchant.suspend"
        case resume = "merchant.resume"
        case setPersons = "merchant.set_persons"
        case setLimit = "merchant.set_limit"
        case createKey = "key.create"
        case rotateKey = "key.rotate"
        case revokeKey = "key.revoke"
        case propose = "change.propose"
        case approve = "change.approve"
        case reject = "change.reject"
        case noteClock = "clock.note_owned"
        case noteClockSent = "clock.note_sent"
        case noteDunning = "dunning.note_kept"
        case notePeriod = "period.note_closed"
    }

    package var name: Name {
        switch self {
        case .create: .create
        case .suspend: .suspend
        case .resume: .resume
        case .setPersons: .setPersons
        case .setLimit: .setLimit
        case .createKey: .createKey
        case .rotateKey: .rotateKey
        case .revokeKey: .revokeKey
        case .propose: .propose
        case .approve: .approve
        case .reject: .reject
        case .noteClock: .noteClock
        case .noteClockSent: .noteClockSent
        case .noteDunning: .noteDunning
        case .notePeriod: .notePeriod
        }
    }
}

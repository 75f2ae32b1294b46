package import Kernel

/// The right of one worker to a stream's mailbox, until its time ends.
package struct MailLease: Hashable, Sendable {
    /// Mailboxes that one claim takes at most.
    package static let page = 64

    package let stream: StreamName
    package let fence: Int64
    /// Failed attempts at the mailbox's first input: 0 none, 1 its holder vanished, +1 for each solo decision since that led nowhere.
    package let attempts: Int32

    package init(stream: StreamName, fence: Int64, attempts: Int32) {
        self.stream = stream
        self.fence = fence
        self.attempts = attempts
    }
}

/// A timer that a stream had armed.
package struct DueTimer: Hashable, Sendable {
    package enum Clock: Int16, Hashable, Sendable {
        case machine = 0
        case business = 1
    }

    package let stream: StreamName
    package let clock: Clock
    package let at: Timestamp

    package init(stream: StreamName, clock: Clock, at: Timestamp) {
        self.stream = stream
        self.clock = clock
        self.at = at
    }
}

/// Mailboxes, timers and effects: who does what next, with the database's clock and fences.
package protocol WorkQueue: Sendable {
    /// The database's clock.
    func now() async throws(StoreFailure) -> Timestamp

    /// Gives back what was worked off and claims up to `MailLease.page` mailboxes that hold undecided inputs, shared among the merchants that
    /// have any, from the one behind `after` on; a merchant's oldest come first.
    func claimMail(owner: String, lease: Duration, done: [MailLease], after: MerchantNumber) async throws(StoreFailure)
        -> [MailLease]

    /// Reads the undecided inputs of claimed mailboxes in their order, at most `limit` each.
    func undecided(_ leases: [MailLease], limit: Int) async throws(StoreFailure) -> [[InputRecord]]

    /// Writes down the failed attempts of these mailboxes; a lost lease is ignored.
    func suspect(_ leases: [MailLease]) async throws(StoreFailure)

    /// Gives leases back, to be taken again after `delay`; a lost one is ignored.
    func release(_ leases: [MailLease], after delay: Duration) async throws(StoreFailure)

    /// Moves an input that can't be decided out of its mailbox, with the reason, so that its stream goes on.
    func quarantine(_ input: Uuid, lease: MailLease, reason: String) async throws(StoreFailure)

    /// Reads timers that are due, at most `limit` and 200, the oldest first; several readers may see the same one.
    ///
    /// Where more are due than that, the places are shared among the merchants that have any, from the one behind `after` on; a
    /// merchant's oldest come first.
    func dueTimers(limit: Int, after: MerchantNumber) async throws(StoreFailure) -> [DueTimer]

    /// Admits the inputs of fired timers and disarms those timers, in one transaction.
    func fire(_ timers: [(timer: DueTimer, input: InputRecord)]) async throws(StoreFailure)

    /// Claims effects that are ready and inside their send window, shared among the accounts that have any; an account's oldest
    /// come first.
    func claimEffects(owner: String, lease: Duration, _ wish: EffectWish) async throws(StoreFailure) -> [LeasedEffect]

    /// Lets claimed effects of one account pass at a rate; answers which may leave now.
    ///
    /// The others are given back under their licence, to be claimed when their turn comes, so a rate delays a message before
    /// its mark and never after. All nodes share one rate. After a pause up to `burst` pass at once.
    func pace(_ leases: [EffectLease], account: Uuid, spacing: Duration, burst: Int64) async throws(StoreFailure)
        -> [Bool]

    /// Gives leases back that another process can serve better; they are ready again under the same licence.
    func giveBack(_ leases: [EffectLease]) async throws(StoreFailure)

    /// Marks effects as `sending`, durable before a byte leaves; answers which marks were taken.
    ///
    /// They are claimed, or ready and due under the fence that their commit answered: nobody has claimed those since, and more
    /// than the margin is left of their window.
    /// The lease of a taken mark ends after `deadline` of the effect plus `margin` at the earliest.
    func markSending(_ leases: [EffectLease], margin: Duration) async throws(StoreFailure) -> [Bool]

    /// Admits what became of dispatches; the fence guards the row's state.
    ///
    /// Evidence is always admitted. That nothing left is the word of whoever holds the lease: `effect.not_sent` under a lease
    /// that is gone leaves nothing, because another sender may have the message on the wire.
    func observe(_ observations: [(lease: EffectLease, input: InputRecord)]) async throws(StoreFailure)

    /// Gives expired leases back that were never marked; they are claimed again under the same licence.
    func reclaimEffects() async throws(StoreFailure) -> Int

    /// Lists effects marked `sending` whose lease ended more than `grace` ago and that nobody observed.
    func lostEffects(grace: Duration, limit: Int) async throws(StoreFailure) -> [LostEffect]

    /// Lists effects past their send window that were never marked; they end `notSent(expired)`.
    func expiredEffects(limit: Int) async throws(StoreFailure) -> [LostEffect]

    /// Takes commands that backends enqueued in their own transactions and removes those that `settle` settles; answers how
    /// many.
    ///
    /// They are shared among the merchants that have any, from the one behind `after` on; a merchant's oldest come first.
    func takeInbox(
        limit: Int,
        after: MerchantNumber,
        _ settle: @Sendable ([InboxCommand]) async -> [InboxSettlement]
    ) async throws(StoreFailure) -> Int
}

/// The limits of one claim of effects.
package struct EffectWish: Hashable, Sendable {
    /// A claim is a page, so that its transaction stays short.
    package static let page = 20
    /// A page of whatever is ready.
    package static let any = EffectWish(most: page, room: page)

    /// At most so many, and never more than a page.
    package let most: Int
    /// So many of an account at most.
    package let room: Int
    /// So many of these accounts at most.
    package let rooms: [Uuid: Int]
    /// None of the accounts of these merchants.
    package let full: [MerchantNumber]
    /// The round goes on behind this account.
    package let after: Uuid

    package init(
        most: Int,
        room: Int,
        rooms: [Uuid: Int] = [:],
        full: [MerchantNumber] = [],
        after: Uuid = Uuid(high: 0, low: 0)
    ) {
        self.most = most
        self.room = room
        self.rooms = rooms
        self.full = full
        self.after = after
    }
}

/// A command from the SQL entrance.
package struct InboxCommand: Hashable, Sendable {
    package let id: Uuid
    package let merchant: MerchantNumber
    package let key: String
    /// As in `payment.create`.
    package let name: String
    package let body: [UInt8]
    package let enqueuedAt: Timestamp

    package init(id: Uuid, merchant: MerchantNumber, key: String, name: String, body: [UInt8], enqueuedAt: Timestamp) {
        self.id = id
        self.merchant = merchant
        self.key = key
        self.name = name
        self.body = body
        self.enqueuedAt = enqueuedAt
    }
}

/// The outcome of an inbox row, readable by its id afterwards.
package enum InboxSettlement: Hashable, Sendable {
    /// Admitted as this input, in the transaction that removes the row.
    case admit(InputRecord, commandMac: [UInt8])
    /// Refused before it became an input: a stable code and a sentence.
    case refuse(code: String, detail: String)
    /// Nothing can be said now: it stays in the inbox, behind the others.
    case later
}

extension WorkQueue {
    /// Claims mailboxes from the first merchant on, and gives none back.
    package func claimMail(owner: String, lease: Duration) async throws(StoreFailure) -> [MailLease] {
        try await claimMail(owner: owner, lease: lease, done: [], after: MerchantNumber(0))
    }

    /// Reads due timers from the first merchant on.
    package func dueTimers(limit: Int) async throws(StoreFailure) -> [DueTimer] {
        try await dueTimers(limit: limit, after: MerchantNumber(0))
    }

    /// Claims whatever effects are ready.
    package func claimEffects(owner: String, lease: Duration) async throws(StoreFailure) -> [LeasedEffect] {
        try await claimEffects(owner: owner, lease: lease, .any)
    }

    /// Takes commands from the first merchant on.
    package func takeInbox(limit: Int, _ settle: @Sendable ([InboxCommand]) async -> [InboxSettlement])
        async throws(StoreFailure) -> Int
    {
        try await takeInbox(limit: limit, after: MerchantNumber(0), settle)
    }
}

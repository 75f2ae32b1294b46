import EventSourcing
import Kernel
import TestKit

/// The store as one life of one node reaches it: the world may act before and behind every call.
struct GatedStore: EventStore, WorkQueue, RecoveryRecords {
    let base: MemoryStore
    let world: World
    let node: Int
    /// Which start of the node; a life that ended reaches nothing.
    let life: Int

    /// Makes a call unless it fails before, and loses its answer where it fails behind.
    private func through<Value: Sendable>(
        _ call: StoreCall,
        _ body: () async throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        if let failure = await world.before(call, node, life) { throw failure }
        let value = try await body()
        if let failure = await world.behind(call, node, life) { throw failure }
        return value
    }

    func commit(_ units: [CommitUnit], epoch: RecoveryEpoch?) async throws(StoreFailure)
        -> [CommitOutcome]
    {
        try await through(.commit) { () async throws(StoreFailure) in
            try await base.commit(units, epoch: epoch)
        }
    }

    func admit(_ inputs: [InputRecord]) async throws(StoreFailure) -> [Bool] {
        try await through(.admit) { () async throws(StoreFailure) in try await base.admit(inputs) }
    }

    func load(_ streams: [(name: StreamName, after: Int32)], atMost count: Int) async throws(StoreFailure)
        -> [[RecordedEvent]]
    {
        try await through(.load) { () async throws(StoreFailure) in try await base.load(streams, atMost: count) }
    }

    func inputs(_ named: [(id: Uuid, merchant: MerchantNumber)]) async throws(StoreFailure) -> [InputRecord] {
        try await through(.inputs) { () async throws(StoreFailure) in try await base.inputs(named) }
    }

    func decision(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> RecordedDecision? {
        try await through(.decision) { () async throws(StoreFailure) in
            try await base.decision(input, merchant: merchant)
        }
    }

    func command(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> KnownCommand? {
        try await through(.command) { () async throws(StoreFailure) in try await base.command(input, merchant: merchant)
        }
    }

    func awaits(_ stream: StreamName, _ names: [String], before input: Uuid?) async throws(StoreFailure) -> Bool {
        try await through(.awaits) { () async throws(StoreFailure) in
            try await base.awaits(stream, names, before: input)
        }
    }

    func resolve(_ references: [Reference], merchant: MerchantNumber) async throws(StoreFailure)
        -> [Reference: StreamName]
    {
        try await through(.resolve) { () async throws(StoreFailure) in
            try await base.resolve(references, merchant: merchant)
        }
    }

    func events(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedEvent> {
        try await through(.events) { () async throws(StoreFailure) in
            try await base.events(after: position, limit: limit)
        }
    }

    func decisions(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedDecision> {
        try await through(.decisions) { () async throws(StoreFailure) in
            try await base.decisions(after: position, limit: limit)
        }
    }

    func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch? {
        try await through(.recoveryEpoch) { () async throws(StoreFailure) in try await base.recoveryEpoch() }
    }

    func now() async throws(StoreFailure) -> Timestamp {
        try await through(.now) { () async throws(StoreFailure) in try await base.now() }
    }

    func claimMail(owner: String, lease: Duration, done: [MailLease], after: MerchantNumber) async throws(StoreFailure)
        -> [MailLease]
    {
        try await through(.claimMail) { () async throws(StoreFailure) in
            try await base.claimMail(owner: owner, lease: lease, done: done, after: after)
        }
    }

    func undecided(_ leases: [MailLease], limit: Int) async throws(StoreFailure) -> [[InputRecord]] {
        try await through(.undecided) { () async throws(StoreFailure) in try await base.undecided(leases, limit: limit)
        }
    }

    func suspect(_ leases: [MailLease]) async throws(StoreFailure) {
        try await through(.suspect) { () async throws(StoreFailure) in try await base.suspect(leases) }
    }

    func release(_ leases: [MailLease], after delay: Duration) async throws(StoreFailure) {
        try await through(.release) { () async throws(StoreFailure) in try await base.release(leases, after: delay) }
    }

    func quarantine(_ input: Uuid, lease: MailLease, reason: String) async throws(StoreFailure) {
        try await through(.quarantine) { () async throws(StoreFailure) in
            try await base.quarantine(input, lease: lease, reason: reason)
        }
    }

    func dueTimers(limit: Int, after: MerchantNumber) async throws(StoreFailure) -> [DueTimer] {
        try await through(.dueTimers) { () async throws(StoreFailure) in
            try await base.dueTimers(limit: limit, after: after)
        }
    }

    func fire(_ timers: [(timer: DueTimer, input: InputRecord)]) async throws(StoreFailure) {
        try await through(.fire) { () async throws(StoreFailure) in try await base.fire(timers) }
    }

    func claimEffects(owner: String, lease: Duration, _ wish: EffectWish) async throws(StoreFailure) -> [LeasedEffect] {
        try await through(.claimEffects) { () async throws(StoreFailure) in
            try await base.claimEffects(owner: owner, lease: lease, wish)
        }
    }

    func pace(_ leases: [EffectLease], account: Uuid, spacing: Duration, burst: Int64) async throws(StoreFailure)
        -> [Bool]
    {
        try await through(.pace) { () async throws(StoreFailure) in
            try await base.pace(leases, account: account, spacing: spacing, burst: burst)
        }
    }

    func giveBack(_ leases: [EffectLease]) async throws(StoreFailure) {
        try await through(.giveBack) { () async throws(StoreFailure) in try await base.giveBack(leases) }
    }

    func markSending(_ leases: [EffectLease], margin: Duration) async throws(StoreFailure) -> [Bool] {
        try await through(.markSending) { () async throws(StoreFailure) in
            try await base.markSending(leases, margin: margin)
        }
    }

    func observe(_ observations: [(lease: EffectLease, input: InputRecord)]) async throws(StoreFailure) {
        try await through(.observe) { () async throws(StoreFailure) in try await base.observe(observations) }
    }

    func reclaimEffects() async throws(StoreFailure) -> Int {
        try await through(.reclaimEffects) { () async throws(StoreFailure) in try await base.reclaimEffects() }
    }

    func lostEffects(grace: Duration, limit: Int) async throws(StoreFailure) -> [LostEffect] {
        try await through(.lostEffects) { () async throws(StoreFailure) in
            try await base.lostEffects(grace: grace, limit: limit)
        }
    }

    func expiredEffects(limit: Int) async throws(StoreFailure) -> [LostEffect] {
        try await through(.expiredEffects) { () async throws(StoreFailure) in
            try await base.expiredEffects(limit: limit)
        }
    }

    func takeInbox(
        limit: Int,
        after: MerchantNumber,
        _ settle: @Sendable ([InboxCommand]) async -> [InboxSettlement]
    ) async throws(StoreFailure) -> Int {
        try await through(.takeInbox) { () async throws(StoreFailure) in
            try await base.takeInbox(limit: limit, after: after, settle)
        }
    }
}

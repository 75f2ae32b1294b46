import Crypto
package import Daemon
import Engine
import EventSourcing
import Glibc
import Http
import HttpClient
import Kernel

/// Crash points around each call of a node's store, keys and wire, in debug programs.
package enum DrilledPorts {
    package static let around: NodePorts.Wrap = { ports in
        #if CRASH_POINTS
            if let drill = CrashDrill(environment: { getenv($0).map { String(cString: $0) } }) {
                return NodePorts(
                    store: DrilledStore(store: ports.store, drill: drill),
                    keys: DrilledKeys(keys: ports.keys, drill: drill),
                    transport: DrilledTransport(transport: ports.transport, drill: drill)
                )
            }
        #endif
        return ports
    }
}

#if CRASH_POINTS
    extension CommitOutcome {
        /// Tells of no message that may be marked without a claim, as if another node had decided it.
        fileprivate var forClaims: CommitOutcome {
            guard case .committed(let version, let position, let events, _) = self else { return self }
            return .committed(version: version, position: position, events: events, ready: [])
        }
    }

    private struct DrilledTransport: Transport {
        let transport: any Transport
        let drill: CrashDrill

        func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
            drill.reach(.requestBefore)
            let outcome = await transport.send(request) {
                drill.reach(.requestFirstByte)
                return aboutToSend()
            }
            drill.reach(.requestAnswered)
            return outcome
        }
    }

    private struct DrilledKeys: SubjectKeyStore {
        let keys: any SubjectKeyStore
        let drill: CrashDrill

        func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
            try await keys.key(of: subject, merchant: merchant)
        }

        func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
            try await keys.key(id: id, merchant: merchant)
        }

        func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey?
        {
            drill.reach(.keyBefore)
            let standing = try await keys.insert(key, merchant: merchant)
            drill.reach(.keyInserted)
            return standing
        }

        func erasures() async throws(StoreFailure) -> Int64 { try await keys.erasures() }

        func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure) {
            try await keys.keepOriginals(originals)
            drill.reach(.originalKept)
        }
    }

    private struct DrilledStore: EventStore, WorkQueue {
        let store: any EventStore & WorkQueue
        let drill: CrashDrill

        func commit(_ units: [CommitUnit], epoch: RecoveryEpoch?) async throws(StoreFailure)
            -> [CommitOutcome]
        {
            drill.reach(.commitBefore)
            let outcomes = try await store.commit(units, epoch: epoch)
            drill.reach(.commitAfter)
            return drill.isAtClaims ? outcomes.map(\.forClaims) : outcomes
        }

        func admit(_ inputs: [InputRecord]) async throws(StoreFailure) -> [Bool] {
            drill.reach(.admitBefore)
            let kept = try await store.admit(inputs)
            drill.reach(.admitAfter)
            return kept
        }

        func load(_ streams: [(name: StreamName, after: Int32)], atMost count: Int) async throws(StoreFailure)
            -> [[RecordedEvent]]
        {
            let histories = try await store.load(streams, atMost: count)
            drill.reach(.streamsLoaded)
            return histories
        }

        func inputs(_ named: [(id: Uuid, merchant: MerchantNumber)]) async throws(StoreFailure) -> [InputRecord] {
            try await store.inputs(named)
        }

        func decision(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> RecordedDecision? {
            try await store.decision(input, merchant: merchant)
        }

        func command(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> KnownCommand? {
            let known = try await store.command(input, merchant: merchant)
            drill.reach(.commandLooked)
            return known
        }

        func resolve(_ references: [Reference], merchant: MerchantNumber) async throws(StoreFailure)
            -> [Reference: StreamName]
        {
            let streams = try await store.resolve(references, merchant: merchant)
            drill.reach(.referenceResolved)
            return streams
        }

        func awaits(_ stream: StreamName, _ names: [String], before input: Uuid?) async throws(StoreFailure) -> Bool {
            try await store.awaits(stream, names, before: input)
        }

        func events(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedEvent> {
            try await store.events(after: position, limit: limit)
        }

        func decisions(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedDecision> {
            try await store.decisions(after: position, limit: limit)
        }

        func now() async throws(StoreFailure) -> Timestamp { try await store.now() }

        func claimMail(owner: String, lease: Duration, done: [MailLease], after: MerchantNumber)
            async throws(StoreFailure) -> [MailLease]
        {
            let leases = try await store.claimMail(owner: owner, lease: lease, done: done, after: after)
            if !leases.isEmpty { drill.reach(.mailClaimed) }
            return leases
        }

        func undecided(_ leases: [MailLease], limit: Int) async throws(StoreFailure) -> [[InputRecord]] {
            let inputs = try await store.undecided(leases, limit: limit)
            drill.reach(.mailRead)
            return inputs
        }

        /// No point of its own: it is passed only after a process has ended.
        func suspect(_ leases: [MailLease]) async throws(StoreFailure) { try await store.suspect(leases) }

        func release(_ leases: [MailLease], after delay: Duration) async throws(StoreFailure) {
            try await store.release(leases, after: delay)
            drill.reach(.mailReleased)
        }

        func quarantine(_ input: Uuid, lease: MailLease, reason: String) async throws(StoreFailure) {
            try await store.quarantine(input, lease: lease, reason: reason)
            drill.reach(.mailQuarantined)
        }

        func dueTimers(limit: Int, after: MerchantNumber) async throws(StoreFailure) -> [DueTimer] {
            try await store.dueTimers(limit: limit, after: after)
        }

        func fire(_ timers: [(timer: DueTimer, input: InputRecord)]) async throws(StoreFailure) {
            drill.reach(.timersFiring)
            try await store.fire(timers)
            drill.reach(.timersFired)
        }

        func claimEffects(owner: String, lease: Duration, _ wish: EffectWish) async throws(StoreFailure)
            -> [LeasedEffect]
        {
            let claimed = try await store.claimEffects(owner: owner, lease: lease, wish)
            if !claimed.isEmpty { drill.reach(.effectsClaimed) }
            return claimed
        }

        func pace(
            _ leases: [EffectLease],
            account: Uuid,
            spacing: Duration,
            burst: Int64
        ) async throws(StoreFailure) -> [Bool] {
            let passing = try await store.pace(leases, account: account, spacing: spacing, burst: burst)
            drill.reach(.effectsPaced)
            return passing
        }

        func giveBack(_ leases: [EffectLease]) async throws(StoreFailure) {
            try await store.giveBack(leases)
            if !leases.isEmpty { drill.reach(.effectsGivenBack) }
        }

        func markSending(_ leases: [EffectLease], margin: Duration) async throws(StoreFailure) -> [Bool] {
            drill.reach(.sendingBefore)
            let marks = try await store.markSending(leases, margin: margin)
            drill.reach(.sendingMarked)
            return marks
        }

        func observe(_ observations: [(lease: EffectLease, input: InputRecord)]) async throws(StoreFailure) {
            drill.reach(.answerBefore)
            try await store.observe(observations)
            drill.reach(.answerStored)
        }

        func reclaimEffects() async throws(StoreFailure) -> Int {
            let count = try await store.reclaimEffects()
            if count > 0 { drill.reach(.claimsReclaimed) }
            return count
        }

        func lostEffects(grace: Duration, limit: Int) async throws(StoreFailure) -> [LostEffect] {
            let lost = try await store.lostEffects(grace: grace, limit: limit)
            if !lost.isEmpty { drill.reach(.sendersLost) }
            return lost
        }

        func expiredEffects(limit: Int) async throws(StoreFailure) -> [LostEffect] {
            try await store.expiredEffects(limit: limit)
        }

        func takeInbox(
            limit: Int,
            after: MerchantNumber,
            _ settle: @Sendable ([InboxCommand]) async -> [InboxSettlement]
        ) async throws(StoreFailure) -> Int {
            let count = try await store.takeInbox(limit: limit, after: after) { commands in
                let settlements = await settle(commands)
                if !commands.isEmpty { drill.reach(.inboxBefore) }
                return settlements
            }
            if count > 0 { drill.reach(.inboxSettled) }
            return count
        }
    }
#endif

package import EventSourcing
package import Kernel

/// A call that a test may make fail, before or after it took effect.
package enum StoreCall: String, Hashable, Sendable, CaseIterable {
    case commit, admit, load, inputs, decision, command, resolve, awaits, events, decisions
    case now, claimMail, undecided, suspect, release, quarantine, dueTimers, fire
    case claimEffects, pace, giveBack, markSending, observe, reclaimEffects, lostEffects, expiredEffects, takeInbox
    case streams, marks, effects, recoveryEpoch
}

/// How a call fails: with nothing written, or with everything written and the answer lost.
package enum StoreFault: Hashable, Sendable {
    case before(StoreFailure)
    case after(StoreFailure)
}

/// The store port in memory, with the rules of the PostgreSQL store; both pass the same contract suite.
package final class MemoryStore: Sendable {
    let state: Locked<MemoryState>
    let clock: @Sendable () -> Timestamp
    private let faults: @Sendable (StoreCall) -> StoreFault?

    /// Makes an empty store whose clock is `clock`; `faults` is asked once per call.
    package init(
        clock: @escaping @Sendable () -> Timestamp,
        faults: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }
    ) {
        state = Locked(MemoryState())
        self.clock = clock
        self.faults = faults
    }

    /// Makes a store that goes on from a backup, in the same cluster.
    package convenience init(from backup: MemoryBackup, clock: @escaping @Sendable () -> Timestamp) {
        self.init(clock: clock)
        state.withLock { $0 = backup.state }
    }

    /// Makes an empty store on a clock that the test moves.
    package convenience init(clock: ManualClock) {
        self.init(clock: { clock.now })
    }

    /// Runs one call under the lock with the fault that the test planned for it.
    func perform<Result: Sendable>(
        _ call: StoreCall,
        _ body: (inout MemoryState, Timestamp) -> Result
    ) throws(StoreFailure) -> Result {
        let now = clock()
        let fault = faults(call)
        if case .before(let failure) = fault { throw failure }
        let result = state.withLock { state in body(&state, now) }
        if case .after(let failure) = fault { throw failure }
        return result
    }

    // MARK: What tests look at

    /// Inputs that were moved out of their mailboxes, with the reasons.
    package var quarantined: [(input: InputRecord, reason: String)] { state.withLock { $0.quarantined } }

    /// Events of streams that were read.
    package var eventsLoaded: Int { state.withLock { $0.eventsLoaded } }
    /// Events that the largest of those calls answered.
    package var mostLoaded: Int { state.withLock { $0.mostLoaded } }

    /// Armed timers in no particular order.
    package var timers: [DueTimer] {
        state.withLock { state in
            state.timers.map { DueTimer(stream: $0.key.stream, clock: $0.key.clock, at: $0.value) }
        }
    }

    /// How many effect rows there are, whatever their state.
    package var effectCount: Int { state.withLock { $0.effects.count } }

    /// The first moment after `now` at which a loop may find something to do; `nil` where nothing waits.
    package func nextDue(after now: Timestamp, grace: Duration) -> Timestamp? {
        state.withLock { state in
            var times = Array(state.timers.values) + state.mail.values.map(\.due)
            for row in state.effects.values {
                switch row.state {
                case .ready: times += [row.effect.notBefore, row.effect.sendBefore]
                case .claimed: times += [row.leaseUntil, row.effect.sendBefore]
                case .sending: times.append(row.leaseUntil.adding(grace + .microseconds(1)))
                case .observed: break
                }
            }
            return times.filter { $0 > now }.min()
        }
    }

    /// Every event from a place on, counted from the first.
    package func recorded(from index: Int) -> [RecordedEvent] {
        state.withLock { Array($0.events.dropFirst(index)) }
    }

    /// The whole database as it stands.
    package func backup() -> MemoryBackup { MemoryBackup(state: state.withLock { $0 }) }

    /// Goes back to a backup, in another cluster or as a dump in the same one; what was written since is gone.
    package func restore(_ backup: MemoryBackup, isElsewhere: Bool = true) {
        state.withLock {
            $0 = backup.state
            $0.isElsewhere = isElsewhere
        }
    }

    /// Tells whether loops would find anything to do now: mailboxes, effects that may be claimed, and chores.
    package func due(at now: Timestamp, grace: Duration) -> (mail: Bool, effects: Bool, chores: Bool) {
        state.withLock { state in
            var due = (mail: state.mail.values.contains { $0.due <= now }, effects: false, chores: false)
            due.chores = state.timers.values.contains { $0 <= now }
            for row in state.effects.values {
                switch row.state {
                case .ready:
                    if row.effect.sendBefore <= now {
                        due.chores = true
                    } else if row.effect.notBefore <= now {
                        due.effects = true
                    }
                case .claimed: if row.leaseUntil <= now { due.chores = true }
                case .sending: if row.leaseUntil.adding(grace) < now { due.chores = true }
                case .observed: break
                }
            }
            return due
        }
    }

    /// Whether an input waits for its decision or an effect for its end.
    package var hasWork: Bool {
        state.withLock { state in !state.mail.isEmpty || state.effects.values.contains { $0.state != .observed } }
    }

    /// Whether a stream will be looked at again: a timer, an undecided input, or an effect that is not observed.
    package func isAwaited(_ stream: StreamName) -> Bool {
        state.withLock { state in
            state.mail[stream] != nil || state.timers[TimerKey(stream: stream, clock: .machine)] != nil
                || state.timers[TimerKey(stream: stream, clock: .business)] != nil
                || state.effects.values.contains { $0.stream == stream && $0.state != .observed }
        }
    }

    /// Every mark that bytes may have left, in the order of time.
    package var sendingMarks: [SendingMark] {
        state.withLock { state in state.marks.values.flatMap { $0 }.sorted { ($0.at, $0.fence) < ($1.at, $1.fence) } }
    }

    /// How many inputs wait for a decision.
    package var undecidedCount: Int { state.withLock { $0.mail.values.reduce(0) { $0 + $1.inputs.count } } }

    /// Every reference and the stream that it belongs to.
    package var references: [(reference: Reference, stream: StreamName)] {
        state.withLock { state in state.references.map { ($0.key.reference, $0.value) } }
    }

    /// Does what `paystream.enqueue` does in a transaction that commits at once.
    package func enqueue(merchant: MerchantNumber, key: String, name: String, body: [UInt8], id: Uuid) {
        let now = clock()
        state.withLock { state in
            state.inbox.append(
                InboxCommand(id: id, merchant: merchant, key: key, name: name, body: body, enqueuedAt: now)
            )
        }
    }

    /// The outcome of an inbox row, when it has been settled.
    package func outcome(_ id: Uuid) -> InboxSettlement? { state.withLock { $0.outcomes[id] } }
}

extension MemoryStore: EventStore {
    package func commit(_ units: [CommitUnit], epoch: RecoveryEpoch?) async throws(StoreFailure)
        -> [CommitOutcome]
    {
        let outcomes = try perform(.commit) { state, now in
            state.isElsewhere || state.epoch != epoch ? nil : state.commit(units, at: now)
        }
        return try MemoryState.here(outcomes)
    }

    package func admit(_ inputs: [InputRecord]) async throws(StoreFailure) -> [Bool] {
        try perform(.admit) { state, now in state.admit(inputs, at: now) }
    }

    package func load(_ streams: [(name: StreamName, after: Int32)], atMost count: Int) async throws(StoreFailure)
        -> [[RecordedEvent]]
    {
        try perform(.load) { state, _ in
            let found = streams.map { Array((state.streams[$0.name] ?? []).dropFirst(Int($0.after)).prefix(count)) }
            let sum = found.reduce(0) { $0 + $1.count }
            state.eventsLoaded += sum
            state.mostLoaded = max(state.mostLoaded, sum)
            return found
        }
    }

    package func inputs(_ named: [(id: Uuid, merchant: MerchantNumber)]) async throws(StoreFailure) -> [InputRecord] {
        try perform(.inputs) { state, _ in
            named.compactMap { state.inputs[MerchantKey(merchant: $0.merchant, id: $0.id)] }
        }
    }

    package func decision(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> RecordedDecision? {
        try perform(.decision) { state, _ in state.decided[MerchantKey(merchant: merchant, id: input)] }
    }

    package func command(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> KnownCommand? {
        try perform(.command) { state, _ in
            guard let row = state.commands[MerchantKey(merchant: merchant, id: input)], let version = row.version
            else { return nil }
            return KnownCommand(mac: row.mac, stream: row.stream, version: version)
        }
    }

    package func resolve(_ references: [Reference], merchant: MerchantNumber) async throws(StoreFailure)
        -> [Reference: StreamName]
    {
        try perform(.resolve) { state, _ in
            var found: [Reference: StreamName] = [:]
            for reference in references {
                found[reference] = state.references[ReferenceKey(merchant: merchant, reference: reference)]
            }
            return found
        }
    }

    package func awaits(_ stream: StreamName, _ names: [String], before input: Uuid?) async throws(StoreFailure) -> Bool
    {
        try perform(.awaits) { state, _ in
            func key(_ id: Uuid) -> MerchantKey { MerchantKey(merchant: stream.merchant, id: id) }
            let end = input.flatMap { state.places[key($0)] } ?? .max
            return (state.mail[stream]?.inputs ?? []).contains { waiting in
                state.places[key(waiting), default: 0] < end
                    && state.inputs[key(waiting)].map { names.contains($0.name) } ?? false
            }
        }
    }

    package func events(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedEvent> {
        try perform(.events) { state, _ in
            let rows = state.events.lazy.filter { $0.position > position }.prefix(limit)
            return LogPage(rows: Array(rows), horizon: state.position)
        }
    }

    package func decisions(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedDecision> {
        try perform(.decisions) { state, _ in
            let rows = state.decisions.lazy.filter { $0.position > position }.prefix(limit)
            return LogPage(rows: Array(rows), horizon: state.position)
        }
    }
}

/// A database as it once stood.
package struct MemoryBackup: Sendable {
    let state: MemoryState
}

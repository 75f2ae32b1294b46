package import EventSourcing
package import Kernel

/// A call that a test may make fail, before or after it took effect.
package enum StoreCall: String, Hashable, Sendable, CaseIterable {
    case commit, admit, load, input, decision, command, resolve, events, decisions
    case now, claimMail, undecided, release, quarantine, dueTimers, fire
    case claimEffects, pace, markSending, observe, reclaimEffects, lostEffects, expiredEffects, takeInbox
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

    /// Armed timers in no particular order.
    package var timers: [DueTimer] {
        state.withLock { state in
            state.timers.map { DueTimer(stream: $0.key.stream, clock: $0.key.clock, at: $0.value) }
        }
    }

    /// How many effect rows there are, whatever their state.
    package var effectCount: Int { state.withLock { $0.effects.count } }

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

    /// What became of an inbox row, when it has been settled.
    package func outcome(_ id: Uuid) -> InboxSettlement? { state.withLock { $0.outcomes[id] } }
}

extension MemoryStore: EventStore {
    package func commit(_ units: [CommitUnit]) async throws(StoreFailure) -> [CommitOutcome] {
        try perform(.commit) { state, now in state.commit(units, at: now) }
    }

    package func admit(_ inputs: [InputRecord]) async throws(StoreFailure) -> [Bool] {
        try perform(.admit) { state, now in state.admit(inputs, at: now) }
    }

    package func load(_ streams: [(name: StreamName, after: Int32)]) async throws(StoreFailure) -> [[RecordedEvent]] {
        try perform(.load) { state, _ in
            streams.map { stream in Array((state.streams[stream.name] ?? []).dropFirst(Int(stream.after))) }
        }
    }

    package func input(_ id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> InputRecord? {
        try perform(.input) { state, _ in state.inputs[MerchantKey(merchant: merchant, id: id)] }
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

    package func resolve(_ reference: Reference, merchant: MerchantNumber) async throws(StoreFailure) -> StreamName? {
        try perform(.resolve) { state, _ in
            state.references[ReferenceKey(merchant: merchant, reference: reference)]
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

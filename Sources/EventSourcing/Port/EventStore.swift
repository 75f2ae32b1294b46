package import Kernel

/// The log: inputs, decisions and events in one order, and the keys and references that guard it.
///
/// Implemented over PostgreSQL and in memory; both pass the contract suite. Every call may throw `StoreFailure`.
package protocol EventStore: Sendable {
    /// Writes decided inputs, all in one transaction, each unit whole or not at all.
    ///
    /// At most one unit per stream and call. After a lost connection the caller repeats the call: what was written answers
    /// `duplicate`. `epoch` is the newest recovery epoch that the decisions know of; where another one is the newest, or one has
    /// to begin first, nothing is written and the call fails with `moved`.
    func commit(_ units: [CommitUnit], epoch: RecoveryEpoch?) async throws(StoreFailure)
        -> [CommitOutcome]

    /// Writes inputs raw before anything reads them, and puts each in its stream's mailbox.
    ///
    /// An input that is known already is skipped. Answers which ones were new.
    func admit(_ inputs: [InputRecord]) async throws(StoreFailure) -> [Bool]

    /// Loads what follows a version of each stream, at most so many events of each; an unknown stream is empty, as is one of
    /// another kind.
    func load(_ streams: [(name: StreamName, after: Int32)], atMost count: Int) async throws(StoreFailure)
        -> [[RecordedEvent]]

    /// Reads inputs, in no order; one that is not there is left out.
    func inputs(_ named: [(id: Uuid, merchant: MerchantNumber)]) async throws(StoreFailure) -> [InputRecord]

    /// Reads the decision about an input.
    func decision(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> RecordedDecision?

    /// Looks a command's key up; the key is the input's id.
    func command(_ input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> KnownCommand?

    /// Finds the streams that references belong to; those of none are left out.
    func resolve(_ references: [Reference], merchant: MerchantNumber) async throws(StoreFailure)
        -> [Reference: StreamName]

    /// Whether a stream's mailbox holds an input of one of these names that was admitted before another one; where that one is
    /// not admitted, or none is given, of whatever age.
    func awaits(_ stream: StreamName, _ names: [String], before input: Uuid?) async throws(StoreFailure) -> Bool

    /// Reads committed events after a position in the order of the log.
    ///
    /// A page shorter than `limit` may advance its reader to `horizon`: nothing will ever appear at or below it. Rows of one
    /// position are on one page, which may be longer than `limit` for that.
    func events(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedEvent>

    /// Reads decision records after a position, as `events` does.
    func decisions(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedDecision>
}

extension EventStore {
    /// Finds the stream that a reference belongs to.
    package func resolve(_ reference: Reference, merchant: MerchantNumber) async throws(StoreFailure) -> StreamName? {
        try await resolve([reference], merchant: merchant)[reference]
    }

    /// Loads whole streams, or all that follows a version, however much it is.
    package func load(_ streams: [(name: StreamName, after: Int32)]) async throws(StoreFailure) -> [[RecordedEvent]] {
        try await load(streams, atMost: Int(Int32.max))
    }

    /// Reads one input.
    package func input(_ id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> InputRecord? {
        try await inputs([(id, merchant)]).first
    }

    /// Writes where no epoch ever began.
    package func commit(_ units: [CommitUnit]) async throws(StoreFailure) -> [CommitOutcome] {
        try await commit(units, epoch: nil)
    }
}

/// Reads beginnings of streams, from where they are held or from the store.
package protocol HistoryReader: Sendable {
    /// Each stream's events behind the first of two versions up to the second, or to its end where it is shorter, and the
    /// state before them.
    func streams(_ wanted: [StreamName: ClosedRange<Int32>]) async throws(StoreFailure) -> [StreamName: History]
}

extension HistoryReader {
    /// A stream as it was at a version; of one without an end only its state is told.
    package func stream(_ name: StreamName, at version: Int32) async throws(StoreFailure) -> History {
        try await streams([name: version...version])[name] ?? History()
    }
}

/// A page of the log.
package struct LogPage<Row: Sendable>: Sendable {
    package let rows: [Row]
    package let horizon: Int64

    package init(rows: [Row], horizon: Int64) {
        self.rows = rows
        self.horizon = horizon
    }
}

/// Why the store could not answer.
///
/// `unknown` after a commit means that it may have happened.
package struct StoreFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// No connection, or the server is starting or stopping: nothing was written.
        case unavailable
        /// The connection broke while committing: repeat the same call.
        case unknown
        /// Deadlock or serialization: nothing was written, repeat.
        case retry
        /// The log was restored, or another server took over: what the caller knows of it may be lost, and nothing was
        /// written. Forget, ask for the recovery epoch, and decide again.
        case moved
        /// The statement took longer than its limit; nothing was written.
        case timeout
        /// A defect: a broken row, a missing function, a violated constraint.
        case corrupt
    }

    package let code: Code
    package let sqlState: String?
    /// For logs; holds no row values.
    package let detail: String

    package init(_ code: Code, sqlState: String? = nil, detail: String) {
        self.code = code
        self.sqlState = sqlState
        self.detail = detail
    }
}

extension StoreFailure {
    /// Whether the data is to blame, and not the database or the program's standing in it: another stream may do better.
    package var isAboutData: Bool {
        guard code == .corrupt else { return false }
        // Cardinality, data exception, violated constraint, a limit of the program; without a state it was read and not understood.
        return sqlState.map { ["21", "22", "23", "54"].contains($0.prefix(2)) } ?? true
    }
}

package import EventSourcing
import Kernel
import Postgres

/// Counts of what waits in the database, for figures and alerts; each stops at a limit, so that a flood costs no more.
package struct FigureRows: Sendable {
    /// What waits in one place, and for how long the oldest of it.
    package struct Waiting: Hashable, Sendable {
        package let count: Int64
        package let oldest: Duration

        package static let nothing = Waiting(count: 0, oldest: .zero)
    }

    /// A place where work waits for this program.
    package enum Queue: String, Hashable, Sendable, CaseIterable {
        /// Commands that backends enqueued by SQL.
        case inbox
        /// Streams with inputs that could be decided now.
        case mail
        /// Messages that may be sent now, and those that were marked and have no answer.
        case ready, sending
        /// Timers that are due and were not fired.
        case timers
        /// Inputs that could not be decided, and notifications that were refused.
        case quarantine, refused
    }

    /// What is unresolved, by who has to do with it.
    package enum Owed: String, Hashable, Sendable, CaseIterable {
        case payments, paymentsOfOperator = "payments_operator", bills, inputs
    }

    /// Rows that are counted at most.
    package static let most = 10_000

    /// Microseconds since the oldest of `x`, for SQL.
    private static let age = """
        coalesce((extract(epoch FROM greatest(interval '0', statement_timestamp() - min(x.at))) * 1000000)::int8, 0)
        """

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    package func queues() async throws(StoreFailure) -> [Queue: Waiting] {
        let selections = Queue.allCases.map { queue in
            """
            SELECT '\(queue.rawValue)', count(*), \(Self.age) FROM (SELECT \(queue.source) LIMIT \(Self.most)) x
            """
        }
        let rows = try await store.read(selections.joined(separator: "\nUNION ALL ")) {
            row throws(PostgresFailure) -> (Queue, Waiting)? in
            guard let queue = Queue(rawValue: try row.text(0)) else { return nil }
            return (queue, Waiting(count: try row.int64(1), oldest: .microseconds(try row.int64(2))))
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    package func owed() async throws(StoreFailure) -> [Owed: Int64] {
        let selections = Owed.allCases.map { owed in
            "SELECT '\(owed.rawValue)', count(*) FROM (SELECT FROM \(owed.source) LIMIT \(Self.most)) x"
        }
        let rows = try await store.read(selections.joined(separator: "\nUNION ALL ")) {
            row throws(PostgresFailure) -> (Owed, Int64)? in
            guard let owed = Owed(rawValue: try row.text(0)) else { return nil }
            return (owed, try row.int64(1))
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    /// Events that a follower has not read, and how long ago the first of them was recorded.
    package func lag(of follower: ViewFollower) async throws(StoreFailure) -> Waiting {
        let sql = """
            SELECT count(*), \(Self.age) FROM (
                SELECT e.at FROM paystream.event e
                 WHERE e.stream_kind = ANY ($3) AND e.pos > coalesce(
                       (SELECT c.pos FROM paystream.checkpoint c WHERE c.name = $1 AND c.version = $2 AND c.lane = 0), 0)
                 LIMIT \(Self.most)) x
            """
        let kinds = follower.kinds.map(\.rawValue)
        let rows = try await store.read(sql, [.text(follower.name), .int32(follower.version), .int16s(kinds)]) {
            row throws(PostgresFailure) in
            Waiting(count: try row.int64(0), oldest: .microseconds(try row.int64(1)))
        }
        return rows.first ?? .nothing
    }
}

extension FigureRows.Queue {
    /// Since when each waits, and where it stands.
    fileprivate var source: String {
        let now = "statement_timestamp()"
        return switch self {
        case .inbox: "at FROM paystream.inbox"
        case .mail: "due AS at FROM paystream.mail WHERE due <= \(now)"
        case .ready: "not_before AS at FROM paystream.effect WHERE state IN (0, 1) AND not_before <= \(now)"
        case .sending: "not_before AS at FROM paystream.effect WHERE state = 2"
        case .timers:
            """
            at FROM (SELECT machine AS at FROM paystream.due WHERE machine <= \(now)
            UNION ALL SELECT business FROM paystream.due WHERE business <= \(now) AND NOT clocked) t
            """
        case .quarantine: "at FROM paystream.input_quarantine"
        case .refused: "at FROM paystream.quarantine WHERE expires_at > \(now)"
        }
    }
}

extension FigureRows.Owed {
    fileprivate var source: String {
        switch self {
        case .payments: "paystream.payment_view WHERE has_obligations"
        case .paymentsOfOperator: "paystream.payment_view WHERE needs_operator"
        case .bills:
            """
            paystream.bill_batch_view b JOIN paystream.bill_view v ON v.merchant = b.merchant AND v.batch = b.id
            WHERE b.status = 'unresolved' AND v.outcome IN ('unknown', 'held')
            """
        case .inputs: "paystream.input_quarantine"
        }
    }
}

package import EventSourcing
import Kernel
import Postgres

/// Counts of what waits in the database, for figures and alerts; each stops at a limit, so that a flood costs no more.
package struct FigureRows: Sendable {
    /// A number of things that wait, and the age of the oldest.
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
        /// Events that wait for receivers of webhooks.
        case webhooks
    }

    /// A kind of unresolved thing, by who has to do with it.
    package enum Owed: String, Hashable, Sendable, CaseIterable {
        case payments, paymentsOfOperator = "payments_operator", bills
        case billsClaimed = "bills_claimed", inputs, webhooks
    }

    /// Rows that are counted at most.
    package static let most: Int32 = 10_000

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    package func queues() async throws(StoreFailure) -> [Queue: Waiting] {
        let rows = try await store.read(
            "SELECT queue, waiting, oldest FROM paystream.queue_figures($1)",
            [.int32(Self.most)]
        ) { row throws(PostgresFailure) -> (Queue, Waiting)? in
            guard let queue = Queue(rawValue: try row.text(0)) else { return nil }
            return (queue, Waiting(count: try row.int64(1), oldest: .microseconds(try row.int64(2))))
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    package func owed() async throws(StoreFailure) -> [Owed: Int64] {
        let rows = try await store.read("SELECT what, found FROM paystream.owed_figures($1)", [.int32(Self.most)]) {
            row throws(PostgresFailure) -> (Owed, Int64)? in
            guard let owed = Owed(rawValue: try row.text(0)) else { return nil }
            return (owed, try row.int64(1))
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }
}

import EventSourcing
import Kernel
package import Store

/// Loads of the store's own commit.
package struct StoreBench: Sendable {
    private let store: PostgresStore
    private let log: SampleLog
    private let numbers = Locked(0)

    package init(_ store: PostgresStore, run: UInt64) {
        self.store = store
        log = SampleLog(run: run)
    }

    package struct Refused: Error {
        package let outcome: String
    }

    /// One call per stream, clients side by side; counts events.
    package func single(clients: Int, for time: Duration) async throws -> Sample {
        try await load(clients: clients, for: time, units: 1, events: 1, hasEffect: false, counting: 1)
    }

    /// Whole batches of streams with many events each; counts events.
    package func batched(lanes: Int, for time: Duration) async throws -> Sample {
        let (units, events) = (16, 16)
        return try await load(
            clients: lanes,
            for: time,
            units: units,
            events: events,
            hasEffect: false,
            counting: units * events
        )
    }

    /// Writes what a new payment writes, in the batches of the fast path; counts payments.
    package func payments(lanes: Int, for time: Duration) async throws -> Sample {
        let units = 64
        return try await load(clients: lanes, for: time, units: units, events: 3, hasEffect: true, counting: units)
    }

    private func load(
        clients: Int,
        for time: Duration,
        units: Int,
        events: Int,
        hasEffect: Bool,
        counting pieces: Int
    ) async throws -> Sample {
        try await ClosedLoad.run(clients: clients, for: time) { _, _ in
            let first = numbers.withLock { next in
                next += units
                return next - units
            }
            let batch = (first..<first + units).map { log.unit($0, events: events, hasEffect: hasEffect) }
            for outcome in try await store.commit(batch) {
                guard case .committed = outcome else { throw Refused(outcome: "\(outcome)") }
            }
            return pieces
        }
    }
}

import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// Of a view that is only asked how far it is.
private struct NoStreamCache: HistoryReader {
    func streams(_ wanted: [StreamName: ClosedRange<Int32>]) async throws(StoreFailure) -> [StreamName: History] {
        [:]
    }
}

/// What waits is counted where it waits, and its age is that of the oldest.
struct FigureRowsTests {
    @Test func `what is decided is not counted, and what waits is, with its age`() async throws {
        try await withPostgres { store, database async throws in
            let figures = FigureRows(store)
            let quiet = try await figures.queues()
            #expect(Set(quiet.keys) == Set(FigureRows.Queue.allCases))
            #expect(quiet.values.allSatisfy { $0 == .nothing }, "\(quiet)")
            _ = try await store.admit([input(1, for: stream(1)), input(2, for: stream(2))])
            _ = try await store.commit([
                unit(stream(3), input: 3, base: 0, effects: [.create(effect(3, now: try await store.now()))])
            ])
            let connection = try await PostgresConnection.connect(database.options)
            try await connection.execute("UPDATE paystream.mail SET due = due - interval '90 s'")
            await connection.close()
            let busy = try await figures.queues()
            #expect(busy[.mail]?.count == 2 && busy[.ready]?.count == 1 && busy[.inbox] == .nothing, "\(busy)")
            #expect((busy[.mail]?.oldest ?? .zero) >= .seconds(90))
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            let first = try await store.undecided([lease], limit: 10)[0][0].id
            try await store.quarantine(first, lease: lease, reason: "test")
            #expect(try await figures.queues()[.quarantine]?.count == 1)
            let owed = try await figures.owed()
            #expect(Set(owed.keys) == Set(FigureRows.Owed.allCases) && owed.filter { $0.value > 0 } == [.inputs: 1])
        }
    }

    @Test func `a follower's lag counts the events of its kinds that it has not read`() async throws {
        try await withPostgres { store, _ async throws in
            let view = ReadModels(store, streamCache: NoStreamCache()).payments
            let quiet = try await view.follower.standing()
            #expect(quiet.unread == 0 && quiet.lag == .zero)
            _ = try await store.commit([unit(stream(1), input: 1, base: 0)])
            let behind = try await view.follower.standing()
            #expect(behind.unread > 0 && behind.lag >= .zero)
        }
    }
}

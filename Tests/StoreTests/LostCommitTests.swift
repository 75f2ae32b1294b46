import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// A connection that breaks around COMMIT leaves the outcome unknown; the same call again answers what happened.
struct LostCommitTests {
    private static let units = [
        unit(stream(1), input: 1, base: 0, events: 2, mac: [1]), unit(stream(2), input: 2, base: 0),
    ]

    /// Commits through a relay that loses something, and answers how the call failed.
    private func lose(_ mode: DeafProxy.Mode, _ database: TestDatabase) async throws -> StoreFailure? {
        let proxy = try await DeafProxy.open(to: database)
        let pool = PostgresPool(proxy.options, limit: 1)
        let remote = PostgresStore(pool)
        // The statement is prepared first, so that what gets lost is the commit itself.
        _ = try await remote.commit([unit(stream(99), input: 99, base: 0, events: 0)])
        proxy.lose(mode)
        let lost = await storeFailure { () async throws(StoreFailure) in try await remote.commit(Self.units) }
        await pool.drain()
        return lost
    }

    @Test func `a commit whose answer is lost is a duplicate when it is repeated`() async throws {
        try await withPostgres { store, database async throws in
            #expect(try await lose(.loseAnswer, database)?.code == .unknown)
            #expect(try await store.commit(Self.units) == [.duplicate(version: 2), .duplicate(version: 1)])
            #expect(try await store.load([(stream(1), 0), (stream(2), 0)]).map(\.count) == [2, 1])
        }
    }

    @Test func `a commit whose request is lost is written when it is repeated`() async throws {
        try await withPostgres { store, database async throws in
            #expect(try await lose(.loseRequest, database)?.code == .unknown)
            #expect(try await store.load([(stream(1), 0), (stream(2), 0)]).map(\.count) == [0, 0])
            #expect(try await store.commit(Self.units).allSatisfy(\.isCommitted))
            #expect(try await store.load([(stream(1), 0), (stream(2), 0)]).map(\.count) == [2, 1])
        }
    }

    @Test func `a session that is ended while its commit waits for a lock is unknown and wrote nothing`() async throws {
        try await withPostgres { store, database async throws in
            _ = try await store.commit([unit(stream(1), input: 1, base: 0)])
            let rival = try await PostgresConnection.connect(database.options)
            try await rival.script("BEGIN; SELECT FROM paystream.stream FOR UPDATE")
            let units = [unit(stream(1), input: 2, base: 1, events: 2)]
            async let attempt = storeFailure { () async throws(StoreFailure) in try await store.commit(units) }
            try await waitUntilBlocked(database)
            try await rival.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            )
            #expect(await attempt?.code == .unknown)
            try await rival.script("ROLLBACK")
            #expect(try await store.commit(units)[0].isCommitted)
            #expect(try await store.commit(units) == [.duplicate(version: 3)])
            await rival.close()
        }
    }

    @Test func `a repeated commit that overtakes its first attempt waits for it and answers duplicate`() async throws {
        try await withPostgres { store, database async throws in
            let slow = try await PostgresConnection.connect(database.options)
            try await slow.script("BEGIN")
            let sorted = Self.units.sorted { $0.stream < $1.stream }
            try await slow.execute(PostgresStore.commitCall, PostgresStore.commitValues(sorted))
            async let repeated = store.commit(Self.units)
            try await waitUntilBlocked(database)
            try await slow.script("COMMIT")
            #expect(try await repeated == [.duplicate(version: 2), .duplicate(version: 1)])
            await slow.close()
        }
    }
}

/// The failure that a call of the store ends with.
func storeFailure(_ body: () async throws(StoreFailure) -> some Sendable) async -> StoreFailure? {
    do throws(StoreFailure) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// The order of the log under many writers: nothing missed, nothing reordered.
struct OrderStressTests {
    private static let writers = 6
    private static let readers = 3
    private static let time: Duration = .seconds(4)

    @Test func `no reader misses or reorders an event while writers pause, roll back and use savepoints`() async throws
    {
        try await withPostgres(connections: Self.writers + Self.readers + 2) { store, _ async throws in
            let end = ContinuousClock.now + Self.time
            let done = Locked(false)
            let sights = try await withThrowingTaskGroup(of: [[RecordedEvent]].self) { group in
                group.addTask {
                    // Readers end when the writers have, also when one of these failed.
                    defer { done.withLock { $0 = true } }
                    try await withThrowingTaskGroup(of: Void.self) { writers in
                        for number in 0..<Self.writers {
                            writers.addTask { try await write(UInt64(number), store, until: end) }
                        }
                        try await writers.waitForAll()
                    }
                    return []
                }
                for number in 0..<Self.readers {
                    group.addTask { [try await follow(store, page: 7 + number * 40, until: done)] }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let all = try await store.read("SELECT pos FROM paystream.event ORDER BY pos", decode: position)
            #expect(all.count > 50)
            #expect(sights.count == Self.readers)
            for sight in sights {
                #expect(sight.map(\.position) == all)
                #expect(reordered(sight) == 0)
            }
        }
    }

    @Test func `an open appender holds the horizon back and a foreign transaction does not`() async throws {
        try await withPostgres { store, database async throws in
            let foreign = try await PostgresConnection.connect(database.options)
            try await foreign.script("BEGIN; CREATE TABLE elsewhere (n int); INSERT INTO elsewhere VALUES (1)")
            _ = try await store.commit([unit(stream(1), input: 1, base: 0)])
            #expect(try await store.events(after: 0, limit: 10).rows.count == 1)

            let slow = try await PostgresConnection.connect(database.options)
            try await slow.script("BEGIN; SELECT paystream.publish_floor(); SELECT nextval('paystream.pos_seq')")
            let before = try await store.horizon()
            _ = try await store.commit([unit(stream(2), input: 2, base: 0)])
            let held = try await store.events(after: 0, limit: 10)
            #expect(held.horizon == before)
            #expect(held.rows.count == 1)
            try await slow.script("ROLLBACK")
            #expect(try await store.events(after: 0, limit: 10).rows.count == 2)
            await slow.close()
            await foreign.close()
        }
    }

    @Test func `the first event of a fresh log is not skipped`() async throws {
        try await withPostgres { store, _ async throws in
            #expect(try await store.horizon() == 0)
            _ = try await store.commit([unit(stream(1), input: 1, base: 0)])
            #expect(try await store.events(after: 0, limit: 10).rows.map(\.version) == [1])
        }
    }

    @Test func `the horizon refuses a transaction with an older snapshot`() async throws {
        try await withPostgres { _, database async throws in
            let connection = try await PostgresConnection.connect(database.options)
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ")
            await #expect(throws: PostgresFailure.self) { try await connection.execute("SELECT paystream.horizon()") }
            await connection.close()
        }
    }
}

private let position: @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Int64 = {
    row throws(PostgresFailure) in try row.int64(0)
}

extension PostgresStore {
    /// Reads a column on any connection of the pool.
    fileprivate func read(
        _ sql: String,
        decode: @escaping @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Int64
    ) async throws -> [Int64] {
        try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.query(sql, [], decode)
        }
    }
}

/// How many versions came before their predecessors.
private func reordered(_ events: [RecordedEvent]) -> Int {
    var last: [StreamName: Int32] = [:]
    var count = 0
    for event in events {
        if event.version != last[event.stream, default: 0] + 1 { count += 1 }
        last[event.stream] = event.version
    }
    return count
}

/// Appends to few streams that all writers share, by the function and by hand.
private func write(_ number: UInt64, _ store: PostgresStore, until end: ContinuousClock.Instant) async throws {
    var random = SplitMix64(seed: number)
    var turn: UInt64 = 0
    while ContinuousClock.now < end {
        turn += 1
        let id = number << 32 | turn
        let name = stream(UInt64.random(in: 1...8, using: &random))
        let base = Int32(try await store.load([(name, 0)])[0].count)
        if turn % 3 == 0 {
            try await writeSlowly(id, name, base, store, &random)
        } else {
            let neighbour = stream(UInt64.random(in: 9...12, using: &random))
            let other = Int32(try await store.load([(neighbour, 0)])[0].count)
            _ = try await store.commit([
                unit(name, input: id, base: base, events: 2),
                unit(neighbour, input: id | 1 << 62, base: other, events: 1),
            ])
        }
    }
}

/// Appends in an explicit transaction with a rolled-back savepoint after the append, a pause, and sometimes a rollback.
private func writeSlowly(
    _ id: UInt64,
    _ name: StreamName,
    _ base: Int32,
    _ store: PostgresStore,
    _ random: inout SplitMix64
) async throws {
    let pause = Int.random(in: 0...20, using: &random)
    let isRolledBack = Int.random(in: 0..<10, using: &random) < 3
    do throws(PostgresFailure) {
        try await store.pool.transaction { connection async throws(PostgresFailure) in
            _ = try await connection.query(
                PostgresStore.commitCall,
                PostgresStore.commitValues([unit(name, input: id, base: base, events: 3)])
            ) { row throws(PostgresFailure) in try row.int32(0) }
            try await connection.script("SAVEPOINT s; SELECT nextval('paystream.pos_seq'); ROLLBACK TO s")
            try await connection.script("SELECT pg_sleep(\(pause) / 1000.0)")
            if isRolledBack { throw PostgresFailure(.refused, detail: "abandoned") }
        }
    } catch {
        // A rollback on purpose, a lost race or a deadlock: nothing was written.
        guard error.code == .refused else { throw error }
    }
}

/// Follows the log as a subscriber does, until all writers have gone and everything was read.
private func follow(_ store: PostgresStore, page limit: Int, until done: Locked<Bool>) async throws -> [RecordedEvent] {
    var seen: [RecordedEvent] = []
    var place: Int64 = 0
    while true {
        let isLast = done.withLock { $0 }
        let page = try await store.events(after: place, limit: limit)
        seen += page.rows
        if page.rows.count < limit {
            place = max(place, page.horizon)
            if isLast { return seen }
        } else {
            place = page.rows.last?.position ?? place
        }
    }
}

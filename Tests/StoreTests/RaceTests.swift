import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// What happens when units meet: crossing orders, one input from two sides, lost commits.
struct RaceTests {
    @Test func `units in crossing order from many connections all end, each exactly once`() async throws {
        try await withPostgres(connections: 8) { store, _ async throws in
            let outcomes = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<8 as Range<UInt64> {
                    group.addTask { try await append(as: worker, to: store, rounds: 25) }
                }
                return try await group.reduce(0, +)
            }
            let counts = try await store.load((1...6).map { (stream($0), 0) }).map(\.count)
            #expect(counts.reduce(0, +) == outcomes)
            #expect(outcomes > 0)
        }
    }

    @Test func `a deadlock is repeated by the store and nobody hears of it`() async throws {
        try await withPostgres { store, database async throws in
            let (first, second) = (min(stream(1), stream(2)), max(stream(1), stream(2)))
            _ = try await store.commit([unit(first, input: 1, base: 0), unit(second, input: 2, base: 0)])
            let rival = try await PostgresConnection.connect(database.options)
            // The rival holds the second row, waits for the first: the store's batch does it the other way round. Its
            // patience is longer, so that the store's session is the one that finds the deadlock and is cancelled.
            try await rival.script("SET deadlock_timeout = '60s'; BEGIN")
            try await rival.execute("SELECT FROM paystream.stream WHERE id = $1 FOR UPDATE", [.uuid(second.id)])
            async let batch = store.commit([unit(first, input: 3, base: 1), unit(second, input: 4, base: 1)])
            try await waitUntilBlocked(database)
            try await rival.execute("SELECT FROM paystream.stream WHERE id = $1 FOR UPDATE", [.uuid(first.id)])
            try await rival.script("ROLLBACK")
            let outcomes = try await batch
            #expect(outcomes.map(\.isCommitted) == [true, true])
            let deadlocks = try await rival.query(
                "SELECT pg_stat_get_db_deadlocks(oid) FROM pg_database WHERE datname = current_database()"
            ) { row throws(PostgresFailure) in try row.int64(0) }
            #expect(deadlocks[0] >= 1)
            await rival.close()
        }
    }

    @Test func `one input brought by many at once is decided once`() async throws {
        try await withPostgres(connections: 8) { store, _ async throws in
            let outcomes = try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
                for _ in 0..<8 {
                    group.addTask { try await store.commit([unit(stream(1), input: 1, base: 0, events: 2, mac: [1])]) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes.count { $0.isCommitted } == 1)
            #expect(outcomes.count { $0 == .duplicate(version: 2) } == 7)
            #expect(try await store.load([(stream(1), 0)])[0].count == 2)
        }
    }

    @Test func `one input admitted by many at once is new to one of them`() async throws {
        try await withPostgres(connections: 8) { store, _ async throws in
            let records = (1...20).map { input($0, for: stream($0 % 4)) }
            let fresh = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<8 as Range<UInt64> {
                    group.addTask {
                        var random = SplitMix64(seed: worker)
                        return try await store.admit(records.shuffled(using: &random)).count { $0 }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(fresh == 20)
        }
    }

    @Test func `an admitted input is never stranded by a decision that empties its mailbox`() async throws {
        try await withPostgres(connections: 6) { store, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<3 as Range<UInt64> {
                    group.addTask {
                        for number in 0..<60 as Range<UInt64> {
                            _ = try await store.admit([input(1 + worker * 1000 + number, for: stream(1))])
                        }
                    }
                }
                group.addTask { try await work(store, inputs: 180) }
                try await group.waitForAll()
            }
            #expect(try await store.decisions(after: 0, limit: 1000).rows.count == 180)
            #expect(try await store.claimMail(owner: "z", lease: .zero).isEmpty)
        }
    }
}

/// Appends to all of six streams in one batch per round, in an order of its own; answers how many events it wrote.
private func append(as worker: UInt64, to store: PostgresStore, rounds: UInt64) async throws -> Int {
    var random = SplitMix64(seed: worker)
    var written = 0
    for round in 0..<rounds {
        let names = (1...6).map { stream($0) }.shuffled(using: &random)
        let loaded = try await store.load(names.map { ($0, 0) })
        let units = zip(names, loaded).enumerated().map { index, pair in
            unit(pair.0, input: worker << 32 | round << 8 | UInt64(index) | 1 << 60, base: Int32(pair.1.count))
        }
        written += try await store.commit(units).count { $0.isCommitted }
    }
    return written
}

/// Works a mailbox off until so many inputs were decided.
private func work(_ store: PostgresStore, inputs: Int) async throws {
    var decided = 0
    let end = ContinuousClock.now + .seconds(60)
    while decided < inputs {
        guard ContinuousClock.now < end else { throw Overdue() }
        for claim in try await store.claimMail(owner: "w", lease: .seconds(15)) {
            for record in try await store.undecided([claim], limit: 5)[0] {
                let base = Int32(try await store.load([(claim.stream, 0)])[0].count)
                let outcome = try await store.commit([admitted(claim, input: record.id, base: base)])[0]
                if outcome.isCommitted { decided += 1 }
            }
            try await store.release([claim], after: .zero)
        }
    }
}

/// What a test waited for did not come.
struct Overdue: Error {}

/// Waits until a session of the database waits for a lock.
func waitUntilBlocked(_ database: TestDatabase) async throws {
    let end = ContinuousClock.now + .seconds(20)
    let watcher = try await PostgresConnection.connect(database.options)
    var isBlocked = false
    while !isBlocked {
        guard ContinuousClock.now < end else { throw Overdue() }
        isBlocked =
            try await watcher.query(
                """
                SELECT EXISTS (SELECT FROM pg_stat_activity
                                WHERE datname = current_database() AND wait_event_type = 'Lock')
                """
            ) { row throws(PostgresFailure) in try row.bool(0) } == [true]
    }
    await watcher.close()
}

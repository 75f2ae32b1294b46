import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// What the hot functions read: an index's first entries, never a whole table, however long the backlog.
@Suite(.serialized) struct PlanTests {
    /// What the planner knows when it makes the plans that are kept.
    enum Knowledge: CaseIterable, CustomTestStringConvertible {
        /// Nothing was ever analyzed.
        case none
        /// The tables were analyzed while they were empty, and grew since: a queue's ordinary day.
        case empty
        /// The backlog was analyzed.
        case full

        var testDescription: String { "\(self)" }
    }

    private static let calls: [(call: String, rows: Int64)] = [
        ("SELECT FROM paystream.claim_mail('a', 15000000, '{}', '{}', '{}')", 2 * Int64(MailLease.page) + 20),
        ("SELECT FROM paystream.claim_effects('a', 15000000)", 100),
        ("SELECT FROM paystream.due_timers()", 450),
        ("SELECT FROM paystream.lost_effects(0)", 250),
        ("SELECT FROM paystream.reclaim_effects()", 700),
        ("SELECT FROM paystream.take_inbox(50)", 250),
        ("SELECT FROM paystream.expired_effects()", 200),
    ]

    private static let backlog = """
        INSERT INTO paystream.mail (due, merchant, stream_kind, stream)
            SELECT clock_timestamp() - g * interval '1 second', 7, 1, gen_random_uuid() FROM generate_series(1, 20000) g;
        INSERT INTO paystream.due (machine, business, merchant, stream_kind, stream)
            SELECT clock_timestamp() - g * interval '1 second', clock_timestamp() + g * interval '1 second', 7, 1,
                   gen_random_uuid() FROM generate_series(1, 20000) g;
        INSERT INTO paystream.effect (not_before, send_before, lease_until, fence, deadline_us, merchant, ordinal,
                stream_kind, state, id, stream, account, template)
            SELECT clock_timestamp() - g * interval '1 second',
                   clock_timestamp() + CASE WHEN g > 300 THEN interval '1 hour' ELSE interval '-1 second' END,
                   clock_timestamp() - g * interval '1 second', g, 1000, 7, 1, 1, g % 3, gen_random_uuid(),
                   gen_random_uuid(), gen_random_uuid(), '\\x00' FROM generate_series(1, 30000) g;
        INSERT INTO paystream.inbox (merchant, id, key, name, body)
            SELECT 7, gen_random_uuid(), 'k', 'payment.sync', '{}' FROM generate_series(1, 5000) g;
        INSERT INTO paystream.undecided (merchant, stream, pos, input)
            SELECT 7, gen_random_uuid(), g, gen_random_uuid() FROM generate_series(1, 20000) g;
        INSERT INTO paystream.reference (merchant, stream_kind, account, stream, kind, value)
            SELECT 7, 1, gen_random_uuid(), gen_random_uuid(), 'payment', g::text FROM generate_series(1, 20000) g;
        INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos)
            SELECT 7, gen_random_uuid(), 1, 1, 0 FROM generate_series(1, 20000) g;
        """

    /// What a session has read of a table since its counters were last flushed.
    private struct Reads: Sendable {
        let table: String
        let scans: Int64
        let rows: Int64
    }

    private static func counters(_ connection: isolated PostgresConnection) async throws(PostgresFailure) -> [Reads] {
        try await connection.query(
            """
            SELECT relname::text, seq_scan, coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
             WHERE schemaname = 'paystream' ORDER BY relname
            """
        ) { row throws(PostgresFailure) in
            Reads(table: try row.text(0), scans: try row.int64(1), rows: try row.int64(2))
        }
    }

    /// What one call reads of every table that it touches.
    private func reads(
        _ call: String,
        _ values: [PostgresValue] = [],
        on connection: PostgresConnection
    ) async throws -> [Reads] {
        try await connection.transaction { connection async throws(PostgresFailure) in
            let before = try await Self.counters(connection)
            try await connection.execute(call, values)
            let after = try await Self.counters(connection)
            return zip(before, after).map { before, after in
                Reads(table: after.table, scans: after.scans - before.scans, rows: after.rows - before.rows)
            }.filter { $0.scans > 0 || $0.rows > 0 }
        }
    }

    /// Fills the tables and makes the plans, in the order that the case says.
    private func prepare(_ knowledge: Knowledge, _ calls: [String], on connection: PostgresConnection) async throws {
        if knowledge == .empty { try await connection.script("ANALYZE") }
        if knowledge != .full { for call in calls { try await connection.execute(call) } }
        try await connection.script(Self.backlog)
        if knowledge == .full { try await connection.script("ANALYZE") }
    }

    @Test(arguments: Knowledge.allCases)
    func `leases and lists read a page of an index`(_ knowledge: Knowledge) async throws {
        try await withFreshPostgres { _, database async throws in
            let connection = try await PostgresConnection.connect(database.options.with(statementTimeout: .seconds(60)))
            try await prepare(knowledge, Self.calls.map(\.call), on: connection)
            for (call, rows) in Self.calls {
                // A plan is kept after some calls: the last must be as good as the first.
                for _ in 0..<7 {
                    let touched = try await reads(call, on: connection)
                    #expect(!touched.isEmpty, "\(call)")
                    for reads in touched {
                        #expect(reads.scans == 0, "\(call) reads all of \(reads.table)")
                        #expect(reads.rows <= rows, "\(call) fetches \(reads.rows) rows of \(reads.table)")
                    }
                }
            }
            await connection.close()
        }
    }

    @Test(arguments: Knowledge.allCases)
    func `commits and loads read their own rows only`(_ knowledge: Knowledge) async throws {
        try await withFreshPostgres { store, database async throws in
            let connection = try await PostgresConnection.connect(database.options.with(statementTimeout: .seconds(60)))
            let now = try await store.now()
            func values(_ round: UInt64, _ streams: ClosedRange<UInt64>) -> [PostgresValue] {
                let units = streams.map { number in
                    unit(
                        stream(number),
                        input: round * 1000 + number,
                        base: Int32(round),
                        mac: [1],
                        references: [Reference(account: inputId(1), kind: "payment", value: "\(number)")],
                        effects: [.create(effect(number, now: now))],
                        timers: round == 2 ? .none : Timers(machine: now, business: now)
                    )
                }
                return PostgresStore.commitValues(units.sorted { $0.stream < $1.stream })
            }
            let names = (1...30).map { stream($0) }
            let load = "SELECT FROM paystream.load_streams($1, $2, $3, $4, $5)"
            let loaded: [PostgresValue] = [
                .int32s(names.map(\.merchant.value)), .int32s(names.map { _ in 1 }), .uuids(names.map(\.id)),
                .int32s(names.map { _ in 0 }), .int32(512),
            ]
            try await prepare(knowledge, [], on: connection)
            if knowledge != .full {
                try await connection.execute(PostgresStore.commitCall, values(0, 500...500))
                try await connection.execute(load, loaded)
            }
            _ = try await store.commit((1000...1500).map { unit(stream($0), input: 100_000 + $0, base: 0, events: 4) })
            for round in 0..<4 as Range<UInt64> {
                let commit = try await reads(PostgresStore.commitCall, values(round, 1...30), on: connection)
                for reads in try await commit + reads(load, loaded, on: connection) {
                    #expect(reads.scans == 0, "round \(round) reads all of \(reads.table)")
                    #expect(reads.rows <= 150, "round \(round) fetches \(reads.rows) rows of \(reads.table)")
                }
            }
            await connection.close()
        }
    }

    @Test(arguments: Knowledge.allCases)
    func `working a mailbox off reads its own rows only`(_ knowledge: Knowledge) async throws {
        try await withFreshPostgres { store, database async throws in
            let connection = try await PostgresConnection.connect(database.options.with(statementTimeout: .seconds(60)))
            func workOff(_ number: UInt64) async throws -> [(step: String, reads: [Reads])] {
                _ = try await store.admit([input(number, for: stream(number))])
                let columns: [PostgresValue] = [.int32s([merchant.value]), .uuids([stream(number).id])]
                let fence = Int64(number)
                try await connection.execute(
                    "UPDATE paystream.mail SET fence = $3 WHERE merchant = $1 AND stream = $2",
                    [.int32(merchant.value), .uuid(stream(number).id), .int64(fence)]
                )
                let lease = MailLease(stream: stream(number), fence: fence, attempts: 1)
                let waits = "SELECT paystream.awaits_mail($1, $2, $3, $4)"
                let asked: [PostgresValue] = [
                    .int32(merchant.value), .uuid(stream(number).id), .texts(["payment.other"]), .uuid(inputId(1)),
                ]
                let read = "SELECT FROM paystream.read_undecided($1, $2, $3, 10)"
                let release = "SELECT FROM paystream.release_mail($1, $2, $3, 0)"
                let unit = admitted(lease, input: inputId(number), base: 0)
                let fences = columns + [.int64s([fence])]
                return [
                    ("look", try await reads(waits, asked, on: connection)),
                    ("read", try await reads(read, fences, on: connection)),
                    ("release", try await reads(release, fences, on: connection)),
                    (
                        "commit",
                        try await reads(PostgresStore.commitCall, PostgresStore.commitValues([unit]), on: connection)
                    ),
                ]
            }
            if knowledge == .empty { try await connection.script("ANALYZE") }
            if knowledge != .full { _ = try await workOff(1) }
            try await connection.script(Self.backlog)
            if knowledge == .full { try await connection.script("ANALYZE") }
            for number in 2...4 as ClosedRange<UInt64> {
                for (step, touched) in try await workOff(number) {
                    for reads in touched {
                        #expect(reads.scans == 0, "\(step) reads all of \(reads.table)")
                        #expect(reads.rows <= 10, "\(step) fetches \(reads.rows) rows of \(reads.table)")
                    }
                }
            }
            await connection.close()
        }
    }
}

/// Runs `body` in a database without a past; what was analyzed before must not help.
private func withFreshPostgres(_ body: (PostgresStore, TestDatabase) async throws -> Void) async throws {
    let last = lastPlanDatabase.withLock { last -> Int in
        last += 1
        return last
    }
    let database = try await TestDatabase.make("plans\(last)")
    _ = try await Migrator(database.options).run()
    let pool = PostgresPool(database.options, limit: 2)
    do { try await body(PostgresStore(pool), database) } catch {
        await pool.drain()
        throw error
    }
    await pool.drain()
}

private let lastPlanDatabase = Locked(0)

import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// What other logs and queues on PostgreSQL got wrong, one regression each, named after the report.
struct KnownStoreFailureTests {
    @Test(arguments: StoreKind.allCases)
    func `killbill-commons 169, stuck in processing or handled twice: a lease ends, and its first holder is fenced out`(
        _ kind: StoreKind
    ) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1))])
            let dead = try await store.claimMail(owner: "dead", lease: .zero)[0]
            let next = try await store.claimMail(owner: "next", lease: .seconds(15))[0]
            #expect(try await store.commit([admitted(dead, input: inputId(1), base: 0)]) == [.fenced])
            #expect(try await store.commit([admitted(next, input: inputId(1), base: 0)])[0].isCommitted)
            #expect(try await store.commit([admitted(next, input: inputId(1), base: 0)]) == [.duplicate(version: 1)])
        }
    }

    @Test func `a bare sequence: a reader waits for a position that was drawn and not committed`() async throws {
        try await withPostgres { store, database async throws in
            let slow = try await PostgresConnection.connect(database.options)
            try await slow.script("BEGIN; SELECT paystream.publish_floor(); SELECT nextval('paystream.pos_seq')")
            _ = try await store.commit([unit(stream(1), input: 1, base: 0)])
            let early = try await store.events(after: 0, limit: 10)
            #expect(early.rows.isEmpty && early.horizon == 0)
            try await slow.script("COMMIT")
            #expect(try await store.events(after: early.horizon, limit: 10).rows.map(\.version) == [1])
            await slow.close()
        }
    }

    @Test func `order by transaction id: an older transaction neither reorders a stream nor stalls a reader`()
        async throws
    {
        try await withPostgres { store, database async throws in
            // It has the lower id and stays open, in the same cluster and elsewhere.
            let older = try await PostgresConnection.connect(database.options)
            try await older.script("BEGIN; CREATE TABLE elsewhere (n int)")
            for version in 0..<3 {
                _ = try await store.commit([unit(stream(1), input: UInt64(version) + 1, base: Int32(version))])
            }
            let seen = try await store.events(after: 0, limit: 10).rows
            #expect(seen.map(\.version) == [1, 2, 3])
            #expect(seen.map(\.position) == seen.map(\.position).sorted())
            await older.close()
        }
    }

    @Test
    func `a page by position alone: merchants that came from other databases share positions, and no row is skipped`()
        async throws
    {
        try await withPostgres { store, database async throws in
            for number in 1...3 as ClosedRange<UInt64> {
                _ = try await store.commit([unit(stream(number), input: number, base: 0, events: 2)])
            }
            let connection = try await PostgresConnection.connect(database.options)
            try await connection.script(
                """
                INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
                SELECT pos, at, 1000007, ver, stream_kind, stream, cause, type, data FROM paystream.event;
                INSERT INTO paystream.decision
                    (pos, at, merchant, stream_kind, events, base, input, stream, code, detail, context, versions)
                SELECT pos, at, 1000007, stream_kind, events, base, input, stream, code, detail, context, versions
                  FROM paystream.decision;
                """
            )
            for size in 1...13 {
                var after: Int64 = 0
                var events: [StreamName] = []
                while let last = try await store.events(after: after, limit: size).rows.last {
                    events += try await store.events(after: after, limit: size).rows.map(\.stream)
                    after = last.position
                }
                #expect(events.count == 12, "events in pages of \(size)")
                after = 0
                var decisions = 0
                while let last = try await store.decisions(after: after, limit: size).rows.last {
                    decisions += try await store.decisions(after: after, limit: size).rows.count
                    after = last.position
                }
                #expect(decisions == 6, "decisions in pages of \(size)")
            }
            await connection.close()
        }
    }

    @Test func `NOTIFY inside the append: no function of the schema notifies`() async throws {
        try await withPostgres { _, database async throws in
            let connection = try await PostgresConnection.connect(database.options)
            for sql in [
                "SELECT count(*) FROM pg_proc p WHERE p.pronamespace = 'paystream'::regnamespace AND p.prosrc ~* 'notify'",
                // Read models count what they show, and an erasure counts itself; the log has no trigger.
                "SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal "
                    + "AND c.relnamespace = 'paystream'::regnamespace "
                    + "AND c.relname NOT IN ('payment_view', 'fact', 'movement', 'settlement_act', 'subject_key')",
                // What they call is searched above.
                "SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
                    + "WHERE NOT t.tgisinternal AND c.relnamespace = 'paystream'::regnamespace "
                    + "AND p.pronamespace <> 'paystream'::regnamespace",
            ] {
                let found = try await connection.query(sql) { row throws(PostgresFailure) in try row.int64(0) }
                #expect(found == [0])
            }
            await connection.close()
        }
    }
}

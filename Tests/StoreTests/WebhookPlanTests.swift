import EventSourcing
import Kernel
import Postgres
import Projections
import Store
import TestKit
import Testing

/// What lists of deliveries read: their own index, however long an endpoint's log is.
struct WebhookPlanTests {
    /// What this session has read of deliveries since its counters were last flushed.
    private static func rows(_ connection: isolated PostgresConnection) async throws(PostgresFailure) -> Int64 {
        try await connection.query(
            """
            SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read FROM pg_stat_xact_user_tables
             WHERE relname = 'webhook_delivery'
            """
        ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
    }

    @Test(arguments: WebhookDelivery.State.allCases)
    func `a list by status reads no more than it shows`(_ state: WebhookDelivery.State) async throws {
        try await withPostgres { _, database async throws in
            let connection = try await PostgresConnection.connect(database.options.with(statementTimeout: .seconds(60)))
            // Of each state ten, at the far end of many that were delivered.
            try await connection.script(
                """
                INSERT INTO paystream.webhook_delivery
                       (merchant, endpoint, position, number, type, stream, version, state, created_at, next_at, ended_at)
                SELECT 1, '00000000-0000-0000-0000-000000000001', g, 0, 'payment.created', gen_random_uuid(), 1,
                       CASE WHEN g <= 30 THEN 1 + g % 3 ELSE 2 END, now(), now(), now()
                  FROM generate_series(1, 20000) g;
                ANALYZE paystream.webhook_delivery;
                """
            )
            let values: [PostgresValue] = [
                .int32(1), .uuid(Uuid(high: 0, low: 1)), .int64(.max), .int16(.max), .int32(10), .text(nil),
            ]
            let fetched = try await connection.transaction { connection async throws(PostgresFailure) in
                let before = try await Self.rows(connection)
                let found = try await connection.query(WebhookRows.list(state), values) { row throws(PostgresFailure) in
                    try row.int16(5)
                }
                let after = try await Self.rows(connection)
                return (found: found, read: after - before)
            }
            await connection.close()
            #expect(fetched.found == Array(repeating: state.rawValue, count: 10))
            #expect(fetched.read <= 40, "\(fetched.read) rows were read")
        }
    }
}

import Kernel
import Postgres
import TestKit
import Testing

/// Connections through PgBouncer, which gives each transaction to whichever session of the server is free.
struct PoolerTests {
    private static let settings = """
        SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('synchronous_commit'),
                         current_setting('client_encoding'))
        """

    private static func answer(
        _ connection: PostgresConnection,
        _ sql: String
    ) async throws(PostgresFailure) -> [String] {
        try await connection.query(sql) { row throws(PostgresFailure) in try row.text(0) }
    }

    private static func withPooler(
        _ suite: String,
        sessions: Int,
        _ body: (TestDatabase, PostgresOptions) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make(suite)
        try await database.withPooler(sessions: sessions) { address in
            try await body(database, PostgresOptions(address: Secret(address)))
        }
        try await database.drop()
    }

    @Test(.timeLimit(.minutes(1))) func `settings hold for a transaction and stay with no session`() async throws {
        try await Self.withPooler("poolersettings", sessions: 1) { database, options in
            let direct = try await PostgresConnection.connect(database.options)
            #expect(await !direct.isPooled)
            await direct.close()
            let first = try await PostgresConnection.connect(options)
            let second = try await PostgresConnection.connect(options)
            #expect(await first.isPooled)
            let inside = try await first.transaction { connection async throws(PostgresFailure) in
                try await Self.answer(connection, Self.settings)
            }
            #expect(inside == ["15s on UTF8"])
            // A statement alone has them, too, and leaves the session as others told it to be.
            let told = "SET statement_timeout = '7s'; SET synchronous_commit = off; SET client_min_messages = error"
            try await second.script(told)
            for connection in [first, second] {
                #expect(try await Self.answer(connection, Self.settings) == ["15s on UTF8"])
            }
            await first.close()
            await second.close()
        }
    }

    @Test(.timeLimit(.minutes(1))) func `statements are prepared on no session that others get`() async throws {
        try await Self.withPooler("poolerstatements", sessions: 2) { _, options in
            let pool = PostgresPool(options, limit: 4)
            // The same words by four clients at once, on two sessions.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        for round in 0..<50 {
                            let value = Int64(number * 100 + round)
                            let values = try await pool.withConnection { connection async throws(PostgresFailure) in
                                try await connection.query("SELECT $1::bigint", [.int64(value)]) {
                                    row throws(PostgresFailure) in try row.int64(0)
                                }
                            }
                            #expect(values == [value])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let kept = try await pool.withConnection { connection async throws(PostgresFailure) in
                try await Self.answer(connection, "SELECT name FROM pg_prepared_statements")
            }
            #expect(kept == [])
            await pool.drain()
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a commit waits for the disk whatever its login says`() async throws {
        try await Self.withPooler("poolercommits", sessions: 1) { database, options in
            let direct = try await PostgresConnection.connect(database.options)
            try await direct.execute("ALTER DATABASE \(database.name) SET synchronous_commit = off")
            await direct.close()
            for options in [options, database.options] {
                let connection = try await PostgresConnection.connect(options)
                #expect(try await Self.answer(connection, Self.settings) == ["15s on UTF8"])
                await connection.close()
            }
        }
    }
}

import Cluster
import Daemon
import Kernel
import Postgres
import SystemKit

/// What a development database holds that somebody may miss.
package struct DevContents: Hashable, Sendable {
    package let merchants: Int64
    package let payments: Int64
    /// Accounts in another mode than `test`, by name.
    package let liveAccounts: [String]
    /// Payments and transfers of such accounts.
    package let livePayments: Int64

    /// Why nobody may throw it away; `nil` where nothing in it is about real money.
    package var refusal: String? {
        guard !liveAccounts.isEmpty || livePayments > 0 else { return nil }
        return
            "the database has live accounts (\(liveAccounts.joined(separator: ", "))) and \(livePayments) payments of such: "
            + "it is nothing to throw away"
    }

    /// Looks into a database, whatever the version of its schema; `nil` where it has none.
    static func read(server: String, database: String, at address: String) async throws -> DevContents? {
        let known = try await with(server) { connection async throws(PostgresFailure) in
            try await connection.query("SELECT true FROM pg_database WHERE datname = $1", [.text(database)]) {
                row throws(PostgresFailure) in try row.bool(0)
            }
        }
        guard !known.isEmpty else { return nil }
        return try await with(address) { connection async throws(PostgresFailure) -> DevContents? in
            let schema = try await connection.query(
                "SELECT to_regclass('paystream.event') IS NOT NULL AND to_regclass('paystream.merchant') IS NOT NULL"
            ) { row throws(PostgresFailure) in try row.bool(0) }
            guard schema.first == true else { return nil }
            return try await connection.query(Self.sql) { row throws(PostgresFailure) in
                DevContents(
                    merchants: try row.int64(0),
                    payments: try row.int64(1),
                    liveAccounts: try row.texts(2),
                    livePayments: try row.int64(3)
                )
            }.first
        }
    }

    private static let sql = """
        SELECT (SELECT count(*) FROM paystream.merchant),
               (SELECT count(*) FROM paystream.event WHERE type = 'payment.created.v1'),
               ARRAY(SELECT DISTINCT data -> 'configuration' ->> 'name' FROM paystream.event
                      WHERE type = 'account.configured.v1' AND data -> 'configuration' ->> 'mode' <> 'test' ORDER BY 1),
               (SELECT count(*) FROM paystream.event
                 WHERE type = 'payment.created.v1' AND data -> 'account' ->> 'mode' <> 'test')
        """

    private static func with<Value: Sendable>(
        _ address: String,
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Value
    ) async throws -> Value {
        let pool = PostgresPool(PostgresOptions(address: Secret(address)), limit: 1)
        do {
            let value = try await pool.withConnection(body)
            await pool.drain()
            return value
        } catch {
            await pool.drain()
            throw error
        }
    }
}

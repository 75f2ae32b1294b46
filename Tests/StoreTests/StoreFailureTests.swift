import EventSourcing
import Postgres
import Store
import TestKit
import Testing

/// What a failed statement means for who asked.
struct StoreFailureTests {
    /// What `sql` ends with.
    private func code(of sql: String, _ connection: PostgresConnection) async -> StoreFailure.Code? {
        do throws(PostgresFailure) {
            try await connection.execute(sql)
            return nil
        } catch {
            return StoreFailure(error, mayHaveCommitted: true).code
        }
    }

    @Test func `a schema of another build is a server that is away, and a broken statement is a defect`() async throws {
        try await withPostgres { _, database async throws in
            let connection = try await PostgresConnection.connect(database.options)
            let (planned, own) = ("SELECT * FROM planned", "SELECT paystream.planned()")
            try await connection.script(
                """
                CREATE TABLE planned (a int);
                CREATE FUNCTION paystream.planned() RETURNS int LANGUAGE sql AS 'SELECT 1';
                """
            )
            for sql in [planned, own] { #expect(await code(of: sql, connection) == nil) }
            try await connection.script(
                "ALTER TABLE planned ALTER a TYPE text; DROP FUNCTION paystream.planned();"
            )
            // What was prepared would answer otherwise now, and a function of ours is gone.
            for sql in [planned, own] { #expect(await code(of: sql, connection) == .unavailable, "\(sql)") }
            for sql in ["SELECT planned()", "SELECT 1 / 0"] {
                #expect(await code(of: sql, connection) == .corrupt, "\(sql)")
            }
            await connection.close()
        }
    }
}

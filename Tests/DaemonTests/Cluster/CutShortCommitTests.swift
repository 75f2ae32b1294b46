import Cluster
import Glibc
import Kernel
import Postgres
import Testing

/// What PostgreSQL itself says around a commit that waits for a standby in vain, and around one that a trigger comments.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct CutShortCommitTests {
    @Test func `a commit whose wait was ended is unknown, and one that was warned about for other reasons is done`()
        async throws
    {
        try await EmbeddedCluster.own("cut-short-\(getpid())") { cluster in
            let options = PostgresOptions(address: Secret(cluster.url()))
            let connection = try await PostgresConnection.connect(options)
            let other = try await PostgresConnection.connect(options)
            try await connection.script(
                """
                CREATE TABLE t (id int);
                CREATE FUNCTION speak() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE WARNING 'of synchronous replication'; RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER speaks AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION speak();
                """
            )
            _ = try await connection.execute("INSERT INTO t VALUES (1)")

            _ = try await connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            _ = try await connection.execute("SELECT pg_reload_conf()")
            let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            let ending = Task {
                while try await other.execute("SELECT pg_cancel_backend(pid) FROM (\(waiting)) w") == 0 {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            do throws(PostgresFailure) {
                // The new setting counts once the server has read it.
                while true { _ = try await connection.execute("INSERT INTO t VALUES (2)") }
            } catch {
                #expect(error.code == .unknown && error.detail.contains("01000 "), "\(error)")
            }
            try await ending.value
            let rows = try await connection.query("SELECT count(*) FROM t WHERE id = 2") {
                row throws(PostgresFailure) in try row.int64(0)
            }
            #expect(rows.first ?? 0 > 0, "what was committed is here")
            await connection.close()
            await other.close()
        }
    }
}

import Cluster
import Glibc
import Kernel
import Postgres
import SystemKit
import Testing

/// Connections to PostgreSQL by TLS, where bytes can have left the socket before anybody asks for them.
struct TlsConnectionTests {
    /// An address of this process alone, so that no other server has its port.
    private static let host = "127.83.\(getpid() >> 8 & 0xFF).\(getpid() & 0xFF | 1)"

    private static func answer(_ connection: PostgresConnection, _ statement: String) async throws -> String {
        let rows = try await connection.query(statement) { row throws(PostgresFailure) in try row.text(0) }
        return try #require(rows.first)
    }

    /// Gives the server a certificate and an address on the network, and answers how it is reached.
    private static func encrypt(_ cluster: EmbeddedCluster) async throws -> PostgresOptions {
        let local = try await PostgresConnection.connect(PostgresOptions(address: Secret(cluster.url())))
        let data = try await answer(local, "SHOW data_directory")
        let port = try await answer(local, "SHOW port")
        let made = try cluster.account.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout",
                "\(data)/server.key", "-out", "\(data)/server.crt",
            ],
            directory: data,
            outputFile: "\(data)/openssl.log"
        )
        #expect(made == .exited(0))
        try await local.execute("ALTER SYSTEM SET ssl = on")
        try await local.execute("ALTER SYSTEM SET listen_addresses = '\(host)'")
        await local.close()
        let restarted = try cluster.account.run(
            cluster.programs.path("pg_ctl"),
            ["restart", "--wait", "--mode", "fast", "--pgdata", data, "--log", "\(data)/restarted.log"],
            directory: data,
            outputFile: "\(data)/pg_ctl.log"
        )
        #expect(restarted == .exited(0))
        return PostgresOptions(address: Secret("postgresql://postgres@\(host):\(port)/postgres?sslmode=require"))
    }

    @Test(.timeLimit(.minutes(2))) func `answers and parameters of every size come through TLS`() async throws {
        try await EmbeddedCluster.own("tls-\(getpid())") { cluster in
            let connection = try await PostgresConnection.connect(try await Self.encrypt(cluster))
            let version = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            #expect(try await Self.answer(connection, version) == "TLSv1.3")
            // Around the sizes of a record and of libpq's buffer, and far behind them.
            for size in [1, 8_191, 8_192, 16_383, 16_384, 16_385, 24_576, 32_768, 65_536, 100_000, 5_000_000] {
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
                let echoed = try await connection.query("SELECT $1::bytea", [.bytes(bytes)]) {
                    row throws(PostgresFailure) in try row.bytes(0)
                }
                #expect(echoed == [bytes], "\(size) bytes")
            }
            let lengths = try await connection.query("SELECT repeat('x', n) FROM generate_series(1, 3000) AS n") {
                row throws(PostgresFailure) in try row.text(0).utf8.count
            }
            #expect(lengths == Array(1...3000))
            await connection.close()
        }
    }
}

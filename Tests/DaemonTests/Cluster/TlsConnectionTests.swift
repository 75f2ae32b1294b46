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

    /// Makes a certificate and its key beside the server's data, and answers what they are called but for their ends.
    private static func certificate(_ cluster: EmbeddedCluster, in data: String) throws -> String {
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
        return "\(data)/server"
    }

    /// Gives the server a certificate and an address on the network, and answers how it is reached; `nil` where it was built without
    /// TLS.
    private static func encrypt(_ cluster: EmbeddedCluster) async throws -> PostgresOptions? {
        let local = try await PostgresConnection.connect(PostgresOptions(address: Secret(cluster.url())))
        guard try await answer(local, "SHOW ssl_library") == "OpenSSL" else { return nil }
        let data = try await answer(local, "SHOW data_directory")
        let port = try await answer(local, "SHOW port")
        _ = try certificate(cluster, in: data)
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
            guard let options = try await Self.encrypt(cluster) else { return }
            let connection = try await PostgresConnection.connect(options)
            let version = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            #expect(try await Self.answer(connection, version) == "TLSv1.3")
            try await Self.carriesAll(connection)
        }
    }

    /// Servers from 17 on, and poolers, write records that are larger than the room that libpq has left: the second of two full ones,
    /// behind a row that came in part, leaves bytes that no socket tells of.
    @Test(.timeLimit(.minutes(2))) func `nothing waits for bytes that a record has brought already`() async throws {
        try await EmbeddedCluster.own("tlsrecords-\(getpid())") { cluster in
            let watcher = try await PostgresConnection.connect(PostgresOptions(address: Secret(cluster.url())))
            let data = try await Self.answer(watcher, "SHOW data_directory")
            let server = (
                host: try await Self.answer(watcher, "SHOW unix_socket_directories"),
                port: try await Self.answer(watcher, "SHOW port")
            )
            let files = try Self.certificate(cluster, in: data)
            let settings = [
                "listen_addr = \(Self.host)", "client_tls_sslmode = require", "client_tls_key_file = \(files).key",
                "client_tls_cert_file = \(files).crt", "pkt_buf = 131072",
            ]
            try await TransactionPooler.run(
                host: server.host,
                port: server.port,
                sessions: 1,
                settings: settings
            ) { pooler in
                let address = "postgresql://postgres@\(Self.host):\(TransactionPooler.port)/postgres?sslmode=require"
                let connection = try await PostgresConnection.connect(PostgresOptions(address: Secret(address)))
                async let lengths = connection.query(
                    "SELECT repeat('x', 6000) FROM generate_series(1, 5), pg_sleep(1)"
                ) { row throws(PostgresFailure) in try row.text(0).utf8.count }
                // What the server answers gathers before the pooler, which then writes it at once.
                try await Self.wait(watcher, "wait_event = 'PgSleep'")
                pooler.signal(SIGSTOP)
                try await Self.wait(watcher, "state LIKE 'idle%' AND query LIKE 'SELECT repeat%'")
                pooler.signal(SIGCONT)
                #expect(try await lengths == [6000, 6000, 6000, 6000, 6000])
                try await Self.carriesAll(connection)
            }
            await watcher.close()
        }
    }

    /// Waits until a session of the server is as a condition says.
    private static func wait(_ watcher: PostgresConnection, _ condition: String) async throws {
        let sessions = "SELECT count(*)::text FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND \(condition)"
        while try await answer(watcher, sessions) == "0" { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Sends and reads values around the sizes of a record and of libpq's buffer, and far behind them.
    private static func carriesAll(_ connection: PostgresConnection) async throws {
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

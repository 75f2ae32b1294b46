import Cluster
import Glibc
import Kernel
package import Postgres

/// A database of its own for one suite, on the server that `PAYSTREAM_TEST_DATABASE_URL` names.
///
/// The databases of processes that are gone are dropped when a new one is made.
package struct TestDatabase: Sendable {
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Names the server; `paystream cluster exec -- …` sets it.
    package static let variable = "PAYSTREAM_TEST_DATABASE_URL"

    package let name: String
    /// Reaches the suite's own database as the owner of everything in it.
    package let options: PostgresOptions

    /// Makes a UTF-8 database: an empty one, or a copy of one that nobody is connected to.
    ///
    /// `server` is the address of another server than the suites share.
    package static func make(
        _ suite: String,
        copying template: TestDatabase? = nil,
        server: String? = nil
    ) async throws -> TestDatabase {
        guard let url = server ?? environment(variable) else {
            throw Missing(
                description: "\(variable) is not set: these tests need PostgreSQL, run them with `make test`"
            )
        }
        let server = PostgresOptions(address: Secret(url), applicationName: "paystream-test")
        let admin = try await administrator(of: server)
        if template == nil { try await dropStale(admin) }
        let name = "paystream_test_\(getpid())_\(suite)"
        try await admin.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        let source = template?.name ?? "template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"
        try await admin.execute("CREATE DATABASE \(name) TEMPLATE \(source)")
        await admin.close()
        return TestDatabase(name: name, options: server.with(overrides: ["dbname": name]))
    }

    /// Databases are made and dropped behind a checkpoint, and on a busy machine others wait for theirs.
    private static func administrator(of options: PostgresOptions) async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            options.with(overrides: ["dbname": "postgres"]).with(statementTimeout: .seconds(120))
        )
    }

    /// Drops the database and whoever is connected to it.
    package func drop() async throws {
        let admin = try await Self.administrator(of: options)
        try await admin.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        await admin.close()
    }

    /// Drops it and makes an empty one in its place.
    package func replace() async throws {
        let admin = try await Self.administrator(of: options)
        try await admin.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        try await admin.execute("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'")
        await admin.close()
    }

    /// Runs `body` with an address by which each transaction is served by any of the server's `sessions`.
    package func withPooler(sessions: Int, _ body: (_ address: String) async throws -> Void) async throws {
        let connection = try await PostgresConnection.connect(options)
        let servers = try await connection.query(
            "SELECT current_setting('unix_socket_directories'), current_setting('port')"
        ) { row throws(PostgresFailure) in (host: try row.text(0), port: try row.text(1)) }
        await connection.close()
        for server in servers {
            try await TransactionPooler.run(host: server.host, port: server.port, sessions: sessions) { pooler in
                try await body(pooler.url(database: name))
            }
        }
    }

    private static func dropStale(_ admin: PostgresConnection) async throws {
        let names = try await admin.query(
            "SELECT datname::text FROM pg_database WHERE datname LIKE 'paystream\\_test\\_%'"
        ) { row throws(PostgresFailure) in try row.text(0) }
        for name in names {
            guard let owner = name.split(separator: "_").dropFirst(2).first.flatMap({ Int32($0) }), kill(owner, 0) != 0
            else { continue }
            try await admin.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        }
    }
}

/// Makes something once for a whole suite and hands it to every test.
package actor Shared<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var task: Task<Value, any Error>?

    package init(_ make: @escaping @Sendable () async throws -> Value) { self.make = make }

    package var value: Value {
        get async throws {
            if let task { return try await task.value }
            let started = Task { [make] in try await make() }
            task = started
            return try await started.value
        }
    }
}

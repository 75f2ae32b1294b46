package import Postgres

/// Brings a database to the schema of this binary.
///
/// 1. Takes a lock, so that of several nodes one migrates. 2. Refuses a schema that is newer than the binary.
/// 3. Applies each missing migration in a transaction of its own. 4. Makes all functions again, in one transaction.
/// 5. Chooses the cell, where one is named. 6. Creates event partitions ahead. Running it again changes nothing.
package struct Migrator: Sendable {
    package struct Failure: Error, Hashable, Sendable {
        package enum Code: String, Hashable, Sendable {
            /// The database was migrated by a newer binary.
            case newerSchema
            /// A migration or function could not be applied; what came before it stays.
            case broken
            /// The database's merchants have numbers of another cell, or there is no such cell.
            case cellSettled
            /// The address leads through a pooler, and of several nodes not only one could migrate there.
            case pooled
        }

        package let code: Code
        package let detail: String
    }

    /// The outcome of a run.
    package struct Report: Hashable, Sendable {
        package let from: Int32
        package let to: Int32
        package let partitions: Int32
        /// Which million of merchant numbers the database gives out.
        package let cell: Int32
    }

    /// The schema that this binary needs.
    package static var latest: Int32 { SchemaFiles.migrations.map(\.version).max() ?? 0 }

    /// The first schema in which a database knows the master keys that sealed in it.
    package static let firstWithProof: Int32 = 121

    /// The key of the advisory lock: the first eight letters of the product's name.
    private static let lockKey: Int64 = 0x7061_7973_7472_6561

    private let options: PostgresOptions

    package init(_ options: PostgresOptions) {
        // A migration may take its time; a session that waits for the lock is not idle in a transaction.
        self.options = options.with(statementTimeout: .zero, idleTransactionTimeout: .zero)
    }

    /// Migrates and reports; `cell` chooses the cell of a database without merchants, and `nil` leaves it as it is.
    package func run(cell: Int32? = nil) async throws -> Report {
        try await withConnection { try await migrate($0, cell: cell) }
    }

    /// Creates the roles of `schema/roles` where they are missing and grants them what they need.
    package func installRoles() async throws {
        try await withConnection { connection in
            try await apply(SchemaFiles.roles, named: "roles", on: connection)
        }
    }

    /// The version that a database has; zero before the first migration.
    package func currentVersion() async throws -> Int32 { try await withConnection(Self.version) }

    /// Runs `body` on a connection of its own; closing it gives the lock back, whatever happened.
    private func withConnection<Result: Sendable>(
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await PostgresConnection.connect(options)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    private func migrate(_ connection: PostgresConnection, cell: Int32?) async throws -> Report {
        guard await !connection.isPooled else {
            throw Failure(code: .pooled, detail: "this address leads through a pooler; migrate by the server's own")
        }
        try await connection.execute("SELECT pg_advisory_lock($1)", [.int64(Self.lockKey)])
        let from = try await Self.version(connection)
        guard from <= Self.latest else {
            throw Failure(
                code: .newerSchema,
                detail: "the database has schema \(from), this binary knows \(Self.latest)"
            )
        }
        if from == 0 { try await createRegister(connection) }
        for migration in SchemaFiles.migrations where migration.version > from {
            try await apply(migration, on: connection)
        }
        let functions = SchemaFiles.functions.map(\.sql).joined(separator: [UInt8(ascii: "\n")])
        try await apply(Array(functions), named: "functions", on: connection)
        if let cell { try await settle(cell, on: connection) }
        let made = try await connection.query("SELECT paystream.extend_log(), paystream.cell()") {
            row throws(PostgresFailure) in (try row.int32(0), try row.int32(1))
        }
        guard let (partitions, numbers) = made.first else { throw Failure(code: .broken, detail: "no partitions") }
        return Report(from: from, to: Self.latest, partitions: partitions, cell: numbers)
    }

    private func settle(_ cell: Int32, on connection: PostgresConnection) async throws {
        do throws(PostgresFailure) {
            try await connection.execute("SELECT paystream.settle_cell($1)", [.int32(cell)])
        } catch {
            throw error.sqlState?.text == "PS030" ? Failure(code: .cellSettled, detail: error.detail) : error
        }
    }

    private func createRegister(_ connection: PostgresConnection) async throws {
        try await connection.script(
            """
            CREATE SCHEMA IF NOT EXISTS paystream;
            CREATE TABLE IF NOT EXISTS paystream.schema_version (
                version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
            """
        )
    }

    private func apply(_ migration: Migration, on connection: PostgresConnection) async throws {
        do throws(PostgresFailure) {
            _ = try await connection.transaction { connection async throws(PostgresFailure) in
                try await connection.script(String(decoding: migration.sql, as: UTF8.self))
                return try await connection.execute(
                    "INSERT INTO paystream.schema_version (version, name) VALUES ($1, $2)",
                    [.int32(migration.version), .text(migration.name)]
                )
            }
        } catch {
            throw Failure(code: .broken, detail: "\(migration.name): \(error.sqlState?.text ?? "") \(error.detail)")
        }
    }

    private func apply(_ sql: [UInt8], named name: String, on connection: PostgresConnection) async throws {
        do throws(PostgresFailure) {
            try await connection.script(String(decoding: sql, as: UTF8.self))
        } catch {
            throw Failure(code: .broken, detail: "\(name): \(error.sqlState?.text ?? "") \(error.detail)")
        }
    }

    private static func version(_ connection: PostgresConnection) async throws -> Int32 {
        let tables = try await connection.query("SELECT to_regclass('paystream.schema_version') IS NOT NULL") {
            row throws(PostgresFailure) in try row.bool(0)
        }
        guard tables == [true] else { return 0 }
        let versions = try await connection.query("SELECT coalesce(max(version), 0) FROM paystream.schema_version") {
            row throws(PostgresFailure) in try row.int32(0)
        }
        return versions.first ?? 0
    }
}

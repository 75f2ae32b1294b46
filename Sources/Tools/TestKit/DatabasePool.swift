import Postgres
import Store

/// Few migrated databases for many tests: one is lent to a test alone, emptied, and lent again.
///
/// Making and dropping a database costs a checkpoint; emptying one does not.
package actor DatabasePool {
    private let suite: String
    private let limit: Int
    private var made = 0
    private var numbered = 0
    private var free: [TestDatabase] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init(_ suite: String, limit: Int) {
        self.suite = suite
        self.limit = limit
    }

    /// Lends an empty migrated database; one whose test failed is not lent again.
    package nonisolated func withDatabase(_ body: (TestDatabase) async throws -> Void) async throws {
        let database = try await take()
        do {
            try await body(database)
            try await Self.empty(database)
        } catch {
            await discard()
            throw error
        }
        await giveBack(database)
    }

    private func take() async throws -> TestDatabase {
        while free.isEmpty && made >= limit {
            await withCheckedContinuation { waiters.append($0) }
        }
        if let database = free.popLast() { return database }
        made += 1
        numbered += 1
        do {
            return try await TestDatabase.migrated("\(suite)\(numbered)")
        } catch {
            discard()
            throw error
        }
    }

    private func giveBack(_ database: TestDatabase) {
        free.append(database)
        wakeNext()
    }

    private func discard() {
        made -= 1
        wakeNext()
    }

    private func wakeNext() {
        if !waiters.isEmpty { waiters.removeFirst().resume() }
    }

    /// Ends foreign sessions, deletes every row and starts the sequences anew.
    private static func empty(_ database: TestDatabase) async throws {
        let connection = try await PostgresConnection.connect(database.options)
        try await connection.script(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
            DO $$
            DECLARE
                name text;
            BEGIN
                FOR name IN
                    SELECT oid::regclass FROM pg_class
                     WHERE relnamespace = 'paystream'::regnamespace AND relkind IN ('r', 'p')
                       AND NOT relispartition AND relname <> 'schema_version'
                     ORDER BY relname = 'merchant'
                LOOP
                    EXECUTE 'DELETE FROM ' || name;
                END LOOP;
                FOR name IN
                    SELECT oid::regclass FROM pg_class
                     WHERE relnamespace = 'paystream'::regnamespace AND relkind = 'S'
                LOOP
                    EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART';
                END LOOP;
            END
            $$;
            """
        )
        await connection.close()
    }
}

extension TestDatabase {
    private static let template = Shared {
        let database = try await make("template")
        _ = try await Migrator(database.options).run()
        return database
    }

    /// Makes a database with the whole schema: migrations run once in a process, and everybody has a copy.
    package static func migrated(_ suite: String) async throws -> TestDatabase {
        try await make(suite, copying: try await template.value)
    }
}

package import EventSourcing
package import Kernel
import Postgres

/// The database's knowledge of the programs that work on it: master keys, providers' identifiers, login.
package struct InstallationRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// A proof of every master key that ever sealed here.
    package func masterKeyProofs() async throws(StoreFailure) -> [[UInt8]] {
        try await store.read("SELECT proof FROM paystream.master_key ORDER BY known_since") {
            row throws(PostgresFailure) in try row.bytes(0)
        }
    }

    package func keep(masterKeyProof proof: [UInt8]) async throws(StoreFailure) {
        try await store.write(
            "INSERT INTO paystream.master_key (proof) VALUES ($1) ON CONFLICT DO NOTHING",
            [.bytes(proof)]
        )
    }

    /// Reads what leads the code of every API key: the tags of the master keys that they were made under.
    package func apiKeyTags(bytes: Int32) async throws(StoreFailure) -> [[UInt8]] {
        try await store.read("SELECT DISTINCT substr(hash, 1, $1) FROM paystream.api_key", [.int32(bytes)]) {
            row throws(PostgresFailure) in try row.bytes(0)
        }
    }

    /// Keeps where commands carry identifiers that clients give, `*` for any member or item; the SQL entrance takes none of those for a card number.
    package func keep(identifierPaths paths: some Collection<JsonPath> & Sendable) async throws(StoreFailure) {
        let steps = paths.map { Json.array($0.steps.map(Json.string)) }
        try await store.write(
            """
            WITH wanted AS (
                SELECT ARRAY(SELECT json_array_elements_text(p.value)) AS path FROM json_array_elements($1::json) p
            ), gone AS (
                DELETE FROM paystream.identifier_path i WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.path = i.path)
            )
            INSERT INTO paystream.identifier_path (path) SELECT w.path FROM wanted w ON CONFLICT DO NOTHING
            """,
            [.json(Json.array(steps).canonical)]
        )
    }

    /// Who is connected, and whether what was written could be rewritten under that name.
    package func login() async throws(StoreFailure) -> (name: String, ownsLog: Bool) {
        let rows = try await store.read(
            """
            SELECT current_user::text, has_table_privilege('paystream.event', 'UPDATE')
                   OR pg_has_role(current_user, c.relowner, 'MEMBER')
              FROM pg_class c WHERE c.oid = 'paystream.event'::regclass
            """
        ) { row throws(PostgresFailure) in (try row.text(0), try row.bool(1)) }
        guard let login = rows.first else { throw StoreFailure(.corrupt, detail: "there is no log") }
        return login
    }

    /// Whether every login can take the advisory locks that the order of the log stands on.
    package func locksAreOpen() async throws(StoreFailure) -> Bool {
        let rows = try await store.read(
            "SELECT has_function_privilege('public', 'pg_catalog.pg_advisory_lock(bigint)', 'EXECUTE')"
        ) { row throws(PostgresFailure) in try row.bool(0) }
        return rows.first ?? true
    }
}

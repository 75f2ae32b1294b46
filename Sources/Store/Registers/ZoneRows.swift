package import EventSourcing
package import Kernel
import Postgres

/// Time zone files by digest, and which of them holds for a name.
package struct ZoneRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// The file that holds for a name, by its digest.
    package func digest(named name: String) async throws(StoreFailure) -> String? {
        try await store.read("SELECT digest FROM paystream.zone WHERE name = $1", [.text(name)]) {
            row throws(PostgresFailure) in try row.text(0)
        }.first
    }

    /// Which file holds for a name, and since when.
    package struct Row: Hashable, Sendable {
        package let name: String
        package let digest: String
        package let adoptedAt: Timestamp
    }

    /// Every name that was asked for.
    package func all() async throws(StoreFailure) -> [Row] {
        try await store.read("SELECT name, digest, adopted_at FROM paystream.zone ORDER BY name") {
            row throws(PostgresFailure) in
            Row(name: try row.text(0), digest: try row.text(1), adoptedAt: try row.timestamp(2))
        }
    }

    /// Lets another file hold for a name from now on; the one that held is kept for replay.
    package func adopt(_ bytes: [UInt8], digest: String, named name: String) async throws(StoreFailure) {
        try await store.write(
            """
            WITH file AS (
                INSERT INTO paystream.zone_file (digest, bytes) VALUES ($2, $3)
                ON CONFLICT (digest) DO UPDATE SET bytes = EXCLUDED.bytes RETURNING digest)
            UPDATE paystream.zone z SET digest = file.digest, adopted_at = clock_timestamp()
              FROM file WHERE z.name = $1
            """,
            [.text(name), .text(digest), .bytes(bytes)]
        )
    }

    package func file(digest: String) async throws(StoreFailure) -> [UInt8]? {
        try await store.read("SELECT bytes FROM paystream.zone_file WHERE digest = $1", [.text(digest)]) {
            row throws(PostgresFailure) in try row.bytes(0)
        }.first
    }

    /// Keeps a file under a name that has none yet; a name that has one keeps its own.
    package func keep(_ bytes: [UInt8], digest: String, named name: String) async throws(StoreFailure) {
        try await store.write(
            """
            WITH file AS (
                INSERT INTO paystream.zone_file (digest, bytes) VALUES ($2, $3) ON CONFLICT (digest) DO NOTHING)
            INSERT INTO paystream.zone (name, digest) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
            """,
            [.text(name), .text(digest), .bytes(bytes)]
        )
    }
}

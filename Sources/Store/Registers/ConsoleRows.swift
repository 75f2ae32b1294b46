package import EventSourcing
package import Kernel
import Postgres

/// Sessions of people at the console, by hashes of their tokens, and the filters that they keep.
package struct ConsoleRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// How long a session lasts without a request of a person, and at all.
    private static let idle = "interval '30 minutes'"
    private static let longest = "interval '12 hours'"
    /// Sessions of one key; the oldest ends where another begins.
    private static let sessionsPerKey = 20
    /// Filters of one key.
    package static let filtersPerKey = 50

    // MARK: Sessions

    /// Begins a session for a key; drops those that are over, and the oldest of too many.
    package func begin(_ hash: [UInt8], key: Uuid, merchant: MerchantNumber, address: String) async throws(StoreFailure)
    {
        try await store.write(
            """
            DELETE FROM paystream.console_session s
             WHERE s.used_at < statement_timestamp() - \(Self.idle) OR s.begun_at < statement_timestamp() - \(Self.longest)
                OR s.hash IN (SELECT o.hash FROM paystream.console_session o WHERE o.key = $1
                               ORDER BY o.begun_at DESC OFFSET \(Self.sessionsPerKey - 1))
            """,
            [.uuid(key)]
        )
        try await store.write(
            "INSERT INTO paystream.console_session (hash, merchant, key, address) VALUES ($1, $2, $3, $4)",
            [.bytes(hash), .int32(merchant.value), .uuid(key), .text(address)]
        )
    }

    /// A session that lasts, and whether it was used so long ago that it should be told.
    package struct Session: Sendable {
        package let key: Registers.KeyRow
        package let begunAt: Timestamp
        package let isStale: Bool
    }

    /// The session of a hash: neither over, nor of a key that expired or was revoked, nor begun with a token that was replaced.
    package func session(_ hashes: [[UInt8]]) async throws(StoreFailure) -> Session? {
        try await store.read(
            """
            SELECT \(Registers.keyColumns), s.begun_at,
                   s.used_at < statement_timestamp() - interval '15 seconds'
              FROM paystream.console_session s
              JOIN paystream.api_key k ON k.id = s.key AND k.merchant = s.merchant
              JOIN paystream.merchant m ON m.id = k.merchant
             WHERE s.hash = ANY ($1) AND s.used_at >= statement_timestamp() - \(Self.idle)
               AND s.begun_at >= statement_timestamp() - \(Self.longest)
               AND \(Registers.usable)
               AND (k.old_until IS NULL OR k.old_until > statement_timestamp() OR s.begun_at > k.old_until)
            """,
            [.byteArrays(hashes)]
        ) { row throws(PostgresFailure) in
            Session(
                key: try Registers.KeyRow(row),
                begunAt: try row.timestamp(Registers.keyColumnCount),
                isStale: try row.bool(Registers.keyColumnCount + 1)
            )
        }.first
    }

    /// Tells that a person uses a session now.
    package func use(_ hashes: [[UInt8]]) async throws(StoreFailure) {
        try await store.write(
            "UPDATE paystream.console_session SET used_at = clock_timestamp() WHERE hash = ANY ($1)",
            [.byteArrays(hashes)]
        )
    }

    package func end(_ hashes: [[UInt8]]) async throws(StoreFailure) {
        try await store.write("DELETE FROM paystream.console_session WHERE hash = ANY ($1)", [.byteArrays(hashes)])
    }

    /// Ends every session of a key.
    package func endAll(of key: Uuid) async throws(StoreFailure) {
        try await store.write("DELETE FROM paystream.console_session WHERE key = $1", [.uuid(key)])
    }

    package func count(of key: Uuid) async throws(StoreFailure) -> Int64 {
        try await store.read(
            """
            SELECT count(*) FROM paystream.console_session
             WHERE key = $1 AND used_at >= statement_timestamp() - \(Self.idle)
               AND begun_at >= statement_timestamp() - \(Self.longest)
            """,
            [.uuid(key)]
        ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
    }

    // MARK: Filters

    package func filters(of key: Uuid) async throws(StoreFailure) -> [(name: String, query: String)] {
        try await store.read(
            "SELECT name, query FROM paystream.console_filter WHERE key = $1 ORDER BY name",
            [.uuid(key)]
        ) { row throws(PostgresFailure) in (try row.text(0), try row.text(1)) }
    }

    /// Keeps a filter under its name; false where there are as many as may be.
    package func keep(filter name: String, _ query: String, of key: Uuid, _ merchant: MerchantNumber)
        async throws(StoreFailure) -> Bool
    {
        try await store.write(
            """
            INSERT INTO paystream.console_filter (key, name, merchant, query)
            SELECT $1, $2, $3, $4
             WHERE (SELECT count(*) FROM paystream.console_filter f WHERE f.key = $1 AND f.name <> $2) < \(Self.filtersPerKey)
            ON CONFLICT (key, name) DO UPDATE SET query = excluded.query RETURNING true
            """,
            [.uuid(key), .text(name), .int32(merchant.value), .text(query)]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    package func drop(filter name: String, of key: Uuid) async throws(StoreFailure) {
        try await store.write(
            "DELETE FROM paystream.console_filter WHERE key = $1 AND name = $2",
            [.uuid(key), .text(name)]
        )
    }
}

package import EventSourcing
package import Kernel
package import Payments
import Postgres

extension Registers {
    /// A key's row, without its secret.
    package struct KeyRow: Hashable, Sendable {
        package let id: Uuid
        package let merchant: MerchantNumber
        package let merchantName: String
        package let name: String
        package let scopes: [String]
        package let createdAt: Timestamp
        package let expiresAt: Timestamp?
        package let revokedAt: Timestamp?
        package let role: String?
        /// Networks that it may be used from; none stands for all.
        package let networks: [String]
        package let awaitsApproval: Bool
        /// Until when the token before the last rotation goes on.
        package let oldUntil: Timestamp?
        package let usedAt: Timestamp?
        /// Whether its merchant begins nothing new.
        package let isSuspended: Bool
        /// Whether its last use was told so long ago that it should be told again.
        package let isUseStale: Bool
        /// How many requests it may send, and all keys of its merchant together, where somebody set that.
        package let limit: RateLimit?
        package let merchantLimit: RateLimit?
    }

    /// What a query of keys selects, from `paystream.api_key k` and its `paystream.merchant m`.
    static let keyColumns = """
        k.id, k.merchant, m.name, k.name, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.role, k.networks,
        k.awaits_approval, k.old_until, k.used_at, m.suspended_at IS NOT NULL,
        coalesce(k.used_at < statement_timestamp() - interval '1 minute', true), k.limit_requests, k.limit_seconds,
        m.limit_requests, m.limit_seconds
        """
    static let keyColumnCount: Int32 = 19

    /// Which keys may be used.
    static let usable = """
        k.revoked_at IS NULL AND NOT k.awaits_approval
        AND (k.expires_at IS NULL OR k.expires_at > statement_timestamp())
        """

    /// Inserts a key unless there is one of that id; answers whether there was none.
    package func insertKey(_ facts: KeyFacts, merchant: MerchantNumber, hash: [UInt8], awaitsApproval: Bool = false)
        async throws(StoreFailure) -> Bool
    {
        try await store.write(
            """
            INSERT INTO paystream.api_key (id, merchant, name, hash, scopes, expires_at, role, networks, awaits_approval,
                                           limit_requests, limit_seconds)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING RETURNING true
            """,
            [
                .uuid(facts.id), .int32(merchant.value), .text(facts.name), .bytes(hash), .texts(facts.scopes),
                .timestamp(facts.expiresAt), .text(facts.role), .texts(facts.networks), .bool(awaitsApproval),
                .int32(facts.limit.map { Int32(clamping: $0.requests) }),
                .int32(facts.limit.map { Int32(clamping: $0.seconds) }),
            ]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// The key with one of these hashes, unless it has expired, was revoked or is not approved yet; a token that was replaced goes on
    /// until its moment.
    package func usableKey(hashes: [[UInt8]]) async throws(StoreFailure) -> KeyRow? {
        try await keys(
            """
            (k.hash = ANY ($1) OR k.old_hash = ANY ($1) AND k.old_until > statement_timestamp()) AND \(Self.usable)
            """,
            [.byteArrays(hashes)]
        ).first
    }

    /// Keys of a merchant, the oldest first.
    package func keys(of merchant: MerchantNumber) async throws(StoreFailure) -> [KeyRow] {
        try await keys("k.merchant = $1", [.int32(merchant.value)])
    }

    package func key(_ id: Uuid) async throws(StoreFailure) -> KeyRow? {
        try await keys("k.id = $1", [.uuid(id)]).first
    }

    /// Gives a key another token; the one that it had goes on until `endsAt`, and an older one ends now.
    package func rotateKey(_ id: Uuid, of merchant: MerchantNumber, hash: [UInt8], endsAt: Timestamp)
        async throws(StoreFailure) -> Bool
    {
        try await store.write(
            """
            UPDATE paystream.api_key k
               SET old_hash = k.hash, old_until = $4, hash = $3, rotated_at = statement_timestamp()
             WHERE k.id = $1 AND k.merchant = $2 AND k.revoked_at IS NULL RETURNING true
            """,
            [.uuid(id), .int32(merchant.value), .bytes(hash), .timestamp(endsAt)]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// What became of a wish to revoke a key.
    package enum Revocation: String, Hashable, Sendable {
        case revoked, unknown
        /// Nobody could administer the merchant any more.
        case last
    }

    package func revokeKey(_ id: Uuid, of merchant: MerchantNumber, isForced: Bool) async throws(StoreFailure)
        -> Revocation
    {
        let word = try await store.write(
            "SELECT paystream.revoke_key($1, $2, $3)",
            [.int32(merchant.value), .uuid(id), .bool(isForced)]
        ) { row throws(PostgresFailure) in try row.text(0) }.first
        guard let outcome = word.flatMap(Revocation.init) else {
            throw StoreFailure(.corrupt, detail: "a key was neither revoked nor kept")
        }
        return outcome
    }

    /// Lets a key that a second person approved be used.
    package func approveKey(_ id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) {
        try await store.write(
            "UPDATE paystream.api_key SET awaits_approval = false WHERE id = $1 AND merchant = $2",
            [.uuid(id), .int32(merchant.value)]
        )
    }

    /// Tells that a key is used now, unless that was told less than a minute ago.
    package func noteUse(of id: Uuid) async throws(StoreFailure) {
        try await store.write(
            """
            UPDATE paystream.api_key SET used_at = statement_timestamp()
             WHERE id = $1 AND coalesce(used_at < statement_timestamp() - interval '1 minute', true)
            """,
            [.uuid(id)]
        )
    }

    private func keys(_ condition: String, _ parameters: [PostgresValue]) async throws(StoreFailure) -> [KeyRow] {
        try await store.read(
            """
            SELECT \(Self.keyColumns)
              FROM paystream.api_key k JOIN paystream.merchant m ON m.id = k.merchant
             WHERE \(condition) ORDER BY k.created_at, k.id
            """,
            parameters
        ) { row throws(PostgresFailure) in try Registers.KeyRow(row) }
    }
}

extension Registers.KeyRow {
    /// Reads `Registers.keyColumns` from a row's first column on.
    init(_ row: borrowing PostgresRow) throws(PostgresFailure) {
        id = try row.uuid(0)
        merchant = MerchantNumber(try row.int32(1))
        merchantName = try row.text(2)
        name = try row.text(3)
        scopes = try row.texts(4)
        createdAt = try row.timestamp(5)
        expiresAt = try row.optional(6) { row, column throws(PostgresFailure) in try row.timestamp(column) }
        revokedAt = try row.optional(7) { row, column throws(PostgresFailure) in try row.timestamp(column) }
        role = try row.optional(8) { row, column throws(PostgresFailure) in try row.text(column) }
        networks = try row.texts(9)
        awaitsApproval = try row.bool(10)
        oldUntil = try row.optional(11) { row, column throws(PostgresFailure) in try row.timestamp(column) }
        usedAt = try row.optional(12) { row, column throws(PostgresFailure) in try row.timestamp(column) }
        isSuspended = try row.bool(13)
        isUseStale = try row.bool(14)
        limit = try RateLimit(row, at: 15)
        merchantLimit = try RateLimit(row, at: 17)
    }
}

extension RateLimit {
    /// Reads two columns; `nil` where nobody set a limit.
    init?(_ row: borrowing PostgresRow, at column: Int32) throws(PostgresFailure) {
        guard !row.isNull(column) else { return nil }
        self.init(requests: Int64(try row.int32(column)), seconds: Int64(try row.int32(column + 1)))
    }
}

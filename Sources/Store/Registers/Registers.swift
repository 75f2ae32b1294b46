package import Crypto
package import EventSourcing
package import Kernel
import Postgres

/// The small tables beside the log: merchants, API keys, subject keys, originals, quarantine, access records.
package struct Registers: Sendable {
    let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    // MARK: Merchants

    /// Makes a merchant; answers its number, and whether there was none of that name, or the log holds nothing of it: it
    /// was made by who then could not write so into the log.
    package func makeMerchant(named name: String) async throws(StoreFailure) -> (number: MerchantNumber, isNew: Bool) {
        let made = try await store.write(
            "INSERT INTO paystream.merchant (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id",
            [.text(name)]
        ) { row throws(PostgresFailure) in MerchantNumber(try row.int32(0)) }.first
        if let made { return (made, true) }
        let known = try await store.read(
            """
            SELECT m.id, NOT EXISTS (SELECT FROM paystream.stream s WHERE s.merchant = m.id)
              FROM paystream.merchant m WHERE m.name = $1
            """,
            [.text(name)]
        ) { row throws(PostgresFailure) in (MerchantNumber(try row.int32(0)), try row.bool(1)) }.first
        guard let known else { throw StoreFailure(.corrupt, detail: "merchant not made") }
        return known
    }

    package func knownMerchant(named name: String) async throws(StoreFailure) -> MerchantNumber? {
        try await store.read("SELECT id FROM paystream.merchant WHERE name = $1", [.text(name)]) {
            row throws(PostgresFailure) in MerchantNumber(try row.int32(0))
        }.first
    }

    package func merchants() async throws(StoreFailure) -> [(number: MerchantNumber, name: String)] {
        try await store.read("SELECT id, name FROM paystream.merchant ORDER BY id") { row throws(PostgresFailure) in
            (MerchantNumber(try row.int32(0)), try row.text(1))
        }
    }

    /// A merchant as the register has it.
    package struct MerchantRow: Hashable, Sendable {
        package let number: MerchantNumber
        package let name: String
        package let createdAt: Timestamp
        package let suspendedAt: Timestamp?
        /// Keys that are not revoked.
        package let keys: Int64
        /// How many requests they may send together.
        package let limit: RateLimit?
    }

    package func merchantRows() async throws(StoreFailure) -> [MerchantRow] {
        try await store.read(
            """
            SELECT m.id, m.name, m.created_at, m.suspended_at,
                   (SELECT count(*) FROM paystream.api_key k WHERE k.merchant = m.id AND k.revoked_at IS NULL),
                   m.limit_requests, m.limit_seconds
              FROM paystream.merchant m ORDER BY m.id
            """
        ) { row throws(PostgresFailure) in
            MerchantRow(
                number: MerchantNumber(try row.int32(0)),
                name: try row.text(1),
                createdAt: try row.timestamp(2),
                suspendedAt: try row.optional(3) { row, column throws(PostgresFailure) in try row.timestamp(column) },
                keys: try row.int64(4),
                limit: try RateLimit(row, at: 5)
            )
        }
    }

    /// Suspends a merchant, or lets it go on; one that is suspended already stays so since then.
    package func suspend(_ merchant: MerchantNumber, _ isSuspended: Bool) async throws(StoreFailure) {
        try await store.write(
            """
            UPDATE paystream.merchant SET suspended_at = CASE WHEN $2 THEN coalesce(suspended_at, statement_timestamp()) END
             WHERE id = $1
            """,
            [.int32(merchant.value), .bool(isSuspended)]
        )
    }

    /// Says how many requests all keys of a merchant may send together; `nil` takes the limit away.
    package func limit(_ merchant: MerchantNumber, to limit: RateLimit?) async throws(StoreFailure) {
        try await store.write(
            "UPDATE paystream.merchant SET limit_requests = $2, limit_seconds = $3 WHERE id = $1",
            [
                .int32(merchant.value), .int32(limit.map { Int32(clamping: $0.requests) }),
                .int32(limit.map { Int32(clamping: $0.seconds) }),
            ]
        )
    }

    /// As whom the program is connected, to what, and to which version of PostgreSQL.
    package func session() async throws(StoreFailure) -> (role: String, database: String, version: String)? {
        try await store.read(
            "SELECT current_user::text, current_database()::text, current_setting('server_version')"
        ) { row throws(PostgresFailure) in (try row.text(0), try row.text(1), try row.text(2)) }.first
    }

    /// The accounts of a merchant by their streams.
    package func accounts(of merchant: MerchantNumber) async throws(StoreFailure) -> [Uuid] {
        try await store.read(
            "SELECT id FROM paystream.stream WHERE merchant = $1 AND kind = 8 ORDER BY id",
            [.int32(merchant.value)]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
    }

    /// Schedules that a timer is armed for, the nearest first.
    package func armedSchedules(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure)
        -> [(id: Uuid, at: Timestamp)]
    {
        try await store.read(
            """
            SELECT stream, business FROM (
                (SELECT stream, business FROM paystream.due WHERE merchant = $1 AND stream_kind = 3
                    AND business IS NOT NULL AND NOT clocked ORDER BY business LIMIT $2)
                UNION ALL
                (SELECT stream, business FROM paystream.due WHERE merchant = $1 AND stream_kind = 3
                    AND business IS NOT NULL AND clocked ORDER BY business LIMIT $2)) x
             ORDER BY business LIMIT $2
            """,
            [.int32(merchant.value), .int64(Int64(limit))]
        ) { row throws(PostgresFailure) in (id: try row.uuid(0), at: try row.timestamp(1)) }
    }

    /// Schedules whose moment passed so long ago and that nobody has begun; counted up to ten thousand of each merchant.
    ///
    /// A timer that nobody fires is one of them; so is a schedule whose timer was fired and led nowhere, as the read model
    /// shows it: its input is in quarantine, or rests because its zone is gone. A provider's own debit is waited for beyond its
    /// day, so those that a provider runs are known by their timers alone.
    package func overdueSchedules(by delay: Duration) async throws(StoreFailure) -> Int {
        Int(
            try await store.read(
                """
                SELECT count(*) FROM (
                    (SELECT merchant, stream FROM paystream.due
                      WHERE business < statement_timestamp() - $1 * interval '1 microsecond'
                        AND NOT clocked AND stream_kind = 3 LIMIT 10000)
                    UNION
                    SELECT m.id, v.id FROM paystream.merchant m CROSS JOIN LATERAL (
                        SELECT s.id FROM paystream.schedule_view s
                         WHERE s.merchant = m.id AND s.runner <> 'provider'
                           AND s.next_at < statement_timestamp() - $1 * interval '1 microsecond' LIMIT 10000) v
                     WHERE NOT EXISTS (SELECT FROM paystream.merchant_clock c WHERE c.merchant = m.id)) x
                """,
                [.int64(delay.wholeMicroseconds)]
            ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
        )
    }
}

extension Registers {
    // MARK: Subject keys and originals

    /// The wrapped key of a data subject; `nil` where there is none or it was destroyed.
    package func subjectKey(of subject: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> WrappedSubjectKey?
    {
        try await subjectKey("subject", subject, merchant)
    }

    /// How often keys of data subjects were destroyed.
    package func erasures() async throws(StoreFailure) -> Int64 {
        try await store.read("SELECT number FROM paystream.erasure") { row throws(PostgresFailure) in try row.int64(0) }
            .first ?? 0
    }

    /// The wrapped key that an envelope names; `nil` where it was destroyed.
    package func subjectKey(id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        try await subjectKey("key", id, merchant)
    }

    private func subjectKey(_ column: String, _ value: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> WrappedSubjectKey?
    {
        try await store.read(
            """
            SELECT subject, key, wrapped FROM paystream.subject_key
             WHERE merchant = $1 AND \(column) = $2 AND wrapped IS NOT NULL
            """,
            [.int32(merchant.value), .uuid(value)]
        ) { row throws(PostgresFailure) in
            WrappedSubjectKey(subject: try row.uuid(0), id: try row.uuid(1), wrapped: try row.bytes(2))
        }.first
    }

    /// Writes a new key unless the subject has one.
    package func insertSubjectKey(_ key: WrappedSubjectKey, _ merchant: MerchantNumber) async throws(StoreFailure) {
        try await store.write(
            """
            INSERT INTO paystream.subject_key (merchant, subject, key, wrapped) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """,
            [.int32(merchant.value), .uuid(key.subject), .uuid(key.id), .bytes(key.wrapped)]
        )
    }

    /// Keeps sealed originals until they expire; they may be lost with the server.
    package func keepOriginals(_ originals: [SealedOriginal], for time: Duration) async throws(StoreFailure) {
        try await store.write(
            "SELECT FROM paystream.keep_originals($1, $2, $3, $4)",
            [
                .int32s(originals.map(\.merchant.value)), .uuids(originals.map(\.input)),
                .byteArrays(originals.map(\.sealed)), .int64(time.components.seconds),
            ]
        )
    }

    /// Drops expired originals; answers how many.
    package func dropExpiredOriginals() async throws(StoreFailure) -> Int {
        try await store.write(
            "DELETE FROM paystream.input_original WHERE expires_at <= statement_timestamp() RETURNING true",
            []
        ) { row throws(PostgresFailure) in try row.bool(0) }.count
    }

    // MARK: Quarantine and access

    /// Puts a refused notification into the bounded quarantine.
    package func quarantine(source: String, reason: String, meta: Json, body: [UInt8], for time: Duration)
        async throws(StoreFailure)
    {
        try await store.write(
            "SELECT paystream.shelve_notification(NULL, $1, $2, $3, $4, $5)",
            [
                .text(source), .text(reason), .json(meta.canonical), .bytes(body),
                .int64(time.components.seconds * 1_000_000),
            ]
        )
    }

    /// Notes who was given what of a stream.
    package func recordAccess(
        _ action: String,
        stream: StreamName,
        actor: String,
        detail: Json = [:]
    ) async throws(StoreFailure) {
        try await store.write(
            """
            INSERT INTO paystream.access_record (merchant, stream_kind, stream, actor, action, detail)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .int32(stream.merchant.value), .int16(stream.kind.rawValue), .uuid(stream.id), .text(actor),
                .text(action), .json(detail.canonical),
            ]
        )
    }

    /// How many inputs could not be decided.
    package func quarantinedInputs() async throws(StoreFailure) -> Int {
        Int(
            try await store.read("SELECT count(*) FROM paystream.input_quarantine") { row throws(PostgresFailure) in
                try row.int64(0)
            }.first ?? 0
        )
    }

    /// The outcome of a merchant's command from the SQL entrance, as `paystream.outcome` tells it.
    package func inboxOutcome(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await store.read(
            """
            SELECT state, stream, version, code, detail FROM paystream.outcome($1)
             WHERE EXISTS (SELECT FROM paystream.inbox_outcome o WHERE o.id = $1 AND o.merchant = $2)
                OR EXISTS (SELECT FROM paystream.inbox i WHERE i.id = $1 AND i.merchant = $2)
            """,
            [.uuid(id), .int32(merchant.value)]
        ) { row throws(PostgresFailure) in
            let stream = try row.optional(1) { row, column throws(PostgresFailure) in try row.uuid(column) }
            let version = try row.optional(2) { row, column throws(PostgresFailure) in try row.int32(column) }
            let code = try row.optional(3) { row, column throws(PostgresFailure) in try row.text(column) }
            let detail = try row.optional(4) { row, column throws(PostgresFailure) in try row.text(column) }
            return Json.compact([
                ("state", .string(try row.text(0))), ("stream", stream?.json),
                ("version", version.map { .integer(Int64($0)) }), ("code", code.map(Json.string)),
                ("detail", detail.map(Json.string)),
            ])
        }.first
    }
}

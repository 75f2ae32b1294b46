package import EventSourcing
package import Kernel
import Postgres

/// A refused notification on the shelf; its body is sealed.
package struct ShelvedNotification: Hashable, Sendable {
    package let id: Int64
    package let receivedAt: Timestamp
    package let expiresAt: Timestamp
    /// As in `ecommpay/1/<account>`: where it was sent to, which proves nothing about who sent it.
    package let source: String
    package let reason: String
    /// Method and size of the request.
    package let meta: Json
    package let sealed: [UInt8]
}

extension Registers {
    /// What stands on the shelf, the newest first.
    package func shelved(limit: Int) async throws(StoreFailure) -> [ShelvedNotification] {
        try await shelved("true ORDER BY id DESC LIMIT $1", [.int64(Int64(limit))])
    }

    package func shelved(id: Int64) async throws(StoreFailure) -> ShelvedNotification? {
        try await shelved("id = $1", [.int64(id)]).first
    }

    /// What has expired is gone for readers, even where its row still stands.
    private func shelved(_ condition: String, _ parameters: [PostgresValue]) async throws(StoreFailure)
        -> [ShelvedNotification]
    {
        try await store.read(
            """
            SELECT id, at, expires_at, source, reason, meta, body FROM paystream.quarantine
             WHERE expires_at > statement_timestamp() AND \(condition)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            ShelvedNotification(
                id: try row.int64(0),
                receivedAt: try row.timestamp(1),
                expiresAt: try row.timestamp(2),
                source: try row.text(3),
                reason: try row.text(4),
                meta: (try? Json(Array(try row.text(5).utf8))) ?? .null,
                sealed: try row.bytes(6)
            )
        }
    }
}

extension Registers {
    /// Lets an input that could not be decided be decided again; answers whether it waited for that.
    package func retry(input: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) -> Bool {
        try await store.write("SELECT paystream.retry_input($1, $2)", [.int32(merchant.value), .uuid(input)]) {
            row throws(PostgresFailure) in try row.bool(0)
        }
        .first ?? false
    }
}

package import EventSourcing
package import Kernel
import Payments
import Postgres
import Projections

/// A refused notification in quarantine; its body is sealed.
package struct QuarantinedNotification: Hashable, Sendable {
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
    /// The notifications in quarantine, the newest first.
    package func notifications(limit: Int) async throws(StoreFailure) -> [QuarantinedNotification] {
        try await notifications("true ORDER BY id DESC LIMIT $1", [.int64(Int64(limit))])
    }

    package func notifications(id: Int64) async throws(StoreFailure) -> QuarantinedNotification? {
        try await notifications("id = $1", [.int64(id)]).first
    }

    /// Reads notifications in quarantine; an expired one is gone for readers, even where its row still stands.
    private func notifications(_ condition: String, _ parameters: [PostgresValue]) async throws(StoreFailure)
        -> [QuarantinedNotification]
    {
        try await store.read(
            """
            SELECT id, at, expires_at, source, reason, meta, body FROM paystream.quarantine
             WHERE expires_at > statement_timestamp() AND \(condition)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            QuarantinedNotification(
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

/// An input that could not be decided, and why.
package struct UndecidableInput: Hashable, Sendable {
    package let id: Uuid
    package let merchantName: String
    /// The subject, as the API names it: `pay_…`, or the kind of stream and its id.
    package let subject: String
    /// As in `payment.refund`.
    package let name: String
    /// Since when it stands there.
    package let at: Timestamp
    /// How often its mailbox was claimed without progress.
    package let attempts: Int
    package let reason: String
}

extension Registers {
    /// Inputs that could not be decided, of one merchant or of all, the newest first.
    package func undecidable(of merchant: MerchantNumber?, limit: Int) async throws(StoreFailure) -> [UndecidableInput]
    {
        try await store.read(
            """
            SELECT q.input, coalesce(m.name, q.merchant::text), q.stream_kind, q.stream, coalesce(i.name, '-'), q.at, q.attempts,
                   q.reason
              FROM paystream.input_quarantine q LEFT JOIN paystream.merchant m ON m.id = q.merchant
              LEFT JOIN paystream.input i ON i.merchant = q.merchant AND i.id = q.input
             WHERE $1 IS NULL OR q.merchant = $1 ORDER BY q.at DESC LIMIT $2
            """,
            [.int32(merchant?.value), .int64(Int64(limit))]
        ) { row throws(PostgresFailure) in
            let (kind, stream) = (StreamKind(rawValue: try row.int16(2)), try row.uuid(3))
            return UndecidableInput(
                id: try row.uuid(0),
                merchantName: try row.text(1),
                subject: OpenItem.name(of: kind, stream),
                name: try row.text(4),
                at: try row.timestamp(5),
                attempts: Int(try row.int32(6)),
                reason: try row.text(7)
            )
        }
    }

    /// Lets an input that could not be decided be decided again; answers whether it waited for that.
    package func retry(input: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) -> Bool {
        try await store.write("SELECT paystream.retry_input($1, $2)", [.int32(merchant.value), .uuid(input)]) {
            row throws(PostgresFailure) in try row.bool(0)
        }
        .first ?? false
    }
}

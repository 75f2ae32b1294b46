package import EventSourcing
package import Kernel
import Postgres

/// What administrators did, as the log has it: events of accounts, routing, webhooks and merchants that name who made them.
package struct AuditRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// The newest acts of a merchant before a position, as far as they fit; a kind is the first part of an event's name.
    package func acts(
        of merchant: MerchantNumber,
        before position: Int64?,
        actor: String?,
        kind: String?,
        from: Timestamp?,
        to: Timestamp?,
        limit: Int
    ) async throws(StoreFailure) -> [RecordedEvent] {
        try await store.read(
            """
            SELECT e.merchant, e.stream_kind, e.stream, e.ver, e.pos, e.type, e.cause, e.at, e.data
              FROM (SELECT s.id, s.floor_pos FROM paystream.stream s WHERE s.merchant = $1 AND s.kind IN (8, 9, 10, 11)) s
                   CROSS JOIN LATERAL (
                       SELECT y.* FROM paystream.event y
                        WHERE y.merchant = $1 AND y.stream = s.id AND y.pos > s.floor_pos
                          AND ($2::bigint IS NULL OR y.pos < $2)
                          AND (y.data ->> 'by') IS NOT NULL AND ($3::text IS NULL OR y.data ->> 'by' = $3)
                          AND ($4::text IS NULL OR y.type = $4 OR starts_with(y.type, $4 || '.'))
                          AND ($5::timestamptz IS NULL OR y.at >= $5) AND ($6::timestamptz IS NULL OR y.at < $6)
                        ORDER BY y.ver DESC LIMIT $7) e
             ORDER BY e.pos DESC LIMIT $7
            """,
            [
                .int32(merchant.value), .int64(position), .text(actor), .text(kind), .timestamp(from), .timestamp(to),
                .int64(Int64(limit)),
            ]
        ) { row throws(PostgresFailure) in
            RecordedEvent(
                stream: try row.stream(at: 0),
                version: try row.int32(3),
                position: try row.int64(4),
                type: try row.text(5),
                cause: try row.uuid(6),
                recordedAt: try row.timestamp(7),
                data: try row.bytes(8)
            )
        }
    }
}

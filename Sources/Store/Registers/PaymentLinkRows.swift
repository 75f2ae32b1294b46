package import EventSourcing
import Kernel
import Postgres
package import Projections

/// Where payment links are found: the streams of their kind.
package struct PaymentLinkRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Their places in the list, the newest first; a place is a position of the log, as microseconds, and the link.
    package func links(of merchant: MerchantNumber, behind: PageCursor?, limit: Int) async throws(StoreFailure)
        -> [PageCursor]
    {
        try await store.read(
            """
            SELECT id, floor_pos FROM paystream.stream
             WHERE merchant = $1 AND kind = 13
               AND ($2::bigint IS NULL OR (floor_pos, id) < ($2, $3::uuid))
             ORDER BY floor_pos DESC, id DESC LIMIT $4
            """,
            [
                .int32(merchant.value), .int64(behind?.createdAt.microseconds), .uuid(behind?.id),
                .int32(Int32(clamping: limit)),
            ]
        ) { row throws(PostgresFailure) in
            PageCursor(createdAt: Timestamp(microseconds: try row.int64(1)), id: try row.uuid(0))
        }
    }
}

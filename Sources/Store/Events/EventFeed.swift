package import EventSourcing
import Kernel
import Postgres
package import Projections

/// Reads the public events that `PublicEventView` wrote.
package struct EventFeed: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// A page, and where the log stands: all of one snapshot.
    package func page(_ query: EventQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> EventPage {
        let rows = try await store.read(
            """
            SELECT position, number, body, newest_position, newest_number, log_end, epoch, kept
              FROM paystream.read_public_events($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .int32(merchant.value), .int64(query.after?.position), .int16(query.after?.number),
                .timestamp(query.epoch), .uuid(query.stream?.id), PostgresValue.texts(query.types ?? []),
                .int32(EventQuery.scanned), .int32(Int32(clamping: query.limit)), .int32(EventQuery.bytes),
            ]
        ) { row throws(PostgresFailure) in try Part(row) }
        guard let last = rows.last, let standing = last.standing else {
            throw StoreFailure(.corrupt, detail: "no end of a page of events")
        }
        return EventPage(
            rows: rows.dropLast().map { EventPage.Row(position: $0.position, body: $0.body) },
            end: last.position,
            newest: standing.newest,
            log: standing.log,
            epoch: standing.epoch,
            kept: standing.kept
        )
    }

    /// The bytes of one event; `nil` where there is none.
    package func event(_ id: PublicEventId, of merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]? {
        try await store.read(
            """
            SELECT body FROM paystream.public_event
             WHERE merchant = $1 AND stream = $2 AND version = $3 AND number = $4
            """,
            [.int32(merchant.value), .uuid(id.stream), .int32(id.version), .int16(id.number)]
        ) { row throws(PostgresFailure) in try row.bytes(0) }.first
    }

    /// The newest event of each merchant that has any.
    package func newest(of merchants: [MerchantNumber]) async throws(StoreFailure) -> [MerchantNumber: EventPosition] {
        let rows = try await store.read(
            """
            SELECT w.m, e.position, e.number FROM unnest($1::int[]) AS w (m)
                   CROSS JOIN LATERAL (
                       SELECT x.position, x.number FROM paystream.public_event x
                        WHERE x.merchant = w.m
                          AND x.position <= (SELECT c.pos FROM paystream.checkpoint c WHERE c.name = 'public_event')
                        ORDER BY x.position DESC, x.number DESC LIMIT 1) e
            """,
            [.int32s(merchants.map(\.value))]
        ) { row throws(PostgresFailure) in
            (MerchantNumber(try row.int32(0)), EventPosition(try row.int64(1), try row.int16(2)))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Whether there is such a stream.
    package func exists(_ stream: StreamName) async throws(StoreFailure) -> Bool {
        try await store.read(
            "SELECT EXISTS (SELECT FROM paystream.stream WHERE merchant = $1 AND id = $2 AND kind = $3 AND ver > 0)",
            [.int32(stream.merchant.value), .uuid(stream.id), .int16(stream.kind.rawValue)]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }
}

/// A row of a page: an event, or where the page ends.
private struct Part: Sendable {
    let position: EventPosition
    let body: [UInt8]
    let standing: (newest: EventPosition, log: Int64, epoch: Timestamp, kept: Int64?)?

    init(_ row: borrowing PostgresRow) throws(PostgresFailure) {
        position = EventPosition(try row.int64(0), try row.int16(1))
        guard row.isNull(2) else {
            body = try row.bytes(2)
            standing = nil
            return
        }
        body = []
        let newest = row.isNull(3) ? EventPosition.beginning : EventPosition(try row.int64(3), try row.int16(4))
        standing = (newest, try row.int64(5), try row.timestamp(6), row.isNull(7) ? nil : try row.int64(7))
    }
}

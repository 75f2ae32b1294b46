package import EventSourcing
package import Kernel
import Postgres
package import Projections

/// Reads what endpoints were sent, and asks for more.
extension WebhookRows {
    package func endpoints(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [Uuid] {
        try await store.read(
            "SELECT id FROM paystream.stream WHERE merchant = $1 AND kind = 10 ORDER BY floor_pos, id LIMIT $2",
            [.int32(merchant.value), .int32(Int32(clamping: limit))]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
    }

    /// As far back as attempts are kept.
    package func newestAttempts(of merchant: MerchantNumber, _ endpoints: [Uuid]) async throws(StoreFailure)
        -> [Uuid: WebhookDelivery.Newest]
    {
        let rows = try await store.read(
            """
            SELECT w.id, (SELECT max(a.at) FROM paystream.webhook_attempt a
                           WHERE a.merchant = $1 AND a.endpoint = w.id AND num_nulls(a.failure) = 1),
                   (SELECT max(a.at) FROM paystream.webhook_attempt a
                     WHERE a.merchant = $1 AND a.endpoint = w.id AND num_nulls(a.failure) = 0)
              FROM unnest($2::uuid[]) AS w (id)
            """,
            [.int32(merchant.value), .uuids(endpoints)]
        ) { row throws(PostgresFailure) -> (Uuid, WebhookDelivery.Newest) in
            let newest = WebhookDelivery.Newest(
                success: row.isNull(1) ? nil : try row.timestamp(1),
                failure: row.isNull(2) ? nil : try row.timestamp(2)
            )
            return (try row.uuid(0), newest)
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// The newest event first.
    package func deliveries(_ query: WebhookDeliveryQuery) async throws(StoreFailure) -> [WebhookDelivery] {
        let endpoint = query.endpoint
        // Test events have places of their own below zero, the newest at the bottom: they are found in a long log.
        let isTest = query.type == WebhookDelivery.testType
        let end: Int64 = isTest ? .min : .max
        let behind = query.behind ?? EventPosition(end, isTest ? .min : .max)
        let found = try await store.read(
            Self.list(query.state, ofTests: isTest),
            [
                .int32(endpoint.merchant.value), .uuid(endpoint.id), .int64(behind.position), .int16(behind.number),
                .int32(Int32(clamping: query.limit)), .text(query.type),
            ]
        ) { row throws(PostgresFailure) in try Row(row) }
        let attempts = try await attempts(of: found.map(\.position), endpoint)
        return found.compactMap { row in row.delivery(attempts[row.position] ?? []) }
    }

    /// Reads what an endpoint was sent; a state is a constant of the statement, so that its index is taken.
    package static func list(_ state: WebhookDelivery.State?, ofTests isTest: Bool = false) -> String {
        let (within, behind, order) = isTest ? (" AND d.position < 0", ">", "") : ("", "<", " DESC")
        return """
            SELECT d.position, d.number, d.stream, d.version, d.type, d.state, d.created_at, d.next_at, d.ended_at, d.attempts
              FROM paystream.webhook_delivery d
             WHERE d.merchant = $1 AND d.endpoint = $2 AND ($6::text IS NULL OR d.type = $6)\(within)
               AND (d.position, d.number) \(behind) ($3::bigint, $4::smallint)
                   \(state.map { "AND d.state = \($0.rawValue)" } ?? "")
             ORDER BY d.position\(order), d.number\(order) LIMIT $5
            """
    }

    private func attempts(of positions: [EventPosition], _ endpoint: StreamName) async throws(StoreFailure)
        -> [EventPosition: [WebhookDelivery.Attempt]]
    {
        guard !positions.isEmpty else { return [:] }
        let rows = try await store.read(
            """
            SELECT w.p, w.n, a.attempt, a.at, a.milliseconds, a.status, a.failure, a.answer
              FROM unnest($3::bigint[], $4::smallint[]) AS w (p, n) CROSS JOIN LATERAL (
                  SELECT * FROM paystream.webhook_attempt x
                   WHERE x.merchant = $1 AND x.endpoint = $2 AND x.position = w.p AND x.number = w.n
                   ORDER BY x.attempt DESC LIMIT $5) a
             ORDER BY w.p, w.n, a.attempt
            """,
            [
                .int32(endpoint.merchant.value), .uuid(endpoint.id), .int64s(positions.map(\.position)),
                .int16s(positions.map(\.number)), .int32(Int32(WebhookDelivery.attemptsTold)),
            ]
        ) { row throws(PostgresFailure) in
            let answer = row.isNull(7) ? nil : String(decoding: try row.bytes(7), as: UTF8.self)
            let attempt = WebhookDelivery.Attempt(
                number: Int(try row.int32(2)),
                at: try row.timestamp(3),
                milliseconds: Int(try row.int32(4)),
                status: row.isNull(5) ? nil : Int(try row.int16(5)),
                failure: row.isNull(6) ? nil : try row.text(6),
                answer: answer
            )
            return (EventPosition(try row.int64(0), try row.int16(1)), attempt)
        }
        return Dictionary(grouping: rows) { $0.0 }.mapValues { $0.map(\.1) }
    }

    /// `nil` where the first or the last event is unknown.
    package func redeliver(_ range: WebhookRange, to endpoint: StreamName, limit: Int) async throws(StoreFailure)
        -> WebhookRedelivery?
    {
        guard let first = try await position(of: range.first, endpoint.merchant) else { return nil }
        var last: EventPosition?
        if let named = range.last {
            guard let found = try await position(of: named, endpoint.merchant) else { return nil }
            last = found
        }
        return try await store.write(
            """
            SELECT r.asked, r.is_cut, e.stream, e.version, e.number
              FROM paystream.webhook_redeliver($1, $2, $3, $4, $5, $6, $7, $8) r
                   LEFT JOIN paystream.public_event e ON e.merchant = $1 AND e.position = r.position AND e.number = r.number
            """,
            [
                .int32(endpoint.merchant.value), .uuid(endpoint.id), .int64(first.position), .int16(first.number),
                .int64(last?.position), .int16(last?.number), .texts(range.types), .int32(Int32(clamping: limit)),
            ]
        ) { row throws(PostgresFailure) -> WebhookRedelivery in
            guard !row.isNull(0) else { return .full }
            let (count, isCut) = (try row.int64(0), try row.bool(1))
            guard !row.isNull(2) else { return .asked(count: count, last: nil, isCut: isCut) }
            let id = PublicEventId(stream: try row.uuid(2), version: try row.int32(3), number: try row.int16(4))
            return .asked(count: count, last: id, isCut: isCut)
        }.first
    }

    private func position(of event: PublicEventId, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> EventPosition?
    {
        try await store.read(
            """
            SELECT position, number FROM paystream.public_event
             WHERE merchant = $1 AND stream = $2 AND version = $3 AND number = $4
            """,
            [.int32(merchant.value), .uuid(event.stream), .int32(event.version), .int16(event.number)]
        ) { row throws(PostgresFailure) in EventPosition(try row.int64(0), try row.int16(1)) }.first
    }

    /// Asks for a test event, once for its id; false where `most` of them wait already.
    package func ping(_ endpoint: StreamName, event: PublicEventId, type: String, body: [UInt8], most: Int)
        async throws(StoreFailure) -> Bool
    {
        try await store.write(
            "SELECT paystream.webhook_ping($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                .int32(endpoint.merchant.value), .uuid(endpoint.id), .uuid(event.stream), .int32(event.version),
                .int16(event.number), .text(type), .bytes(body), .int32(Int32(clamping: most)),
            ]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// Takes a place for an endpoint that is about to be made; false where its merchant has `most`, or made `ever` of them already.
    package func reserve(_ endpoint: StreamName, most: Int, ever: Int) async throws(StoreFailure) -> Bool {
        try await store.write(
            "SELECT paystream.webhook_reserve($1, $2, $3, $4)",
            [
                .int32(endpoint.merchant.value), .uuid(endpoint.id), .int32(Int32(clamping: most)),
                .int32(Int32(clamping: ever)),
            ]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }
}

/// A delivery without its attempts.
private struct Row: Sendable {
    let position: EventPosition
    private let event: PublicEventId
    private let type: String
    private let state: Int16
    private let createdAt: Timestamp
    private let nextAt: Timestamp
    private let endedAt: Timestamp?
    private let attempts: Int32

    init(_ row: borrowing PostgresRow) throws(PostgresFailure) {
        let number = try row.int16(1)
        position = EventPosition(try row.int64(0), number)
        event = PublicEventId(stream: try row.uuid(2), version: try row.int32(3), number: number)
        type = try row.text(4)
        state = try row.int16(5)
        createdAt = try row.timestamp(6)
        nextAt = try row.timestamp(7)
        endedAt = row.isNull(8) ? nil : try row.timestamp(8)
        attempts = try row.int32(9)
    }

    func delivery(_ found: [WebhookDelivery.Attempt]) -> WebhookDelivery? {
        WebhookDelivery.State(rawValue: state).map {
            WebhookDelivery(
                position: position,
                event: event,
                type: type,
                state: $0,
                createdAt: createdAt,
                nextAt: nextAt,
                endedAt: endedAt,
                attempts: found,
                attemptCount: Int(attempts)
            )
        }
    }
}

package import EventSourcing
package import Kernel
import Postgres

/// The request log: pages of answered requests, each a row with lines that the API reads.
package struct RequestRows: Sendable {
    /// Requests of one merchant, by their oldest and newest.
    package struct Page: Sendable {
        package let merchant: MerchantNumber
        package let first: Uuid
        package let last: Uuid
        package let requests: Int
        package let lines: [UInt8]

        package init(merchant: MerchantNumber, first: Uuid, last: Uuid, requests: Int, lines: [UInt8]) {
            self.merchant = merchant
            self.first = first
            self.last = last
            self.requests = requests
            self.lines = lines
        }
    }

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// The longest time between the oldest and the newest request of a page.
    package static let longestPage = Duration.seconds(3600)
    /// Rows that are looked at for one answer.
    private static let mostPages: Int32 = 1_000

    package func keep(_ pages: [Page]) async throws(StoreFailure) {
        guard !pages.isEmpty else { return }
        try await store.write(
            """
            INSERT INTO paystream.request_page (merchant, first, last, requests, lines)
            SELECT * FROM unnest($1::int[], $2::uuid[], $3::uuid[], $4::int[], $5::bytea[]) ON CONFLICT DO NOTHING
            """,
            [
                .int32s(pages) { $0.merchant.value }, .uuids(pages) { $0.first }, .uuids(pages) { $0.last },
                .int32s(pages) { Int32(clamping: $0.requests) }, .byteArrays(pages) { $0.lines },
            ]
        )
    }

    /// The newest pages that end before one request and begin before another: the first, and more until they hold so many requests.
    package func pages(
        endingBefore edge: Uuid?,
        beginningBefore first: Uuid?,
        requests: Int,
        of merchant: MerchantNumber
    )
        async throws(StoreFailure) -> [Page]
    {
        try await store.read(
            """
            SELECT p.first, p.last, p.requests, q.lines
              FROM (SELECT x.first, x.last, x.requests, sum(x.requests) OVER (ORDER BY x.last DESC) - x.requests AS newer
                      FROM (SELECT r.first, r.last, r.requests FROM paystream.request_page r
                             WHERE r.merchant = $1 AND ($2::uuid IS NULL OR r.last < $2)
                               AND ($3::uuid IS NULL OR r.first < $3 AND r.last < $4)
                             ORDER BY r.last DESC LIMIT $5) x) p
              JOIN paystream.request_page q ON q.merchant = $1 AND q.last = p.last
             WHERE p.newer < $6 ORDER BY p.last DESC
            """,
            [
                .int32(merchant.value), .uuid(edge), .uuid(first), .uuid(first.map { Self.later($0) }),
                .int32(Self.mostPages), .int64(Int64(requests)),
            ],
            Self.page(of: merchant)
        )
    }

    /// The pages whose span holds a request.
    package func pages(around id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) -> [Page] {
        try await store.read(
            """
            SELECT p.first, p.last, p.requests, p.lines FROM paystream.request_page p
             WHERE p.merchant = $1 AND p.last >= $2 AND p.last < $3 AND p.first <= $2
            """,
            [.int32(merchant.value), .uuid(id), .uuid(Self.later(id))],
            Self.page(of: merchant)
        )
    }

    /// Drops of these merchants' pages what is older than so many of each one's newest requests; answers how many pages.
    package func trim(_ merchants: [MerchantNumber], to requests: Int) async throws(StoreFailure) -> Int {
        guard !merchants.isEmpty else { return 0 }
        return try await store.write(
            """
            DELETE FROM paystream.request_page p USING (
                SELECT r.merchant, r.last,
                       sum(r.requests) OVER (PARTITION BY r.merchant ORDER BY r.last DESC) - r.requests AS newer
                  FROM paystream.request_page r WHERE r.merchant = ANY ($1)) x
             WHERE x.newer >= $2 AND p.merchant = x.merchant AND p.last = x.last RETURNING true
            """,
            [.int32s(merchants) { $0.value }, .int64(Int64(requests))]
        ) { row throws(PostgresFailure) in try row.bool(0) }.count
    }

    /// Drops pages that ended before a moment, so many of each merchant at most; answers how many.
    package func drop(before moment: Timestamp, ofEach limit: Int) async throws(StoreFailure) -> Int {
        try await store.write(
            """
            DELETE FROM paystream.request_page p USING paystream.merchant m CROSS JOIN LATERAL (
                SELECT r.last FROM paystream.request_page r WHERE r.merchant = m.id AND r.last < $1
                 ORDER BY r.last LIMIT $2) x
             WHERE p.merchant = m.id AND p.last = x.last RETURNING true
            """,
            [.uuid(Self.first(at: moment)), .int32(Int32(clamping: limit))]
        ) { row throws(PostgresFailure) in try row.bool(0) }.count
    }

    private static func page(of merchant: MerchantNumber)
        -> @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Page
    {
        { row throws(PostgresFailure) in
            Page(
                merchant: merchant,
                first: try row.uuid(0),
                last: try row.uuid(1),
                requests: Int(try row.int32(2)),
                lines: try row.bytes(3)
            )
        }
    }

    /// The lowest id of a moment.
    private static func first(at moment: Timestamp) -> Uuid { Uuid.version7(at: moment, random: (0, 0)) }

    /// An id beyond those of every page that holds this one.
    private static func later(_ id: Uuid) -> Uuid {
        first(at: Timestamp(microseconds: Int64(id.high >> 16) * 1000).adding(longestPage))
    }
}

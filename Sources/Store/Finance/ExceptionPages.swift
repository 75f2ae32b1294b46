import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// What does not fit between books and files, some at a time, the oldest first: a bad day may leave a million.
struct ExceptionPages: ReportRows {
    private static let page: Int32 = 2000

    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    private var last: (since: Timestamp, at: Timestamp, place: Int32, id: Uuid)?
    private var isOver = false

    init(_ store: PostgresStore, _ head: ReportHead, _ query: ReportQuery, _ merchant: MerchantNumber) {
        self.store = store
        self.head = head
        self.query = query
        self.merchant = merchant
    }

    mutating func next() async throws(StoreFailure) -> [[String?]]? {
        guard !isOver else { return nil }
        let columns = head.report.columns
        let texts = columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        let count = Int32(columns.count)
        let found = try await store.read(
            """
            SELECT \(texts), r.since, r.at, r.place, r.id
              FROM paystream.exceptions_behind($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8, $9, $10, $11) r
            """,
            [
                .int32(merchant.value), .text(head.zone), .text(query.first), .text(query.end),
                .text(query.mode?.rawValue), .int64(head.position), .timestamp(last?.since), .timestamp(last?.at),
                .int32(last?.place), .uuid(last?.id), .int32(Self.page),
            ]
        ) { row throws(PostgresFailure) in
            (
                cells: try row.cells(count), since: try row.timestamp(count), at: try row.timestamp(count + 1),
                place: try row.int32(count + 2), id: try row.uuid(count + 3)
            )
        }
        isOver = found.count < Int(Self.page)
        last = found.last.map { ($0.since, $0.at, $0.place, $0.id) }
        return found.map(\.cells)
    }
}

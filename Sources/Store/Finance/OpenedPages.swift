import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A report of what is open, by windows of the days on which it was opened.
///
/// Each window is added to what was summed before, by the function of the report itself, and the rows come behind the last one.
struct OpenedPages: ReportRows {
    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    private var windows: DayWindows
    private var summed: [[String?]] = []
    private var isOver = false

    init(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        days: Range<Int32>
    ) {
        self.store = store
        self.head = head
        self.query = query
        self.merchant = merchant
        windows = DayWindows(days)
    }

    var progress: (done: Int64, all: Int64)? { windows.progress }

    mutating func next() async throws(StoreFailure) -> [[String?]]? {
        guard !isOver else { return nil }
        guard let window = windows.next() else {
            isOver = true
            return summed
        }
        let begun = ContinuousClock.now
        try await sum(window)
        windows.took(begun.duration(to: .now))
        return []
    }

    private mutating func sum(_ window: Range<Int32>) async throws(StoreFailure) {
        let columns = head.report.columns.map(\.sqlName)
        let before = summed.map { row -> Json in
            .object(JsonObject(zip(columns, row).map { ($0, $1.map(Json.string) ?? .null) }))
        }
        let texts = columns.map { "r.\($0)::text" }.joined(separator: ", ")
        summed = try await store.bounded(
            """
            SELECT \(texts) FROM paystream.report_\(head.report.sqlName)(
                $1, $2, '2000-01-01'::date + $3::int4, '2000-01-01'::date + $4::int4, $5, $6, false, $7) r
            """,
            [
                .int32(merchant.value), .text(head.zone), .int32(window.lowerBound), .int32(window.upperBound),
                .text(query.mode?.rawValue), .int64(head.position), .json(Json.array(before).canonical),
            ]
        ) { row throws(PostgresFailure) in try row.cells(Int32(columns.count)) }
    }
}

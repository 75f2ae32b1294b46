import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A report whose rows are sums over all of its days.
///
/// Windows are read one after the other, each adds to what was summed before, and the rows come behind the last one. What waits is as
/// much as the report has accounts and months.
struct SummedPages: ReportRows {
    private static let columns = [
        "period", "ledger_account", "provider", "account", "mode", "currency", "debit", "credit", "late",
    ]

    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    private var windows: DayWindows
    private var summed: Json = []
    private var isChecked = false
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
        // Whatever stands in the way of the report is told before a book is read.
        if !isChecked { _ = try await rows() }
        isChecked = true
        guard let window = windows.next() else {
            isOver = true
            return try await rows()
        }
        let begun = ContinuousClock.now
        try await sum(window)
        windows.took(begun.duration(to: .now))
        return []
    }

    private mutating func sum(_ window: Range<Int32>) async throws(StoreFailure) {
        let columns = Self.columns
        let texts = columns.map { "s.\($0)::text" }.joined(separator: ", ")
        let rows = try await store.bounded(
            """
            SELECT \(texts)
              FROM paystream.period_sums($1, $2, '2000-01-01'::date + $3::int4, '2000-01-01'::date + $4::int4, $5, $6, $7, $8) s
            """,
            [
                .int32(merchant.value), .text(head.zone), .int32(window.lowerBound), .int32(window.upperBound),
                .text(query.mode?.rawValue), .int64(head.position), .bool(query.time == .effective),
                .json(summed.canonical),
            ]
        ) { row throws(PostgresFailure) in try row.cells(Int32(columns.count)) }
        summed = .array(
            rows.map { row in .object(JsonObject(zip(columns, row).map { ($0, $1.map(Json.string) ?? .null) })) }
        )
    }

    private func rows() async throws(StoreFailure) -> [[String?]] {
        let columns = head.report.columns
        let texts = columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        return try await store.bounded(
            "SELECT \(texts) FROM paystream.report_\(head.report.sqlName)($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8) r",
            [
                .int32(merchant.value), .text(head.zone), .text(query.first), .text(query.end),
                .text(query.mode?.rawValue), .int64(head.position), .bool(query.time == .effective),
                .json(summed.canonical),
            ]
        ) { row throws(PostgresFailure) in try row.cells(Int32(columns.count)) }
    }
}

import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A report's rows by windows of days: no statement reads more of a large book than it can in a moment.
///
/// A row is of one day and rows are sorted by it, so windows of any length give the same rows. A report without days is one window.
struct DayPages: ReportRows {
    /// A window that took longer is followed by a shorter one.
    private static let patience = Duration.milliseconds(500)
    private static let longest: Int32 = 366
    /// How long the statement of a report without days may take.
    private static let most = "300s"

    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    /// What is left, by number since 2000; `nil` is one window without days.
    private var days: Range<Int32>?
    private var isOver = false
    private var length: Int32 = 31

    init(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        days: Range<Int32>?
    ) {
        self.store = store
        self.head = head
        self.query = query
        self.merchant = merchant
        self.days = days
    }

    mutating func next() async throws(StoreFailure) -> [[String?]]? {
        guard let left = days else {
            guard !isOver else { return nil }
            isOver = true
            return try await rows(nil)
        }
        guard !left.isEmpty else { return nil }
        let window = left.lowerBound..<min(left.upperBound, left.lowerBound + length)
        let begun = ContinuousClock.now
        let rows = try await rows(window)
        days = window.upperBound..<left.upperBound
        length = begun.duration(to: .now) < Self.patience ? min(length * 2, Self.longest) : max(length / 2, 1)
        return rows
    }

    private func rows(_ window: Range<Int32>?) async throws(StoreFailure) -> [[String?]] {
        let columns = head.report.columns
        let texts = columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        let bounds =
            window == nil
            ? "$3::text::date, $4::text::date" : "'2000-01-01'::date + $3::int4, '2000-01-01'::date + $4::int4"
        let sql = "SELECT \(texts) FROM paystream.report_\(head.report.sqlName)($1, $2, \(bounds), $5, $6, $7) r"
        let parameters: [PostgresValue] = [
            .int32(merchant.value), .text(head.zone),
            window.map { .int32($0.lowerBound) } ?? .text(query.first),
            window.map { .int32($0.upperBound) } ?? .text(query.end), .text(query.mode?.rawValue),
            .int64(head.position), .bool(query.time == .effective),
        ]
        let count = Int32(columns.count)
        do throws(PostgresFailure) {
            return try await store.pool.transaction { connection throws(PostgresFailure) in
                try connection.execute("SET LOCAL statement_timeout = '\(Self.most)'")
                return try connection.query(sql, parameters) { row throws(PostgresFailure) in try row.cells(count) }
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: false)
        }
    }
}

/// The movements between two positions that a report counts, some at a time, in the order in which they were known.
struct MovementPages: ReportRows {
    private static let page: Int32 = 2000

    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    private let counted: Report
    private var last: (at: Timestamp, position: Int64, number: Int32)?
    private var isOver = false

    init(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        counted: Report
    ) {
        self.store = store
        self.head = head
        self.query = query
        self.merchant = merchant
        self.counted = counted
    }

    mutating func next() async throws(StoreFailure) -> [[String?]]? {
        guard !isOver else { return nil }
        let columns = head.report.columns
        let texts = columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        let count = Int32(columns.count)
        let found = try await store.read(
            """
            SELECT \(texts), r.known_at, r.position, r.number::int4
              FROM paystream.movements_between($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) r
            """,
            [
                .int32(merchant.value), .text(head.zone), .text(query.first), .text(query.end),
                .text(query.mode?.rawValue), .int64(head.since ?? 0), .int64(head.position),
                .bool(query.time == .effective), .texts(counted.counted.map(\.rawValue)), .text(counted.name),
                .timestamp(last?.at), .int64(last?.position), .int32(last?.number), .int32(Self.page),
            ]
        ) { row throws(PostgresFailure) in
            (
                cells: try row.cells(count), at: try row.timestamp(count), position: try row.int64(count + 1),
                number: try row.int32(count + 2)
            )
        }
        isOver = found.count < Int(Self.page)
        last = found.last.map { ($0.at, $0.position, $0.number) }
        return found.map(\.cells)
    }
}

extension PostgresRow {
    /// The first columns as texts.
    fileprivate borrowing func cells(_ count: Int32) throws(PostgresFailure) -> [String?] {
        var cells: [String?] = []
        cells.reserveCapacity(Int(count))
        for column in 0..<count { cells.append(isNull(column) ? nil : try text(column)) }
        return cells
    }
}

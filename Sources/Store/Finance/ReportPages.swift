import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A report's rows by windows of days: no statement reads more of a large book than it can in a moment.
///
/// A row is of one day and rows are sorted by it, so windows of any length give the same rows. What a day ended with is carried to the next
/// window, so that none reads a day twice: such a report is read from the first day of all. A report without days is one window.
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
    /// What each account held when the last window ended, by its cells.
    private var balances: [[String?]: String] = [:]

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
        guard !head.report.balanced.isEmpty else { return rows }
        return carry(rows)
    }

    /// Keeps what the accounts of rows ended with; answers the rows of the days that are asked for.
    private mutating func carry(_ rows: [[String?]]) -> [[String?]] {
        let places = keyPlaces
        guard let closing = head.report.columns.firstIndex(where: { $0.name == "closing" }),
            let day = head.report.columns.firstIndex(where: { $0.content == .day })
        else { preconditionFailure("a balance has days, and ends them") }
        for row in rows { balances[places.map { row[$0] }] = row[closing] }
        guard let first = query.first else { return rows }
        // Days are texts of one length: their order is that of time.
        return rows.filter { $0[day] ?? "" >= first }
    }

    /// Where the names of what has a balance stand in a row.
    private var keyPlaces: [Int] {
        let columns = head.report.columns
        return head.report.balanced.compactMap { name in columns.firstIndex { $0.name == name } }
    }

    /// What is carried into the next window, as `report_NAME` takes it.
    private var carried: Json {
        let names = keyPlaces.map { head.report.columns[$0].sqlName }
        let rows = balances.map { key, closing -> Json in
            var members = JsonObject([("closing", .string(closing))])
            for (name, cell) in zip(names, key) { members[name] = cell.map(Json.string) ?? .null }
            return .object(members)
        }
        return .array(rows)
    }

    private func rows(_ window: Range<Int32>?) async throws(StoreFailure) -> [[String?]] {
        let columns = head.report.columns
        let texts = columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        let bounds =
            window == nil
            ? "$3::text::date, $4::text::date" : "'2000-01-01'::date + $3::int4, '2000-01-01'::date + $4::int4"
        let carries = window != nil && !head.report.balanced.isEmpty
        let marks = "$1, $2, \(bounds), $5, $6, $7" + (carries ? ", $8" : "")
        let sql = "SELECT \(texts) FROM paystream.report_\(head.report.sqlName)(\(marks)) r"
        var given: [PostgresValue] = [
            .int32(merchant.value), .text(head.zone),
            window.map { .int32($0.lowerBound) } ?? .text(query.first),
            window.map { .int32($0.upperBound) } ?? .text(query.end), .text(query.mode?.rawValue),
            .int64(head.position), .bool(query.time == .effective),
        ]
        if carries { given.append(.json(carried.canonical)) }
        let parameters = given
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

/// The movements and settlement's entries between two positions that a report counts, some at a time, in the order in which they were known.
struct MovementPages: ReportRows {
    private static let page: Int32 = 2000

    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    private let counted: Report
    private var last: (at: Timestamp, position: Int64, number: Int64)?
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
            SELECT \(texts), r.known_at, r.position, r.number
              FROM paystream.movements_between($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) r
            """,
            [
                .int32(merchant.value), .text(head.zone), .text(query.first), .text(query.end),
                .text(query.mode?.rawValue), .int64(head.since ?? 0), .int64(head.position),
                .bool(query.time == .effective),
                .texts(counted.counted.map(\.rawValue) + counted.entries.map(\.rawValue)), .text(counted.name),
                .timestamp(last?.at), .int64(last?.position), .int64(last?.number), .int32(Self.page),
            ]
        ) { row throws(PostgresFailure) in
            (
                cells: try row.cells(count), at: try row.timestamp(count), position: try row.int64(count + 1),
                number: try row.int64(count + 2)
            )
        }
        isOver = found.count < Int(Self.page)
        last = found.last.map { ($0.at, $0.position, $0.number) }
        return found.map(\.cells)
    }
}

extension PostgresRow {
    /// The first columns as texts.
    borrowing func cells(_ count: Int32) throws(PostgresFailure) -> [String?] {
        var cells: [String?] = []
        cells.reserveCapacity(Int(count))
        for column in 0..<count { cells.append(isNull(column) ? nil : try text(column)) }
        return cells
    }
}

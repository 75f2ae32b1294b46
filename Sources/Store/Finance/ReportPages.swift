import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A report's rows by windows of days: no statement reads more of a large book than it can in a moment.
///
/// A row is of one day and rows are sorted by it, so windows of any length give the same rows. What a day ended with is carried to the next
/// window, so that none reads a day twice: such a report is read from the first day of all.
struct DayPages: ReportRows {
    let head: ReportHead
    private let store: PostgresStore
    private let query: ReportQuery
    private let merchant: MerchantNumber
    private var windows: DayWindows
    /// What each account held when the last window ended, by its cells.
    private var balances: [[String?]: String] = [:]
    /// What all windows name and none could gather by itself, as `report_NAME` takes it.
    private let gathered: Json?

    init(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        days: Range<Int32>,
        gathered: Json? = nil
    ) {
        self.store = store
        self.head = head
        self.query = query
        self.merchant = merchant
        self.gathered = gathered
        windows = DayWindows(days)
    }

    var progress: (done: Int64, all: Int64)? { windows.progress }

    mutating func next() async throws(StoreFailure) -> [[String?]]? {
        guard let window = windows.next() else { return nil }
        let begun = ContinuousClock.now
        let rows = try await rows(window)
        windows.took(begun.duration(to: .now))
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

    private func rows(_ window: Range<Int32>) async throws(StoreFailure) -> [[String?]] {
        let columns = head.report.columns
        let texts = columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        let carries = gathered != nil || !head.report.balanced.isEmpty
        let marks =
            "$1, $2, '2000-01-01'::date + $3::int4, '2000-01-01'::date + $4::int4, $5, $6, $7" + (carries ? ", $8" : "")
        let sql = "SELECT \(texts) FROM paystream.report_\(head.report.sqlName)(\(marks)) r"
        var given: [PostgresValue] = [
            .int32(merchant.value), .text(head.zone), .int32(window.lowerBound), .int32(window.upperBound),
            .text(query.mode?.rawValue),
            .int64(head.position), .bool(query.time == .effective),
        ]
        if carries { given.append(.json((gathered ?? carried).canonical)) }
        let count = Int32(columns.count)
        return try await store.bounded(sql, given) { row throws(PostgresFailure) in try row.cells(count) }
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

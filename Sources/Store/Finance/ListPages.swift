import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A report's rows out of a function that gives so many behind the last one: a bad day may leave a million, and none of them waits in memory.
///
/// Where few of many are listed, days are looked through by windows.
struct ListPages: ReportRows {
    /// A column of the order of rows, and its type.
    struct Place: Sendable {
        let column: String
        let type: String
    }

    private static let page: Int32 = 2000

    let head: ReportHead
    private let store: PostgresStore
    /// The function, and what it takes before the place of the last row and the most rows.
    private let function: String
    private var given: [(value: PostgresValue, type: String)]
    private let order: [Place]
    private var last: [String?]
    private var windows: DayWindows?
    private var isOver = false

    private init(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ function: String,
        _ given: [(value: PostgresValue, type: String)],
        order: [Place]
    ) {
        self.store = store
        self.head = head
        self.function = function
        self.given = given
        self.order = order
        last = order.map { _ in nil }
    }

    /// What does not fit between books and files, the oldest first.
    static func exceptions(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber
    ) -> ListPages {
        ListPages(
            store,
            head,
            "exceptions_behind",
            asked(head, query, merchant) + [(.int64(head.position), "int8")],
            order: [
                Place(column: "since", type: "timestamptz"), Place(column: "at", type: "timestamptz"),
                Place(column: "place", type: "int4"), Place(column: "id", type: "uuid"),
            ]
        )
    }

    /// The movements and settlement's entries between two positions that a report counts, in the order in which they were known.
    static func movements(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        counted: Report
    ) -> ListPages {
        let kinds = counted.counted.map(\.rawValue) + counted.entries.map(\.rawValue)
        return ListPages(
            store,
            head,
            "movements_between",
            asked(head, query, merchant) + [
                (.int64(head.since ?? 0), "int8"), (.int64(head.position), "int8"),
                (.bool(query.time == .effective || counted.reading == .providersDays), "bool"),
                (.texts(kinds), "text[]"), (.text(counted.name), "text"),
            ],
            order: known
        )
    }

    /// The facts between two positions that a report counts, in the order in which they were known.
    static func facts(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        counted: Report
    ) -> ListPages {
        ListPages(
            store,
            head,
            "facts_between",
            asked(head, query, merchant) + [
                (.int64(head.since ?? 0), "int8"), (.int64(head.position), "int8"),
                (.texts(counted.facts.map(\.rawValue)), "text[]"),
            ],
            order: known
        )
    }

    /// What is open as of the later of two positions and was opened behind the other, in the order in which it was.
    static func opened(
        _ store: PostgresStore,
        _ head: ReportHead,
        _ query: ReportQuery,
        _ merchant: MerchantNumber,
        days: Range<Int32>
    ) -> ListPages {
        var pages = ListPages(
            store,
            head,
            "open_items_between",
            asked(head, query, merchant) + [(.int64(head.since ?? 0), "int8"), (.int64(head.position), "int8")],
            order: known
        )
        pages.windows = DayWindows(days)
        pages.isOver = !pages.advance()
        return pages
    }

    private static let known = [
        Place(column: "known_at", type: "timestamptz"), Place(column: "position", type: "int8"),
        Place(column: "number", type: "int8"),
    ]

    var progress: (done: Int64, all: Int64)? { windows?.progress }

    /// Goes on to the next window of days; false behind the last one, and where there are none.
    private mutating func advance() -> Bool {
        guard let window = windows?.next() else { return false }
        last = order.map { _ in nil }
        let ends = [window.lowerBound, window.upperBound].map {
            CivilDate(daysSinceEpoch: DayWindows.epoch + Int64($0))
        }
        for (place, day) in zip(Self.days, ends) { given[place].value = .text(day.text) }
        return true
    }

    /// Where the days stand among what is asked.
    private static let days = 2...3

    private static func asked(_ head: ReportHead, _ query: ReportQuery, _ merchant: MerchantNumber)
        -> [(value: PostgresValue, type: String)]
    {
        [
            (.int32(merchant.value), "int4"), (.text(head.zone), "text"), (.text(query.first), "text::date"),
            (.text(query.end), "text::date"), (.text(query.mode?.rawValue), "text"),
        ]
    }

    mutating func next() async throws(StoreFailure) -> [[String?]]? {
        guard !isOver else { return nil }
        let columns = head.report.columns.map(\.sqlName)
        let (count, places) = (Int32(columns.count), Int32(order.count))
        // The place of a row is told and taken as text, by types that are written and read alike.
        let types = given.map(\.type) + order.map { "text::\($0.type)" } + ["int4"]
        let marks = types.enumerated().map { "$\($0.offset + 1)::\($0.element)" }
        let told = (columns + order.map(\.column)).map { "r.\($0)::text" }
        let begun = ContinuousClock.now
        let found = try await store.bounded(
            "SELECT \(told.joined(separator: ", ")) FROM paystream.\(function)(\(marks.joined(separator: ", "))) r",
            given.map(\.value) + last.map { .text($0) } + [.int32(Self.page)]
        ) { row throws(PostgresFailure) in try row.cells(count + places) }
        windows?.took(begun.duration(to: .now))
        let isWindowOver = found.count < Int(Self.page)
        if let row = found.last { last = Array(row.suffix(Int(places))) }
        if isWindowOver { isOver = !advance() }
        return found.map { Array($0.prefix(Int(count))) }
    }
}

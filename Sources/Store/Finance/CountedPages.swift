import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// What a report counts between two positions, some at a time, in the order in which it was known: movements with what settlement booked, or facts.
struct CountedPages: ReportRows {
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
        let (source, parameters) = counted.counted.isEmpty ? facts : movements
        let found = try await store.read(
            "SELECT \(texts), r.known_at, r.position, r.number FROM paystream.\(source) r",
            parameters
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

    private var movements: (source: String, parameters: [PostgresValue]) {
        (
            "movements_between($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            asked + [
                .bool(query.time == .effective),
                .texts(counted.counted.map(\.rawValue) + counted.entries.map(\.rawValue)), .text(counted.name),
            ] + place
        )
    }

    private var facts: (source: String, parameters: [PostgresValue]) {
        (
            "facts_between($1, $2, $3::text::date, $4::text::date, $5, $6, $7, $8, $9, $10, $11, $12)",
            asked + [.texts(counted.facts.map(\.rawValue))] + place
        )
    }

    private var asked: [PostgresValue] {
        [
            .int32(merchant.value), .text(head.zone), .text(query.first), .text(query.end),
            .text(query.mode?.rawValue), .int64(head.since ?? 0), .int64(head.position),
        ]
    }

    /// Behind which row the page begins, and how long it is.
    private var place: [PostgresValue] {
        [.timestamp(last?.at), .int64(last?.position), .int64(last?.number), .int32(Self.page)]
    }
}

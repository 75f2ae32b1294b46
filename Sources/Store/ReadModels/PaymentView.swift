package import EventSourcing
package import Kernel
import Payments
import Postgres
package import Projections

/// The read model `payment_view`: followed by position, read by lists and searches.
package struct PaymentView: Sendable {
    let store: PostgresStore
    private let histories: any HistoryReader
    private static let name = "payment_view"
    /// Events of a page at most.
    package static let page = 500
    /// Positions without events that the checkpoint may stay behind.
    private static let idleStride: Int64 = 1000

    package init(_ store: PostgresStore, histories: any HistoryReader) {
        self.store = store
        self.histories = histories
    }

    /// Follows the log by one page; answers how many events it held.
    ///
    /// A row is a function of its whole stream, so a stream is loaded once however many of its events a page holds. Rows
    /// and checkpoint move in one transaction; of two followers one finds the checkpoint moved and starts again there.
    package func followOnce() async throws(StoreFailure) -> Int {
        let from = try await checkpoint()
        let page = try await store.events(after: from, limit: Self.page)
        let isLast = page.rows.count < Self.page
        let to = isLast ? max(page.horizon, from) : page.rows.last?.position ?? from
        // What was drawn without an event moves the checkpoint with the next page that has one, or now and then.
        guard !page.rows.isEmpty || to > from + Self.idleStride else { return 0 }
        let payments = page.rows.filter { $0.stream.kind.isPayment }
        let newest = Dictionary(payments.map { ($0.stream, $0.version) }) { max($0, $1) }
        let found = try await histories.histories(upTo: newest)
        var rows: [PaymentRow] = []
        for (stream, history) in found.sorted(by: { $0.key < $1.key }) {
            if let row = try Self.row(stream, history) { rows.append(row) }
        }
        _ = try await apply(rows, from: from, to: to)
        return page.rows.count
    }

    /// How far the view is.
    package func checkpoint() async throws(StoreFailure) -> Int64 {
        try await store.read(
            "SELECT pos FROM paystream.checkpoint WHERE name = $1 AND version = $2 AND lane = 0",
            [.text(Self.name), .int32(PaymentRow.version)]
        ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
    }

    /// Empties the view; following builds it again from the log.
    package func drop() async throws(StoreFailure) {
        // In one transaction, so that no crash leaves an empty view that claims to be ahead; locks as `apply` takes them.
        try await store.write(
            """
            DO $$ BEGIN
                DELETE FROM paystream.checkpoint WHERE name = '\(Self.name)';
                TRUNCATE paystream.payment_view;
            END $$
            """,
            []
        )
    }

    private static func row(_ stream: StreamName, _ history: [RecordedEvent]) throws(StoreFailure) -> PaymentRow? {
        var payment = Payment(id: PaymentId(stream.id))
        for event in history {
            do throws(CodecFailure) { payment.evolve(try PaymentEvent(type: event.type, data: event.data)) } catch {
                throw StoreFailure(.corrupt, detail: "\(stream) event \(event.version): \(error.path)")
            }
        }
        guard let first = history.first, let last = history.last else { return nil }
        return PaymentRow(payment, first: first, last: last)
    }

    private func apply(_ rows: [PaymentRow], from: Int64, to: Int64) async throws(StoreFailure) -> Bool {
        let parameters: [PostgresValue] = [
            .int64(from), .int64(to), .int32(PaymentRow.version), .int32s(rows.map(\.merchant.value)),
            .uuids(rows.map(\.id.uuid)), .int32s(rows.map(\.version)), .int64s(rows.map(\.position)),
            .texts(rows.map(\.status.rawValue)), .texts(rows.map { $0.currency?.code }), .int64s(rows.map(\.amount)),
            .texts(rows.map(\.reference)), .texts(rows.map(\.customer)), .uuids(rows.map(\.account.id)),
            .texts(rows.map(\.account.mode.rawValue)), .bools(rows.map(\.needsOperator)),
            .bools(rows.map(\.hasObligations)), .timestamps(rows.map(\.createdAt)), .timestamps(rows.map(\.updatedAt)),
            .jsons(rows.map(\.document.canonical)), .int32s(rows.map { Int32($0.kind.rawValue) }),
            .bools(rows.map(\.isDisputed)),
        ]
        return try await store.write(
            "SELECT paystream.payment_view_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }
}

extension PaymentView {
    /// Rows newest first, behind the cursor; one more than a page tells whether another follows.
    package func list(_ filter: PaymentQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        var conditions = ["merchant = $1"]
        var parameters: [PostgresValue] = [.int32(merchant.value)]
        func add(_ condition: String, _ value: PostgresValue?) {
            guard let value else { return }
            parameters.append(value)
            conditions.append(condition.replacing("?", with: "$\(parameters.count)"))
        }
        add("status = ?", filter.status.map { .text($0.rawValue) })
        add("reference = ?", filter.reference.map { .text($0) })
        add("customer = ?", filter.customer.map { .text($0) })
        add("account = ?", filter.account.map { .uuid($0) })
        add("created_at >= ?", filter.createdFrom.map { .timestamp($0) })
        add("created_at < ?", filter.createdBefore.map { .timestamp($0) })
        if let kind = filter.kind { conditions.append("kind = \(kind.rawValue)") }
        if filter.isDisputed { conditions.append("disputed") }
        if filter.hasObligations { conditions.append("has_obligations") }
        if filter.needsOperator { conditions.append("needs_operator") }
        if let cursor = filter.cursor {
            parameters += [.timestamp(cursor.createdAt), .uuid(cursor.id)]
            conditions.append("(created_at, id) < ($\(parameters.count - 1), $\(parameters.count))")
        }
        parameters.append(.int32(Int32(filter.limit + 1)))
        let found = try await store.read(
            """
            SELECT created_at, id, document FROM paystream.payment_view WHERE \(conditions.joined(separator: " AND "))
             ORDER BY created_at DESC, id DESC LIMIT $\(parameters.count)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            (PageCursor(createdAt: try row.timestamp(0), id: try row.uuid(1)), try row.bytes(2))
        }
        let shown = found.prefix(filter.limit)
        return (shown.compactMap { try? Json($0.1) }, found.count > filter.limit ? shown.last?.0 : nil)
    }

    /// One payment's row, and the position that it has come to.
    package func row(_ id: PaymentId, merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await store.read(
            "SELECT document, pos FROM paystream.payment_view WHERE merchant = $1 AND id = $2",
            [.int32(merchant.value), .uuid(id.uuid)]
        ) { row throws(PostgresFailure) -> Json? in
            guard case .object(var document)? = try? Json(try row.bytes(0)) else { return nil }
            document["position"] = .integer(try row.int64(1))
            return .object(document)
        }.first ?? nil
    }

    /// A digest-sized picture of the whole view, for comparing two builds of it: count and md5 over all rows in key order.
    package func fingerprint() async throws(StoreFailure) -> String {
        try await store.read(
            """
            SELECT count(*) || ':' || coalesce(md5(string_agg(md5(v.*::text), '' ORDER BY merchant, id)), '')
              FROM paystream.payment_view v
            """
        ) { row throws(PostgresFailure) in try row.text(0) }.first ?? ""
    }
}

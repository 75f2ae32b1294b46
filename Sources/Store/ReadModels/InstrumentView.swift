package import EventSourcing
package import Kernel
import Payments
import Postgres
package import Projections

/// The read model `instrument_view`: saved credentials by customer, followed by position.
package struct InstrumentView: Sendable {
    let store: PostgresStore
    private let histories: any HistoryReader
    private static let name = "instrument_view"
    /// Events of a page at most.
    package static let page = 500
    /// Positions without events that the checkpoint may stay behind.
    private static let idleStride: Int64 = 1000

    package init(_ store: PostgresStore, histories: any HistoryReader) {
        self.store = store
        self.histories = histories
    }

    /// Follows the log by one page of instruments' events; answers how many it held.
    package func followOnce() async throws(StoreFailure) -> Int {
        let from = try await checkpoint()
        let page = try await store.events(of: .instrument, after: from, limit: Self.page)
        let isLast = page.rows.count < Self.page
        let to = isLast ? max(page.horizon, from) : page.rows.last?.position ?? from
        guard !page.rows.isEmpty || to > from + Self.idleStride else { return 0 }
        let newest = Dictionary(page.rows.map { ($0.stream, $0.version) }) { max($0, $1) }
        let found = try await histories.histories(upTo: newest)
        var rows: [InstrumentRow] = []
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
            [.text(Self.name), .int32(InstrumentRow.version)]
        ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
    }

    private static func row(_ stream: StreamName, _ history: [RecordedEvent]) throws(StoreFailure) -> InstrumentRow? {
        var instrument = Instrument(id: InstrumentId(stream.id))
        for event in history {
            do throws(CodecFailure) {
                instrument.evolve(try InstrumentEvent(type: event.type, data: event.data))
            } catch {
                throw StoreFailure(.corrupt, detail: "\(stream) event \(event.version): \(error.path)")
            }
        }
        return history.last.flatMap { InstrumentRow(instrument, last: $0) }
    }

    private func apply(_ rows: [InstrumentRow], from: Int64, to: Int64) async throws(StoreFailure) -> Bool {
        let parameters: [PostgresValue] = [
            .int64(from), .int64(to), .int32(InstrumentRow.version), .int32s(rows.map(\.merchant.value)),
            .uuids(rows.map(\.id.uuid)), .int32s(rows.map(\.version)), .int64s(rows.map(\.position)),
            .texts(rows.map(\.status.rawValue)), .texts(rows.map(\.customer)), .uuids(rows.map(\.account)),
            .timestamps(rows.map(\.createdAt)), .jsons(rows.map(\.document.canonical)),
        ]
        return try await store.write(
            "SELECT paystream.instrument_view_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// Rows newest first, behind the cursor; one more than a page tells whether another follows.
    package func instruments(_ filter: InstrumentQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        var conditions = ["merchant = $1"]
        var parameters: [PostgresValue] = [.int32(merchant.value)]
        func add(_ condition: String, _ value: PostgresValue?) {
            guard let value else { return }
            parameters.append(value)
            conditions.append(condition.replacing("?", with: "$\(parameters.count)"))
        }
        add("customer = ?", filter.customer.map { .text($0) })
        add("status = ?", filter.status.map { .text($0.rawValue) })
        add("account = ?", filter.account.map { .uuid($0) })
        if let cursor = filter.cursor {
            parameters += [.timestamp(cursor.createdAt), .uuid(cursor.id)]
            conditions.append("(created_at, id) < ($\(parameters.count - 1), $\(parameters.count))")
        }
        parameters.append(.int32(Int32(filter.limit + 1)))
        let found = try await store.read(
            """
            SELECT created_at, id, document FROM paystream.instrument_view
             WHERE \(conditions.joined(separator: " AND "))
             ORDER BY created_at DESC, id DESC LIMIT $\(parameters.count)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            (PageCursor(createdAt: try row.timestamp(0), id: try row.uuid(1)), try row.bytes(2))
        }
        let shown = found.prefix(filter.limit)
        return (shown.compactMap { try? Json($0.1) }, found.count > filter.limit ? shown.last?.0 : nil)
    }
}

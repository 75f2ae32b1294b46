package import EventSourcing
package import Kernel
import Payments
import Postgres
package import Projections

/// The read model `instrument_view`: saved credentials by customer, followed by position.
package struct InstrumentView: FollowedView {
    package var follower: ViewFollower

    package init(_ store: PostgresStore, streamCache: any HistoryReader, folds: FoldCache) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: folds,
            name: "instrument_view",
            version: InstrumentRow.version,
            kinds: [.instrument],
            tables: ["instrument_view"]
        )
    }

    private func row(_ stream: StreamName, _ history: History) throws(StoreFailure) -> InstrumentRow? {
        let instrument: Instrument = try readable(stream) { () throws(CodecFailure) in
            try follower.folds.fold(stream, history)
        }
        return history.last.flatMap { InstrumentRow(instrument, last: $0) }
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        var rows: [InstrumentRow] = []
        for stream in page.streams {
            if let row = try row(stream.name, stream.history) { rows.append(row) }
        }
        let parameters: [PostgresValue] = [
            .int64(page.from), .int64(page.to), .int32(InstrumentRow.version), .int32s(rows.map(\.merchant.value)),
            .uuids(rows.map(\.id.uuid)), .int32s(rows.map(\.version)), .int64s(rows.map(\.position)),
            .texts(rows.map(\.status.rawValue)), .texts(rows.map(\.customer)), .uuids(rows.map(\.account)),
            .timestamps(rows.map(\.createdAt)), .jsons(rows.map(\.document.canonical)),
        ]
        return try await follower.store.write(
            "SELECT \(follower.schema).instrument_view_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// Rows newest first, behind the cursor.
    package func instruments(_ filter: InstrumentQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        var list = ViewList("instrument_view", merchant, .newest("created_at"))
        list.add("customer = ?", filter.customer.map { .text($0) })
        list.add("status = ?", filter.status.map { .text($0.rawValue) })
        list.add("account = ?", filter.account.map { .uuid($0) })
        return try await list.page(follower.store, behind: filter.cursor, limit: filter.limit)
    }
}

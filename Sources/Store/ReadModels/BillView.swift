package import EventSourcing
package import Kernel
package import Payments
import Postgres
package import Projections

/// The read models of bills in bulk: followed by position, read by lists and exports.
package struct BillView: FollowedView {
    package var follower: ViewFollower
    /// Raised where the rows are another function of the log than before.
    private static let version: Int32 = 3

    package init(_ store: PostgresStore, streamCache: any HistoryReader, folds: FoldCache) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: folds,
            name: "bill_view",
            version: Self.version,
            kinds: [.billBatch, .chunk],
            tables: ["bill_batch_view", "bill_view"]
        )
    }

    private struct BatchRow {
        let merchant: Int32
        let batch: BillBatch
        let position: Int64
    }

    private struct BillRow {
        let merchant: Int32
        let batch: Uuid
        let line: BillLine
        let position: Int64
        let outcome: BillWord
        let chunk: Uuid?
        let standing: BillStanding?
    }

    /// A batch's row is a function of its stream, a bill's of the page that brought it and of the newest chunk that carries
    /// it.
    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        var batches: [BatchRow] = []
        var bills: [BillRow] = []
        for stream in page.streams {
            guard let last = stream.history.last else { continue }
            if stream.name.kind == .billBatch {
                let batch: BillBatch = try readable(stream.name) { () throws(CodecFailure) in
                    try follower.folds.fold(stream.name, stream.history)
                }
                batches.append(BatchRow(merchant: stream.name.merchant.value, batch: batch, position: last.position))
                for event in stream.events where event.type == BillBatchEvent.Name.pageTaken.rawValue {
                    bills += try await waiting(event, batch)
                }
            } else {
                let chunk: Chunk = try readable(stream.name) { () throws(CodecFailure) in
                    try follower.folds.fold(stream.name, stream.history)
                }
                bills += Self.rows(
                    chunk,
                    stream.name.merchant,
                    last.position,
                    settled: stream.history.events.last { $0.type == ChunkEvent.Name.settled.rawValue }?.position
                )
            }
        }
        return try await apply(batches, Self.newest(bills), from: page.from, to: page.to)
    }

    /// The bills of a page that was taken.
    private func waiting(_ event: RecordedEvent, _ batch: BillBatch) async throws(StoreFailure) -> [BillRow] {
        guard let head = batch.head, let facts = batch.pages.first(where: { $0.input == event.cause }),
            let input = try await follower.store.input(event.cause, merchant: event.stream.merchant),
            let page = try? BillPage(
                input.body,
                first: batch.firstOrdinal(of: facts.number),
                currency: head.currency
            )
        else { return [] }
        return page.lines.map { line in
            BillRow(
                merchant: event.stream.merchant.value,
                batch: batch.id.uuid,
                line: line,
                position: event.position,
                outcome: .waiting,
                chunk: nil,
                standing: nil
            )
        }
    }

    private static func rows(
        _ chunk: Chunk,
        _ merchant: MerchantNumber,
        _ position: Int64,
        settled: Int64?
    ) -> [BillRow] {
        guard let head = chunk.head else { return [] }
        return head.lines.map { line in
            let standing = chunk.standings[line.id]
            // What the provider did not reach waits for another chunk.
            let isLeft = standing == nil && chunk.isSettled && chunk.unreached.contains(line.id)
            return BillRow(
                merchant: merchant.value,
                batch: head.batch.uuid,
                line: line,
                // A chunk that is over has no say about a bill that another one carries by now.
                position: isLeft ? settled ?? position : position,
                outcome: standing.map { BillWord($0.outcome) } ?? (isLeft ? .waiting : .pending),
                chunk: chunk.id,
                standing: standing
            )
        }
    }

    /// A row is written once in a statement.
    private static func newest(_ rows: [BillRow]) -> [BillRow] {
        var best: [String: BillRow] = [:]
        for row in rows {
            let key = "\(row.merchant)/\(row.batch)/\(row.line.ordinal)"
            if let known = best[key], known.position > row.position { continue }
            best[key] = row
        }
        return Array(best.values)
    }

    private func apply(
        _ batches: [BatchRow],
        _ bills: [BillRow],
        from: Int64,
        to: Int64
    ) async throws(StoreFailure) -> Bool {
        let known = batches.filter { $0.batch.head != nil }
        let heads = known.compactMap(\.batch.head)
        let parameters: [PostgresValue] =
            [
                .int64(from), .int64(to), .int32(Self.version), .int32s(known.map(\.merchant)),
                .uuids(known.map(\.batch.id.uuid)), .int32s(known.map(\.batch.version)), .int64s(known.map(\.position)),
                .texts(known.map(\.batch.status.rawValue)), .uuids(heads.map(\.account)),
                .texts(heads.map(\.reference)),
                .texts(heads.map(\.customer)), .timestamps(known.map { $0.batch.createdAt ?? .epoch }),
                .jsons(known.map { $0.batch.document(account: nil).canonical }),
                .int32s(bills.map(\.merchant)), .uuids(bills.map(\.batch)),
                .int32s(bills.map { Int32($0.line.ordinal) }),
                .int64s(bills.map(\.position)), .texts(bills.map(\.line.id)), .int64s(bills.map(\.line.amount.minor)),
                .texts(bills.map(\.line.amount.currency.code)), .texts(bills.map(\.outcome.rawValue)),
                .uuids(bills.map(\.chunk)), .jsons(bills.map { $0.standing?.canonical }),
            ]
        return try await follower.store.write(
            "SELECT \(follower.schema).bill_view_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }
}

extension BillView {
    /// Bills of a batch in the order of the upload; one more than a page tells whether another follows.
    package func bills(
        of batch: BillBatchId,
        outcome: BillWord?,
        after ordinal: Int,
        limit: Int,
        merchant: MerchantNumber
    ) async throws(StoreFailure) -> (rows: [Json], next: Int?) {
        var condition = "merchant = $1 AND batch = $2 AND ordinal > $3"
        var parameters: [PostgresValue] = [
            .int32(merchant.value), .uuid(batch.uuid), .int32(Int32(clamping: ordinal)), .int32(Int32(limit + 1)),
        ]
        if let outcome {
            condition += " AND outcome = $5"
            parameters.append(.text(outcome.rawValue))
        }
        let found = try await follower.store.read(
            """
            SELECT ordinal, bill, amount, currency, outcome, standing FROM paystream.bill_view
             WHERE \(condition) ORDER BY ordinal LIMIT $4
            """,
            parameters
        ) { row throws(PostgresFailure) -> (Int, Json) in
            let ordinal = Int(try row.int32(0))
            let standing = row.isNull(5) ? nil : try? Json(try row.bytes(5))
            let shown: Json = .compact([
                (
                    "amount",
                    ["currency": .string(try row.text(3)), "value": .integer(try row.int64(2))]
                ),
                ("id", .string(try row.text(1))), ("ordinal", .integer(Int64(ordinal))),
                ("outcome", .string(try row.text(4))), ("standing", standing),
            ])
            return (ordinal, shown)
        }
        let page = found.prefix(limit)
        return (page.map(\.1), found.count > limit ? page.last?.0 : nil)
    }

    /// Batches of a merchant, newest first.
    package func batches(behind cursor: PageCursor?, limit: Int, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        try await ViewList("bill_batch_view", merchant, .newest("created_at"))
            .page(follower.store, behind: cursor, limit: limit)
    }
}

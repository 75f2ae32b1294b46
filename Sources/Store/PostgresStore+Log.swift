package import EventSourcing
import Kernel
import Postgres

extension PostgresStore {
    package func events(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedEvent> {
        try await events(of: [], after: position, limit: limit)
    }

    /// The same for streams of some kinds; none stands for all.
    package func events(of kinds: [StreamKind], after position: Int64, limit: Int) async throws(StoreFailure)
        -> LogPage<RecordedEvent>
    {
        let sql = """
            SELECT merchant, stream_kind, stream, ver, pos, type, cause, at, data, horizon
              FROM paystream.read_events($1, $2, $3)
            """
        let values: [PostgresValue] = [
            .int32s(kinds.map { Int32($0.rawValue) }), .int64(position), .int64(Int64(limit)),
        ]
        let rows = try await read(sql, values) {
            row throws(PostgresFailure) -> (event: RecordedEvent?, horizon: Int64) in
            guard row.isNull(9) else { return (nil, try row.int64(9)) }
            let event = RecordedEvent(
                stream: try row.stream(at: 0),
                version: try row.int32(3),
                position: try row.int64(4),
                type: try row.text(5),
                cause: try row.uuid(6),
                recordedAt: try row.timestamp(7),
                data: try row.bytes(8)
            )
            return (event, 0)
        }
        guard let last = rows.last, last.event == nil else { throw StoreFailure(.corrupt, detail: "no horizon") }
        return LogPage(rows: rows.compactMap(\.event), horizon: last.horizon)
    }

    package func decisions(after position: Int64, limit: Int) async throws(StoreFailure) -> LogPage<RecordedDecision> {
        let horizon = try await horizon()
        let sql = """
            SELECT \(Self.decisionColumns) FROM paystream.decision
             WHERE pos > $1 AND pos <= $2 \(Self.wholePositions)
            """
        let rows = try await read(sql, [.int64(position), .int64(horizon), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in try row.decision()
        }
        return LogPage(rows: rows, horizon: horizon)
    }

    /// Rows that share a position, of merchants that came from other databases, are all on the same page: so a page's last
    /// position is where the next one begins.
    private static let wholePositions = "ORDER BY pos FETCH FIRST $3 ROWS WITH TIES"

    /// The position up to which nothing can appear any more; rows are read in a statement after this one.
    package func horizon() async throws(StoreFailure) -> Int64 {
        let rows = try await read("SELECT paystream.horizon()") { row throws(PostgresFailure) in try row.int64(0) }
        guard let horizon = rows.first else { throw StoreFailure(.corrupt, detail: "no horizon") }
        return horizon
    }

    /// Creates event partitions ahead of the log; answers how many were missing.
    package func extendLog() async throws(StoreFailure) -> Int {
        let rows = try await write("SELECT paystream.extend_log()", []) { row throws(PostgresFailure) in
            Int(try row.int32(0))
        }
        return rows.first ?? 0
    }

    /// The columns that `PostgresRow.decision` reads.
    static let decisionColumns = """
        merchant, stream_kind, stream, input, pos, base, context, versions, events, code, detail
        """
}

extension PostgresRow {
    /// Reads a decision record from `PostgresStore.decisionColumns`.
    func decision() throws(PostgresFailure) -> RecordedDecision {
        let outcome: DecisionOutcome =
            isNull(9)
            ? .events(Int(try int16(8)))
            : .rejected(code: try text(9), detail: try bytes(10))
        return RecordedDecision(
            input: try uuid(3),
            stream: try stream(at: 0),
            position: try int64(4),
            record: DecisionRecord(
                baseVersion: try int32(5),
                context: try bytes(6),
                versions: try bytes(7),
                outcome: outcome
            )
        )
    }
}

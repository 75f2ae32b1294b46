package import EventSourcing
package import Kernel
import Postgres

extension PostgresStore: DispatchRecords {
    package func streams(after: StreamName?, limit: Int) async throws(StoreFailure) -> [StreamName] {
        let sql = """
            SELECT merchant, kind, id FROM paystream.stream WHERE (merchant, id) > ($1, $2) ORDER BY merchant, id LIMIT $3
            """
        let (merchant, id) = Self.key(after?.merchant, after?.id)
        return try await read(sql, [merchant, id, .int64(Int64(limit))]) { row throws(PostgresFailure) in
            try row.stream(at: 0)
        }
    }

    package func marks(of streams: [StreamName]) async throws(StoreFailure) -> [[SendingMark]] {
        guard !streams.isEmpty else { return [] }
        let sql = """
            SELECT u.o::int, \(Self.markColumns)
              FROM unnest($1::int[], $2::uuid[]) WITH ORDINALITY AS u (m, s, o)
                   JOIN paystream.sending_mark x ON x.merchant = u.m AND x.stream = u.s
             ORDER BY u.o, x.at, x.fence
            """
        let parameters: [PostgresValue] = [.int32s(streams.map(\.merchant.value)), .uuids(streams.map(\.id))]
        let rows = try await read(sql, parameters) { row throws(PostgresFailure) in
            (Int(try row.int32(0)) - 1, try row.mark(at: 1))
        }
        var out = [[SendingMark]](repeating: [], count: streams.count)
        for (unit, mark) in rows { out[unit].append(mark) }
        return out
    }

    package func strayMarks(limit: Int) async throws(StoreFailure) -> [SendingMark] {
        let sql = """
            SELECT \(Self.markColumns) FROM paystream.sending_mark x
             WHERE NOT EXISTS (SELECT FROM paystream.stream y WHERE y.merchant = x.merchant AND y.id = x.stream)
             ORDER BY x.merchant, x.stream, x.at LIMIT $1
            """
        return try await read(sql, [.int64(Int64(limit))]) { row throws(PostgresFailure) in try row.mark(at: 0) }
    }

    package func effects(_ ids: [Uuid], merchant: MerchantNumber) async throws(StoreFailure) -> [EffectStanding] {
        guard !ids.isEmpty else { return [] }
        let sql = "SELECT \(Self.standingColumns) FROM paystream.effect WHERE merchant = $1 AND id = ANY ($2::uuid[])"
        return try await read(sql, [.int32(merchant.value), .uuids(ids)]) { row throws(PostgresFailure) in
            try row.standing()
        }
    }

    package func effects(after: EffectStanding?, limit: Int) async throws(StoreFailure) -> [EffectStanding] {
        let sql = """
            SELECT \(Self.standingColumns) FROM paystream.effect
             WHERE (merchant, id) > ($1, $2) ORDER BY merchant, id LIMIT $3
            """
        let (merchant, id) = Self.key(after?.stream.merchant, after?.id)
        return try await read(sql, [merchant, id, .int64(Int64(limit))]) { row throws(PostgresFailure) in
            try row.standing()
        }
    }

    package func marksBegan() async throws(StoreFailure) -> Timestamp {
        let sql = "SELECT applied_at FROM paystream.schema_version WHERE version = \(Self.marksVersion)"
        let times = try await read(sql) { row throws(PostgresFailure) in try row.timestamp(0) }
        guard let began = times.first else { throw StoreFailure(.corrupt, detail: "the schema knows no marks") }
        return began
    }

    /// The migration that made `sending_mark`.
    private static let marksVersion = 70
    private static let markColumns = "x.merchant, x.stream_kind, x.stream, x.effect, x.ordinal, x.fence, x.at"
    private static let standingColumns = "merchant, stream_kind, stream, id, ordinal, state, send_before"

    /// A place in the order of merchant and id; nothing stands before all rows.
    private static func key(_ merchant: MerchantNumber?, _ id: Uuid?) -> (PostgresValue, PostgresValue) {
        (.int32(merchant?.value ?? .min), .uuid(id ?? Uuid(high: 0, low: 0)))
    }
}

extension PostgresRow {
    fileprivate func mark(at column: Int32) throws(PostgresFailure) -> SendingMark {
        SendingMark(
            stream: try stream(at: column),
            effect: try uuid(column + 3),
            ordinal: try int32(column + 4),
            fence: try int64(column + 5),
            at: try timestamp(column + 6)
        )
    }

    fileprivate func standing() throws(PostgresFailure) -> EffectStanding {
        let number = try int16(5)
        guard let state = EffectStanding.State(rawValue: number) else {
            throw PostgresFailure(.decode, detail: "effect state \(number)")
        }
        return EffectStanding(
            stream: try stream(at: 0),
            id: try uuid(3),
            ordinal: try int32(4),
            state: state,
            sendBefore: try timestamp(6)
        )
    }
}

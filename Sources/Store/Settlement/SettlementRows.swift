package import EventSourcing
package import Kernel
import Postgres
package import Projections
package import Settlement

/// Settlement files, what does not fit of them, and what persons decide about it.
package struct SettlementRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    // MARK: Mappings

    /// The newest mapping that was kept for an account, with its version; `nil` where it has none of its own.
    package func mapping(of account: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> (version: Int32, mapping: SettlementMapping)?
    {
        let found = try await store.read(
            """
            SELECT version, document FROM paystream.settlement_mapping WHERE merchant = $1 AND account = $2 AND is_own
             ORDER BY version DESC LIMIT 1
            """,
            [.int32(merchant.value), .uuid(account)]
        ) { row throws(PostgresFailure) in (try row.int32(0), try row.bytes(1)) }.first
        guard let (version, document) = found else { return nil }
        guard let json = try? Json(document), let mapping = try? SettlementMapping(json) else {
            throw StoreFailure(.corrupt, detail: "a stored mapping of an account can't be read")
        }
        return (version, mapping)
    }

    /// Keeps a mapping as the account's own and its next version, unless the newest one says the same; `nil` where there is no such zone.
    package func keep(_ request: SettlementImport) async throws(StoreFailure) -> Int32? {
        try await store.write(
            """
            SELECT b.mapping FROM paystream.settlement_begin($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) b
             WHERE EXISTS (SELECT FROM pg_timezone_names z WHERE z.name = $12)
            """,
            request.beginning(to: "keep") + [.text(request.mapping.zone)]
        ) { row throws(PostgresFailure) in try row.int32(0) }.first
    }

    // MARK: Files

    private static let fileColumns = """
        f.id, c.name, c.provider, c.mode, f.digest, f.mapping, f.begins_at, f.ends_at, f.lines, f.totals, f.corrects, a.pos, a.at, a.actor,
        (SELECT count(*) FROM paystream.settlement_match x
          WHERE x.merchant = f.merchant AND x.file = f.id AND x.ended_act IS NULL),
        (SELECT count(*) FROM paystream.settlement_exception x
          WHERE x.merchant = f.merchant AND x.file = f.id AND x.ended_act IS NULL),
        (SELECT count(*) FROM paystream.settlement_withdrawal w
          WHERE w.merchant = f.merchant AND w.file = f.id AND w.why = 'repeated'),
        nullif(paystream.settlement_newest(f.merchant, f.id), f.id)
        """

    /// Files of a merchant, the newest first.
    package func files(of merchant: MerchantNumber, account: Uuid?, behind cursor: PageCursor?, limit: Int)
        async throws(StoreFailure) -> (rows: [Json], next: PageCursor?)
    {
        let found = try await files(
            """
            AND ($2::uuid IS NULL OR f.account = $2) AND ($3::timestamptz IS NULL OR (a.at, f.id) < ($3, $4))
             ORDER BY a.at DESC, f.id DESC LIMIT $5
            """,
            [
                .int32(merchant.value), .uuid(account), .timestamp(cursor?.createdAt), .uuid(cursor?.id),
                .int64(Int64(limit) + 1),
            ]
        )
        return Self.page(found, limit)
    }

    package func file(_ id: SettlementFileId, of merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await files("AND f.id = $2", [.int32(merchant.value), .uuid(id.uuid)]).first?.json
    }

    private func files(_ condition: String, _ values: [PostgresValue]) async throws(StoreFailure)
        -> [(json: Json, place: PageCursor)]
    {
        try await store.read(
            """
            SELECT \(Self.fileColumns) FROM paystream.settlement_file f
              JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
              JOIN paystream.settlement_account c ON c.merchant = f.merchant AND c.account = f.account
             WHERE f.merchant = $1 \(condition)
            """,
            values
        ) { row throws(PostgresFailure) in
            let id = try row.uuid(0)
            let at = try row.timestamp(12)
            let corrects = try row.settlementFile(10)
            let json = Json.compact([
                ("object", "settlement_file"), ("id", .string("\(SettlementFileId(id))")),
                ("account", .string(try row.text(1))), ("provider", .string(try row.text(2))),
                ("mode", .string(try row.text(3))), ("digest", .string(Hex.encode(try row.bytes(4)))),
                ("mapping", .integer(Int64(try row.int32(5)))), ("from", try row.timestamp(6).json),
                ("before", try row.timestamp(7).json), ("lines", .integer(Int64(try row.int32(8)))),
                ("matched", .integer(try row.int64(14))), ("repeated", .integer(try row.int64(16))),
                ("exceptions", .integer(try row.int64(15))),
                ("totals", (try? Json(try row.bytes(9))) ?? .null),
                ("corrects", corrects), ("supersededBy", try row.settlementFile(17)),
                ("position", .integer(try row.int64(11))), ("importedAt", at.json),
                ("importedBy", .string(try row.text(13))),
            ])
            return (json, PageCursor(createdAt: at, id: id))
        }
    }

    fileprivate static func page(_ found: [(json: Json, place: PageCursor)], _ limit: Int)
        -> (rows: [Json], next: PageCursor?)
    {
        let shown = found.prefix(limit)
        return (shown.map(\.json), found.count > limit ? shown.last?.place : nil)
    }

    // MARK: Exceptions

    private static let exceptionColumns = """
        x.id, c.name, c.provider, c.mode, x.class, x.amount, x.currency, x.at, x.since, x.owner, x.outcome, x.file, x.line,
        coalesce(l.provider_reference, v.provider_reference), coalesce(l.reference, v.operation_reference), coalesce(l.kind, v.kind),
        l.word, v.pos, v.number,
        CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'bat_' END
            || replace(coalesce(v.batch, v.stream)::text, '-', ''),
        (SELECT max(s.number) FROM paystream.settlement_step s
          WHERE s.merchant = x.merchant AND s.exception = x.id AND s.kind = 'proposed')
        """
    private static let exceptionTables = """
        paystream.settlement_exception x
          JOIN paystream.settlement_account c ON c.merchant = x.merchant AND c.account = x.account
          LEFT JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line
          LEFT JOIN paystream.movement v
            ON v.merchant = x.merchant AND v.stream = x.stream AND v.version = x.version AND v.number = x.number
        """

    /// Exceptions of a merchant, the oldest first.
    package func exceptions(_ query: ExceptionQuery, of merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        let found = try await exceptions(
            """
            AND (x.ended_act IS NULL) = $2 AND ($3::uuid IS NULL OR x.account = $3) AND ($4::text IS NULL OR x.class = $4)
            AND ($5::text IS NULL OR x.owner = $5) AND ($6::uuid IS NULL OR x.file = $6)
            AND ($7::timestamptz IS NULL OR (x.since, x.id) > ($7, $8)) ORDER BY x.since, x.id LIMIT $9
            """,
            [
                .int32(merchant.value), .bool(query.isOpen), .uuid(query.account), .text(query.word?.rawValue),
                .text(query.owner), .uuid(query.file?.uuid), .timestamp(query.cursor?.createdAt),
                .uuid(query.cursor?.id), .int64(Int64(query.limit) + 1),
            ]
        )
        return Self.page(found, query.limit)
    }

    private func exceptions(_ condition: String, _ values: [PostgresValue]) async throws(StoreFailure)
        -> [(json: Json, place: PageCursor)]
    {
        try await store.read(
            "SELECT \(Self.exceptionColumns) FROM \(Self.exceptionTables) WHERE x.merchant = $1 \(condition)",
            values
        ) { row throws(PostgresFailure) in
            let id = try row.uuid(0)
            let since = try row.timestamp(8)
            let file = try row.optional(11) { row, column throws(PostgresFailure) in try row.uuid(column) }
            let word = ExceptionClass(rawValue: try row.text(4))
            let json = Json.compact([
                ("object", "settlement_exception"), ("id", .string("\(SettlementExceptionId(id))")),
                ("class", .string(try row.text(4))), ("account", .string(try row.text(1))),
                ("provider", .string(try row.text(2))), ("mode", .string(try row.text(3))),
                ("amount", ["value": .integer(try row.int64(5)), "currency": .string(try row.text(6))]),
                ("at", try row.timestamp(7).json), ("since", since.json), ("owner", try row.shown(9)),
                ("outcome", try row.shown(10)), ("file", file.map { .string("\(SettlementFileId($0))") }),
                ("line", row.isNull(12) ? nil : .integer(Int64(try row.int32(12)))), ("kind", try row.shown(15)),
                ("word", try row.shown(16)), ("providerReference", try row.shown(13)), ("reference", try row.shown(14)),
                ("payment", row.isNull(17) ? nil : try row.shown(19)),
                ("position", row.isNull(17) ? nil : .integer(try row.int64(17))),
                ("number", row.isNull(18) ? nil : .integer(Int64(try row.int16(18)))),
                ("proposal", row.isNull(20) ? nil : .integer(Int64(try row.int32(20)))),
                ("suggestion", (word?.suggestion).map(Json.string)),
            ])
            return (json, PageCursor(createdAt: since, id: id))
        }
    }
}

extension PostgresRow {
    /// A text as JSON; `nil` for SQL's NULL.
    fileprivate borrowing func shown(_ column: Int32) throws(PostgresFailure) -> Json? {
        isNull(column) ? nil : .string(try text(column))
    }
}

/// What persons decide about exceptions.
extension SettlementRows {
    /// One exception with its history and what it may be linked with.
    package func exception(_ id: SettlementExceptionId, of merchant: MerchantNumber) async throws(StoreFailure)
        -> Json?
    {
        let values: [PostgresValue] = [.int32(merchant.value), .uuid(id.uuid)]
        guard let found = try await exceptions("AND x.id = $2", values).first?.json, var members = found.members else {
            return nil
        }
        members["history"] = .array(try await history(values))
        if members["outcome"] == nil { members["candidates"] = .array(try await candidates(values)) }
        return .object(members)
    }

    private func history(_ values: [PostgresValue]) async throws(StoreFailure) -> [Json] {
        try await store.read(
            """
            SELECT 0, 'opened', a.at, a.actor, NULL::json FROM paystream.settlement_exception x
              JOIN paystream.settlement_act a ON a.merchant = x.merchant AND a.id = x.act WHERE x.merchant = $1 AND x.id = $2
            UNION ALL
            SELECT s.number, s.kind, a.at, a.actor, s.detail FROM paystream.settlement_step s
              JOIN paystream.settlement_act a ON a.merchant = s.merchant AND a.id = s.act
             WHERE s.merchant = $1 AND s.exception = $2
            UNION ALL
            SELECT 2147483647, x.outcome, a.at, a.actor, NULL::json FROM paystream.settlement_exception x
              JOIN paystream.settlement_act a ON a.merchant = x.merchant AND a.id = x.ended_act
             WHERE x.merchant = $1 AND x.id = $2
             ORDER BY 1
            """,
            values
        ) { row throws(PostgresFailure) in
            let number = try row.int32(0)
            let isStep = number > 0 && number < .max
            return Json.compact([
                ("step", .string(try row.text(1))), ("number", isStep ? .integer(Int64(number)) : nil),
                ("at", try row.timestamp(2).json), ("by", .string(try row.text(3))),
                ("detail", row.isNull(4) ? nil : (try? Json(try row.bytes(4))) ?? .null),
            ])
        }
    }

    /// Movements without a line, or lines without a movement, of the same amount near the same day.
    private func candidates(_ values: [PostgresValue]) async throws(StoreFailure) -> [Json] {
        try await store.read(
            """
            SELECT m.pos, m.number, NULL::uuid, NULL::int, m.at, m.provider_reference FROM paystream.settlement_exception x
              JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line
              JOIN paystream.settleable(x.merchant) m ON m.account = x.account AND m.kind = l.kind AND m.amount = l.amount
               AND m.currency = l.currency AND m.at BETWEEN l.at - interval '10 days' AND l.at + interval '10 days'
             WHERE x.merchant = $1 AND x.id = $2 AND x.class IN ('missingHere', 'duplicate')
               AND NOT EXISTS (SELECT FROM paystream.settlement_match y WHERE y.merchant = x.merchant AND y.stream = m.stream
                                  AND y.version = m.version AND y.number = m.number AND y.ended_act IS NULL)
            UNION ALL
            SELECT NULL, NULL, l.file, l.number, l.at, l.provider_reference FROM paystream.settlement_exception x
              JOIN paystream.movement m ON m.merchant = x.merchant AND m.stream = x.stream AND m.version = x.version
               AND m.number = x.number
              JOIN paystream.settlement_exception o ON o.merchant = x.merchant AND o.account = x.account AND o.ended_act IS NULL
               AND o.class = 'missingHere' AND o.currency = x.currency
              JOIN paystream.settlement_line l ON l.merchant = o.merchant AND l.file = o.file AND l.number = o.line
               AND l.kind = m.kind AND l.amount = abs(x.amount)
             WHERE x.merchant = $1 AND x.id = $2 AND x.class IN ('missingThere', 'timing')
             ORDER BY 5 LIMIT 20
            """,
            values
        ) { row throws(PostgresFailure) in
            let file = try row.optional(2) { row, column throws(PostgresFailure) in try row.uuid(column) }
            return Json.compact([
                ("position", row.isNull(0) ? nil : .integer(try row.int64(0))),
                ("number", row.isNull(1) ? nil : .integer(Int64(try row.int16(1)))),
                ("file", file.map { .string("\(SettlementFileId($0))") }),
                ("line", row.isNull(3) ? nil : .integer(Int64(try row.int32(3)))), ("at", try row.timestamp(4).json),
                ("providerReference", row.isNull(5) ? nil : .string(try row.text(5))),
            ])
        }
    }

    package func assign(
        _ id: SettlementExceptionId,
        to owner: String?,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep {
        try await step(
            "settlement_assign($1, $2, $3, $4, $5)",
            [.int32(merchant.value), .uuid(id.uuid), .text(owner), .text(actor), .uuid(act)]
        )
    }

    package func propose(
        _ verdict: ExceptionVerdict,
        for id: SettlementExceptionId,
        because reason: String,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep {
        try await step(
            "settlement_propose($1, $2, $3, $4, $5, $6)",
            [
                .int32(merchant.value), .uuid(id.uuid), .json(verdict.json.canonical), .text(reason), .text(actor),
                .uuid(act),
            ]
        )
    }

    package func approve(
        _ proposal: Int32,
        for id: SettlementExceptionId,
        by actor: String,
        as act: Uuid,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> ExceptionStep {
        try await step(
            "settlement_approve($1, $2, $3, $4, $5)",
            [.int32(merchant.value), .uuid(id.uuid), .int32(proposal), .text(actor), .uuid(act)]
        )
    }

    private func step(_ call: String, _ values: [PostgresValue]) async throws(StoreFailure) -> ExceptionStep {
        let told = try await store.write("SELECT paystream.\(call)", values) { row throws(PostgresFailure) in
            try row.text(0)
        }.first
        guard let step = told.flatMap(ExceptionStep.init(rawValue:)) else {
            throw StoreFailure(.corrupt, detail: "a step about an exception answered \(told ?? "nothing")")
        }
        return step
    }
}

extension PostgresRow {
    /// The id of a settlement file, unless the column is NULL.
    fileprivate func settlementFile(_ column: Int32) throws(PostgresFailure) -> Json? {
        isNull(column) ? nil : .string("\(SettlementFileId(try uuid(column)))")
    }
}

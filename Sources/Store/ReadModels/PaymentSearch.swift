import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// A page of a search in the making: what leads to its rows, and what is asked of each of them.
///
/// What is rarest leads: names of the provider, the merchant's reference, a payer, a card, an amount. Each leads through an index that has
/// its rows newest first, and a page looks at a bounded number of them. Where it finds less than it may show, it says where the next
/// one goes on.
struct PaymentSearch {
    /// Rows of an index that a page looks at.
    static let scanned: Int32 = 3000
    /// Payments that a name, a payer or a card may lead to in one page.
    static let candidates: Int32 = 1000
    /// Customers who gave an address, and saved cards of the same digits, the newest ones.
    static let owners: Int32 = 20

    private let store: PostgresStore
    private let query: PaymentQuery
    private var parameters: [PostgresValue]
    /// What an index is walked by, and what is asked of each row besides.
    private var leading: [String] = []
    private var asked: [String] = []
    /// Where in time the page lies: every index has its rows in this order.
    private var times: [String] = []

    private init(_ store: PostgresStore, _ query: PaymentQuery, _ merchant: MerchantNumber) {
        self.store = store
        self.query = query
        parameters = [.int32(merchant.value)]
    }

    /// The rows that a query names, newest first, and where the next page begins; a page may hold fewer than it could.
    static func page(_ query: PaymentQuery, _ store: PostgresStore, _ merchant: MerchantNumber)
        async throws(StoreFailure) -> (rows: [Json], next: PageCursor?)
    {
        var search = PaymentSearch(store, query, merchant)
        search.placeInTime()
        guard let named = try await search.lookUp() else { return ([], nil) }
        search.narrow()
        return try await search.find(among: named)
    }

    private mutating func mark(_ value: PostgresValue) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    /// The statement with the values alone that it names, numbered anew.
    private static func own(_ sql: String, of parameters: [PostgresValue]) -> (sql: String, values: [PostgresValue]) {
        var (text, values) = ("", [PostgresValue]())
        var places: [Int: Int] = [:]
        for (index, part) in sql.split(separator: "$", omittingEmptySubsequences: false).enumerated() {
            let digits = part.prefix { $0.isNumber }
            guard index > 0, let number = Int(digits) else {
                text += part
                continue
            }
            if places[number] == nil {
                values.append(parameters[number - 1])
                places[number] = values.count
            }
            text += "$\(places[number] ?? 0)" + part.dropFirst(digits.count)
        }
        return (text, values)
    }

    private func read<Row: Sendable>(
        _ sql: String,
        _ parameters: [PostgresValue],
        _ decode: @escaping @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Row
    ) async throws(StoreFailure) -> [Row] {
        let own = Self.own(sql, of: parameters)
        return try await store.read(own.sql, own.values, decode)
    }

    private mutating func placeInTime() {
        if let from = query.createdFrom { times.append("created_at >= \(mark(.timestamp(from)))") }
        if let before = query.createdBefore { times.append("created_at < \(mark(.timestamp(before)))") }
        if let cursor = query.cursor {
            times.append("(created_at, id) < (\(mark(.timestamp(cursor.createdAt))), \(mark(.uuid(cursor.id))))")
        }
    }

    private var placed: String { times.map { " AND \($0)" }.joined() }
    private static let newest = "ORDER BY created_at DESC, id DESC"

    // MARK: What leads to ids

    /// Payments that something beside their rows leads to.
    private struct Named {
        var ids: [Uuid]
        /// Where those end that were looked for, if there are more.
        var end: PageCursor?
    }

    /// Looks up the ids that other tables lead to; `nil` where they lead nowhere, an empty `Named` where nothing asks for them.
    private mutating func lookUp() async throws(StoreFailure) -> Named?? {
        var named: Named?
        if let reference = query.providerReference {
            let ids = try await streams(of: reference)
            guard !ids.isEmpty else { return nil }
            named = Named(ids: ids)
        }
        if let codes = query.emailCodes {
            let payers = try await payers(codes)
            let (payments, customers) = (mark(.uuids(payers.payments)), mark(.texts(payers.customers)))
            asked.append("(id = ANY(\(payments)) OR customer = ANY(\(customers)))")
            if named == nil, query.reference == nil {
                named = try await newest(payers.payments, of: "customer", .texts(payers.customers), "text[]")
            }
            guard !payers.payments.isEmpty || !payers.customers.isEmpty else { return nil }
        }
        if let card = query.card {
            let cards = try await instruments(card)
            asked.append("(id = ANY(\(mark(.uuids(cards.payments)))) OR instrument = ANY(\(mark(.uuids(cards.ids)))))")
            guard !cards.ids.isEmpty else { return nil }
            if named == nil, query.reference == nil {
                named = try await newest(cards.payments, of: "instrument", .uuids(cards.ids), "uuid[]")
            }
        }
        var labelled: Named?
        if !query.labels.isEmpty {
            asked.append("labels @> \(mark(.uuids(query.labels)))")
            if named == nil, query.reference == nil { labelled = try await self.labelled() }
        }
        if let labelled, labelled.end == nil { named = labelled }
        if named == nil, query.reference == nil, query.customer == nil, query.amountFrom != query.amountTo {
            named = try await amounts()
        }
        // A label that many payments have leads where nothing else does.
        if named == nil, !hasIndex { named = labelled }
        return .some(named)
    }

    /// Whether an index leads to rows by what they say themselves.
    private var hasIndex: Bool {
        query.customer != nil || query.amountFrom != nil && query.amountFrom == query.amountTo || query.needsOperator
            || query.isDisputed || query.hasObligations || query.kind == .transfer
    }

    /// Streams that the provider's names lead to: those that route notifications, and those that movements name.
    private func streams(of reference: String) async throws(StoreFailure) -> [Uuid] {
        try await read(
            """
            SELECT r.stream FROM paystream.reference r
             WHERE r.merchant = $1 AND r.value = $2 AND r.stream_kind IN (1, 7) AND r.kind IN ('payment', 'operation', 'order', 'series')
               AND r.account IN (SELECT s.id FROM paystream.stream s WHERE s.merchant = $1 AND s.kind = 8)
            UNION
            (SELECT m.stream FROM paystream.movement m
              WHERE m.merchant = $1 AND m.provider_reference = $2 AND m.stream_kind IN (1, 7) LIMIT $3)
            """,
            [parameters[0], .text(reference), .int32(Self.candidates)]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
    }

    private func payers(_ codes: [[UInt8]]) async throws(StoreFailure) -> (customers: [String], payments: [Uuid]) {
        let found = try await read(
            """
            (SELECT i.customer, NULL::uuid FROM paystream.payer_index i
              WHERE i.merchant = $1 AND i.code = ANY($2) AND i.customer IS NOT NULL ORDER BY i.noted_at DESC LIMIT $3)
            UNION ALL
            (SELECT NULL, i.payment FROM paystream.payer_index i
              WHERE i.merchant = $1 AND i.code = ANY($2) AND i.customer IS NULL ORDER BY i.noted_at DESC LIMIT $4)
            """,
            [parameters[0], .byteArrays(codes), .int32(Self.owners), .int32(Self.candidates)]
        ) { row throws(PostgresFailure) in
            (customer: row.isNull(0) ? nil : try row.text(0), payment: row.isNull(1) ? nil : try row.uuid(1))
        }
        return (found.compactMap(\.customer), found.compactMap(\.payment))
    }

    /// Saved cards that show these digits, and the payments that saved them.
    private func instruments(_ card: MaskedCard) async throws(StoreFailure) -> (ids: [Uuid], payments: [Uuid]) {
        let found = try await read(
            """
            SELECT i.id, replace(i.document ->> 'payment', 'pay_', '')::uuid FROM paystream.instrument_view i
             WHERE i.merchant = $1 AND i.document ->> 'masked' IS NOT NULL
               AND left(regexp_replace(i.document ->> 'masked', '[^0-9]', '', 'g'), 6)
                   || right(regexp_replace(i.document ->> 'masked', '[^0-9]', '', 'g'), 4) = $2
             ORDER BY i.created_at DESC LIMIT $3
            """,
            [parameters[0], .text(card.digits), .int32(Self.owners)]
        ) { row throws(PostgresFailure) in (id: try row.uuid(0), payment: row.isNull(1) ? nil : try row.uuid(1)) }
        return (found.map(\.id), found.compactMap(\.payment))
    }

    /// The newest payments of a page's time that are these, or whose column holds one of these values.
    private func newest(_ ids: [Uuid], of column: String, _ values: PostgresValue, _ type: String)
        async throws(StoreFailure) -> Named
    {
        let next = parameters.count
        let found = try await read(
            """
            SELECT created_at, id FROM (
                SELECT created_at, id FROM paystream.payment_view WHERE merchant = $1 AND id = ANY($\(next + 1))\(placed)
                UNION
                SELECT f.created_at, f.id FROM unnest($\(next + 2)::\(type)) AS o (owner), LATERAL (
                    SELECT created_at, id FROM paystream.payment_view WHERE merchant = $1 AND \(column) = o.owner\(placed)
                     \(Self.newest) LIMIT $\(next + 3)) f) k
             \(Self.newest) LIMIT $\(next + 3)
            """,
            parameters + [.uuids(ids), values, .int32(Self.candidates + 1)]
        ) { row throws(PostgresFailure) in PageCursor(createdAt: try row.timestamp(0), id: try row.uuid(1)) }
        let taken = found.prefix(Int(Self.candidates))
        return Named(ids: taken.map(\.id), end: found.count > taken.count ? taken.last : nil)
    }

    /// The newest payments of the label that the fewest have; the others are asked of each row.
    private func labelled() async throws(StoreFailure) -> Named {
        let next = parameters.count
        let found = try await read(
            """
            SELECT o.number, f.created_at, f.id FROM unnest($\(next + 1)::uuid[]) WITH ORDINALITY AS o (label, number), LATERAL (
                SELECT created_at, id FROM paystream.payment_label WHERE merchant = $1 AND label = o.label\(placed)
                 \(Self.newest) LIMIT $\(next + 2)) f
             ORDER BY o.number, f.created_at DESC, f.id DESC
            """,
            parameters + [.uuids(query.labels), .int32(Self.candidates + 1)]
        ) { row throws(PostgresFailure) in
            (number: try row.int64(0), cursor: PageCursor(createdAt: try row.timestamp(1), id: try row.uuid(2)))
        }
        let each = Dictionary(grouping: found, by: \.number)
        // A label that nobody has has no row here, and is the rarest.
        guard each.count == query.labels.count, let rarest = each.values.min(by: { $0.count < $1.count }) else {
            return Named(ids: [])
        }
        let taken = rarest.prefix(Int(Self.candidates))
        return Named(ids: taken.map(\.cursor.id), end: rarest.count > taken.count ? taken.last?.cursor : nil)
    }

    /// The payments of a range of amounts, where it holds few; `nil` where it is wide, and the newest ones are looked through.
    private func amounts() async throws(StoreFailure) -> Named? {
        let found = try await read(
            """
            SELECT id FROM paystream.payment_view WHERE merchant = $1 AND amount BETWEEN $2 AND $3
             ORDER BY amount LIMIT $4
            """,
            [
                parameters[0], .int64(query.amountFrom ?? 0), .int64(query.amountTo ?? .max),
                .int32(Self.candidates + 1),
            ]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
        return found.count > Int(Self.candidates) ? nil : Named(ids: found)
    }

    // MARK: What rows say

    /// Divides the conditions: the first of those that an index has leads, the others are asked of each row.
    private mutating func narrow() {
        var indexed: [String] = []
        if let reference = query.reference { indexed.append("reference = \(mark(.text(reference)))") }
        if let customer = query.customer { indexed.append("customer = \(mark(.text(customer)))") }
        if let amount = query.amountFrom, amount == query.amountTo {
            indexed.append("amount = \(mark(.int64(amount)))")
        } else {
            if let least = query.amountFrom { asked.append("amount >= \(mark(.int64(least)))") }
            if let most = query.amountTo { asked.append("amount <= \(mark(.int64(most)))") }
        }
        if query.needsOperator { indexed.append("needs_operator") }
        if query.isDisputed { indexed.append("disputed") }
        if query.hasObligations { indexed.append("has_obligations") }
        if query.kind == .transfer { indexed.append("kind = \(StreamKind.transfer.rawValue)") }
        leading = Array(indexed.prefix(1))
        asked += indexed.dropFirst()
        if let kind = query.kind, kind != .transfer { asked.append("kind = \(kind.rawValue)") }
        if let status = query.status { asked.append("status = \(mark(.text(status.rawValue)))") }
        if let account = query.account { asked.append("account = \(mark(.uuid(account)))") }
        if let provider = query.provider { asked.append("provider = \(mark(.text(provider)))") }
        if let method = query.method { asked.append("method = \(mark(.text(method.rawValue)))") }
        if let mode = query.accountMode { asked.append("account_mode = \(mark(.text(mode.rawValue)))") }
        if let currency = query.currency { asked.append("currency = \(mark(.text(currency.code)))") }
    }

    private mutating func find(among named: Named?) async throws(StoreFailure) -> (rows: [Json], next: PageCursor?) {
        let base: String
        if let named {
            let conditions = ["id = ANY(\(mark(.uuids(named.ids))))"] + leading
            let all = conditions.joined(separator: " AND ") + placed
            base = "SELECT * FROM paystream.payment_view WHERE merchant = $1 AND \(all)"
        } else {
            base = "SELECT * \(walk) LIMIT \(Self.scanned)"
        }
        let conditions = asked.isEmpty ? "" : " WHERE \(asked.joined(separator: " AND "))"
        let limit = query.limit
        let most = mark(.int32(Int32(clamping: limit + 1)))
        let found = try await read(
            "SELECT created_at, id, document FROM (\(base)) v\(conditions) \(Self.newest) LIMIT \(most)",
            parameters
        ) { row throws(PostgresFailure) in
            (PageCursor(createdAt: try row.timestamp(0), id: try row.uuid(1)), try row.bytes(2))
        }
        let shown = found.prefix(limit)
        let rows = shown.compactMap { try? Json($0.1) }
        if found.count > limit { return (rows, shown.last?.0) }
        if let named { return (rows, named.end) }
        return (rows, try await lookedThrough())
    }

    private var walk: String {
        let conditions = leading.map { " AND \($0)" }.joined() + placed
        return "FROM paystream.payment_view WHERE merchant = $1\(conditions) \(Self.newest)"
    }

    /// The last row that a page has looked at, where there may be more behind it.
    private func lookedThrough() async throws(StoreFailure) -> PageCursor? {
        try await read(
            "SELECT created_at, id \(walk) OFFSET \(Self.scanned - 1) LIMIT 1",
            parameters
        ) { row throws(PostgresFailure) in PageCursor(createdAt: try row.timestamp(0), id: try row.uuid(1)) }.first
    }
}

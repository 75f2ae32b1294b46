package import EventSourcing
import Kernel
import Postgres
package import Projections

/// Reports of finance, made from the movements and the facts beside them.
package struct FinanceReports: Sendable {
    let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Begins a report; `nil` where it is asked for as of a position that the movements have not come to.
    ///
    /// Fails with SQLSTATE 22023 where there is no zone of that name.
    package func open(_ report: Report, _ query: ReportQuery, of merchant: MerchantNumber) async throws(StoreFailure)
        -> (any ReportRows)?
    {
        var report = report
        // Evidence may come later of any day of the provider's.
        if query.time == .effective { report.daysStay = false }
        let zone = try await zone(query.zone, of: merchant)
        guard var position = try await position(query.asOf, of: merchant) else { return nil }
        var since: Int64?
        if let compared = query.compared {
            guard let other = try await self.position(compared, of: merchant) else { return nil }
            (since, position) = (min(other, position), max(other, position))
        }
        let standing = try await store.read(
            "SELECT open_day::text, aside FROM paystream.books_standing($1, $2, $3)",
            [.int32(merchant.value), .text(zone), .int64(position)]
        ) { row throws(PostgresFailure) in (row.isNull(0) ? "" : try row.text(0), try row.int64(1)) }.first
        let head = ReportHead(
            since == nil ? report : report.between(),
            position: position,
            since: since,
            zone: zone,
            openDay: report.daysStay ? standing?.0 ?? "" : "",
            aside: standing?.1 ?? 0
        )
        if since != nil {
            guard report.reading != .opened else {
                return ListPages.opened(store, head, query, merchant, days: try await days(head, query, merchant))
            }
            return report.counted.isEmpty
                ? ListPages.facts(store, head, query, merchant, counted: report)
                : ListPages.movements(store, head, query, merchant, counted: report)
        }
        switch report.reading {
        case .list: return ListPages.exceptions(store, head, query, merchant)
        case .opened: return OpenedPages(store, head, query, merchant, days: try await days(head, query, merchant))
        case .sums, .months:
            let days = try await days(head, query, merchant)
            return SummedPages(store, head, query, merchant, days: days)
        case .days:
            return DayPages(store, head, query, merchant, days: try await days(head, query, merchant))
        case .providersDays:
            let days = try await days(head, query, merchant)
            let looks = try await looks(head, merchant)
            return DayPages(store, head, query, merchant, days: days, gathered: looks)
        }
    }

    /// Where each account was looked at last.
    private func looks(_ head: ReportHead, _ merchant: MerchantNumber) async throws(StoreFailure) -> Json {
        let found =
            try await store.read(
                "SELECT paystream.settlement_looks($1, $2)::text",
                [.int32(merchant.value), .int64(head.position)]
            ) { row throws(PostgresFailure) in try row.text(0) }.first ?? "[]"
        do { return try Json(text: found) } catch { throw StoreFailure(.corrupt, detail: "what was looked at") }
    }

    /// The days between which anything was told, by number since 2000; of a report that is empty none.
    ///
    /// Balances, and months, begin with the first day of all.
    private func days(_ head: ReportHead, _ query: ReportQuery, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> Range<Int32>
    {
        let isOfProvider = head.report.reading == .providersDays
        let isEffective = query.time == .effective && head.report.reading != .opened || isOfProvider
        let column = isEffective ? "effective_at" : "known_at"
        // What settlement books stands on days of its own.
        let (entered, entries) = isEffective ? ("effective_at", "settlement_entry") : ("at", "settlement_act")
        let tellsFiles = isEffective && (isOfProvider || head.report.name == Report.settlement.name)
        let isFromBegin = !head.report.balanced.isEmpty || head.report.reading == .months
        func filed(_ end: String) -> String {
            let column = end == "min" ? "begins_at" : "ends_at"
            return tellsFiles
                ? "UNION ALL (SELECT \(end)(\(column)) FROM paystream.settlement_file WHERE merchant = $1)" : ""
        }
        let ends = ["min", "max"].map { end in
            let order = end == "min" ? "ASC" : "DESC"
            return """
                (SELECT \(end)(t.at) FROM (
                    (SELECT \(column) AS at FROM paystream.movement WHERE merchant = $1 ORDER BY \(column) \(order) LIMIT 1)
                    UNION ALL
                    (SELECT \(end)(\(entered)) FROM paystream.\(entries) WHERE merchant = $1)
                    \(filed(end))
                    UNION ALL
                    (SELECT known_at FROM paystream.fact WHERE merchant = $1 ORDER BY known_at \(order) LIMIT 1)) t)
                """
        }
        let found = try await store.read(
            """
            SELECT greatest($3::text::date, (\(ends[0]) AT TIME ZONE $2)::date) - '2000-01-01'::date,
                   least($4::text::date, (\(ends[1]) AT TIME ZONE $2)::date + 1) - '2000-01-01'::date
            """,
            [
                .int32(merchant.value), .text(head.zone), .text(isFromBegin ? nil : query.first),
                .text(head.report.reading == .months ? nil : query.end),
            ]
        ) { row throws(PostgresFailure) -> Range<Int32>? in
            guard !row.isNull(0), !row.isNull(1) else { return nil }
            let (first, end) = (try row.int32(0), try row.int32(1))
            return first < end ? first..<end : nil
        }
        return (found.first ?? nil) ?? 0..<0
    }

    func zone(_ name: String?, of merchant: MerchantNumber) async throws(StoreFailure) -> String {
        let found = try await store.read(
            "SELECT paystream.report_zone($1, $2)",
            [.int32(merchant.value), .text(name)]
        ) { row throws(PostgresFailure) in row.isNull(0) ? nil : try row.text(0) }.first
        return (found ?? nil) ?? "UTC"
    }

    /// The place of the log that a report is made at.
    ///
    /// A moment's is before the first event that was recorded behind it.
    private func position(_ asOf: ReportQuery.AsOf?, of merchant: MerchantNumber) async throws(StoreFailure) -> Int64? {
        let reached =
            try await store.read("SELECT paystream.books_position()") {
                row throws(PostgresFailure) in try row.int64(0)
            }.first ?? 0
        switch asOf {
        case nil: return reached
        case .position(let position)?: return position <= reached ? position : nil
        case .instant(let moment)?:
            return try await store.read(
                "SELECT paystream.position_at($1, $2, $3)",
                [.int32(merchant.value), .timestamp(moment), .int64(reached)]
            ) { row throws(PostgresFailure) in try row.int64(0) }.first
        }
    }
}

extension Registers {
    /// Keeps the zone in which a merchant's days begin; false where months are closed in another one.
    ///
    /// Fails with SQLSTATE 22023 where PostgreSQL knows none of that name.
    package func keep(zone: String, of merchant: MerchantNumber) async throws(StoreFailure) -> Bool {
        try await store.write("SELECT paystream.keep_zone($1, $2)", [.int32(merchant.value), .text(zone)]) {
            row throws(PostgresFailure) in try row.bool(0)
        }.first ?? false
    }
}

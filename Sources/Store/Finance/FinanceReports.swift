package import EventSourcing
import Kernel
import Postgres
package import Projections

/// Reports of finance, made from the movements.
package struct FinanceReports: Sendable {
    let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Makes a report; `nil` where it is asked for as of a position that the movements have not come to.
    ///
    /// Fails with SQLSTATE 22023 where there is no zone of that name.
    package func make(_ report: Report, _ query: ReportQuery, of merchant: MerchantNumber) async throws(StoreFailure)
        -> MadeReport?
    {
        let zone = try await zone(query.zone, of: merchant)
        guard let position = try await position(query.asOf, of: merchant) else { return nil }
        let standing = try await store.read(
            "SELECT open_day::text, aside FROM paystream.books_standing($1, $2, $3)",
            [.int32(merchant.value), .text(zone), .int64(position)]
        ) { row throws(PostgresFailure) in (row.isNull(0) ? "" : try row.text(0), try row.int64(1)) }.first
        let count = report.columns.count
        let rows = try await store.read(
            Self.sql(report),
            [
                .int32(merchant.value), .text(zone), .text(query.first), .text(query.end), .text(query.mode),
                .int64(position), .bool(query.time == .effective),
            ]
        ) { row throws(PostgresFailure) -> [String?] in
            var cells: [String?] = []
            for column in 0..<Int32(count) { cells.append(row.isNull(column) ? nil : try row.text(column)) }
            return cells
        }
        return MadeReport(
            report,
            position: position,
            zone: zone,
            openDay: standing?.0 ?? "",
            aside: standing?.1 ?? 0,
            rows: rows
        )
    }

    /// Its function's rows, every column as text.
    private static func sql(_ report: Report) -> String {
        let texts = report.columns.map { "r.\($0.sqlName)::text" }.joined(separator: ", ")
        let parameters = "$1, $2, $3::text::date, $4::text::date, $5, $6, $7"
        return "SELECT \(texts) FROM paystream.report_\(report.sqlName)(\(parameters)) r"
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
    /// A moment's is before the first movement that was recorded behind it.
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
                """
                SELECT coalesce(min(p.pos) - 1, $3::int8) FROM (
                    SELECT pos FROM paystream.movement WHERE merchant = $1 AND known_at > $2 AND pos <= $3::int8
                    UNION ALL
                    SELECT pos FROM paystream.settlement_act WHERE merchant = $1 AND at > $2 AND pos <= $3::int8) p
                """,
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

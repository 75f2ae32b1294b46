import EventSourcing
import Kernel
import Postgres
import Projections
import Store
import TestKit
import Testing

@testable import Daemon

/// The report 'open-items' and the list behind it, over a book of months.
@Suite(.timeLimit(.minutes(2)))
struct OpenItemReportTests {
    /// Holds, of which some ended as a whole and some in part, two disputes of one payment, and operations whose outcome came or didn't.
    ///
    /// Their places in the log lie between its beginning and `reached`, and movements were known long behind their effect.
    private static func fill(_ harness: NodeHarness, upTo reached: Int64) async throws {
        let place = "1 + (n * 10 + v) * \(reached - 1) / 15010"
        let rows = """
            SELECT \(harness.merchant), md5('open' || n)::uuid, v, 0, 1, \(place), kind, amount, CASE WHEN n % 7 = 0 THEN 'UAH' ELSE 'EUR' END, 1,
                   at - interval '200 days', at, part, md5('account')::uuid, CASE WHEN n % 2 = 0 THEN 'main' ELSE 'other' END, 'live', 'ecommpay', 'provider', true,
                   md5('cause' || n)::uuid
              FROM generate_series(1, 1500) n, LATERAL (
                   SELECT timestamptz '2026-07-01T00:00:00Z' + n % 130 * interval '1 day' + n * interval '7 s' AS began) b, LATERAL (
                   SELECT 1 AS v, 'authorised' AS kind, 1000 AS amount, 'op1' AS part, b.began AS at
                   UNION ALL SELECT 2, 'authorised', 500, 'op2', b.began + interval '3 days' WHERE n % 11 = 0
                   UNION ALL SELECT 3, CASE n % 9 WHEN 0 THEN 'holdExpired' WHEN 1 THEN 'holdReleased' ELSE 'holdCaptured' END,
                                    CASE WHEN n % 3 = 0 THEN 1000 ELSE 400 END, 'op1', b.began + interval '40 days' WHERE n % 3 < 2
                   UNION ALL SELECT 4, 'disputed', 300, 'dsp1', b.began + interval '9 days' WHERE n % 5 = 0
                   UNION ALL SELECT 5, 'disputed', 200, 'dsp2', b.began + interval '9 days' WHERE n % 15 = 0
                   UNION ALL SELECT 6, CASE n % 20 WHEN 0 THEN 'disputeWon' ELSE 'disputeLost' END, 300, 'dsp1', b.began + interval '30 days'
                    WHERE n % 10 = 0) m
            """
        try await harness.backend.execute(
            """
            INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
                known_at, part, account, account_name, account_mode, provider, evidence, commanded, cause) \(rows)
            """
        )
        try await harness.backend.execute(
            """
            INSERT INTO paystream.fact (merchant, stream, version, number, stream_kind, pos, known_at, kind, part, is_first, is_payments_first,
                is_late, items, amount, currency, account, account_name, account_mode, provider)
            SELECT \(harness.merchant), md5('open' || n)::uuid, v, 0, 1, \(place), at, kind, 'op1', true, true, false, 1,
                   CASE v WHEN 7 THEN 1000 END, CASE v WHEN 7 THEN 'EUR' END, md5('account')::uuid, 'main', 'live', 'ecommpay'
              FROM generate_series(4, 1500, 4) n, LATERAL (
                   SELECT timestamptz '2026-07-01T00:00:00Z' + n % 130 * interval '1 day' AS began) b, LATERAL (
                   SELECT 7 AS v, 'uncertain' AS kind, b.began AS at
                   UNION ALL SELECT 8, 'uncertain', b.began + interval '2 days' WHERE n % 12 = 0
                   UNION ALL SELECT 9, 'certain', b.began + interval '5 days' WHERE n % 8 = 0) f
            """
        )
    }

    /// What is open, reckoned over the whole book at once.
    private static let oracle = """
        SELECT concat_ws(' ', item, account, currency, sum(1), sum(amount)) FROM (
            SELECT CASE WHEN kind LIKE 'dispute%' THEN 'dispute' ELSE 'hold' END AS item, account_name AS account, currency,
                   min(known_at) FILTER (WHERE kind IN ('authorised', 'disputed')) AS since,
                   sum(CASE WHEN kind IN ('authorised', 'disputed') THEN amount ELSE -amount END)::numeric AS amount
              FROM paystream.movement WHERE merchant = $1 AND pos <= $2
             GROUP BY 1, 2, 3, stream, CASE WHEN kind LIKE 'dispute%' THEN part END
            HAVING sum(CASE WHEN kind IN ('authorised', 'disputed') THEN amount ELSE -amount END) > 0
            UNION ALL
            SELECT 'uncertain', account_name, coalesce(currency, ''), max(known_at) FILTER (WHERE kind = 'uncertain'), coalesce(max(amount), 0)
              FROM paystream.fact WHERE merchant = $1 AND pos <= $2
             GROUP BY 1, 2, 3, stream, part
            HAVING count(*) FILTER (WHERE kind = 'uncertain') > count(*) FILTER (WHERE kind = 'certain')) o
         WHERE ($3::text IS NULL OR since >= $3::text::timestamptz)
         GROUP BY item, account, currency ORDER BY item, account, currency
        """

    private struct Key: Hashable {
        let item, account, currency: String
    }

    private static func rows(_ harness: NodeHarness, _ query: ReportQuery) async throws -> (
        pages: Int, rows: [[String: String]]
    ) {
        let opened = try await FinanceReports(harness.node.store).open(.openItems, query, of: harness.merchant)
        var report = try #require(opened)
        let names = report.head.report.columns.map(\.name)
        var (pages, rows) = (0, [[String: String]]())
        while let page = try await report.next() {
            pages += 1
            rows += page.map { row in Dictionary(uniqueKeysWithValues: zip(names, row.map { $0 ?? "" })) }
        }
        return (pages, rows)
    }

    @Test func `windows of days come to what the whole book does, as of any position, and the list to the same`()
        async throws
    {
        try await NodeHarness.run("openitems") { harness in
            var reached: Int64 = 0
            while reached < 6 {
                reached =
                    try await harness.backend.query("SELECT paystream.books_position()") {
                        row throws(PostgresFailure) in try row.int64(0)
                    }.first ?? 0
                try await Task.sleep(for: .milliseconds(50))
            }
            try await Self.fill(harness, upTo: reached)
            for position in [reached, reached / 2, reached / 3] {
                for first in [nil, "2026-09-10"] as [String?] {
                    var query = ReportQuery()
                    query.asOf = .position(position)
                    query.first = first
                    let wanted = try await harness.backend.query(
                        Self.oracle,
                        [.int32(harness.merchant.value), .int64(position), .text(first)]
                    ) { row throws(PostgresFailure) in try row.text(0) }
                    let told = try await Self.rows(harness, query)
                    query.compared = .position(0)
                    query.time = position == reached ? .effective : .known
                    let listed = try await Self.rows(harness, query)
                    #expect(wanted.count > 3 && told.pages > 2 && listed.pages > 2, "\(wanted)")
                    for found in [Self.summed(told.rows, "items"), Self.summed(listed.rows, nil)] {
                        #expect(found == wanted, "as of \(position) from \(first ?? "the first day")")
                    }
                    #expect(Set(listed.rows.compactMap { $0["age"] }) == Set(told.rows.compactMap { $0["age"] }))
                    #expect(listed.rows.allSatisfy { $0["id"]?.hasPrefix("pay_") == true })
                    let places = listed.rows.compactMap { $0["at"] }
                    #expect(places == places.sorted() && places.count == listed.rows.count)
                }
            }
        }
    }

    /// Adds up what is said of each item, account and currency; each row counts so many as a column of it says, or for one.
    private static func summed(_ rows: [[String: String]], _ count: String?) -> [String] {
        var sums: [Key: (items: Int, amount: Int)] = [:]
        for row in rows {
            let key = Key(item: row["item"] ?? "", account: row["account"] ?? "", currency: row["currency"] ?? "")
            let (items, amount) = sums[key] ?? (0, 0)
            sums[key] = (
                items + (count.flatMap { row[$0].flatMap { Int($0) } } ?? 1), amount + (Int(row["amount"] ?? "") ?? 0)
            )
        }
        // A currency that nobody named is an empty text, as in SQL.
        return sums.map { "\($0.item) \($0.account) \($0.currency) \($1.items) \($1.amount)" }.sorted()
    }
}

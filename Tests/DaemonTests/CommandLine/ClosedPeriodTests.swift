import EventSourcing
import Kernel
import Postgres
import Projections
import Store
import TestKit
import Testing

@testable import Daemon

/// Months of the books: how they are closed, and where later entries are booked.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ClosedPeriodTests {
    @Test func `what is known after its month was closed is booked in the first open month`() async throws {
        try await NodeHarness.run("periods") { harness in
            let (merchant, rows) = (harness.merchant, PeriodRows(harness.node.store))
            let (closing, now) = (try await month(harness, back: 1), try await month(harness, back: 0))
            _ = try await harness.finalOutcome(try await harness.enqueue("p", "payment.create", Self.payment))
            while try await harness.node.views.movements.followOnce() > 0 {}
            try await harness.insert("captured", 700, in: closing, behind: 0)
            #expect(try await rows.close(closing, by: "me", note: "first", of: merchant) == nil)
            #expect(try await rows.close(closing, by: "another", note: "again", of: merchant) == nil)
            let closed = try await rows.closed(of: merchant)
            #expect(closed.map(\.month) == [closing] && closed.first?.closedBy == "me" && closed.first?.note == "first")
            #expect(try await rows.close(now, by: "me", note: nil, of: merchant) == .notOver)
            let (earlier, later) = (try await month(harness, back: 2), try await month(harness, back: -1))
            #expect(try await rows.close(earlier, by: "me", note: nil, of: merchant) == .notNext(now))
            #expect(try await rows.close(later, by: "me", note: nil, of: merchant) == .notNext(now))
            #expect(try await rows.closed(of: MerchantNumber(999)).isEmpty, "another merchant's books are its own")

            // Known since, though it happened at the provider before the end of the closed month.
            let position = try #require(closed.first).position
            try await harness.insert("captured", 50, in: closing, behind: position)
            try await harness.insert("refunded", 20, in: now, behind: position)
            #expect(
                try await ledger(harness, .effective) == [
                    "\(closing) customers 0 0 700 -700 0", "\(closing) provider 0 700 0 700 0",
                    "\(now) customers -700 20 50 -730 -50", "\(now) provider 700 50 20 730 50",
                ]
            )
            #expect(
                try await ledger(harness, .effective, asOf: position) == [
                    "\(closing) customers 0 0 700 -700 0", "\(closing) provider 0 700 0 700 0",
                ],
                "as it was when the month was closed"
            )
            #expect(try await harness.node.registers.keep(zone: "Asia/Tokyo", of: merchant) == false)
            var query = ReportQuery()
            query.zone = "Asia/Tokyo"
            let strange = query
            await #expect(throws: StoreFailure.self) { try await self.rows(harness, .periods, strange) }
        }
    }

    @Test func `a statement goes on from day to day with what the days before left`() async throws {
        try await NodeHarness.run("statement") { harness in
            try await harness.insert("captured", 700, at: "2026-10-01T10:00:00Z")
            try await harness.insert("refunded", 200, at: "2026-10-03T10:00:00Z")
            try await harness.insert("captured", 5, at: "2026-10-03T11:00:00Z")
            var query = ReportQuery()
            query.first = "2026-10-02"
            let made = try await rows(harness, .statement, query)
            let lines = made.map { row in ([row[0], row[1]] + row[6...]).compactMap { $0 }.joined(separator: " ") }
            #expect(
                lines == ["2026-10-03 customers -700 200 5 -505", "2026-10-03 provider 700 5 200 505"],
                "the first day is not asked for, and is in what was there"
            )
        }
    }

    private static let payment = """
        {"mode":"sale","amount":{"value":1999,"currency":"EUR"},"reference":"order-9",
         "details":{"payer":{"email":"payer@example.org"}}}
        """

    private func month(_ harness: NodeHarness, back months: Int) async throws -> String {
        try await harness.backend.query(
            "SELECT to_char(now() AT TIME ZONE 'UTC' - \(months) * interval '1 month', 'YYYY-MM')"
        ) { row throws(PostgresFailure) in try row.text(0) }.first ?? ""
    }

    /// Of live accounts, each month's lines: opening, debit, credit, closing, and what is from earlier months.
    private func ledger(_ harness: NodeHarness, _ time: ReportQuery.Time, asOf position: Int64? = nil) async throws
        -> [String]
    {
        var query = ReportQuery()
        query.time = time
        query.asOf = position.map { .position($0) }
        // The follower has come to what was written beside it.
        try await harness.backend.execute("UPDATE paystream.checkpoint SET pos = pos + 10 WHERE name = 'movement'")
        return try await rows(harness, .periods, query).map { row in
            let month = row[0].map { String($0.prefix(7)) }
            return ([month, row[1]] + Array(row[6...])).compactMap { $0 }.joined(separator: " ")
        }
    }

    private func rows(_ harness: NodeHarness, _ report: Report, _ query: ReportQuery) async throws -> [[String?]] {
        let opened = try await FinanceReports(harness.node.store).open(report, query, of: harness.merchant)
        var pages = try #require(opened)
        var all: [[String?]] = []
        while let page = try await pages.next() { all += page }
        return all
    }
}

extension NodeHarness {
    /// A movement in the middle of a month, which became known behind a position of the log.
    fileprivate func insert(_ kind: String, _ amount: Int, in month: String, behind position: Int64) async throws {
        try await insert(kind, amount, at: "\(month)-15T12:00:00Z", behind: position)
    }

    fileprivate func insert(_ kind: String, _ amount: Int, at time: String, behind position: Int64 = -1) async throws {
        try await backend.execute(
            """
            INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency,
                items, effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
            VALUES (\(merchant), gen_random_uuid(), 1, 0, 1, \(position) + 1, '\(kind)', \(amount), 'EUR', 1, '\(time)',
                CASE WHEN \(position) <= 0 THEN '\(time)' ELSE now() END, gen_random_uuid(), 'main', 'live', 'ecommpay',
                'provider', true, gen_random_uuid())
            """
        )
    }
}

import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Store
import TestKit
import Testing

@testable import Cli
@testable import Daemon

/// Reports of finance as SQL reckons them and as text.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FinanceReportTests {
    @Test func `the turnover sums what moved on a day, in a zone, and a day that is over never changes`() async throws {
        try await NodeHarness.run("turnover") { harness in
            let (merchant, registers, reports) = (
                harness.merchant, harness.node.registers, FinanceReports(harness.node.store)
            )
            func move(_ what: String, _ at: String, _ amount: String, mode: String = "live", _ bill: Bool = false)
                async throws
            {
                try await harness.insert(what, at, amount, mode, bill)
            }
            try await move("captured", "2026-11-20T22:30:00Z", "1999")
            try await move("captured", "2026-11-21T10:00:00Z", "9223372036854775807")
            try await move("captured", "2026-11-21T11:00:00Z", "9223372036854775807")
            try await move("refunded", "2026-11-22T10:00:00Z", "500")
            try await move("captured", "2026-11-22T10:00:00Z", "1", mode: "test")
            for what in ["captured", "claimed"] {
                try await move(what, "2026-11-22T10:00:00Z", "700", true)
            }
            var query = ReportQuery()
            func told() async throws -> [String] {
                let made = try #require(try await reports.make(.turnover, query, of: merchant))
                return made.rows.map { row in
                    let cells = zip(made.report.columns, row)
                    let named = cells.filter { ["day", "kind", "mode"].contains($0.0.name) }.compactMap(\.1)
                    let sums = cells.filter { $0.0.content == .amount && $0.1 != "0" }.map {
                        "\($0.0.name)=\($0.1 ?? "")"
                    }
                    return (named + sums).joined(separator: " ")
                }
            }
            #expect(
                try await told() == [
                    "2026-11-20 payment live captured=1999 net=1999",
                    "2026-11-21 payment live captured=18446744073709551614 net=18446744073709551614",
                    "2026-11-22 bill live captured=700 net=700 claimed=700",
                    "2026-11-22 payment live refunded=500 net=-500",
                ]
            )
            query.zone = "Europe/Kyiv"
            query.end = "2026-11-22"
            #expect(
                try await told() == ["2026-11-21 payment live captured=18446744073709553613 net=18446744073709553613"]
            )
            query = ReportQuery()
            query.mode = "test"
            #expect(try await told() == ["2026-11-22 payment test captured=1 net=1"])
            query.mode = nil
            #expect(try await told().count == 5)
            // The merchant's own zone is what nobody asked for otherwise.
            #expect(try await registers.keep(zone: "Europe/Kyiv", of: merchant))
            await #expect(throws: StoreFailure.self) { try await registers.keep(zone: "UTC+3", of: merchant) }
            #expect(
                try await told().first
                    == "2026-11-21 payment live captured=18446744073709553613 net=18446744073709553613"
            )
            query.zone = "Europe/Nowhere"
            await #expect(throws: StoreFailure.self) { try await reports.make(.turnover, query, of: merchant) }
            #expect(try await reports.make(.turnover, ReportQuery(), of: MerchantNumber(999))?.rows.isEmpty == true)
        }
    }

    @Test func `every kind of movement is in the ledger, but for claims and what payers pay on top`() async throws {
        try await NodeHarness.run("rules") { harness in
            let rules = try await harness.backend.query(
                "SELECT movement FROM paystream.posting_rule GROUP BY movement HAVING sum(side) = 0 AND count(*) = 2"
            ) { row throws(PostgresFailure) in try row.text(0) }
            let kinds = Set(MovementKind.allCases).subtracting([.claimed, .payerCommission])
            // What settlement alone proves, and what two persons adjust.
            let settled = ["payout", "reserveHeld", "reserveReturned", "adjustment"]
            #expect(Set(rules) == Set(kinds.map(\.rawValue) + settled))
        }
    }

    @Test func `a report is written as a table, as lines of JSON and as CSV that no spreadsheet reckons with`() {
        func made(openDay: String, _ provider: String = "a,b") -> MadeReport {
            let row = [
                "2026-11-21", "payment", provider, "=1+1", "live", "EUR", "18446744073709551614", "-5", "0", "0", "9",
                "0", "0",
            ]
            return MadeReport(.turnover, position: 7, zone: "UTC", openDay: openDay, aside: 0, rows: [row])
        }
        #expect(
            made(openDay: "2026-11-22").csv
                == "day,kind,provider,account,mode,currency,captured,refunded,charged_back,fees,net,transferred,claimed,complete\r\n"
                + "2026-11-21,payment,\"a,b\",'=1+1,live,EUR,184467440737095516.14,-0.05,0.00,0.00,0.09,0.00,0.00,yes\r\n"
        )
        #expect(
            made(openDay: "2026-11-21").ndjson
                == #"{"account":"=1+1","captured":"18446744073709551614","chargedBack":0,"claimed":0,"complete":false,"currency":"EUR","#
                + #""day":"2026-11-21","fees":0,"kind":"payment","mode":"live","net":9,"provider":"a,b","refunded":-5,"transferred":0}"#
                + "\n"
        )
        #expect(made(openDay: "").ndjson.contains(#""complete":false"#), "nothing is known of an empty log")
        let table = ReportCommand.text(made(openDay: "2026-11-22"), .table)
        #expect(
            table.contains("184467440737095516.14     -0.05          0.00  0.00  0.09")
                && table.contains("as of position 7")
        )
    }
}

extension NodeHarness {
    /// A movement in the books that no event is behind.
    fileprivate func insert(_ what: String, _ at: String, _ amount: String, _ mode: String, _ isBill: Bool) async throws
    {
        try await backend.execute(
            """
            INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
                effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
            VALUES (\(merchant), gen_random_uuid(), 1, 0, \(isBill ? 6 : 1), 0, '\(what)', \(amount), '\(isBill ? "UAH" : "EUR")',
                1, '\(at)', '\(at)', gen_random_uuid(), 'main', '\(mode)', 'ecommpay', 'provider', true, gen_random_uuid())
            """
        )
    }
}

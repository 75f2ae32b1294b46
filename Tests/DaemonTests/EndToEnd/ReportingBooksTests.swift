import Glibc
import Http
import Kernel
import TestKit
import Testing

/// What settlement books, as analysts and reports read it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReportingBooksTests {
    @Test func `analysts read what settlement booked, and a report has its days`() async throws {
        try await Stage.run("reportingbooks") { stage, daemon in
            for number in 0..<2 { _ = try await stage.paid(daemon, "p\(number)", 7700) }
            try await stage.booked("captured", 2)
            let mapping = "/v1/accounts/\(Stage.account)/settlement-mapping"
            try await stage.call(daemon, .put, mapping, try Stage.ecommpayMapping())
            let made = try await stage.call(daemon, .get, "/v1/reports/balance?mode=test")
            let position = try #require(made["position"]?.integer)
            let file = try await stage.settlementFile("/sandbox/settlement?account=42&payout=true")
            #expect(try await stage.bring(daemon, file).status == 201)
            for (report, kinds) in [
                ("balance", ["fee", "payout"]), ("fees", ["fee"]), ("statement", ["fee", "payout"]),
            ] {
                let booked = try await stage.report(daemon, report, "&compare=\(position)")
                #expect(Set(booked.compactMap { $0["movement"]?.text }).sorted() == kinds, "\(report): \(booked)")
                #expect(booked.allSatisfy { $0["evidence"] == "settlement" && $0["id"] != nil }, "\(booked)")
            }
            let days = Set(try await stage.report(daemon, "fees").compactMap { $0["day"]?.text })
            #expect(days.count == 1)

            let told = try await stage.report(daemon, "balance").compactMap { row -> String? in
                guard let account = row["ledgerAccount"]?.text, let balance = row["balance"]?.integer else {
                    return nil
                }
                return balance == 0 ? nil : "\(account) \(balance)"
            }
            #expect(told.contains { $0.hasPrefix("bank ") } && told.contains { $0.hasPrefix("fees ") }, "\(told)")
            let name = "reporting_\(getpid())_carl"
            try await stage.execute("CREATE ROLE \(name) LOGIN")
            try await stage.execute("SELECT paystream.grant_reporting('\(name)', 'demo')")
            let read = try await stage.as(
                name,
                """
                SELECT ledger_account || ' ' || sum(amount) FROM postings WHERE mode = 'test'
                 GROUP BY ledger_account HAVING sum(amount) <> 0 ORDER BY ledger_account
                """
            )
            let kinds = try await stage.as(name, "SELECT DISTINCT kind FROM movements ORDER BY 1")
            try await stage.execute("DROP OWNED BY \(name)")
            try await stage.execute("DROP ROLE \(name)")
            #expect(read == told.sorted(), "the ledger of reports")
            #expect(kinds == ["payment", "settlement"])

            // A file that is brought days behind the last payment has its fees on that day.
            try await stage.execute("UPDATE paystream.settlement_act SET at = at + interval '3 days'")
            let later = Set(try await stage.report(daemon, "fees").compactMap { $0["day"]?.text })
            #expect(later.subtracting(days).count == 1, "\(later) behind \(days)")
        }
    }
}

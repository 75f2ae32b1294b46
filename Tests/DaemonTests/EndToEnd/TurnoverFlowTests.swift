import Glibc
import Http
import Kernel
import Projections
import Testing

/// What moved, as finance reads it: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TurnoverFlowTests {
    private static let dump = """
        SELECT coalesce(string_agg(concat_ws(' ', id, movement, amount, at, mode), ',' ORDER BY id, movement, at), '')
          FROM paystream.movements WHERE movement IN ('captured', 'refunded', 'disputeLost')
        """

    @Test
    func `what moved is counted, of the accounts and in the zone that are asked for, and a rebuild counts it again`()
        async throws
    {
        try await Stage.run("turnoverflow") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            let body: Json = ["amount": Stage.euros(700)]
            try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", body, key: "back")
            try await stage.wait(daemon, sold, for: "partiallyRefunded")
            let lost = try await stage.paid(daemon, "lost", 7700)
            try await stage.lose(daemon, lost, 2000)
            let movements = try await stage.until("everything is followed") { () -> Stage.Look<String> in
                let found = try await stage.text(Self.dump)
                return found.split(separator: ",").count == 4 ? .done(found) : .notYet(found)
            }
            let report = ["report", "turnover", "--format", "json", "--mode"]
            let made = try Json(text: try await stage.command(report + ["test"]))
            let line = try #require(made["rows"]?.items?.first)
            #expect(line["captured"] == 15400 && line["refunded"] == 700 && line["chargedBack"] == 2000)
            #expect(line["kind"] == "payment" && line["mode"] == "test" && line["currency"] == "EUR")
            #expect(try await stage.command(["report", "turnover"]).contains("no turnover of live accounts"))
            try await stage.command(["report", "zone", "Pacific/Kiritimati"])
            let again = report + ["test", "--as-of", "\(made["position"]?.integer ?? 0)", "--zone", "UTC"]
            #expect(try Json(text: try await stage.command(again)) == made, "made again as of its position")
            try await stage.servesReports(daemon, made)
            let there = try Json(text: try await stage.command(report + ["all"]))
            let named = try Json(text: try await stage.command(report + ["all", "--zone", "Pacific/Kiritimati"]))
            #expect(there["rows"] == named["rows"])
            // What a name stands for on one machine only, or for nobody, is no zone.
            for zone in ["Nowhere", "localtime", "posixrules", "Factory"] {
                for words in [["report", "zone", zone], ["report", "turnover", "--zone", zone]] {
                    await #expect(throws: (any Error).self, "\(zone)") { try await stage.command(words) }
                }
                let rule: Json = ["period": "month", "start": "2028-01-31", "zone": .string(zone)]
                let preview = try await stage.exchange(daemon, .post, "/v1/schedules/preview", ["rule": rule])
                #expect(try Json(preview.body)["code"] == "zone_unknown", "\(zone)")
            }
            let table = try await stage.command(["payments", "list"])
            #expect(table.contains("CHARGED BACK") && table.contains("20.00") && table.contains("HELD"))
            #expect(!table.contains("DISPUTED"), "nothing is in dispute any more")
            let columns = "paystream.payments WHERE id = '\(lost)' AND status = 'chargedBack' AND charged_back = 2000"
            #expect(try await stage.count(columns + " AND captured = 7700 AND held = 0 AND in_dispute = 0") == 1)
            // Built again from the log, it is the same.
            try await stage.command(["projections", "rebuild", "--swap", "movement"])
            #expect(try await stage.text(Self.dump) == movements)
            try await stage.verifyViews()
            try await stage.verifyReplay()
        }
    }

    @Test func `a batch of bills is turnover of a kind of its own, as much as its tally says was charged`() async throws
    {
        try await Stage.run("turnoverbills") { stage, daemon in
            _ = try await stage.paid(daemon, "sold", 7700)
            let source = try await stage.addBills(daemon, ["perCall": 3, "callsInFlight": 2, "spacingMs": 0])
            // Paid, paid with less than was asked, refused, and without an answer.
            let ids = ["paid-1", "short-1", "declined-1", "missing-1"]
            let batch = try await stage.submitBills(daemon, source, ids, name: "bills")
            let ended = try await stage.waitBatch(daemon, batch, for: ["unresolved"])
            let charged = try #require(ended.at("tally", "charged", "value")?.integer)
            #expect(charged == 1900)
            let report = try await stage.until("bills and sale are followed") { () -> Stage.Look<[Json]> in
                let text = try await stage.command(["report", "turnover", "--format", "json", "--mode", "test"])
                let lines = try Json(text: text)["rows"]?.items ?? []
                let isWhole = lines.contains { $0["kind"] == "bill" } && lines.contains { $0["kind"] == "payment" }
                return isWhole && lines.contains { $0["captured"] == .integer(charged) } ? .done(lines) : .notYet(text)
            }
            let rows = report.map {
                "\($0["kind"]?.text ?? "?") \($0["currency"]?.text ?? "?") \($0["captured"] ?? .null)"
            }
            #expect(report.count == 2, "the hold that saved the card is in no sum: \(rows)")
            let bills = try #require(report.first { $0["kind"] == "bill" })
            #expect(bills["currency"] == "UAH" && bills["provider"] == "portmone" && bills["captured"] == 1900)
            #expect(bills["refunded"] == 0 && bills["chargedBack"] == 0 && bills["claimed"] == 0)
            let moved = "paystream.movements WHERE kind = 'bill' AND movement = 'captured'"
            #expect(try await stage.text("SELECT sum(amount)::text FROM \(moved)") == "1900")
            try await stage.verifyViews()
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// Holds the same report over HTTP, in every form, and the ledger against it.
    fileprivate func servesReports(_ daemon: DaemonProcess, _ made: Json) async throws {
        let place = "/v1/reports/turnover?mode=test&zone=UTC&asOf=\(made["position"]?.integer ?? 0)"
        let served = try await exchange(daemon, .get, place)
        #expect(try Json(served.body) == made)
        let csv = try await exchange(daemon, .get, place + "&format=csv")
        #expect(csv.headers["Paystream-Position"] == "\(made["position"]?.integer ?? 0)")
        #expect(String(decoding: csv.body, as: UTF8.self).contains(",154.00,7.00,20.00,0.00,127.00,0.00,0.00,"))
        for wrong in [
            "zone=Nowhere", "asOf=999999999", "asOf=x", "asOf=007", "from=2026-13-01", "mode=dead", "size=1",
        ] {
            let refused = try await exchange(daemon, .get, "/v1/reports/turnover?" + wrong)
            #expect(refused.status == 400, "\(wrong)")
        }
        // By the provider's time no day is over, and what has one time alone refuses another.
        #expect(made["openDay"] != nil && made["rows"]?.items?.first?["complete"] != nil)
        let effective = try await call(daemon, .get, "/v1/reports/turnover?mode=test&by=effective")
        #expect(effective["openDay"] == nil && effective["rows"]?.items?.first?["complete"] == nil, "\(effective)")
        for (name, word, path) in [
            ("approval", "by=effective", "by"), ("open-items", "by=effective", "by"),
            ("exceptions", "compare=1", "compare"),
        ] {
            let refused = try await exchange(daemon, .get, "/v1/reports/\(name)?\(word)")
            #expect(try refused.status == 400 && Json(refused.body)["path"] == .string(path), "\(name)")
            let options = word.split(separator: "=").map(String.init)
            await #expect(throws: DaemonProcess.Failure.self, "\(name)") {
                try await command(["report", name, "--\(options[0])", options[1]])
            }
        }
        let zeros = String(repeating: "0", count: ReportQuery.AsOf.bytes + 1)
        #expect(try await exchange(daemon, .get, "/v1/reports/turnover?compare=" + zeros).status == 422)
        let books = try await exchange(daemon, .get, "/v1/reports/balance?mode=test")
        let balances = try #require(try Json(books.body)["rows"]?.items)
        #expect(balances.reduce(Int64(0)) { $0 + ($1["balance"]?.integer ?? .max) } == 0, "debits are credits")
        let owed = try #require(balances.first { $0["ledgerAccount"] == "provider" })
        #expect(owed["balance"] == 12700 && owed["debit"] == 15400 && owed["credit"] == 2700)
    }

    /// A dispute about a part that ends against the merchant.
    fileprivate func lose(_ daemon: DaemonProcess, _ payment: String, _ cents: Int64) async throws {
        let body: Json = ["amount": Stage.euros(cents)]
        let opened = try await call(daemon, .post, "/v1/payments/\(payment)/disputes", body, key: "dispute-\(payment)")
        guard let dispute = opened["disputes"]?.items?.first?["id"]?.text else {
            throw Failure(description: opened.canonicalText)
        }
        let path = "/v1/payments/\(payment)/disputes/\(dispute)/lost"
        try await call(daemon, .post, path, [:], key: "lost-\(payment)")
        let shown = try await wait(daemon, payment, for: "chargedBack")
        guard shown.at("amounts", "chargedBack") == .integer(cents) else {
            throw Failure(description: shown.canonicalText)
        }
    }
}

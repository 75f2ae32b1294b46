import Http
import Kernel
import SystemKit
import Testing

/// Reports of rates, times and open items, as they come out of real lifecycles: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RateReportFlowTests {
    @Test func `approval, declines, 3-D Secure, times and open items are told as they were, as of any position`()
        async throws
    {
        try await Stage.run("ratereports") { stage, daemon in
            for number in 0..<2 { _ = try await stage.paid(daemon, "sold-\(number)", 7700) }
            // A challenge that is passed, one that fails, a refusal, and a hold that stays open.
            _ = try await stage.paid(daemon, "challenged", 7711)
            let failed = try await stage.open(daemon, "failed", 7712)
            let refused = try await stage.open(daemon, "refused", 7701)
            for id in [failed, refused] { try await stage.wait(daemon, id, for: "failed") }
            _ = try await stage.paid(daemon, "held", 7700, mode: "authorize")
            let approval = try await stage.until("facts are followed") { () -> Stage.Look<Json> in
                let made = try await stage.report("approval")
                return made["rows"]?.items?.first?["attempts"] == 6 ? .done(made) : .notYet(made.canonicalText)
            }
            let row = try #require(approval["rows"]?.items?.first)
            #expect(row["approved"] == 4 && row["declined"] == 2 && row["late"] == 0 && row["unattended"] == 0)
            #expect(row["acted"] == 6 && row["paid"] == 4)
            #expect(row["approvalRate"] == nil && row["paymentRate"] == nil, "no rate of six cases")
            let declines = try await stage.report("declines")["rows"]?.items ?? []
            #expect(declines.count == 2 && declines.allSatisfy { $0["declines"] == 1 && $0["tries"] == 6 })
            let classes = declines.compactMap { $0["declineClass"]?.text }
            #expect(classes.contains("insufficientFunds"), "\(declines)")
            let secure = try #require(try await stage.report("three-d-secure")["rows"]?.items?.first)
            #expect(secure["tries"] == 6 && secure["challenged"] == 2 && secure["passed"] == 1 && secure["failed"] == 1)
            #expect(secure["frictionless"] == 3)
            let times = try #require(try await stage.report("time-to-money")["rows"]?.items?.first)
            #expect(times["payments"] == 3 && times["p90Seconds"] == nil && times["medianSeconds"]?.integer != nil)
            let open = try await stage.report("open-items")["rows"]?.items ?? []
            #expect(open.count == 1 && open.first?["item"] == "hold" && open.first?["amount"] == 7700)
            #expect(open.first?["age"] == "0-1")
            let listed = try await stage.report("open-items", ["--compare", "0"])["rows"]?.items ?? []
            #expect(
                listed.count == 1 && listed.first?["item"] == "hold" && listed.first?["amount"] == 7700,
                "\(listed)"
            )
            let methods = try #require(try await stage.report("methods")["rows"]?.items?.first)
            #expect(methods["captured"] == 23111 && methods["method"] != "")
            // The hold is captured: what was open as of the position stays open as of it.
            let position = "\(approval["position"]?.integer ?? 0)"
            let before = try await stage.report("open-items", ["--as-of", position])
            let held = try await stage.text("SELECT id FROM paystream.payments WHERE status = 'authorized'")
            #expect(listed.first?["id"]?.text == held)
            try await stage.call(daemon, .post, "/v1/payments/\(held)/capture", [:], key: "capture")
            try await stage.until("the capture is followed") {
                let rows = try await stage.report("open-items")["rows"]?.items ?? []
                return rows.isEmpty ? .done(()) : .notYet("\(rows)")
            }
            #expect(try await stage.report("open-items", ["--as-of", position]) == before)
            let again = try await stage.report("open-items", ["--as-of", position, "--compare", "0"])["rows"]?.items
            #expect(again == listed)
            let since = try await stage.report("open-items", ["--as-of", position, "--compare", position])["rows"]?
                .items
            #expect(since?.isEmpty == true, "nothing was opened behind it")
            #expect(try await stage.report("approval", ["--as-of", position]) == approval)
            try await stage.comparesPositions(daemon, position)
            try await stage.verifyViews()
        }
    }

    @Test func `a report of any length comes from a file, and a workbook is one`() async throws {
        try await Stage.run("longreports") { stage, daemon in
            _ = try await stage.paid(daemon, "sold", 7700)
            try await stage.until("movements are followed") {
                try await stage.count("paystream.movement") > 0 ? .done(()) : .notYet("none")
            }
            // As many as a large book has in a moment, behind the event that is there.
            try await stage.execute(
                """
                INSERT INTO paystream.movement SELECT c.* FROM generate_series(1, 2200) n, paystream.movement v,
                    LATERAL jsonb_populate_record(v, jsonb_build_object('stream', md5('m' || n)::uuid, 'amount', n, 'number', n)) c
                """
            )
            let place = "/v1/reports/turnover?mode=test&asOf=0&compare="
            let position = try await stage.text("SELECT max(position)::text FROM paystream.movements")
            for form in ["ndjson", "csv"] {
                let answer = try await stage.exchange(daemon, .get, place + position + "&format=\(form)")
                let lines = String(decoding: answer.body, as: UTF8.self).split(whereSeparator: \.isNewline)
                #expect(answer.status == 200 && lines.count == 2201 + (form == "csv" ? 1 : 0), "\(form) \(lines.count)")
                #expect(answer.body.count > 300_000, "more than is answered from memory")
            }
            let told = try await stage.exchange(daemon, .get, place + position)
            #expect(told.body.count > 300_000, "\(String(decoding: told.body.prefix(700), as: UTF8.self))")
            let whole = try Json(told.body, limits: JsonLimits(bytes: 1 << 24, depth: 32))
            #expect(whole["rows"]?.items?.count == 2201 && whole["since"] == 0)
            let book = try await stage.exchange(daemon, .get, place + position + "&format=xlsx")
            #expect(book.status == 200 && Array(book.body.prefix(2)) == Array("PK".utf8) && book.body.count > 50_000)
            let file = stage.folder + "/turnover.xlsx"
            try await stage.command(["report", "turnover", "--mode", "test", "--format", "xlsx", "--output", file])
            #expect(SmallFile.read(file)?.starts(with: Array("PK".utf8)) == true)
            await #expect(throws: (any Error).self) {
                try await stage.command(["report", "turnover", "--format", "xlsx"])
            }
            let refused = try await stage.exchange(daemon, .get, "/v1/reports/exceptions?compare=0")
            #expect(refused.status == 400)
            // What counts facts lists them, each with the event that told it.
            let counted = try await stage.call(daemon, .get, "/v1/reports/approval?mode=test&compare=0")
            let facts = try #require(counted["rows"]?.items)
            let rows = try await stage.report(daemon, "approval")
            let approved = rows.reduce(Int64(0)) { $0 + ($1["approved"]?.integer ?? 0) }
            let first = facts.filter {
                $0["fact"] == "approved" && $0["isFirst"] == true && $0["isLate"] == false
            }
            #expect(approved > 0 && Int64(first.count) == approved, "\(counted)")
            for fact in facts {
                let id = fact["id"]?.text ?? ""
                #expect((fact["position"]?.integer ?? 0) > 0 && id.hasPrefix("pay_"), "\(fact)")
            }
        }
    }
}

extension Stage {
    /// Lists what moved behind a position, over HTTP and by the command.
    fileprivate func comparesPositions(_ daemon: DaemonProcess, _ position: String) async throws {
        let told = try await report("turnover", ["--compare", position])
        let rows = told["rows"]?.items ?? []
        #expect(rows.count == 1 && rows.first?["movement"] == "captured" && rows.first?["amount"] == 7700, "\(rows)")
        #expect(rows.first?["commanded"] == true)
        #expect(told["since"]?.integer == Int64(position))
        // The list of reports names what their rows have.
        let listed = try await call(daemon, .get, "/v1/reports")["items"]?.items ?? []
        for name in ["turnover", "approval", "exceptions"] {
            let columns = listed.first { $0["name"] == .string(name) }?["columns"]?.items ?? []
            #expect(columns.contains(["name": "complete", "content": "flag"]) == (name != "exceptions"), "\(columns)")
        }
        let served = try await exchange(daemon, .get, "/v1/reports/turnover?mode=test&compare=\(position)")
        #expect(try Json(served.body)["rows"] == told["rows"])
        #expect(
            try await report("turnover", ["--as-of", position, "--compare", position])["rows"]?.items?.isEmpty == true
        )
        let holds = try await report("holds", ["--compare", "0"])["rows"]?.items ?? []
        #expect(holds.compactMap { $0["movement"]?.text }.sorted() == ["authorised", "holdCaptured"])
    }

    fileprivate func report(_ name: String, _ more: [String] = []) async throws -> Json {
        try Json(text: try await command(["report", name, "--format", "json", "--mode", "test"] + more))
    }
}

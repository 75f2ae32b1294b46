import Http
import Kernel
import Projections
import Testing

/// What a settlement file got wrong, and what its correction makes of it, over HTTP and from the shell.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SettlementCorrectionTests {
    private static let mapping = "/v1/accounts/\(Stage.account)/settlement-mapping"
    private static let header =
        "payment_id,operation_id,operation_type,operation_status,amount,currency,commission,operation_date\n"

    private static func file(_ lines: (name: String, amount: String, day: String)...) -> [UInt8] {
        Array(
            (header
                + lines.map { "\($0.name),OP-\($0.name),sale,success,\($0.amount),EUR,0.50,\($0.day) 10:00:00\n" }
                .joined())
                .utf8
        )
    }

    private static let nobodys = "\(SettlementFileId(Uuid(high: 0x019A_0000_0000_7000, low: 0x8000_0000_0000_0001)))"

    @Test func `days to come make nothing overdue, and a correction takes back what a wrong day did`() async throws {
        try await Stage.run("settleddays") { stage, daemon in
            _ = try await stage.paid(daemon, "paid", 7700)
            try await stage.booked("captured", 1)
            let wrong = try await stage.bring(
                daemon,
                Self.file(("a", "1.00", "2019-01-01"), ("b", "1.00", "2150-01-01"))
            )
            #expect(wrong.status == 201, "\(wrong)")
            let open = try await stage.exceptions(daemon)
            #expect(
                open.compactMap { $0["class"]?.text }.sorted() == ["missingHere", "missingHere", "timing"],
                "\(open)"
            )
            let named = "&corrects=\(wrong.body["id"]?.text ?? "?")"
            let right = try await stage.bring(daemon, Self.file(("a", "1.00", "2019-01-01")), more: named)
            #expect(right.status == 201, "\(right)")
            #expect(right.body["repeated"] == 1 && right.body["exceptions"] == 0, "the line is there again: \(right)")
            #expect(try await stage.exceptions(daemon).compactMap { $0["class"]?.text } == ["missingHere"])
            try await stage.conserves(daemon)
        }
    }

    @Test func `bytes that stand in another place correct nothing, and say where they are`() async throws {
        try await Stage.run("settledelsewhere") { stage, daemon in
            let first = try await stage.bring(daemon, Self.file(("a", "1.00", "2026-11-20")))
            let second = try await stage.bring(daemon, Self.file(("b", "2.00", "2026-11-21")))
            #expect(first.status == 201 && second.status == 201)
            let name = try #require(second.body["id"]?.text)
            let refused = try await stage.bring(
                daemon,
                Self.file(("a", "1.00", "2026-11-20")),
                more: "&corrects=\(name)"
            )
            #expect(refused.status == 422 && refused.body["code"] == "settlement_file_invalid", "\(refused)")
            #expect(refused.body["detail"]?.text?.contains(first.body["id"]?.text ?? "?") == true, "\(refused)")
            let nothing = try await stage.bring(
                daemon,
                Self.file(("c", "1.00", "2026-11-20")),
                more: "&corrects=\(Self.nobodys)"
            )
            #expect(
                nothing.status == 422
                    && nothing.body["detail"]?.text?.hasPrefix("The account has no file of that id.") == true,
                "\(nothing)"
            )
        }
    }

    @Test func `a file that was said to correct the wrong one is brought on its own`() async throws {
        try await Stage.run("settledalone") { stage, daemon in
            let october = Self.file(("a", "1.00", "2026-10-20"))
            let november = Self.file(("b", "2.00", "2026-11-20"))
            let first = try await stage.bring(daemon, october)
            let wrong = try await stage.bring(daemon, november, more: "&corrects=\(first.body["id"]?.text ?? "?")")
            #expect(wrong.status == 201 && wrong.body["exceptions"] == 1)
            let back = try await stage.bring(daemon, october, more: "&corrects=\(wrong.body["id"]?.text ?? "?")")
            #expect(back.status == 201, "\(back)")
            let again = try await stage.bring(daemon, november)
            #expect(again.status == 200 && again.body["supersededBy"] == back.body["id"], "nothing changed: \(again)")
            #expect(back.body["supersededBy"] == nil, "\(back)")
            let kept = try stage.keep("november.csv", november)
            let words = ["reconcile", "import", kept, "--account", Stage.account]
            let hint = "--corrects \(back.body["id"]?.text ?? "?") goes back to it"
            #expect(try await stage.command(words).contains(hint))
            let both = "&alone=true&corrects=\(wrong.body["id"]?.text ?? "?")"
            #expect(try await stage.bring(daemon, november, more: both).status == 400)
            let alone = try await stage.bring(daemon, november, more: "&alone=true")
            #expect(alone.status == 201 && alone.body["corrects"] == nil, "\(alone)")
            #expect(try await stage.bring(daemon, november, more: "&alone=true").status == 200, "once")
            #expect(try await stage.command(words + ["--alone"]).hasSuffix("already\n"), "it counts: no hint")
            let refused = await #expect(throws: DaemonProcess.Failure.self) {
                try await stage.command(words + ["--corrects", back.body["id"]?.text ?? "?"])
            }
            #expect(
                refused?.description.contains("does not stand in the place of that one") == true,
                "\(refused as Any)"
            )
            #expect(try await stage.exceptions(daemon).count == 2, "a line of each")
            try await stage.conserves(daemon)
        }
    }

    @Test func `a mapping for one file is not the account's, which only who keeps it changes`() async throws {
        try await Stage.run("settledonce") { stage, daemon in
            let standard = try await stage.call(daemon, .get, Self.mapping)
            #expect(standard["version"] == 0)
            var once = try #require(standard["mapping"]?.members)
            once["name"] = "once"
            once["delayDays"] = 80
            let mapping = try stage.file("once", .object(once))
            let file = try stage.keep("once.csv", Self.file(("a", "1.00", "2026-11-20")))
            let words = ["reconcile", "import", file, "--account", Stage.account, "--mapping", mapping, "--json"]
            let shown = try Json(text: try await stage.command(words))
            #expect(shown["mapping"] == 1, "the file names it: \(shown)")
            #expect(try await stage.call(daemon, .get, Self.mapping) == standard)
            let brought = try await stage.bring(daemon, Self.file(("b", "1.00", "2026-11-21")))
            #expect(brought.status == 201 && brought.body["mapping"] == 2, "the standard one: \(brought)")
            let kept = try await stage.call(daemon, .put, Self.mapping, .object(once))
            #expect(kept["version"] == 3 && kept["mapping"]?["name"] == "once", "\(kept)")
            #expect(try await stage.call(daemon, .get, Self.mapping) == kept)
        }
    }

    @Test func `what was adjusted because nothing explained it finds its payment when it is paid`() async throws {
        try await Stage.run("settledlate") { stage, daemon in
            let second = try await stage.newKey("second")
            let body = Stage.newPayment("late", 7700)
            let id = try #require(try await stage.call(daemon, .post, "/v1/payments", body, key: "late")["id"]?.text)
            let page = try #require(try await stage.call(daemon, .get, "/v1/payments/\(id)/next-action")["url"]?.text)
            let name = try await stage.providerName(daemon, id)
            #expect(try await stage.bring(daemon, Self.file((name, "77.00", "2026-11-21"))).status == 201)
            let open = try #require(try await stage.exceptions(daemon).first)
            #expect(open["class"] == "missingHere")
            try await stage.resolve(daemon, open, ["is": "adjust"], second: second)
            try await stage.conserves(daemon)
            #expect(try await stage.send(.get, page, HttpHeaders([("Accept", "text/html")]), []).status < 400)
            try await stage.booked("captured", 1)
            let next = try await stage.bring(daemon, Self.file(("b", "1.00", "2026-11-21")))
            #expect(next.status == 201 && next.body["exceptions"] == 1, "its own line: \(next)")
            let balance = try await stage.report(daemon, "balance")
            let suspense = balance.first { $0["ledgerAccount"] == "suspense" }
            #expect(suspense?["balance"]?.integer ?? 0 == 0, "the adjustment is taken back: \(balance)")
            #expect(balance.first { $0["ledgerAccount"] == "fees" }?["balance"] == 50, "\(balance)")
            try await stage.conserves(daemon)
            try await stage.verifyViews()
        }
    }
}

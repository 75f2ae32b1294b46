import Glibc
import Http
import Kernel
import Testing

/// Settlement files as lines of JSON, chargebacks in them, and days that go by: over HTTP and by the command line.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SettlementLinesTests {
    private static let mapping: Json = [
        "name": "lines of JSON", "format": "ndjson", "amounts": "minor", "zone": "UTC", "delayDays": 2,
        "columns": [
            "amount": "sum", "at": "when", "currency": "iso", "fee": "kept", "kind": "what", "providerReference": "op",
            "reference": "pay",
        ],
        "kinds": [
            "sale": "captured", "back": "refunded", "chargeback": "disputed", "chargeback_won": "disputeWon",
            "chargeback_lost": "disputeLost", "out": "payout",
        ],
    ]

    private static func line(_ what: String, _ operation: String?, _ sum: Int64, _ more: [(String, Json)] = []) -> Json
    {
        .object(
            JsonObject(
                [
                    ("what", .string(what)), ("op", operation.map(Json.string) ?? .null), ("sum", .integer(sum)),
                    ("iso", "EUR"), ("when", .string(now)),
                ] + more
            )
        )
    }

    private static var now: String {
        var moment = time(nil)
        var parts = tm()
        gmtime_r(&moment, &parts)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T\(two(parts.tm_hour)):00:00Z"
    }

    private static func bytes(_ lines: [Json]) -> [UInt8] {
        Array(lines.map { $0.canonicalText + "\n" }.joined().utf8)
    }

    @Test func `lines of JSON tell of sales, refunds and chargebacks, and each finds what it is about`() async throws {
        try await Stage.run("settledlines") { stage, daemon in
            let place = "/v1/accounts/\(Stage.account)/settlement-mapping"
            #expect(try await stage.call(daemon, .put, place, Self.mapping)["version"] == 1)
            let sold = try await stage.paid(daemon, "sold", 7700)
            let lost = try await stage.paid(daemon, "lost", 17_700)
            try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", ["amount": Stage.euros(700)], key: "r")
            let body: Json = ["amount": Stage.euros(17_700)]
            let opened = try await stage.call(daemon, .post, "/v1/payments/\(lost)/disputes", body, key: "dispute")
            let dispute = try #require(opened["disputes"]?.items?.first?["id"]?.text)
            try await stage.booked("captured", 2)
            try await stage.booked("refunded", 1)
            try await stage.booked("disputed", 1)
            // A provider names its operations; a chargeback here names the payment alone.
            var names: [String: String] = [:]
            for (kind, payment) in [("captured", sold), ("captured", lost), ("refunded", sold)] {
                names[kind + payment] = try await stage.text(
                    "SELECT provider_reference FROM paystream.movements WHERE movement = '\(kind)' AND id = '\(payment)'"
                )
            }
            let disputed: [(String, Json)] = [("pay", .string(try await stage.providerName(daemon, lost)))]
            let file = Self.bytes([
                Self.line("sale", names["captured" + sold], 7700, [("kept", 116)]),
                Self.line("sale", names["captured" + lost], 17_700, [("kept", 266)]),
                Self.line("back", names["refunded" + sold], 700), Self.line("chargeback", nil, 17_700, disputed),
                Self.line("out", "P-1", 6000),
            ])
            let (status, imported) = try await stage.bring(daemon, file, type: "application/x-ndjson")
            #expect(status == 201 && imported["matched"] == 4 && imported["exceptions"] == 0, "\(imported)")
            try await stage.conserves(daemon)
            // The dispute is lost; another file says so, and one chargeback too many.
            try await stage.call(daemon, .post, "/v1/payments/\(lost)/disputes/\(dispute)/lost", [:], key: "lost")
            try await stage.booked("disputeLost", 1)
            let second = try stage.keep(
                "second.ndjson",
                Self.bytes([
                    Self.line("chargeback_lost", nil, 17_700, disputed),
                    Self.line("chargeback", "CB-of-nobody", 100),
                ])
            )
            let words = ["reconcile", "import", second, "--account", Stage.account, "--json"]
            let later = try Json(text: try await stage.command(words))
            #expect(later["matched"] == 1 && later["exceptions"] == 1, "\(later)")
            let found = try await stage.exceptions(daemon)
            #expect(found.map { $0["class"] } == ["missingHere"] && found[0].at("amount", "value") == 100, "\(found)")
            try await stage.conserves(daemon)
            // A broken line is named, whatever else is right.
            for (text, code) in [
                ("{\"what\":\"sale\"", "jsonMalformed"), ("[1]", "jsonMalformed"),
                (Self.line("sale", "1", 5, [("kept", "=1+1")]).canonicalText, "amountMalformed"),
                ("{\"sum\":5,\"sum\":6,\"what\":\"sale\"}", "jsonMalformed"),
            ] {
                let broken = try await stage.bring(daemon, Self.bytes([Self.line("out", "P-2", 1)]) + Array(text.utf8))
                #expect(broken.status == 422 && broken.body["fault"]?.text == code, "\(text): \(broken)")
                #expect(broken.body["line"] == 2, "\(broken)")
            }
            try await stage.verifyViews()
        }
    }

    @Test func `what was a matter of timing is missing as days go by, though no file comes`() async throws {
        try await Stage.run("settleddays") { stage, daemon in
            for number in 0..<2 { _ = try await stage.paid(daemon, "p\(number)", Int64(number) * 10_000 + 7700) }
            try await stage.booked("captured", 2)
            try await stage.call(
                daemon,
                .put,
                "/v1/accounts/\(Stage.account)/settlement-mapping",
                try Stage.ecommpayMapping(delayDays: 3)
            )
            let file = try await stage.settlementFile("/sandbox/settlement?account=42&mistakes=missingThere&seed=3")
            #expect(try await stage.bring(daemon, file).status == 201)
            let found = try await stage.exceptions(daemon)
            #expect(found.map { $0["class"] } == ["timing"])
            let timing = "/v1/settlement-exceptions/\(found[0]["id"]?.text ?? "")"
            try await stage.call(daemon, .post, timing + "/assign", ["owner": "ann"])
            let filed =
                "\(try await stage.call(daemon, .get, "/v1/reports/reconciliation?mode=test")["position"]?.integer ?? 0)"
            // As if all of it had been a week ago: the next daemon looks, and a person need not.
            try await stage.end(daemon, SIGTERM)
            for (table, columns) in [
                ("settlement_account", ["since", "through", "reviewed_at"]), ("settlement_exception", ["at", "since"]),
                ("settlement_file", ["begins_at", "ends_at"]), ("settlement_line", ["at"]),
                ("movement", ["effective_at", "known_at"]),
            ] {
                let moved = columns.map { "\($0) = \($0) - interval '8 days'" }.joined(separator: ", ")
                try await stage.execute("UPDATE paystream.\(table) SET \(moved)")
            }
            let next = try await stage.serve(onPortOf: daemon)
            try await stage.until("its time is up") { () -> Stage.Look<Void> in
                let now = try await stage.exceptions(next)
                return now.map { $0["class"] } == ["missingThere"] ? .done(()) : .notYet("\(now)")
            }
            let before = try await stage.call(next, .get, timing)
            #expect(before["outcome"] == "overdue")
            #expect(before["history"]?.items?.last?["by"] == "daemon", "\(before)")
            let rows = try await stage.report(next, "reconciliation", "&asOf=\(filed)")
            #expect(rows.allSatisfy { $0["difference"] == 0 } && rows.contains { $0["timing"] != 0 }, "\(rows)")
            try await stage.conserves(next)
            // What follows an exception has its owner, and had him as of then whoever has it later.
            let missing = try await stage.exceptions(next)[0]
            #expect(missing["owner"] == "ann")
            let now = try await stage.call(next, .get, "/v1/reports/exceptions?mode=test")["position"]?.integer ?? 0
            let asOf = "/v1/reports/exceptions?mode=test&format=csv&asOf=\(now)"
            let once = try await stage.exchange(next, .get, asOf).body
            #expect(String(decoding: once, as: UTF8.self).contains(",ann,"))
            for body in [["owner": "ben"], [:]] as [Json] {
                try await stage.call(next, .post, "/v1/settlement-exceptions/\(missing["id"]?.text ?? "")/assign", body)
                #expect(try await stage.exchange(next, .get, asOf).body == once)
            }
        }
    }
}

import Glibc
import Http
import Kernel
import TestKit
import Testing

/// Series that ecommpay debits by its own calendar, or that we debit by their ids: daemons as processes, PostgreSQL, sandbox.
@Suite(.serialized) struct ProviderSeriesFlowTests {
    private func begin(_ stage: Stage, _ daemon: DaemonProcess, _ name: String, _ schedule: String) async throws
        -> String
    {
        let body = Stage.newPayment(name, 7700, more: [("customer", "customer-7"), ("schedule", .string(schedule))])
        let payment = try await stage.call(daemon, .post, "/v1/payments", body, key: "\(name)-first")
        guard let id = payment["id"]?.text else { throw Stage.Failure(description: payment.canonicalText) }
        try await stage.openPage(daemon, id)
        return id
    }

    private func series(_ more: [(String, Json)]) -> Json {
        .object(JsonObject([("amount", Stage.euros(7700)), ("customer", "customer-7"), ("kind", "regular")] + more))
    }

    @Test func `the platform debits by its own calendar, its debits pay occurrences, and a cancel reaches it`()
        async throws
    {
        try await Stage.run("providerseries") { stage, daemon in
            let rule = try await stage.rule(every: "day", inSeconds: 20, isUtc: true)
            let id = try await stage.schedule(
                daemon,
                "theirs",
                series([("rule", rule), ("runner", "provider"), ("account", .string(Stage.account))])
            )
            let first = try await begin(stage, daemon, "first", id)
            try await stage.wait(daemon, first, for: "captured")
            let active = try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
            #expect(active["series"] != nil)
            let paid = try await stage.wait(daemon, schedule: id, "was debited") { $0["paid"] == 1 }
            #expect(paid["collected"] == 7700 && paid["oddities"] == nil)
            let ours = try await isPayment(stage, daemon, debitOf: id)
            // A second registration meets the first one's name: it is told by a word of its own, and the first one stands.
            let again = try await begin(stage, daemon, "again", id)
            let repeated = try await stage.wait(daemon, again, for: "failed")
            #expect(repeated.canonicalText.contains("series_registered"), "\(repeated.canonicalText)")
            let stays = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            #expect(stays["status"] == "active" && stays["series"] == paid["series"])
            // A debit that no date explains is an alert.
            let name = try #require(paid["series"]?.text)
            try await stage.control("/sandbox/series/\(name)/run", [:])
            try await stage.wait(daemon, schedule: id, "has an alert") {
                $0.at("oddities", "debitUnmatched") == 1
            }
            try await settle(stage, daemon, besides: [first, ours, again])
            // The answer to the cancellation is lost; it is asked for once more, and the platform stops.
            try await stage.call(
                daemon,
                .post,
                "/v1/schedules/\(id)/change",
                ["amount": Stage.euros(8800)],
                key: "change"
            )
            try await stage.wait(daemon, schedule: id, "was changed") { $0.at("request", "state") == "done" }
            try await stage.call(daemon, .post, "/v1/schedules/\(id)/cancel", [:], key: "cancel")
            let ended = try await stage.wait(daemon, schedule: id, "ended") {
                $0.at("request", "ask") == "cancel" && $0.at("request", "state") == "done"
            }
            #expect(ended["status"] == "cancelled")
            let run = try await stage.exchangeWithSandbox("/sandbox/series/\(name)/run")
            #expect(run == 404)
            try await stage.verifyReplay()
        }
    }

    /// The debit is a payment like others: it is there, in lists, in the books, and goes back by command.
    private func isPayment(_ stage: Stage, _ daemon: DaemonProcess, debitOf schedule: String) async throws -> String {
        let occurrences = try await stage.call(daemon, .get, "/v1/schedules/\(schedule)/occurrences")
        let ours = try #require(occurrences["items"]?.items?.compactMap { $0["payment"]?.text }.first)
        // The schedule hears of the debit first; its payment is made behind that.
        try await stage.until("the debit is listed") {
            let ids = try await listed(stage, daemon)
            return ids.contains(ours) ? .done(()) : .notYet("\(ids)")
        }
        let debited = try await stage.wait(daemon, ours, for: "captured")
        #expect(debited.at("amounts", "captured") == 7700 && debited["customer"] == "customer-7")
        #expect(debited["schedule"] == .string(schedule) && debited.at("adopted", "name") != nil)
        #expect(debited["obligations"] == nil, "\(debited.canonicalText)")
        let body: Json = ["amount": Stage.euros(700)]
        try await stage.call(daemon, .post, "/v1/payments/\(ours)/refund", body, key: "back")
        try await stage.wait(daemon, ours, for: "partiallyRefunded")
        let name = try #require(debited.at("adopted", "name")?.text)
        #expect(try await stage.ledger(name) == ["charge 7700", "refund 700"], "the provider has given it back")
        let moved =
            "paystream.movements WHERE id = '\(ours)' AND (movement, amount) IN (('captured', 7700), ('refunded', 700))"
        try await stage.until("both movements are in the books") {
            let count = try await stage.count(moved)
            return count == 2 ? .done(()) : .notYet("\(count)")
        }
        let report = try await stage.command(["report", "turnover", "--json", "--mode", "all"])
        #expect(report.contains(#""refunded":700"#), "\(report)")
        #expect(report.contains(#""complete":false"#) && !report.contains(#""complete":true"#), "today is not over")
        return ours
    }

    /// A debit that no date explains is a payment that two persons take note of; then nobody owes anything.
    private func settle(_ stage: Stage, _ daemon: DaemonProcess, besides known: Set<String>) async throws {
        let odd = try await stage.until("the debit without a date is listed") { () -> Stage.Look<String> in
            let ids = try await listed(stage, daemon)
            return ids.first { !known.contains($0) }.map { .done($0) } ?? .notYet("\(ids)")
        }
        let events =
            "paystream.event WHERE stream = '\(odd.dropFirst(4))'::uuid AND type = 'dispatch.observed.v1'"
        try await stage.until("the provider was asked about it") {
            try await stage.count(events) > 0 ? .done(()) : .notYet("not asked")
        }
        let seen = try await stage.call(daemon, .get, "/v1/payments/\(odd)")
        #expect(seen.at("amounts", "captured") == 7700 && seen["schedule"] == nil)
        #expect(seen["obligations"]?.items?.compactMap { $0["reason"] } == ["debit_unmatched"])
        let table = try await stage.command(["operations", "--operator", "list"])
        #expect(table.contains(odd) && table.contains("debit_unmatched"), "\(table)")
        let proposal: Json = [
            "verdict": ["is": "acknowledged"], "evidence": "the platform was run by hand",
            "seenVersion": seen["version"] ?? .null,
        ]
        let file = try stage.file("odd", proposal)
        let proposed = try Json(text: try await stage.tool(daemon, ["operations", "--json", "propose", odd, file]))
        let resolution = try #require(proposed["resolutions"]?.items?.first?["id"]?.text)
        let version = String(try #require(proposed["version"]?.integer))
        let approved = try Json(
            text: try await stage.tool(
                daemon,
                ["operations", "--json", "approve", odd, resolution, "--seen", version],
                key: try await stage.newKey("second-person")
            )
        )
        #expect(approved["obligations"] == nil, "\(approved.canonicalText)")
        try await stage.until("nobody owes anything for it") {
            let table = try await stage.command(["operations", "list"])
            return table.contains(odd) || table.contains("debit_unmatched") ? .notYet(table) : .done(())
        }
    }

    private func listed(_ stage: Stage, _ daemon: DaemonProcess) async throws -> [String] {
        let list = try await stage.call(daemon, .get, "/v1/payments?customer=customer-7")
        return list["items"]?.items?.compactMap { $0["id"]?.text } ?? []
    }

    @Test func `a debit that is told while daemons are killed is one payment, whoever takes it`() async throws {
        try await Stage.run("killedseries") { stage, daemon in
            let rule = try await stage.rule(every: "day", inSeconds: 3600, isUtc: true)
            let id = try await stage.schedule(
                daemon,
                "killed",
                series([("rule", rule), ("runner", "provider"), ("account", .string(Stage.account))])
            )
            let first = try await begin(stage, daemon, "first", id)
            try await stage.wait(daemon, first, for: "captured")
            let active = try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
            let name = try #require(active["series"]?.text)
            let other = try await stage.serve()
            let seed = UInt64(getpid())
            print("debits among killed daemons: seed \(seed)")
            var chance = SplitMix64(seed: seed)
            var killed = daemon
            let rounds = 5
            for _ in 0..<rounds {
                try await stage.control("/sandbox/series/\(name)/run", [:])
                try await Task.sleep(for: .milliseconds(Int(chance.next() % 250)))
                try await stage.end(killed, SIGKILL)
                killed = try await stage.serve(onPortOf: killed)
                try await stage.passLeases()
            }
            let ids = try await stage.until("each debit is a payment") { () -> Stage.Look<[String]> in
                let ids = try await listed(stage, other).filter { $0 != first }
                return ids.count == rounds ? .done(ids) : .notYet("\(ids)")
            }
            for one in ids { try await stage.wait(other, one, for: "captured") }
            let sums = "paystream.movements WHERE movement = 'captured' AND amount = 7700 AND id <> '\(first)'"
            try await stage.until("each debit is in the books once") {
                let count = try await stage.count(sums)
                return count == rounds ? .done(()) : .notYet("\(count)")
            }
            try await stage.verifyReplay()
        }
    }

    @Test func `a series of ours is debited by its id, once for each occurrence`() async throws {
        try await Stage.run("ourseries") { stage, daemon in
            let rule = try await stage.rule(every: "month", inSeconds: 12)
            let id = try await stage.schedule(
                daemon,
                "ours",
                series([
                    ("rule", rule), ("reference", "ours"), ("account", .string(Stage.account)),
                    ("details", ["payer": ["email": "payer@example.org"]]),
                ])
            )
            let first = try await begin(stage, daemon, "first", id)
            try await stage.wait(daemon, first, for: "captured")
            let paid = try await stage.wait(daemon, schedule: id, "was debited") { $0["paid"] == 1 }
            #expect(paid["collected"] == 7700)
            let list = try await stage.until("the read model lists the debit") { () -> Stage.Look<[String]> in
                let list = try await stage.call(daemon, .get, "/v1/payments?reference=ours")
                let ids = (list["items"]?.items ?? []).compactMap { $0["id"]?.text }
                return ids.count == 1 ? .done(ids) : .notYet("\(ids)")
            }
            #expect(try await stage.ledger(try await stage.providerName(daemon, list[0])) == ["charge 7700"])
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// What the sandbox answers to a press of one of its buttons.
    fileprivate func exchangeWithSandbox(_ path: String) async throws -> Int {
        let headers = HttpHeaders([("Content-Type", "application/json")])
        return try await send(.post, sandbox + path, headers, Array("{}".utf8)).status
    }
}

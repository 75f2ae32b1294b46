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
        .object(
            JsonObject(
                [
                    ("amount", Stage.euros(7700)), ("customer", "customer-7"), ("kind", "regular"),
                    ("details", ["payer": ["email": "payer@example.org"]]),
                ] + more
            )
        )
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

    @Test func `a series of ours is debited by its id, once for each occurrence`() async throws {
        try await Stage.run("ourseries") { stage, daemon in
            let rule = try await stage.rule(every: "month", inSeconds: 12)
            let id = try await stage.schedule(
                daemon,
                "ours",
                series([("rule", rule), ("reference", "ours"), ("account", .string(Stage.account))])
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

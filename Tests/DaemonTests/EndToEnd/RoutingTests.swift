import Http
import Kernel
import Sandbox
import Testing

/// Two accounts at the simulated ecommpay: one that is down is passed over, one that refuses is followed by the other.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct RoutingTests {
    @Test func `an account whose provider is down is passed over, and one that is named still takes its payment`()
        async throws
    {
        try await Stage.run("e2ebreaker") { stage, daemon in
            // Nobody listens there: every question fails to connect.
            try await stage.addFallback(daemon, gate: "http://127.0.0.1:9")
            let body = Stage.newPayment("down", 1999)
            let payment = try await stage.call(daemon, .post, "/v1/payments", body, key: "down")
            #expect(payment.at("account", "name") == "first")
            let id = try #require(payment["id"]?.text)
            try await stage.until("the breaker is open") { () async throws -> Stage.Look<Void> in
                let routes = try await stage.call(daemon, .get, "/v1/routes")
                let breaker = routes["breakers"]?.items?.first
                guard breaker?["phase"] == "open" else {
                    try await stage.call(
                        daemon,
                        .post,
                        "/v1/payments/\(id)/sync",
                        [:],
                        key: "sync-\(stage.next())"
                    )
                    return .notYet(routes.canonicalText)
                }
                return .done(())
            }
            let elsewhere = try await stage.until("the other account takes new payments") {
                let key = "next-\(stage.next())"
                let made = try await stage.call(daemon, .post, "/v1/payments", body, key: key)
                return made.at("account", "name")?.text == Stage.account ? .done(made) : .notYet(made.canonicalText)
            }
            let candidates = elsewhere["routes"]?.items?.first?["candidates"]?.items
            #expect(candidates?.first?["reason"] == "breakerOpen")
            let named = Stage.newPayment("named", 1999, more: [("account", "first")])
            let there = try await stage.call(daemon, .post, "/v1/payments", named, key: "named")
            #expect(there.at("account", "name") == "first" && there["routes"] == nil)
            let shown = try await stage.tool(daemon, ["routes", "list"])
            #expect(shown.contains("BREAKER") && shown.contains("open"))
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }

    @Test func `a payment that the first account declines is paid at the second, and each tells why`() async throws {
        try await Stage.run("e2efallback") { stage, daemon in
            try await stage.addFallback(daemon, gate: stage.sandbox)
            // 77.01 is declined for good as soon as its page is open; the second account's page plays the same amount.
            let made = try await stage.call(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("fall", 7702),
                key: "fall"
            )
            let id = try #require(made["id"]?.text)
            #expect(made.at("account", "name") == "first")
            try await stage.openPage(daemon, id)
            let second = try await stage.until("the second attempt is open") {
                let payment = try await stage.payment(daemon, id)
                return payment.at("attempt", "number") == 2 ? .done(payment) : .notYet(payment.canonicalText)
            }
            #expect(second["status"] == "requiresAction" && second.at("account", "name")?.text == Stage.account)
            #expect(second["earlierAttempts"]?.items?.first?.at("account", "name") == "first")
            let cause = second["routes"]?.items?.last?["cause"]
            #expect(cause?["is"] == "fallback" && cause?["proof"] == "closed")
            let explained = try await stage.tool(daemon, ["routes", "explain", id])
            #expect(explained.contains("proof closed") && explained.contains("tried"))

            // Declined there, too: no account is left, and that is the end.
            try await stage.openPage(daemon, id)
            let failed = try await stage.wait(daemon, id, for: "failed")
            #expect(failed.at("attempt", "number") == 2)
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }

    @Test func `details are held against each provider that the payment may go on to`() async throws {
        try await Stage.run("e2efallbackdetails") { stage, daemon in
            try await stage.addWorldline(daemon)
            let rule: Json = [
                "name": "both", "to": [["account": .string(Stage.account)]], "then": ["worldline-eur"],
                "fallback": ["on": ["soft", "hard"], "attempts": 2],
            ]
            try await stage.call(daemon, .put, "/v1/routes", ["rules": [rule]], key: "rules")
            // A provider whose form does not know a member never gets the payment; one that knows it and drops it would.
            for (name, details, refused) in [
                ("both", ["payer": ["email": "payer@example.org"]], nil),
                ("unknown", ["payer": ["email": "payer@example.org", "dayOfBirth": "28-05-1991"]], nil),
                (
                    "dropped",
                    ["payer": ["email": "payer@example.org"], "presentation": ["forcePaymentMethod": "card"]],
                    "details.presentation"
                ),
            ] as [(String, Json, Json?)] {
                let body = Stage.newPayment(name, 1999, more: [("details", details)])
                let answer = try await stage.exchange(daemon, .post, "/v1/payments", body, key: name)
                let told = (try? Json(answer.body)) ?? .null
                #expect(answer.status / 100 == (refused == nil ? 2 : 4), "\(name): \(told.canonicalText)")
                guard let refused else { continue }
                #expect(answer.status == 422 && told["path"] == refused, "\(told.canonicalText)")
                // Named alone, the provider that carries it takes it.
                let alone = body.setting(["account"], .string(Stage.account))
                try await stage.call(daemon, .post, "/v1/payments", alone, key: "alone")
            }
        }
    }
}

extension Stage {
    private static let fallbackRules: Json = [
        "rules": [
            [
                "name": "all", "to": [["account": "first"]], "then": [.string(Stage.account)],
                "fallback": ["on": ["soft", "hard", "providerDown", "insufficientFunds", "unknown"], "attempts": 2],
            ]
        ],
        "breaker": ["failures": 2, "pauseSeconds": 600, "windowSeconds": 600],
    ]

    /// Puts an account, whose Gate is at `gate`, before the stage's own.
    func addFallback(_ daemon: DaemonProcess, gate: String) async throws {
        let account: Json = [
            "name": "first", "provider": "ecommpay", "mode": "test", "secrets": ["secretKey": .string(Stage.secret)],
            "settings": [
                "currencies": ["EUR"], "gateUrl": .string(gate), "paymentPageUrl": .string(sandbox + "/payment"),
                "pollAtLeastSeconds": 1, "pollCapSeconds": 2, "pollFirstSeconds": 1,
                "projectId": .integer(Stage.project),
            ],
        ]
        try await call(daemon, .post, "/v1/accounts", account, key: "first")
        try await call(daemon, .put, "/v1/routes", Self.fallbackRules, key: "rules")
    }
}

import Http
import Kernel
import Testing

/// The report 'recurring' out of a schedule that is played on a merchant's own clock: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RecurringReportFlowTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]
    private static let price: Int64 = 7700
    /// Whose charge the sandbox declines for want of money.
    private static let refusedPrice: Int64 = 7701

    private static let rule: Json = [
        "period": "month", "anchorDay": 15, "start": "2028-01-15", "time": "10:00", "zone": "Europe/Kyiv",
    ]

    private func subscribe(_ stage: Stage, _ daemon: DaemonProcess) async throws -> String {
        try await stage.call(daemon, .put, "/v1/clock", ["at": "2028-01-01T00:00:00Z"])
        // A node may believe for a second that nobody owns a clock.
        try await Task.sleep(for: .seconds(1))
        let policy: Json = [
            "steps": [
                "unknown": ["is": "retry", "afterSeconds": [86400]], "insufficientFunds": ["is": "giveUp"],
            ],
            "giveUp": "cancel",
        ]
        try await stage.call(daemon, .put, "/v1/dunning-policies/strict", policy)
        let body: Json = [
            "kind": "regular", "amount": Stage.euros(Self.price), "customer": "customer-7", "reference": "sub-1",
            "details": ["payer": ["email": "payer@example.org"]], "policy": ["dunning": "strict"],
            "rule": Self.rule,
        ]
        let made = try await stage.call(daemon, .post, "/v1/schedules", body, key: "subscribe")
        let id = try #require(made["id"]?.text)
        let own: [(String, Json)] = [("customer", "customer-7"), ("schedule", .string(id))]
        let first = Stage.newPayment("first", Self.price, more: own)
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "first-payment")
        let paymentId = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, paymentId)
        try await stage.wait(daemon, paymentId, for: "captured")
        try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
        return id
    }

    private func advance(_ stage: Stage, _ daemon: DaemonProcess, to text: String) async throws {
        try await stage.call(daemon, .post, "/v1/clock/advance", ["to": .string(text)])
        try await stage.until("the clock has arrived") {
            let clock = try await stage.call(daemon, .get, "/v1/clock")
            return clock["travellingTo"] == nil ? .done(()) : .notYet(clock.canonicalText)
        }
    }

    /// The figures of all days; the server's clock may go over midnight meanwhile.
    private func figures(_ stage: Stage) async throws -> [String: Int64] {
        let words = ["report", "recurring", "--format", "json", "--mode", "test"]
        let rows = try Json(text: try await stage.command(words))["rows"]?.items ?? []
        return rows.reduce(into: [:]) { sums, row in
            for name in Self.figures { sums[name, default: 0] += row[name]?.integer ?? 0 }
        }
    }

    private static let figures = [
        "due", "collected", "collectedAmount", "declined", "recovered", "lost", "skipped", "ended", "churned",
    ]

    @Test func `what fell due, was recovered or lost, and who left, is what the provider's books say`() async throws {
        try await Stage.run("recurringreport", settings: Self.settings) { stage, daemon in
            let id = try await subscribe(stage, daemon)
            // Who never began is none who left.
            let given: Json = [
                "kind": "regular", "amount": Stage.euros(Self.price), "customer": "customer-8", "reference": "sub-2",
                "details": ["payer": ["email": "payer@example.org"]], "rule": Self.rule,
            ]
            let idle = try await stage.call(daemon, .post, "/v1/schedules", given, key: "idle")["id"]?.text ?? "?"
            try await stage.call(daemon, .post, "/v1/schedules/\(idle)/cancel", [:], key: "never")
            try await stage.wait(daemon, schedule: idle, "is over") { $0["status"] == "cancelled" }
            try await advance(stage, daemon, to: "2028-02-01T00:00:00Z")
            // February's charge is declined once, and paid a day later.
            try await stage.control("/sandbox/faults", ["fault": "unknown_code", "on": "payment"])
            try await advance(stage, daemon, to: "2028-03-01T00:00:00Z")
            try await advance(stage, daemon, to: "2028-04-01T00:00:00Z")
            let paid = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            #expect(paid["paid"] == 3 && paid["status"] == "active", "\(paid.canonicalText)")
            // April's is declined for good: the policy ends the schedule.
            let change: Json = ["amount": Stage.euros(Self.refusedPrice)]
            try await stage.call(daemon, .post, "/v1/schedules/\(id)/change", change, key: "dearer")
            try await advance(stage, daemon, to: "2028-06-01T00:00:00Z")
            try await stage.wait(daemon, schedule: id, "is over") { $0["status"] == "cancelled" }

            // What the provider says that it took beside the first payment.
            let entries = try await stage.control("/sandbox/ledger?project=\(Stage.project)")["entries"]?.items ?? []
            let taken = entries.compactMap { $0["amount"]?.integer }
            #expect(taken.allSatisfy { $0 == Self.price }, "\(entries)")
            let collected = Int64(taken.count) - 1
            #expect(collected == 3)
            let expected: [String: Int64] = [
                "due": collected + 1, "collected": collected, "collectedAmount": taken.reduce(0, +) - Self.price,
                "declined": 2, "recovered": 1, "lost": 1, "skipped": 0, "ended": 1, "churned": 1,
            ]
            try await stage.until("facts are followed") {
                let found = try await figures(stage)
                return found == expected ? .done(()) : .notYet("\(found)")
            }
        }
    }
}

import Http
import Kernel

/// Flows that pay by what was kept before, by what is used once, or without the payer.
extension CrashFlow {
    static let credentials = [
        CrashFlow(
            shop: .worldline,
            name: "token",
            ending: "refunded",
            ledger: ["charge 450", "refund 450"],
            steps: [
                create(byCard("EUR", 450, "worldline-eur")), reach("captured"), perform("refund", [:]),
                reach("refunded"),
            ]
        ),
        CrashFlow(
            shop: .sberpay,
            name: "binding",
            ending: "refunded",
            ledger: ["charge 300", "refund 300"],
            steps: [
                create(byCard("RUB", 300, Stage.sberPayAccount("ecom"))), reach("captured"), perform("refund", [:]),
                reach("refunded"),
            ]
        ),
        CrashFlow(
            shop: .sberpay,
            name: "unbound",
            ending: "captured",
            ledger: ["charge 1500"],
            steps: [
                create(payment("sale", 1500, "RUB", Stage.sberPayAccount("ecom"))), press("action", "save"),
                reach("captured"), keepCard, removeCard,
            ],
            frailty: .link
        ),
        CrashFlow(
            shop: .portmone,
            name: "card",
            ending: "captured",
            ledger: ["charge 500"],
            steps: [create(byCard("UAH", 500, "portmone-uah")), press("action", "approve"), reach("captured")]
        ),
        CrashFlow(
            shop: .portmone,
            name: "app",
            ending: "captured",
            ledger: ["charge 1200"],
            steps: [
                create(
                    payment("sale", 1200, "UAH", "portmone-uah").merging([("method", "sdk"), ("details", [:])])
                ), playApp, claim, reach("captured"),
            ]
        ),
        CrashFlow(
            shop: .portmone,
            name: "wallet",
            ending: "captured",
            ledger: ["charge 4500"],
            steps: [
                create(
                    payment("sale", 4500, "UAH", "portmone-uah").merging([
                        ("method", "wallet"), ("details", ["wallet": ["kind": "applePay", "token": "blob-drill"]]),
                    ])
                ), reach("captured"),
            ],
            frailty: .secret
        ),
    ]

    private static func byCard(_ currency: String, _ minor: Int64, _ account: String) -> Json {
        payment("sale", minor, currency, account).merging([("method", "instrument"), ("details", [:])])
    }

    // MARK: Series

    static let series = [
        CrashFlow(
            shop: .ecommpay,
            name: "occurrence",
            ending: "captured",
            ledger: ["charge 7700"],
            steps: [
                subscribe([("kind", "autopayment")]), payFirst, activate, run, findOccurrence, reach("captured"),
            ]
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "theirs",
            ending: "captured",
            ledger: ["charge 7700"],
            steps: [
                subscribe([("kind", "regular"), ("runner", "provider"), ("rule", monthly)]), payFirst, activate,
                cancelSeries, reach("captured"),
            ]
        ),
    ]

    /// Far enough away that the platform debits nothing by itself.
    private static let monthly: Json = ["period": "month", "start": "2099-01-31", "time": "10:00", "zone": "UTC"]

    private static func subscribe(_ more: [(String, Json)]) -> Step {
        { run in
            let body = payment("", 7700, "EUR", Stage.account).merging(more + [("reference", .string(run.name))])
            guard var members = body.members else { return }
            members["mode"] = nil
            // The platform's debits can't be told anything.
            if members["runner"] == "provider" { members["details"] = nil }
            run.schedule = try await run.stage.schedule(run.daemon, run.name, .object(members))
        }
    }

    /// The customer pays for the first time with a card that is kept.
    private static let payFirst: Step = { run in
        let more: [(String, Json)] = [("schedule", .string(run.schedule)), ("reference", .string("\(run.name)-first"))]
        let body = payment("sale", 7700, "EUR", nil).merging(more)
        let made = try await run.stage.call(run.daemon, .post, "/v1/payments", body, key: "\(run.name)-first")
        run.id = made["id"]?.text ?? ""
        try await openPage(run)
        try await reach("captured")(run)
    }

    private static let activate: Step = { run in
        try await run.stage.wait(run.daemon, schedule: run.schedule, "is active") { $0["status"] == "active" }
    }

    private static let run: Step = { run in
        let path = "/v1/schedules/\(run.schedule)/run"
        try await run.stage.call(run.daemon, .post, path, [:], key: "\(run.name)-run")
    }

    /// The one payment of the occurrence; a second one would be in the list, too.
    private static let findOccurrence: Step = { run in
        run.id = try await run.stage.until("\(run.name) has one charge") { () -> Stage.Look<String> in
            let list = try await run.stage.call(run.daemon, .get, "/v1/payments?reference=\(run.name)")
            let ids = (list["items"]?.items ?? []).compactMap { $0["id"]?.text }
            return ids.count == 1 ? .done(ids[0]) : .notYet("\(ids)")
        }
    }

    private static let cancelSeries: Step = { run in
        let path = "/v1/schedules/\(run.schedule)/cancel"
        try await run.stage.call(run.daemon, .post, path, [:], key: "\(run.name)-cancel")
        try await run.stage.wait(run.daemon, schedule: run.schedule, "is ended at the platform") {
            $0.at("request", "ask") == "cancel" && $0.at("request", "state") == "done"
        }
    }
}

extension Json {
    /// An object with more members, or others.
    fileprivate func merging(_ more: [(String, Json)]) -> Json {
        guard var members else { return self }
        for (name, value) in more { members[name] = value }
        return .object(members)
    }
}

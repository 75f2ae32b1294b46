import Daemon
import Http
import Kernel

/// Sber: the page at both gateways, saved bindings, the bank's app, pending payments, and what goes wrong.
package struct SberPayScenes: DemoScenes {
    package static let provider = "sberpay"
    private let stage: DemoStage

    package init(_ stage: DemoStage) { self.stage = stage }

    package func all() async throws -> [DemoRow] {
        var rows: [DemoRow] = []
        rows.append(try await paid("sale with 3-D Secure", ["threeDS", "pass"], "captured"))
        rows.append(try await paid("declined sale", ["decline", "refuse"], "failed"))
        rows.append(try await held("hold, captured in part", "capture", ["amount": Self.roubles(30_000)], "captured"))
        rows.append(try await held("hold, given back", "void", [:], "voided"))
        rows.append(try await refunded())
        rows.append(try await pending("pending, resolved by a callback", isTold: true))
        rows.append(try await pending("pending, resolved by polling", isTold: false))
        rows.append(contentsOf: try await saved())
        rows.append(try await app())
        rows.append(try await series())
        return rows
    }

    private func paid(_ title: String, _ buttons: [String], _ expected: String) async throws -> DemoRow {
        let id = try await stage.create(title, mode: "sale", amount: Self.roubles(49_900))
        try await press(id, buttons)
        return try await stage.row(title, id, expected)
    }

    private func held(_ title: String, _ verb: String, _ body: Json, _ expected: String) async throws -> DemoRow {
        let id = try await stage.create(title, mode: "authorize", amount: Self.roubles(49_900))
        try await press(id, ["approve"])
        try await stage.wait(id, for: "authorized")
        try await stage.perform(verb, id, title, body)
        return try await stage.row(title, id, expected)
    }

    private func refunded() async throws -> DemoRow {
        let title = "sale, half refunded"
        let id = try await stage.create(title, mode: "sale", amount: Self.roubles(49_900))
        try await press(id, ["approve"])
        try await stage.wait(id, for: "captured")
        try await stage.perform("refund", id, title, ["amount": Self.roubles(24_950)])
        return try await stage.row(title, id, "partiallyRefunded")
    }

    /// The bank thinks about it; its callback tells, or nobody does and the daemon asks.
    private func pending(_ title: String, isTold: Bool) async throws -> DemoRow {
        let id = try await stage.create(title, mode: "sale", amount: Self.roubles(49_900))
        let page = try await stage.page(of: id)
        if !isTold {
            try await control("faults", ["fault": "withheldCallback", "on": "callback"])
        }
        try await stage.submit([("action", "wait")], to: page)
        return try await stage.row(title, id, "captured")
    }

    /// A card is kept while it pays, then pays again without its payer.
    private func saved() async throws -> [DemoRow] {
        let title = "sale that keeps the card"
        let id = try await stage.create(title, mode: "sale", amount: Self.roubles(49_900))
        try await press(id, ["save"])
        let first = try await stage.row(title, id, "captured")
        let payment = try await stage.until(DemoStage.patience) {
            let payment = try await stage.api.call(.get, "/v1/payments/\(id)")
            return (payment, payment["savedInstruments"]?.items?.isEmpty == false)
        }
        guard let instrument = payment["savedInstruments"]?.items?.first else {
            return [first.ending("\(first.outcome) without a card")]
        }
        // Its own stream follows the payment's.
        _ = try await stage.until(DemoStage.patience) {
            let known = try? await stage.api.call(.get, "/v1/instruments/\(instrument.text ?? "")")
            return (known, known != nil)
        }
        let second = "sale by the kept card"
        // A charge by a binding carries nothing of the payer.
        let more: Json = ["details": [:], "instrument": instrument, "method": "instrument"]
        let again = try await stage.create(second, mode: "sale", amount: Self.roubles(9900), more)
        return [first, try await stage.row(second, again, "captured")]
    }

    /// The bank's app says that it waits; the status is asked for at once and later.
    private func app() async throws -> DemoRow {
        let title = "sale in the bank's app (SDK), waiting"
        let details: Json = ["app": ["osType": "ios", "deepLink": "demoshop://pay"]]
        let more: Json = ["details": details, "method": "sdk"]
        let id = try await stage.create(title, mode: "sale", amount: Self.roubles(49_900), more)
        try await stage.wait(id, for: "requiresAction")
        let given = try await stage.api.call(.post, "/v1/payments/\(id)/app-parameters", [:])
        try await control("app", ["action": "wait", "parameters": given["parameters"] ?? .null])
        try await stage.perform("confirm", id, title, ["call": "pay", "state": "waiting"])
        return try await stage.row(title, id, "captured")
    }

    /// The payer allows charges fourteen days apart: one is made, and another one on the same day is not.
    private func series() async throws -> DemoRow {
        let title = "series by a binding, 14 days apart"
        let mandate: Json = ["minimumDays": 14]
        let id = try await stage.schedule(title, amount: Self.roubles(19_900), ["mandate": mandate])
        let more: Json = ["schedule": .string(id)]
        let first = try await stage.create(title, mode: "verify", amount: Self.roubles(0), more)
        try await press(first, ["save"])
        try await stage.wait(schedule: id, for: "active")
        try await stage.run(schedule: id, title)
        let row = try await stage.row(title, schedule: id, amount: "199.00 RUB", paid: 1)
        do {
            try await stage.run(schedule: id, title, "again")
            return row.ending("\(row.outcome), and a second time on the same day")
        } catch is ApiClient.Failure { return row }
    }

    // MARK: Steps

    private static func roubles(_ kopecks: Int64) -> Json { ["currency": "RUB", "value": .integer(kopecks)] }

    private func press(_ id: String, _ buttons: [String]) async throws {
        let page = try await stage.page(of: id)
        for button in buttons { try await stage.submit([("action", button)], to: page) }
    }

    private func control(_ path: String, _ body: Json) async throws {
        let answer = try await stage.api.open(stage.sandbox + "/sberpay/sandbox/" + path, posting: body)
        guard (200..<300).contains(answer.status) else {
            throw ApiClient.Failure(
                description: "\(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
    }
}

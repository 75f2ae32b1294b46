import Daemon
import Http
import Kernel

/// Portmone: both test cards, holds, refunds, a saved card, the app, a wallet with the payer's bank, a transfer.
package struct PortmoneScenes: DemoScenes {
    package static let provider = "portmone"
    private let stage: DemoStage

    package init(_ stage: DemoStage) { self.stage = stage }

    package func all() async throws -> [DemoRow] {
        var rows: [DemoRow] = []
        rows.append(try await card("sale with the good test card", "4444333322221111", "captured"))
        rows.append(try await card("sale with the bad test card", "4111111111111111", "failed"))
        rows.append(try await pressed("sale with 3-D Secure", ["threeDS", "pass"], "captured"))
        rows.append(try await held("hold, confirmed in part", "capture", ["amount": Self.hryvnias(5000)], "captured"))
        rows.append(try await held("hold, rejected", "void", [:], "voided"))
        rows.append(try await refunded())
        rows.append(try await app())
        rows.append(contentsOf: try await saved())
        rows.append(try await transfer())
        rows.append(try await series())
        return rows
    }

    // MARK: Pages

    private func card(_ title: String, _ number: String, _ expected: String) async throws -> DemoRow {
        let id = try await stage.create(title, mode: "sale", amount: Self.hryvnias(7700))
        try await stage.submit([("action", "pay"), ("card", number)], to: try await stage.page(of: id))
        return try await stage.row(title, id, expected)
    }

    private func pressed(_ title: String, _ buttons: [String], _ expected: String) async throws -> DemoRow {
        let id = try await stage.create(title, mode: "sale", amount: Self.hryvnias(7700))
        try await press(id, buttons)
        return try await stage.row(title, id, expected)
    }

    private func held(_ title: String, _ verb: String, _ body: Json, _ expected: String) async throws -> DemoRow {
        let id = try await stage.create(title, mode: "authorize", amount: Self.hryvnias(7700))
        try await press(id, ["approve"])
        try await stage.wait(id, for: "authorized")
        try await stage.perform(verb, id, title, body)
        return try await stage.row(title, id, expected)
    }

    private func refunded() async throws -> DemoRow {
        let title = "sale, partly refunded"
        let id = try await stage.create(title, mode: "sale", amount: Self.hryvnias(7700))
        try await press(id, ["approve"])
        try await stage.wait(id, for: "captured")
        try await stage.perform("refund", id, title, ["amount": Self.hryvnias(2700)])
        return try await stage.row(title, id, "partiallyRefunded")
    }

    /// A card is saved by a hold of one hryvnia, then pays again by its token.
    private func saved() async throws -> [DemoRow] {
        let tokenize = try await stage.create("card saved", mode: "tokenize", amount: nil)
        try await press(tokenize, ["approve"])
        let first = try await stage.row("card saved", tokenize, "tokenized")
        let payment = try await stage.api.call(.get, "/v1/payments/\(tokenize)")
        guard let instrument = payment["savedInstruments"]?.items?.first?.text else { return [first] }
        // The credential is an input of its own stream: it is there a moment later.
        _ = try await stage.until(DemoStage.patience) {
            let shown = try? await stage.api.call(.get, "/v1/instruments/\(instrument)")
            return (shown, shown?["usable"]?.flag == true)
        }
        let title = "sale with the saved card"
        let id = try await stage.create(
            title,
            mode: "sale",
            amount: Self.hryvnias(7700),
            ["instrument": .string(instrument), "method": "instrument"]
        )
        try await press(id, ["approve"])
        return [first, try await stage.row(title, id, "captured")]
    }

    func press(_ id: String, _ buttons: [String]) async throws {
        let page = try await stage.page(of: id)
        for button in buttons { try await stage.submit([("action", button)], to: page) }
    }

    /// No payment goes without its payer: a series is taken only where each of its payments asks them.
    private func series() async throws -> DemoRow {
        let title = "series that asks its payer each time"
        do {
            _ = try await stage.schedule(title + ", unattended", amount: Self.hryvnias(7700))
            throw ApiClient.Failure(description: "an unattended series was taken")
        } catch let failure as ApiClient.Failure {
            guard failure.description.contains("unattended_not_supported") else { throw failure }
        }
        let id = try await stage.schedule(title, amount: Self.hryvnias(7700), ["presence": "customerPresent"])
        let first = try await stage.create(title, mode: "sale", amount: Self.hryvnias(100), ["schedule": .string(id)])
        try await press(first, ["approve"])
        try await stage.wait(schedule: id, for: "active")
        try await stage.run(schedule: id, title, "run", ["presence": "customerPresent"])
        // The payment's own stream follows the schedule's.
        let asked = try await stage.until(DemoStage.patience) {
            let seen = try await stage.api.call(.get, "/v1/schedules/\(id)")
            let payment = seen["occurrences"]?.items?.first?["payment"]?.text
            let known = try? await stage.api.call(.get, "/v1/payments/\(payment ?? "")")
            return (payment, known?["status"]?.text == "requiresAction")
        }
        if let asked { try await press(asked, ["approve"]) }
        return try await stage.row(title, schedule: id, amount: "77.00 UAH", paid: 1)
    }

    // MARK: The app

    private func app() async throws -> DemoRow {
        let title = "sale in an app (SDK)"
        let id = try await stage.create(title, mode: "sale", amount: Self.hryvnias(7700), ["method": "sdk"])
        try await playApp(id, title)
        return try await stage.row(title, id, "captured")
    }

    /// The recipient's card number stays in the app; what the app claims makes the daemon ask.
    private func transfer() async throws -> DemoRow {
        let title = "transfer to another card"
        let id = try await newTransfer(title)
        try await playApp(id, title)
        return try await stage.row(title, id, "transferred")
    }

    func newTransfer(_ title: String) async throws -> String {
        let body: Json = [
            "account": .string(DevAccount.name(of: Self.provider)), "amount": Self.hryvnias(7700),
            "customer": "demo-customer", "description": .string("Demo: \(title)"),
            "reference": .string("\(stage.run)-\(title)"),
        ]
        let made = try await stage.api.call(.post, "/v1/transfers", body, key: stage.key(title, "create"))
        guard let id = made["id"]?.text else { throw ApiClient.Failure(description: "\(title): no id in the answer") }
        return id
    }

    /// The app's side: the SDK object goes to the sandbox's app, which pays, and its word comes back as a claim.
    func playApp(_ id: String, _ title: String, _ action: String = "approve") async throws {
        let given = try await stage.api.call(.post, "\(DemoStage.path(id))/app-parameters", [:])
        let parameters = given["parameters"] ?? .null
        let answer = try await stage.api.open(
            stage.sandbox + "/portmone/sandbox/app",
            posting: ["action": .string(action), "parameters": parameters]
        )
        guard answer.status == 200, let told = try? Json(answer.body) else {
            throw ApiClient.Failure(
                description: "app: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
        let claim = Json.compact([
            ("bill", told["bill"]), ("billNumber", told["billNumber"]), ("call", parameters["call"]),
        ])
        try await stage.perform("confirm", id, title, claim)
    }

    static func hryvnias(_ minor: Int64) -> Json { ["currency": "UAH", "value": .integer(minor)] }
}

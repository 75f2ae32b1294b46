import Daemon
import Http
import Kernel

/// Worldline Direct: an app's encrypted input with 3-D Secure, hosted pages, captures in parts, saved cards, events.
package struct WorldlineScenes: DemoScenes {
    package static let provider = "worldline"
    private let stage: DemoStage

    package init(_ stage: DemoStage) { self.stage = stage }

    package func all() async throws -> [DemoRow] {
        [
            try await app("sale in an app, 3-D Secure", cents: 2400, "pass", "captured"),
            try await app("sale in an app, 3-D Secure failed", cents: 2400, "fail", "failed"),
            try await page("sale on a page, second try", cents: 1900, ["decline", "approve"], "captured"),
            try await page("page left by the payer", cents: 1900, ["abandon"], "expired"),
            try await inParts(), try await givenBack(), try await refunded(),
        ] + (try await saved()) + [try await series()]
    }

    // MARK: Kinds

    /// The backend opens a session, the app encrypts the card under it, and the payer confirms at the bank.
    private func app(_ title: String, cents: Int64, _ button: String, _ expected: String) async throws -> DemoRow {
        let accounts = try await stage.api.call(.get, "/v1/accounts")["items"]?.items ?? []
        let name = DevAccount.name(of: Self.provider)
        guard let account = accounts.first(where: { $0["name"]?.text == name })?["id"]?.text else {
            throw ApiClient.Failure(description: "there is no account '\(name)'")
        }
        let opened = try await stage.api.call(
            .post,
            "/v1/accounts/\(account)/sessions",
            ["customer": "demo-customer"]
        )
        let input = try await sandbox("app", ["card": "challenge", "session": opened["session"] ?? .null])
        let details = Json.compact([
            ("encodedClientMetaInfo", input["encodedClientMetaInfo"]),
            ("encryptedCustomerInput", input["encryptedCustomerInput"]),
            ("payer", ["email": "payer@example.org"]),
        ])
        let id = try await create(title, mode: "sale", cents: cents, ["details": details, "method": "sdk"])
        try await press([button], on: id)
        return try await stage.row(title, id, expected)
    }

    private func page(_ title: String, cents: Int64, _ buttons: [String], _ expected: String) async throws -> DemoRow {
        let id = try await create(title, mode: "sale", cents: cents)
        try await press(buttons, on: id)
        return try await stage.row(title, id, expected)
    }

    private func inParts() async throws -> DemoRow {
        let title = "hold, captured in three parts"
        let id = try await create(title, mode: "authorize", cents: 6000)
        try await press(["approve"], on: id)
        try await stage.wait(id, for: "authorized")
        for (index, part) in ([1000, 2000, 3000] as [Int64]).enumerated() {
            try await stage.perform("capture", id, "\(title) \(index)", ["amount": Self.euros(part)])
            let sum = ([1000, 3000, 6000] as [Int64])[index]
            _ = try await stage.until(DemoStage.patience) {
                let payment = try await stage.api.call(.get, "/v1/payments/\(id)")
                return ((), payment.at("amounts", "captured")?.integer == sum)
            }
        }
        return try await stage.row(title, id, "captured")
    }

    private func givenBack() async throws -> DemoRow {
        let title = "hold, given back"
        let id = try await create(title, mode: "authorize", cents: 6000)
        try await press(["approve"], on: id)
        try await stage.wait(id, for: "authorized")
        try await stage.perform("void", id, title)
        return try await stage.row(title, id, "voided")
    }

    private func refunded() async throws -> DemoRow {
        let title = "sale, half refunded"
        let id = try await create(title, mode: "sale", cents: 5000)
        try await press(["threeDS", "pass"], on: id)
        try await stage.wait(id, for: "captured")
        try await stage.perform("refund", id, title, ["amount": Self.euros(2500)])
        return try await stage.row(title, id, "partiallyRefunded")
    }

    /// A card is saved with a payment and pays again by its token: at once, declined, and once the acquirer has answered.
    private func saved() async throws -> [DemoRow] {
        let title = "sale that saves the card"
        let first = try await create(title, mode: "sale", cents: 3100, ["details": ["saveCredential": true]])
        try await press(["approve"], on: first)
        let row = try await stage.row(title, first, "captured")
        let payment = try await stage.api.call(.get, "/v1/payments/\(first)")
        guard let card = payment["savedInstruments"]?.items?.first?.text else { return [row.ending("no saved card")] }
        let waiting = "sale by token, pending until an event"
        _ = try await sandbox("sandbox/faults", ["fault": "pending", "on": "payment"])
        let pending = try await byToken(waiting, card, cents: 3300)
        let told = try await stage.wait(pending, for: "processing")
        _ = try await sandbox("sandbox/payments/\(told.at("attempt", "reference")?.text ?? "")/settle", [:])
        return [
            row, try await stage.row(waiting, pending, "captured"),
            try await again("sale by token", card, cents: 3200, "captured"),
            try await again("declined sale by token", card, cents: 1302, "failed"),
        ]
    }

    /// The payer agrees once, to a charge whenever the merchant asks; the charge names that payment.
    private func series() async throws -> DemoRow {
        let title = "series on demand, after 3-D Secure once"
        let id = try await stage.schedule(title, amount: Self.euros(1900))
        let first = try await create(title, mode: "sale", cents: 100, ["details": [:], "schedule": .string(id)])
        try await press(["threeDS", "pass"], on: first)
        try await stage.wait(schedule: id, for: "active")
        try await stage.run(schedule: id, title)
        return try await stage.row(title, schedule: id, amount: "19.00 EUR", paid: 1)
    }

    private func again(_ title: String, _ card: String, cents: Int64, _ expected: String) async throws -> DemoRow {
        try await stage.row(title, try await byToken(title, card, cents: cents), expected)
    }

    // MARK: Steps

    private func byToken(_ title: String, _ card: String, cents: Int64) async throws -> String {
        try await create(title, mode: "sale", cents: cents, ["instrument": .string(card), "method": "instrument"])
    }

    func create(_ title: String, mode: String, cents: Int64, _ more: Json = [:]) async throws -> String {
        try await stage.create(title, mode: mode, amount: Self.euros(cents), more)
    }

    /// Presses buttons one after the other; a page leads to the bank's where 3-D Secure is chosen.
    func press(_ buttons: [String], on id: String) async throws {
        try await stage.wait(id, for: "requiresAction")
        var url = try await stage.page(of: id)
        for button in buttons {
            let answer = try await stage.api.submit([("action", button)], to: url)
            url = try next(after: button, answer)
        }
    }

    private func next(after button: String, _ answer: HttpResponse) throws(ApiClient.Failure) -> String {
        guard answer.status == 303, let next = answer.headers["Location"] else {
            throw ApiClient.Failure(description: "'\(button)' answers \(answer.status)")
        }
        return next.hasPrefix("/") ? stage.sandbox + next : next
    }

    func sandbox(_ path: String, _ body: Json) async throws -> Json {
        let answer = try await stage.api.open("\(stage.sandbox)/worldline/\(path)", posting: body)
        guard (200..<300).contains(answer.status) else {
            let text = String(decoding: answer.body, as: UTF8.self)
            throw ApiClient.Failure(description: "sandbox \(path): \(answer.status) \(text)")
        }
        return (try? Json(answer.body)) ?? .null
    }

    private static func euros(_ cents: Int64) -> Json { ["currency": "EUR", "value": .integer(cents)] }
}

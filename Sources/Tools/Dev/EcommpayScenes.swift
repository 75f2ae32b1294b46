import Daemon
import Http
import Kernel
import SystemKit

/// ecommpay: payment page, app, holds, refunds, saved cards.
package struct EcommpayScenes: DemoScenes {
    package static let provider = "ecommpay"
    private let stage: DemoStage

    package init(_ stage: DemoStage) { self.stage = stage }

    package func all() async throws -> [DemoRow] {
        var rows: [DemoRow] = []
        rows.append(try await sale("sale", cents: 7700, "captured"))
        rows.append(try await sale("sale with 3-D Secure", cents: 7711, "captured"))
        rows.append(try await sale("sale, second try in the form", cents: 7708, "captured"))
        rows.append(try await sale("sale with clarification", cents: 7721, "captured"))
        rows.append(try await sale("declined sale", cents: 7701, "failed"))
        rows.append(try await held("hold, captured", "capture", [:], "captured"))
        rows.append(try await held("hold, given back", "void", [:], "voided"))
        rows.append(try await refunded("sale, half refunded", cents: 7700, part: 3850, "partiallyRefunded"))
        rows.append(try await refunded("refund whose answer is lost", cents: 7771, part: 7771, "refunded"))
        rows.append(try await app())
        rows.append(try await checked("verify", "verified"))
        rows.append(contentsOf: try await saved())
        rows.append(contentsOf: try await series())
        return rows
    }

    private func sale(_ title: String, cents: Int64, _ expected: String) async throws -> DemoRow {
        let id = try await create(title, mode: "sale", cents: cents)
        try await stage.open(id)
        return try await stage.row(title, id, expected)
    }

    private func held(_ title: String, _ verb: String, _ body: Json, _ expected: String) async throws -> DemoRow {
        let id = try await create(title, mode: "authorize", cents: 7700)
        try await stage.open(id)
        try await stage.wait(id, for: "authorized")
        try await stage.perform(verb, id, title, body)
        return try await stage.row(title, id, expected)
    }

    private func refunded(_ title: String, cents: Int64, part: Int64, _ expected: String) async throws -> DemoRow {
        let id = try await create(title, mode: "sale", cents: cents)
        try await stage.open(id)
        try await stage.wait(id, for: "captured")
        try await stage.perform("refund", id, title, ["amount": Self.euros(part)])
        return try await stage.row(title, id, expected)
    }

    /// The app's side: the SDK object goes to the sandbox's app, which pays.
    private func app() async throws -> DemoRow {
        let title = "sale in an app (SDK)"
        let id = try await create(title, mode: "sale", cents: 7700, method: "sdk")
        let rendered = try await stage.api.call(.post, "/v1/payments/\(id)/app-parameters", [:])
        let body: Json = ["sdk": "ios", "parameters": rendered["parameters"] ?? .null, "scenario": "approve"]
        let answer = try await stage.api.open(stage.sandbox + "/sandbox/app/ecommpay", posting: body)
        guard answer.status == 200 else {
            throw ApiClient.Failure(
                description: "app: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
        let code = (try? Json(answer.body))?.at("result", "code")?.integer ?? 0
        let claim: Json = ["code": .integer(code), "sdk": "ios"]
        try await stage.perform("confirm", id, title, claim)
        let row = try await stage.row(title, id, "captured")
        let isTold = try await callbackArrives(of: rendered.at("parameters", "paymentID")?.text)
        return isTold ? row : row.ending("\(row.outcome) without a callback")
    }

    /// Whether the sandbox delivers a callback about a payment, by the provider's name for it.
    private func callbackArrives(of name: String?) async throws -> Bool {
        try await stage.until(DemoStage.patience) {
            let answer = try await stage.api.open(stage.sandbox + "/sandbox/callbacks")
            let deliveries = (try? Json(answer.body))?["callbacks"]?.items ?? []
            let isDelivered = deliveries.contains {
                $0["payment_id"]?.text == name && $0["state"]?.text == "delivered"
            }
            return (isDelivered, isDelivered)
        }
    }

    private func checked(_ title: String, _ expected: String) async throws -> DemoRow {
        let id = try await create(title, mode: "verify", cents: 0)
        try await pay(try await stage.open(id))
        return try await stage.row(title, id, expected)
    }

    /// A card is saved, then pays again by its token.
    private func saved() async throws -> [DemoRow] {
        let tokenize = try await create("tokenize", mode: "tokenize", cents: nil)
        try await pay(try await stage.open(tokenize))
        let first = try await stage.row("tokenize", tokenize, "tokenized")
        let payment = try await stage.api.call(.get, "/v1/payments/\(tokenize)")
        guard let instrument = payment["savedInstruments"]?.items?.first?.text else { return [first] }
        let id = try await create("sale with the saved card", mode: "sale", cents: 7700, instrument: instrument)
        try await stage.open(id)
        return [first, try await stage.row("sale with the saved card", id, "captured")]
    }

    /// A series that we debit by its id, and one that the platform debits by its own calendar until it is told to stop.
    private func series() async throws -> [DemoRow] {
        let ours = "series debited on demand"
        let first = try await stage.schedule(ours, amount: Self.euros(7700))
        try await begin(ours, first)
        try await stage.run(schedule: first, ours)
        let row = try await stage.row(ours, schedule: first, amount: "77.00 EUR", paid: 1)
        let theirs = "series debited by the platform, cancelled"
        let soon = WallClock.now().adding(.seconds(8)).wholeSeconds
        let rule: Json = [
            "period": "day", "start": .string(String(soon.prefix(10))),
            "time": .string(String(soon.dropFirst(11).prefix(8))), "zone": "UTC",
        ]
        let second = try await stage.schedule(
            theirs,
            amount: Self.euros(7700),
            ["kind": "regular", "rule": rule, "runner": "provider"]
        )
        try await begin(theirs, second)
        _ = try await stage.row(theirs, schedule: second, amount: "77.00 EUR", paid: 1)
        try await stage.api.call(.post, "/v1/schedules/\(second)/cancel", [:], key: stage.key(theirs, "cancel"))
        return [
            row, try await stage.row(theirs, schedule: second, amount: "77.00 EUR", paid: 1, status: "cancelled"),
        ]
    }

    /// The payer agrees with a first payment.
    func begin(_ title: String, _ schedule: String) async throws {
        let more: Json = ["schedule": .string(schedule)]
        let id = try await stage.create(title, mode: "sale", amount: Self.euros(7700), more)
        try await stage.open(id)
        try await stage.wait(schedule: schedule, for: "active")
    }

    // MARK: Steps

    static func euros(_ cents: Int64) -> Json { ["currency": "EUR", "value": .integer(cents)] }

    func create(
        _ title: String,
        mode: String,
        cents: Int64?,
        method: String = "hosted",
        instrument: String? = nil
    ) async throws -> String {
        try await stage.create(
            title,
            mode: mode,
            amount: cents.map(Self.euros),
            .compact([
                ("instrument", instrument.map(Json.string)),
                ("method", .string(instrument == nil ? method : "instrument")),
            ])
        )
    }

    /// Presses the form's main button, as a person does.
    func pay(_ form: String?) async throws {
        guard let form else { throw ApiClient.Failure(description: "the page has no form") }
        try await stage.submit([("action", "pay"), ("card", "visa-approved")], to: stage.sandbox + form)
    }
}

import Http
import Kernel
import Sandbox

/// The simulated Worldline Direct: its merchant, its payer and its portal.
extension Stage {
    static let worldline = WorldlineMerchant(
        id: "PSPID01",
        apiKeys: [WorldlineMerchant.Key(id: "KEYID01", secret: Secret("api-secret"))],
        webhookKeys: [WorldlineMerchant.Key(id: "wk-1", secret: Secret("first"))]
    )

    @discardableResult
    func addWorldline(_ daemon: DaemonProcess, at endpoint: String? = nil, _ more: [(String, Json)] = []) async throws
        -> String
    {
        var settings = JsonObject([
            ("merchantId", "PSPID01"), ("currencies", ["EUR"]), ("endpoint", .string(endpoint ?? sandbox)),
            ("pollFirstSeconds", 1), ("pollCapSeconds", 2), ("pollAtLeastSeconds", 1),
        ])
        for (name, value) in more { settings[name] = value }
        let account: Json = [
            "mode": "test", "name": "worldline-eur", "provider": "worldline",
            "secrets": ["apiKeyId": "KEYID01", "secretApiKey": "api-secret", "webhookKeys": "wk-1:first wk-2:second"],
            "settings": .object(settings),
        ]
        let made = try await call(daemon, .post, "/v1/accounts", account, key: "worldline")
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }

    /// Creates a payment at the simulated Worldline: on its page, or by a saved card.
    func worldline(
        _ daemon: DaemonProcess,
        _ name: String,
        _ cents: Int64,
        mode: String = "sale",
        instrument: String? = nil,
        schedule: String? = nil,
        details: Json = [:]
    ) async throws -> String {
        let body = Json.compact([
            ("mode", .string(mode)), ("amount", Self.euros(cents)), ("reference", .string(name)),
            ("account", "worldline-eur"), ("customer", "cust-1"), ("instrument", instrument.map(Json.string)),
            ("method", instrument == nil ? "hosted" : "instrument"), ("details", details),
            ("schedule", schedule.map(Json.string)),
        ])
        let payment = try await call(daemon, .post, "/v1/payments", body, key: "\(name)-create")
        guard let id = payment["id"]?.text else { throw Failure(description: "no id in \(payment.canonicalText)") }
        return id
    }

    /// Where the payer is sent, once the provider has said so.
    func worldlinePage(_ daemon: DaemonProcess, _ id: String) async throws -> String {
        try await until("\(id) has an address") {
            let response = try await self.exchange(daemon, .get, "/v1/payments/\(id)/next-action")
            guard response.status == 200, let url = (try? Json(response.body))?["url"]?.text else {
                return .notYet(String(decoding: response.body, as: UTF8.self))
            }
            return .done(url)
        }
    }

    /// Presses buttons of the hosted page.
    func pressWorldline(_ daemon: DaemonProcess, _ id: String, _ buttons: [String]) async throws {
        let url = try await worldlinePage(daemon, id)
        for button in buttons { try await press(url, button) }
    }

    func press(_ url: String, _ button: String) async throws {
        let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try await send(.post, url, headers, Array("action=\(button)".utf8))
        guard answer.status == 303 else { throw Failure(description: "\(button): \(answer.status)") }
    }

    /// Presses a button of the bank's page of the newest try.
    func pressBank(_ daemon: DaemonProcess, _ id: String, _ button: String) async throws {
        let name = try await providerName(daemon, id)
        let payments = try await control("/worldline/sandbox/payments?reference=\(name)")["payments"]?.items ?? []
        guard let last = payments.last?["id"]?.text else { throw Failure(description: "no payment of \(name)") }
        try await press("\(sandbox)/worldline/3ds/\(last)", button)
    }

    func settleWorldline(_ daemon: DaemonProcess, _ id: String) async throws {
        try await control("/worldline/sandbox/payments/\(try await providerName(daemon, id))/settle", [:])
    }

    /// Saves a card with a payment on the page.
    func savedWorldlineCard(_ daemon: DaemonProcess, _ name: String) async throws -> String {
        let id = try await worldline(daemon, name, 500, details: ["saveCredential": true])
        try await pressWorldline(daemon, id, ["approve"])
        return try await savedInstrument(daemon, id)
    }

    /// The card that a payment saved, once it is captured.
    func savedInstrument(_ daemon: DaemonProcess, _ id: String) async throws -> String {
        try await until("\(id) saved a card") {
            let payment = try await self.payment(daemon, id)
            let isDone = payment["status"]?.text == "captured" || payment["status"]?.text == "verified"
            guard isDone, let saved = payment["savedInstruments"]?.items?.first?.text
            else { return .notYet(payment.canonicalText) }
            return .done(saved)
        }
    }

    func waitForCaptured(_ daemon: DaemonProcess, _ id: String, _ cents: Int64) async throws {
        try await until("\(id) has \(cents) captured") {
            let payment = try await self.payment(daemon, id)
            let captured = payment.at("amounts", "captured")?.integer
            return captured == cents ? .done(()) : .notYet(payment.canonicalText)
        }
    }

    func worldlineLedger(_ daemon: DaemonProcess, _ id: String) async throws -> [String] {
        let name = try await providerName(daemon, id)
        let json = try await control("/worldline/sandbox/ledger?reference=\(name)")
        return (json["entries"]?.items ?? []).map { "\($0["kind"]?.text ?? "?") \($0["amount"]?.integer ?? 0)" }
    }
}

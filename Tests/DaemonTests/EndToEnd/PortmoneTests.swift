import Http
import Kernel
import Sandbox
import Testing

/// Payments through the simulated Portmone: whole lives, by page and by app.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct PortmoneTests {
    @Test func `payments go from the page to their outcome and the books agree with the provider's`() async throws {
        try await Stage.run("e2eportmone") { stage, daemon in
            try await stage.addPortmone(daemon)
            let sale = try await stage.portmone(daemon, "sale", 1000)
            try await stage.press(daemon, sale, ["threeDS", "pass"])
            try await stage.wait(daemon, sale, for: "captured")
            try await stage.call(
                daemon,
                .post,
                "/v1/payments/\(sale)/refund",
                ["amount": Stage.hryvnias(250)],
                key: "r1"
            )
            try await stage.wait(daemon, sale, for: "partiallyRefunded")
            #expect(try await stage.portmoneLedger(daemon, sale) == ["charge 1000", "refund 250"])

            let hold = try await stage.portmone(daemon, "hold", 2000, mode: "authorize")
            try await stage.press(daemon, hold, ["approve"])
            try await stage.wait(daemon, hold, for: "authorized")
            try await stage.call(
                daemon,
                .post,
                "/v1/payments/\(hold)/capture",
                ["amount": Stage.hryvnias(1500)],
                key: "c1"
            )
            try await stage.wait(daemon, hold, for: "captured")
            #expect(try await stage.portmoneLedger(daemon, hold) == ["hold 2000", "capture 1500", "release 500"])

            let void = try await stage.portmone(daemon, "void", 300, mode: "authorize")
            try await stage.press(daemon, void, ["decline", "approve"])
            try await stage.wait(daemon, void, for: "authorized")
            try await stage.call(daemon, .post, "/v1/payments/\(void)/void", [:], key: "v1")
            try await stage.wait(daemon, void, for: "voided")

            let card = try await stage.portmone(daemon, "card", nil, mode: "tokenize")
            try await stage.press(daemon, card, ["approve"])
            try await stage.wait(daemon, card, for: "tokenized")
            try await stage.verifyReplay()
        }
    }

    @Test func `a lost answer to a refund is asked about and not repeated`() async throws {
        try await Stage.run("e2eportmonelost") { stage, daemon in
            try await stage.addPortmone(daemon)
            let sale = try await stage.portmone(daemon, "lost", 900)
            try await stage.press(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            try await stage.control("/portmone/sandbox/faults", ["fault": "errorAfter", "on": "return"])
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", [:], key: "r2")
            try await stage.wait(daemon, sale, for: "refunded")
            #expect(try await stage.portmoneLedger(daemon, sale) == ["charge 900", "refund 900"])
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    static let portmone = PortmoneMerchant(
        payeeId: "1185",
        login: "shop",
        password: Secret("shop-password"),
        signingKey: Secret("shop-signing-key")
    )

    static func hryvnias(_ minor: Int64) -> Json { ["currency": "UAH", "value": .integer(minor)] }

    func addPortmone(_ daemon: DaemonProcess, _ changes: Json = [:], mode: String = "test") async throws {
        var settings = JsonObject([
            ("payeeId", "1185"), ("login", "shop"), ("gatewayUrl", .string(sandbox + "/portmone/gateway/")),
            ("jsonApiUrl", .string(sandbox + "/portmone/r3/api/gateway/")),
            ("pollFirstSeconds", 1), ("pollCapSeconds", 2), ("pollAtLeastSeconds", 1),
        ])
        for change in changes.members?.members ?? [] { settings[change.name] = change.value }
        let account: Json = [
            "mode": .string(mode), "name": "portmone-uah", "provider": "portmone",
            "secrets": [
                "password": "shop-password", "signingKey": "shop-signing-key", "notificationKey": "notify-1",
            ],
            "settings": .object(settings),
        ]
        let made = try await call(daemon, .post, "/v1/accounts", account, key: "portmone")
        try await call(daemon, .put, "/v1/routing", ["accounts": ["portmone-uah", .string(Self.account)]], key: "both")
        guard let id = made["id"]?.text.flatMap({ Uuid($0) }) else {
            throw Failure(description: "no id in \(made.canonicalText)")
        }
        let url = "\(daemon.address)/v1/notifications/portmone/1/\(id.compact)?key=notify-1"
        try await control("/portmone/sandbox/merchants/1185", ["notification_url": .string(url)])
    }

    /// Creates a payment at the simulated Portmone.
    func portmone(
        _ daemon: DaemonProcess,
        _ name: String,
        _ minor: Int64?,
        mode: String = "sale",
        method: String = "hosted",
        instrument: String? = nil,
        details: Json = [:]
    ) async throws -> String {
        let body = portmoneBody(name, minor, mode: mode, method: method, instrument: instrument, details: details)
        let payment = try await call(daemon, .post, "/v1/payments", body, key: "\(name)-create")
        guard let id = payment["id"]?.text else { throw Failure(description: "no id in \(payment.canonicalText)") }
        return id
    }

    func portmoneBody(
        _ name: String,
        _ minor: Int64?,
        mode: String = "sale",
        method: String = "hosted",
        instrument: String? = nil,
        details: Json = [:]
    ) -> Json {
        var members = details.members ?? JsonObject([])
        if method != "wallet" { members["payer"] = ["email": "payer@example.org"] }
        return .compact([
            ("mode", .string(mode)), ("amount", minor.map(Self.hryvnias)), ("reference", .string(name)),
            ("provider", "portmone"), ("customer", "cust-1"), ("description", .string("Order \(name)")),
            ("method", .string(instrument == nil ? method : "instrument")),
            ("instrument", instrument.map(Json.string)), ("details", .object(members)),
        ])
    }

    /// Opens the page once the provider has made it, and presses its buttons.
    func press(
        _ daemon: DaemonProcess,
        _ id: String,
        _ buttons: [String],
        at resource: String = "payments"
    ) async throws {
        try await wait(daemon, id, for: "requiresAction", at: resource)
        let action = try await call(daemon, .get, "/v1/\(resource)/\(id)/next-action")
        guard let url = action["url"]?.text else { throw Failure(description: "no page in \(action.canonicalText)") }
        for button in buttons {
            let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
            let answer = try await send(.post, url, headers, Array("action=\(button)".utf8))
            guard answer.status == 303 else { throw Failure(description: "\(button): \(answer.status)") }
        }
    }

    func portmoneLedger(_ daemon: DaemonProcess, _ id: String, at resource: String = "payments") async throws
        -> [String]
    {
        let name = try await providerName(daemon, id, at: resource)
        let json = try await control("/portmone/sandbox/ledger?payment_id=\(name)")
        return (json["entries"]?.items ?? []).map { "\($0["kind"]?.text ?? "?") \($0["amount"]?.integer ?? 0)" }
    }
}

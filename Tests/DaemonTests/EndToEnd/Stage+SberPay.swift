import Http
import Kernel
import Sandbox

extension Stage {
    /// The merchants of the simulated bank, one at each of its gateways.
    static let sberPay: [SberPayMerchant] = {
        var legacy = SberPayMerchant(userName: "old-api", password: Secret("old-password"), dialect: .legacy)
        legacy.checksum = .hmac(Secret("callback-token"))
        var ecom = SberPayMerchant(userName: "new", password: Secret("new-password"), dialect: .ecom)
        ecom.sdkKey = Secret("sdk-key")
        return [legacy, ecom]
    }()

    static func roubles(_ kopecks: Int64) -> Json { ["currency": "RUB", "value": .integer(kopecks)] }

    /// Adds an account at one of the gateways and tells the bank where its callbacks go.
    func addSberPay(_ daemon: DaemonProcess, _ dialect: String, _ more: [(String, Json)] = []) async throws {
        let isEcom = dialect == "ecom"
        let userName: Json = isEcom ? "new" : "old-api"
        var settings = JsonObject([
            ("dialect", .string(dialect)), ("userName", userName), ("baseUrl", .string(sandbox + "/sberpay")),
            ("merchantLogin", "shop"), ("clientName", "Shop"), ("redirectUri", "shopapp://spay"),
            ("callbackMode", isEcom ? "none" : "hmac"), ("pollFirstSeconds", 1), ("pollCapSeconds", 2),
            ("pollAtLeastSeconds", 1), ("absenceSeconds", 1), ("refundKey", true),
        ])
        for (name, value) in more { settings[name] = value }
        let account: Json = [
            "mode": "test", "name": .string(Self.sberPayAccount(dialect)), "provider": "sberpay",
            "secrets": [
                "apiSecret": isEcom ? "new-password" : "old-password", "callbackToken": "callback-token",
                "sdkApiKey": "sdk-key",
            ],
            "settings": .object(settings),
        ]
        let made = try await call(daemon, .post, "/v1/accounts", account, key: "sberpay-\(dialect)")
        guard let id = made["id"]?.text.flatMap({ Uuid($0) }) else {
            throw Failure(description: "no id in \(made.canonicalText)")
        }
        let url = "\(daemon.address)/v1/notifications/sberpay/1/\(id.compact)"
        let merchant = isEcom ? "new" : "old-api"
        try await control("/sberpay/sandbox/merchants/\(merchant)", ["callback_url": .string(url)])
    }

    static func sberPayAccount(_ dialect: String) -> String { "sberpay-\(dialect)" }

    /// Creates a payment at the simulated bank.
    func sberPay(
        _ daemon: DaemonProcess,
        _ name: String,
        _ kopecks: Int64?,
        at dialect: String = "ecom",
        mode: String = "sale",
        _ more: [(String, Json)] = []
    ) async throws -> String {
        var body = JsonObject([
            ("account", .string(Self.sberPayAccount(dialect))), ("mode", .string(mode)), ("reference", .string(name)),
            ("customer", "cust-1"), ("description", .string("Order \(name)")),
            // A binding that is charged unattended takes no details.
            ("details", more.contains { $0.0 == "instrument" } ? [:] : ["payer": ["email": "payer@example.org"]]),
        ])
        if let kopecks { body["amount"] = Self.roubles(kopecks) }
        for (name, value) in more { body[name] = value }
        let payment = try await call(daemon, .post, "/v1/payments", .object(body), key: "\(name)-create")
        guard let id = payment["id"]?.text else { throw Failure(description: "no id in \(payment.canonicalText)") }
        return id
    }

    func sberPayLedger(_ daemon: DaemonProcess, _ id: String) async throws -> [String] {
        let name = try await providerName(daemon, id)
        let json = try await control("/sberpay/sandbox/ledger?payment_id=\(name)")
        return (json["entries"]?.items ?? []).map { "\($0["kind"]?.text ?? "?") \($0["amount"]?.integer ?? 0)" }
    }

    func sberPayFault(_ fault: String, on point: String) async throws {
        try await control("/sberpay/sandbox/faults", ["fault": .string(fault), "on": .string(point)])
    }

    /// The payer gives every saved card up, in the bank's app.
    func dropSberPayBindings() async throws {
        let known = try await control("/sberpay/sandbox/bindings")
        for id in (known["bindings"]?.items ?? []).compactMap({ $0["bindingId"]?.text }) {
            try await control("/sberpay/sandbox/bindings/\(id)/deactivate", [:])
        }
    }
}

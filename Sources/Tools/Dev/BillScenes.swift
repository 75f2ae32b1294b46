import Daemon
import Http
import Kernel
import Sandbox

/// A bulk of bills with mixed outcomes, at Portmone.
package struct BillScenes: DemoScenes {
    package static let provider = "portmone"
    private let stage: DemoStage

    package init(_ stage: DemoStage) { self.stage = stage }

    package func all() async throws -> [DemoRow] { [try await mixed()] }

    private static let account = "portmone-bills-demo"

    /// Ten bills in messages of three: paid, declined, cancelled, paid with less, and one that nobody hears of.
    private func mixed() async throws -> DemoRow {
        let title = "bulk of bills, mixed outcomes"
        let words = ["w", "gas", "declined", "cancelled", "heat", "short", "twice", "blank", "tv", "net"]
        let batch = try await begin(title)
        try await submit(words, to: batch, title)
        let expected = "unresolved, 7 paid"
        let seen = try await stage.until(DemoStage.patience) {
            let batch = try await stage.api.call(.get, "/v1/bill-batches/\(batch)")
            let paid = batch.at("tally", "counts", "paid")?.integer ?? 0
            let word = "\(batch["status"]?.text ?? "?"), \(paid) paid"
            return (word, word == expected)
        }
        return DemoRow(
            provider: Self.provider,
            title: title,
            id: batch,
            amount: "1205.00 UAH",
            expected: expected,
            outcome: seen
        )
    }

    /// Begins a batch of an account that is made for it.
    func begin(_ title: String) async throws -> String {
        let (card, credentials) = try await prepare(title)
        let head: Json = [
            "account": .string(Self.account), "instrument": .string(card), "credentials": .string(credentials),
            "customer": "demo-customer", "reference": .string("\(stage.run)-bills"),
        ]
        let made = try await stage.api.call(.post, "/v1/bill-batches", head, key: stage.key(title, "create"))
        guard let batch = made["id"]?.text else { throw ApiClient.Failure(description: "\(title): no id") }
        return batch
    }

    /// The id of a bill: its word tells the sandbox what becomes of it.
    func bill(_ word: String) -> String { "\(word)-\(stage.run)" }

    /// Uploads bills by their words and lets them be paid.
    func submit(_ words: [String], to batch: String, _ title: String) async throws {
        let lines = words.map { word in
            "{\"id\":\"\(bill(word))\",\"amount\":{\"value\":12050,\"currency\":\"UAH\"}}\n"
        }
        _ = try await stage.api.upload(Array(lines.joined().utf8), to: "/v1/bill-batches/\(batch)/bills")
        try await stage.api.call(
            .post,
            "/v1/bill-batches/\(batch)/submit",
            ["count": .integer(Int64(words.count))],
            key: stage.key(title, "submit")
        )
    }

    /// An account that pays bills unattended, a saved card, and the user's credentials.
    private func prepare(_ title: String) async throws -> (card: String, credentials: String) {
        let sandbox = stage.sandbox
        let merchant = SandboxMerchants.portmone
        func text(_ secret: Secret) -> Json { .string(secret.withBytes { String(decoding: $0, as: UTF8.self) }) }
        let account: Json = [
            "mode": "test", "name": .string(Self.account), "provider": "portmone",
            "secrets": [
                "notificationKey": "sandbox-bills", "password": text(merchant.password),
                "signingKey": text(merchant.signingKey),
            ],
            "settings": [
                "bills": ["perCall": 3, "spacingMs": 100], "bulkMode": "serverToken",
                "gatewayUrl": .string(sandbox + "/portmone/gateway/"), "login": .string(merchant.login),
                "merchantBillsUrl": .string(sandbox + "/portmone/r3/api/merchant-bills"),
                "payeeId": .string(merchant.payeeId), "pollAtLeastSeconds": 1, "pollCapSeconds": 1,
                "pollFirstSeconds": 1,
            ],
        ]
        try await stage.api.call(.post, "/v1/accounts", account, key: "account-\(DevAccount.digest(account))")
        let card = try await stage.create(
            "card for bills",
            mode: "tokenize",
            amount: nil,
            ["account": .string(Self.account)]
        )
        let page = try await stage.page(of: card)
        try await stage.submit([(name: "action", value: "approve")], to: page)
        let saved = try await stage.wait(card, for: "tokenized")
        guard let instrument = saved["savedInstruments"]?.items?.first?.text else {
            throw ApiClient.Failure(description: "\(title): no card was saved")
        }
        let user: Json = [
            "account": .string(Self.account), "login": "Login", "password": "Password", "customer": "demo-customer",
        ]
        let made = try await stage.api.call(.post, "/v1/bill-credentials", user, key: stage.key(title, "credentials"))
        guard let credentials = made["id"]?.text else {
            throw ApiClient.Failure(description: "\(title): no credentials")
        }
        return (instrument, credentials)
    }
}

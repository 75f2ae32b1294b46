package import Daemon
import Http
package import Kernel
import Sandbox

/// A provider's account in the development environment, with the sandbox's side of it.
package struct DevAccount: Sendable {
    package let provider: String
    package let settings: Json
    package let secrets: Json
    /// Where the sandbox is told the address of our notifications, and how; `nil` where each payment carries it.
    package var registration: (path: String, member: String)?
    /// A query that is added to that address.
    package var notificationQuery = ""

    package static func name(of provider: String) -> String { "\(provider)-demo" }

    /// The accounts at a sandbox; the first is where payments go that name none.
    package static func all(at sandbox: String) -> [DevAccount] {
        [ecommpay(sandbox), portmone(sandbox), dolyame(sandbox), sberPay(sandbox), worldline(sandbox)]
    }

    private static func ecommpay(_ sandbox: String) -> DevAccount {
        DevAccount(
            provider: "ecommpay",
            settings: [
                "currencies": ["EUR", "USD", "GBP", "JPY", "KWD"], "gateUrl": .string(sandbox),
                "paymentPageUrl": .string(sandbox + "/payment"), "projectId": .integer(SandboxMerchants.project),
            ],
            secrets: ["secretKey": .string(SandboxMerchants.secret)],
            // Payments of the SDK carry no address of their own.
            registration: ("/sandbox/projects/\(SandboxMerchants.project)", "callback_url")
        )
    }

    private static func portmone(_ sandbox: String) -> DevAccount {
        let merchant = SandboxMerchants.portmone
        return DevAccount(
            provider: "portmone",
            settings: [
                "declineIsFinal": true, "gatewayUrl": .string(sandbox + "/portmone/gateway/"),
                "jsonApiUrl": .string(sandbox + "/portmone/r3/api/gateway/"), "login": .string(merchant.login),
                "merchantBillsUrl": .string(sandbox + "/portmone/r3/api/merchant-bills"),
                "payeeId": .string(merchant.payeeId), "pollAtLeastSeconds": 1, "pollCapSeconds": 2,
                "pollFirstSeconds": 1,
            ],
            secrets: [
                "notificationKey": .string(notificationKey), "password": text(merchant.password),
                "signingKey": text(merchant.signingKey),
            ],
            registration: ("/portmone/sandbox/merchants/\(merchant.payeeId)", "notification_url"),
            notificationQuery: "?key=\(notificationKey)"
        )
    }

    private static func dolyame(_ sandbox: String) -> DevAccount {
        DevAccount(
            provider: "dolyame",
            settings: [
                "absenceSeconds": 1, "baseUrl": .string(sandbox + "/dolyame"), "demoFlow": true, "login": "sandbox",
                "partnerId": "partner-1", "pollAtLeastSeconds": 1, "pollCapSeconds": 2, "pollFirstSeconds": 1,
                "refundQuietSeconds": 1, "webhookNetworks": ["127.0.0.0/8"],
            ],
            secrets: ["clientCertificate": "unused", "clientKey": "unused", "password": "sandbox-password"]
        )
    }

    private static func worldline(_ sandbox: String) -> DevAccount {
        let merchant = SandboxMerchants.worldline
        let webhookKeys = merchant.webhookKeys.map { "\($0.id):\(plain($0.secret))" }
        return DevAccount(
            provider: "worldline",
            settings: [
                "currencies": ["EUR", "USD", "GBP", "JPY"], "endpoint": .string(sandbox),
                "merchantId": .string(merchant.id), "pollAtLeastSeconds": 1, "pollCapSeconds": 2,
                "pollFirstSeconds": 1,
            ],
            secrets: [
                "apiKeyId": .string(merchant.apiKeys[0].id), "secretApiKey": text(merchant.apiKeys[0].secret),
                "webhookKeys": .string(webhookKeys.joined(separator: " ")),
            ]
        )
    }

    private static func sberPay(_ sandbox: String) -> DevAccount {
        DevAccount(
            provider: "sberpay",
            settings: [
                "absenceSeconds": 1, "baseUrl": .string(sandbox + "/sberpay"), "clientName": "Demo shop",
                "dialect": "ecom", "merchantLogin": "shop", "pollAtLeastSeconds": 1, "pollCapSeconds": 2,
                "pollFirstSeconds": 1, "redirectUri": "demoshop://spay", "userName": "sandbox",
            ],
            secrets: ["apiSecret": "sandbox-password", "sdkApiKey": "sandbox-sdk-key"],
            registration: ("/sberpay/sandbox/merchants/sandbox", "callback_url")
        )
    }

    /// Part of the address that only the provider is told.
    private static let notificationKey = "sandbox-notifications"

    private static func text(_ secret: Secret) -> Json { .string(plain(secret)) }

    private static func plain(_ secret: Secret) -> String {
        secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Adds the account to the node, and tells the sandbox's support where its notifications go.
    package func add(_ client: ApiClient, sandbox: String, notificationUrl: (_ id: Uuid) -> String) async throws {
        let body: Json = [
            "mode": "test", "name": .string(Self.name(of: provider)), "provider": .string(provider),
            "secrets": secrets, "settings": settings,
        ]
        let account = try await client.call(.post, "/v1/accounts", body, key: "account-\(Self.digest(body))")
        guard let registration else { return }
        guard let id = account["id"]?.text.flatMap({ Uuid($0) }) else {
            throw ApiClient.Failure(description: "no id in \(account.canonicalText)")
        }
        let url = notificationUrl(id) + notificationQuery
        let answer = try await client.open(
            sandbox + registration.path,
            posting: .compact([(registration.member, .string(url))])
        )
        guard answer.status == 200 else {
            throw ApiClient.Failure(
                description:
                    "the sandbox takes no notification address of \(provider) (\(answer.status)); an older one "
                    + "may still run: 'paystream dev --stop' ends it"
            )
        }
    }

    /// Tells one wish from another, so that a changed sandbox is a new command and the same one a repetition.
    ///
    /// In letters and digits: a long run of digits alone can look like a card number.
    package static func digest(_ body: Json) -> String {
        String(
            body.canonical.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 },
            radix: 36
        )
    }
}

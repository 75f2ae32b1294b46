import Kernel

/// The merchants that the sandbox knows from its start.
package enum SandboxMerchants {
    package static let project: Int64 = 42
    package static let secret = "sandbox-secret"

    /// The merchant of the simulated Portmone, with secrets that are none.
    package static let portmone = PortmoneMerchant(
        payeeId: "1185",
        login: "sandbox",
        password: Secret("sandbox-password"),
        signingKey: Secret("sandbox-secret")
    )

    /// The merchant of the simulated Worldline Direct, with secrets that are none.
    package static let worldline = WorldlineMerchant(
        id: "sandbox",
        apiKeys: [WorldlineMerchant.Key(id: "sandbox-key", secret: Secret("sandbox-secret"))],
        webhookKeys: [WorldlineMerchant.Key(id: "sandbox-webhook", secret: Secret("sandbox-webhook-secret"))]
    )

    /// The merchants of the simulated Sber, one at each gateway, with secrets that are none.
    package static let sberPay: [SberPayMerchant] = {
        var legacy = SberPayMerchant(userName: "sandbox-api", password: Secret("sandbox-password"), dialect: .legacy)
        legacy.checksum = .hmac(Secret("sandbox-callbacks"))
        var ecom = SberPayMerchant(userName: "sandbox", password: Secret("sandbox-password"), dialect: .ecom)
        ecom.sdkKey = Secret("sandbox-sdk-key")
        return [legacy, ecom]
    }()
}

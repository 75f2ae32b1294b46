import Crypto
package import Kernel

/// A merchant of the simulated Portmone.
package struct PortmoneMerchant: Hashable, Sendable {
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        case normal
        /// Charges are given back by the provider after half an hour.
        case autoCancel
        /// The same, and the bill is not shown any more.
        case autoCancelVanishing
    }

    package let payeeId: String
    package let login: String
    package let password: Secret
    package let signingKey: Secret
    package var mode = Mode.normal
    /// Where notifications go; without one none are sent.
    package var notificationUrl: String?

    package init(payeeId: String, login: String, password: Secret, signingKey: Secret) {
        self.payeeId = payeeId
        self.login = login
        self.password = password
        self.signingKey = signingKey
    }
}

/// How fast the simulated provider's time goes.
package struct PortmoneTimings: SimulatorTimings {
    /// From a payment to its notification.
    package var notice = Duration.milliseconds(200)
    /// The provider's own waits are shortened by this factor.
    package var speed: Int64 = 1
    /// After so long the provider gives charges and saving holds back.
    package var giveBack = Duration.seconds(1800)
    package var noticeRetry = Duration.seconds(60)
    package var noticeAttempts = 5

    package init() {}
}

/// The signature of payment creation, by the provider's rule.
enum PortmoneSignature {
    static func make(payeeId: String, dt: String, number: String, amount: String, login: String, key: Secret) -> String
    {
        let first = (payeeId + dt + Hex.encode(Array(number.utf8)) + amount).uppercased()
        let message = first + Hex.encode(Array(login.utf8)).uppercased()
        return Hex.encode(Hmac.sha256(key: key, Array(message.utf8))).uppercased()
    }
}

import Crypto
package import Kernel

/// A merchant of the simulated bank, at one of its two gateways.
package struct SberPayMerchant: Hashable, Sendable {
    /// The gateways have the same calls and other rules of the wire.
    package enum Dialect: String, Hashable, Sendable, CaseIterable {
        case legacy, ecom
    }

    /// The proof that callbacks carry.
    package enum Checksum: Hashable, Sendable {
        case none
        /// A token, taken as the text that it is.
        case hmac(Secret)
        /// A private key in PEM; the digest is SHA-512.
        case rsa(privateKey: Secret)
    }

    package enum CallbackForm: String, Hashable, Sendable, CaseIterable {
        case get, post
    }

    package let userName: String
    package let password: Secret
    package let dialect: Dialect
    /// Stands for user and password at the older gateway.
    package var token: Secret?
    package var merchantLogin = "shop"
    /// The key that the SDK must be started with; any will do where there is none.
    package var sdkKey: Secret?
    package var checksum = Checksum.none
    package var callbackUrl: String?
    /// Only the older gateway has a choice.
    package var callbackForm = CallbackForm.get
    /// Callbacks of refunds tell the total and the merchant's own id.
    package var tellsRefunds = true
    /// Status answers list single operations.
    package var listsOperations = true
    /// `depositedAmount` shrinks with refunds.
    package var depositsAreNet = true
    package var reversesParts = false

    package init(userName: String, password: Secret, dialect: Dialect) {
        self.userName = userName
        self.password = password
        self.dialect = dialect
    }
}

/// How fast the simulated bank's time goes.
package struct SberPayTimings: SimulatorTimings {
    /// From an outcome to its callback.
    package var callback = Duration.milliseconds(200)
    /// How long the bank thinks about a payment that it does not decide at once.
    package var processing = Duration.seconds(3)
    /// The bank's own waits, and the days of a mandate, are shortened by this factor.
    package var speed: Int64 = 1
    package var order = Duration.seconds(1200)
    package var legacyRetry = Duration.seconds(30)
    package var ecomRetry = Duration.seconds(60)
    package var callbackAttempts = 3

    package init() {}
}

/// The checksum of a callback, by the bank's rule.
enum SberPayChecksum {
    /// `name;value;` of every parameter in the byte order of names.
    static func text(_ parameters: [(name: String, value: String)]) -> String {
        let sorted = parameters.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return sorted.map { "\($0.name);\($0.value);" }.joined()
    }

    /// The parameters that prove the others; none where the merchant's callbacks carry no proof.
    static func proof(_ parameters: [(name: String, value: String)], _ checksum: SberPayMerchant.Checksum)
        -> [(name: String, value: String)]
    {
        let message = Array(text(parameters).utf8)
        switch checksum {
        case .none: return []
        case .hmac(let key): return [("checksum", Hex.encode(Hmac.sha256(key: key, message)).uppercased())]
        case .rsa(let key):
            guard let signer = try? RsaSigner(key), let signature = try? signer.sign(message, .sha512) else {
                return []
            }
            // The alias names a key, whatever digest it seems to speak of.
            return [("checksum", Hex.encode(signature).uppercased()), ("sign_alias", "SHA-256 with RSA")]
        }
    }
}

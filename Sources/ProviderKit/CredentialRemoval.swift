package import Kernel
import Payments

/// A saved credential that its provider should forget, or is asked about.
package struct CredentialRemoval: Hashable, Sendable {
    /// The provider's token, sealed.
    package let token: Json
    /// The payer at the merchant, where the credential belongs to one.
    package let customer: String?

    package init(token: Json, customer: String?) {
        self.token = token
        self.customer = customer
    }
}

/// What became of the message that asked for it.
package enum RemovalAnswer: Hashable, Sendable {
    case answered(status: Int, body: [UInt8])
    case notSent(reason: String)
    /// Bytes left and nothing usable came back.
    case noAnswer(reason: String)
}

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

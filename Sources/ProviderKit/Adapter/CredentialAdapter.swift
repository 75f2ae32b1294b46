package import Kernel
package import Payments

/// An adapter whose provider forgets saved credentials when it is asked to, and tells whether it still keeps one.
package protocol CredentialAdapter: Adapter {
    /// Makes the request that asks the provider to forget a saved credential.
    func planRemoval(_ credential: SavedCredential, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate

    /// Reads what came of such a request; forgetting what is not known is a success.
    func readRemoval(_ answer: MessageAnswer, _ settings: AccountSettings) -> RemovalOutcome

    /// Makes the request that asks the provider whether it still keeps a credential; `nil` where this one can't be asked about.
    func planCheck(_ credential: SavedCredential, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate?

    /// Reads what came of such a request; `fingerprint` is the credential's own.
    func readCheck(_ answer: MessageAnswer, of fingerprint: String, _ settings: AccountSettings) -> CredentialListing
}

extension CredentialAdapter {
    package var credentials: (any CredentialAdapter)? { self }
}

/// A saved credential that its provider should forget, or is asked about.
package struct SavedCredential: Hashable, Sendable {
    /// The provider's token, sealed.
    package let token: Json
    /// The payer at the merchant, where the credential belongs to one.
    package let customer: String?

    package init(token: Json, customer: String?) {
        self.token = token
        self.customer = customer
    }
}

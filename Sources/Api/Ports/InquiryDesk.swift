package import EventSourcing
package import Kernel
package import ProviderKit

/// A list of products as it is shown.
package struct ListedProducts: Hashable, Sendable {
    package let items: [Json]
    package let fetchedAt: Timestamp
    /// An older list, in place of an answer that did not come.
    package let isStale: Bool

    package init(items: [Json], fetchedAt: Timestamp, isStale: Bool) {
        self.items = items
        self.fetchedAt = fetchedAt
        self.isStale = isStale
    }
}

/// A session as it is given to an app.
package struct OpenedSession: Hashable, Sendable {
    package let object: Json
    package let expiresAt: Timestamp
    /// The places of credentials that the provider does not know any more.
    package let invalid: [Int]

    package init(object: Json, expiresAt: Timestamp, invalid: [Int]) {
        self.object = object
        self.expiresAt = expiresAt
        self.invalid = invalid
    }
}

/// What came of a connection test.
package enum ConnectionVerdict: Hashable, Sendable {
    case works
    /// The provider refuses the account's credentials.
    case refused(status: Int, code: String?)
}

/// Asks providers about accounts while the caller waits; nothing of it is stored.
package protocol InquiryDesk: Sendable {
    func testConnection(_ account: Uuid, merchant: MerchantNumber) async -> Result<ConnectionVerdict, InquiryFailure>

    /// The tokens are one payer's, sealed.
    func openSession(tokens: [Json], _ account: Uuid, merchant: MerchantNumber) async
        -> Result<OpenedSession, InquiryFailure>

    /// `nil` where the provider knows no such product.
    func products(
        _ setting: PaymentSetting,
        product: Int64?,
        payer: PayerTokens?,
        _ account: Uuid,
        merchant: MerchantNumber
    ) async -> Result<ListedProducts?, InquiryFailure>

    func cardPrefix(
        _ digits: Secret,
        _ setting: PaymentSetting,
        _ account: Uuid,
        merchant: MerchantNumber
    ) async -> Result<CardPrefixReply, InquiryFailure>

    /// Keeps who was given an app's session, when and for which account.
    func recordSession(_ account: Uuid, merchant: MerchantNumber, key: String) async throws(ReadFailure)
}

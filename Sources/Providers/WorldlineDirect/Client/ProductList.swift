package import Kernel

/// Payment products as the provider lists them, for the app: known members alone, in the order in which they are shown.
package struct ProductList: Sendable {
    package let products: [Json]

    /// Whether saved cards of one payer are among them: such a list is that payer's own.
    package var hasAccountsOnFile: Bool { products.contains { $0["accountsOnFile"]?.items?.isEmpty == false } }

    /// Reads a list, or the details of one product; `nil` where it is neither.
    package init?(_ body: Json) {
        let items = body["paymentProducts"]?.items ?? (body["id"]?.integer == nil ? nil : [body])
        guard let items else { return nil }
        products = items.compactMap(Self.product).sorted { Self.order($0) < Self.order($1) }
    }

    private static let members = [
        "accountsOnFile", "allowsAuthentication", "allowsRecurring", "allowsTokenization", "displayHints",
        "displayHintsList", "fields", "id", "paymentMethod", "paymentProduct302SpecificData",
        "paymentProduct320SpecificData", "paymentProductGroup", "usesRedirectionTo3rdParty",
    ]

    private static func product(_ json: Json) -> Json? {
        guard json["id"]?.integer != nil else { return nil }
        return .compact(members.map { ($0, json[$0]) })
    }

    private static func order(_ product: Json) -> Int64 {
        let hints = product["displayHintsList"]?.items?.first ?? product["displayHints"]
        return hints?["displayOrder"]?.integer ?? .max
    }
}

/// Under what a list of products may be kept.
///
/// Account, payment and language make the list; one that holds saved cards also belongs to its customer.
package struct ProductCacheKey: Hashable, Sendable {
    package static let lifetime = Duration.seconds(600)

    package let account: Uuid
    package let setting: PaymentSetting
    package let productId: Int64?
    package let customer: String?

    /// `nil` where the list may not be kept: saved cards, and nobody named whose they are.
    package init?(
        account: Uuid,
        setting: PaymentSetting,
        productId: Int64? = nil,
        list: ProductList,
        customer: String?
    ) {
        if list.hasAccountsOnFile, customer == nil { return nil }
        self.account = account
        self.setting = setting
        self.productId = productId
        self.customer = list.hasAccountsOnFile ? customer : nil
    }
}

package import EventSourcing
package import Kernel
package import Payments
package import ProviderKit

/// A configured account: what decisions see of it, and its sealed secrets.
package struct ConfiguredAccount: Hashable, Sendable {
    package let merchant: MerchantNumber
    package let facts: AccountFacts
    package let values: Json
    package let sealedSecrets: Json
    /// Whether something new may begin at it.
    package let isOpen: Bool
    /// The currencies that it takes; `nil` leaves the question to the provider.
    package let currencies: [Currency]?
    /// The settings as the adapter read them.
    private let kept: KeptReading?
    private let places: AccountPlaces

    package init(
        merchant: MerchantNumber,
        facts: AccountFacts,
        values: Json,
        sealedSecrets: Json,
        isOpen: Bool = true,
        currencies: [Currency]? = nil,
        kept: KeptReading? = nil
    ) {
        self.merchant = merchant
        self.facts = facts
        self.values = values
        self.sealedSecrets = sealedSecrets
        self.isOpen = isOpen
        self.currencies = currencies
        self.kept = kept
        places = AccountPlaces(
            notification: Self.notificationUrl("", facts.provider, merchant, facts.id),
            return: "/v1/return/\(merchant)/\(facts.id.compact)"
        )
    }

    /// The settings with the addresses that this daemon is reached at.
    package func settings(publicUrl: String) -> AccountSettings {
        AccountSettings(account: facts, values: values, publicUrl: publicUrl, places: places, kept: kept)
    }

    /// The same account with its settings read by their adapter.
    package func read(by adapters: AdapterRegistry) -> ConfiguredAccount {
        guard let adapter = adapters[facts.provider] else { return self }
        return ConfiguredAccount(
            merchant: merchant,
            facts: facts,
            values: values,
            sealedSecrets: sealedSecrets,
            isOpen: isOpen,
            currencies: currencies,
            kept: settings(publicUrl: "").read(by: adapter).kept
        )
    }

    /// Where the provider sends what concerns an account.
    package static func notificationUrl(
        _ publicUrl: String,
        _ provider: String,
        _ merchant: MerchantNumber,
        _ account: Uuid
    ) -> String { "\(publicUrl)/v1/notifications/\(provider)/\(merchant)/\(account.compact)" }
}

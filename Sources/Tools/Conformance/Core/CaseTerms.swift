package import Kernel
package import Payments
package import ProviderKit

extension AccountSettings {
    /// The account that a provider's cases are about.
    package static func ofCases(
        _ provider: String,
        _ values: Json,
        mode: AccountFacts.Mode = .test,
        notificationUrl: String = "https://merchant.example/notifications",
        returnUrl: String = "https://merchant.example/return"
    ) -> AccountSettings {
        let facts = AccountFacts(id: Uuid(high: 0, low: 1), name: "vectors", provider: provider, mode: mode, version: 1)
        return AccountSettings(account: facts, values: values, notificationUrl: notificationUrl, returnUrl: returnUrl)
    }
}

extension PaymentTerms {
    /// A payment's terms as far as a case says them.
    package static func ofCase(
        _ mode: PaymentMode,
        _ method: PaymentMethod,
        _ amount: Money?,
        description: String? = nil,
        customer: String? = nil,
        details: Json = [:]
    ) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: amount,
            reference: nil,
            description: description,
            customer: customer,
            instrument: nil,
            expiresAt: .distantFuture,
            details: details,
            metadata: [:]
        )
    }
}

package import Kernel
package import Payments

/// What is asked of a provider about a series that a payment registered.
package enum SeriesRequest: Hashable, Sendable {
    /// A debit that we begin: a payment of its own, under its own reference.
    case debit(Money, customer: String, reference: String)
    /// Another calendar, amount or expiry for debits that the provider begins.
    case update(RecurringTerms)
    case cancel
}

/// Everything that plans a request about a series.
package struct SeriesContext: Hashable, Sendable {
    /// The provider's id of the series.
    package let series: String
    /// Our reference of the payment that registered it.
    package let registeredBy: String
    package let settings: AccountSettings

    package init(series: String, registeredBy: String, settings: AccountSettings) {
        self.series = series
        self.registeredBy = registeredBy
        self.settings = settings
    }
}

package import Payments
package import Schedules

extension ScheduleContext.Card {
    /// Takes from a saved credential what a series has to know; `nil` where nothing was saved.
    package init?(_ instrument: Instrument) {
        guard let fact = instrument.saved?.fact else { return nil }
        var expiry: CardExpiry?
        if let year = fact.expiryYear, let month = fact.expiryMonth { expiry = CardExpiry(year: year, month: month) }
        // A removed credential is as good as an expired one.
        if !instrument.isUsable { expiry = CardExpiry(year: 1970, month: 1) }
        self.init(
            expiry: expiry,
            scheme: fact.scheme,
            chargeableFrom: instrument.chargeableFrom,
            mandateEndsAt: instrument.mandate?.endsAt
        )
    }
}

package import EventSourcing
package import Payments

/// A stream's fold at a version, with its events.
package struct PaymentSnapshot: Sendable {
    package let payment: Payment
    package let events: [RecordedEvent]
    /// Obligations, with the deadlines that the account's lifetimes give where it is known.
    package let obligations: [Obligation]
    /// What can be captured, where the payment is held first and its account is known.
    package let capturePlan: CapturePlan?

    package init(
        payment: Payment,
        events: [RecordedEvent],
        obligations: [Obligation],
        capturePlan: CapturePlan? = nil
    ) {
        self.payment = payment
        self.events = events
        self.obligations = obligations
        self.capturePlan = capturePlan
    }
}

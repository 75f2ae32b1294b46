package import EventSourcing
package import Kernel
package import Payments

/// A sum of a payment that one event changed: money that moved, on the day on which it was recorded.
///
/// It never changes afterwards. Evidence that takes something back is a movement of its own, below zero.
package struct PaymentMovement: Hashable, Sendable {
    package enum What: String, Hashable, Sendable, CaseIterable {
        case captured, refunded, chargedBack, transferred

        fileprivate func sum(of amounts: PaymentAmounts) -> Int64 {
            switch self {
            case .captured: amounts.captured
            case .refunded: amounts.refunded
            case .chargedBack: amounts.chargedBack
            case .transferred: amounts.transferred
            }
        }
    }

    package let stream: StreamName
    package let version: Int32
    package let what: What
    package let at: Timestamp
    package let amount: Money
    package let account: AccountFacts

    /// The sums that one event changed.
    package static func all(_ event: RecordedEvent, from before: Payment, to after: Payment) -> [PaymentMovement] {
        guard let currency = after.currency else { return [] }
        return after.attemptNumbers.flatMap { number -> [PaymentMovement] in
            guard let account = after.account(of: number) else { return [] }
            let (old, new) = (before.share(of: number), after.share(of: number))
            return What.allCases.compactMap { what in
                let moved = what.sum(of: new) - what.sum(of: old)
                guard moved != 0 else { return nil }
                return PaymentMovement(
                    stream: event.stream,
                    version: event.version,
                    what: what,
                    at: event.recordedAt,
                    amount: Money(moved, currency),
                    account: account
                )
            }
        }
    }
}

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

    /// The movements of a stream from a version on.
    package static func all(_ stream: StreamName, _ history: [RecordedEvent], _ events: [PaymentEvent], since: Int32)
        -> [PaymentMovement]
    {
        var payment = Payment(id: PaymentId(stream.id))
        var before: [Int: PaymentAmounts] = [:]
        var found: [PaymentMovement] = []
        for (recorded, event) in zip(history, events) {
            payment.evolve(event)
            guard recorded.version >= since - 1 else { continue }
            let after = payment.sumsOfAttempts
            defer { before = after }
            guard recorded.version >= since, let currency = payment.currency else { continue }
            for number in after.keys.sorted() {
                guard let sums = after[number], let account = payment.account(of: number) else { continue }
                for what in What.allCases {
                    let moved = what.sum(of: sums) - what.sum(of: before[number] ?? PaymentAmounts())
                    guard moved != 0 else { continue }
                    found.append(
                        PaymentMovement(
                            stream: stream,
                            version: recorded.version,
                            what: what,
                            at: recorded.recordedAt,
                            amount: Money(moved, currency),
                            account: account
                        )
                    )
                }
            }
        }
        return found
    }
}

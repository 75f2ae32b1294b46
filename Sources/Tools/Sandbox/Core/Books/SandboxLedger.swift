package import Kernel

/// The money a simulated provider has moved: entries that are never changed, and their totals per payment.
package struct SandboxLedger: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Reserved on the payer's card.
        case hold
        /// Taken out of a hold.
        case capture
        /// Taken without a hold.
        case charge
        /// Given back to the payer out of a hold.
        case release
        /// Given back to the payer after it was taken.
        case refund
        /// Moved from the payer's card on to another card.
        case transfer
        /// Taken again because a refund was undone.
        case refundReverse = "refund_reverse"
    }

    /// Whose money: a merchant's account at the provider, and one payment there.
    package struct Owner: Hashable, Sendable {
        package let account: String
        package let payment: String

        package init(account: String, payment: String) {
            self.account = account
            self.payment = payment
        }
    }

    package struct Entry: Hashable, Sendable {
        /// Counted from one.
        package let number: Int
        package let at: Timestamp
        package let owner: Owner
        package let operation: String
        package let kind: Kind
        package let amount: Money
    }

    /// The sums of one payment, in minor units; everything is gross.
    package struct Totals: Hashable, Sendable {
        package var held: Int64 = 0
        /// Captured and charged.
        package var captured: Int64 = 0
        package var released: Int64 = 0
        /// Given back, undone refunds subtracted.
        package var refunded: Int64 = 0
        /// Gone on to other cards.
        package var transferred: Int64 = 0
        /// The part of `captured` that came out of a hold.
        package var capturedFromHold: Int64 = 0

        /// Still reserved.
        package var reserved: Int64 { held - capturedFromHold - released }
        /// With the merchant.
        package var kept: Int64 { captured - refunded }

        /// Money is neither made nor lost.
        package var isSound: Bool {
            reserved >= 0 && kept >= 0 && refunded >= 0 && released >= 0 && capturedFromHold <= captured
        }
    }

    package private(set) var entries: [Entry] = []
    private var totals: [Owner: Totals] = [:]

    package init() {}

    package func totals(of owner: Owner) -> Totals { totals[owner] ?? Totals() }

    package var owners: Int { totals.count }

    /// Writes an entry; one that would make or lose money is a defect of the simulator.
    mutating func record(_ kind: Kind, _ amount: Money, owner: Owner, operation: String, at time: Timestamp) {
        precondition(amount.minor >= 0, "an entry moves money in the direction its kind says")
        var after = totals(of: owner)
        switch kind {
        case .hold: after.held += amount.minor
        case .capture:
            after.captured += amount.minor
            after.capturedFromHold += amount.minor
        case .charge: after.captured += amount.minor
        case .transfer: after.transferred += amount.minor
        case .release: after.released += amount.minor
        case .refund: after.refunded += amount.minor
        case .refundReverse: after.refunded -= amount.minor
        }
        precondition(after.isSound, "money is neither made nor lost")
        totals[owner] = after
        entries.append(
            Entry(
                number: entries.count + 1,
                at: time,
                owner: owner,
                operation: operation,
                kind: kind,
                amount: amount
            )
        )
    }

    /// The entries of one payment, or all.
    func json(payment: String?) -> Json {
        json(payment: payment) { entry in
            [
                "amount": .integer(entry.amount.minor), "at": .string(entry.at.description),
                "currency": .string(entry.amount.currency.code), "kind": .string(entry.kind.rawValue),
                "operation": .string(entry.operation), "payment": .string(entry.owner.payment),
            ]
        }
    }

    func json(payment: String?, _ shape: (Entry) -> Json) -> Json {
        ["entries": .array(entries.filter { payment == nil || $0.owner.payment == payment }.map(shape))]
    }
}

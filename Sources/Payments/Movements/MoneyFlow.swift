package import Kernel

/// What a movement does to money; its raw values are stored and shown.
package enum MovementKind: String, Hashable, Sendable, CaseIterable {
    /// Held for the merchant by the payer's bank.
    case authorised
    /// Of a hold, taken by a capture; given back; gone by its lifetime.
    case holdCaptured, holdReleased, holdExpired
    /// Taken from the payer.
    case captured
    case refunded
    /// A refund that the provider took back.
    case refundReversed
    /// Moved on to another card; none of the merchant's.
    case transferred
    /// Taken back by the payer's bank until it is decided who is right.
    case disputed
    case disputeWon, disputeLost
    /// Kept by the provider.
    case fee
    /// Paid by the payer on top of the amount.
    case payerCommission
    /// Paid by an app's word alone: no money yet, and in no account.
    case claimed
}

/// What shows a movement.
package enum MovementEvidence: String, Hashable, Sendable, CaseIterable {
    /// The provider's word about the operation itself.
    case provider
    /// A running total of the provider's.
    case total
    /// Two persons.
    case `operator`
    /// The record of a dispute: the provider told it, or a person at the merchant did. Its input says which.
    case dispute
    /// A hold's lifetime.
    case expiry
    /// An app's word.
    case claim
}

/// A sum of one stream that evidence shows, and that grows or shrinks by movements.
package struct MoneyFlow: Hashable, Sendable {
    /// What tells the sums of a stream apart.
    package struct Key: Hashable, Sendable {
        package let kind: MovementKind
        /// Of a payment; 0 for bills.
        package let attempt: Int
        /// Our operation, dispute or bill that moved it, by our name for it; `nil` where no single one did.
        package let part: String?
        /// The provider's name of it.
        package let providerId: String?
    }

    package let key: Key
    /// Minor units of the stream's currency.
    package private(set) var amount: Int64
    /// How many such parts there are: 1, and as a change 1 for a new one, -1 for one that is gone, 0 for another amount.
    package private(set) var items: Int32 = 1
    package let evidence: MovementEvidence
    /// Whether somebody here asked for it, and it was not merely seen at the provider.
    package let isCommanded: Bool
    /// When the provider says that it happened.
    package let statedAt: Timestamp?
    /// Our reference for the operation at the provider.
    package let reference: String?
    /// Who was paid, where it is a bill.
    package let payee: String?

    package init(
        _ key: Key,
        _ amount: Int64,
        _ evidence: MovementEvidence,
        isCommanded: Bool = true,
        statedAt: Timestamp? = nil,
        reference: String? = nil,
        payee: String? = nil
    ) {
        self.key = key
        self.amount = amount
        self.evidence = evidence
        self.isCommanded = isCommanded
        self.statedAt = statedAt
        self.reference = reference
        self.payee = payee
    }

    /// What one event changed: each sum that came, went or differs, with the difference as its amount, in an order that no hash
    /// decides.
    package static func changes(from before: [MoneyFlow], to after: [MoneyFlow]) -> [MoneyFlow] {
        guard before != after else { return [] }
        var old = Dictionary(before.map { ($0.key, $0) }) { first, _ in first }
        var changes: [MoneyFlow] = []
        for var flow in after {
            if let known = old.removeValue(forKey: flow.key) {
                flow.amount = flow.amount.subtractingClamped(known.amount)
                flow.items = 0
                guard flow.amount != 0 else { continue }
            }
            changes.append(flow)
        }
        for var flow in old.values {
            flow.amount = Int64(0).subtractingClamped(flow.amount)
            flow.items = -1
            changes.append(flow)
        }
        return changes.sorted { $0.key < $1.key }
    }
}

extension MoneyFlow.Key: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: (Int, Int, String, String) {
        (attempt, MovementKind.allCases.firstIndex(of: kind) ?? 0, part ?? "", providerId ?? "")
    }
}

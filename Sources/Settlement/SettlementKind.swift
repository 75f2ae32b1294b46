/// What a line of a settlement file says that happened to money; its raw values are stored and shown.
package enum SettlementKind: String, Hashable, Sendable, CaseIterable {
    /// Taken from a payer.
    case captured
    case refunded
    /// A refund that the provider took back.
    case refundReversed
    /// Taken back by a payer's bank, and the end of such a dispute.
    case disputed, disputeWon, disputeLost
    /// Kept or billed by the provider, apart from a payment's own line.
    case fee
    /// Paid out to the merchant's bank.
    case payout
    case reserveHeld, reserveReturned
    /// What the provider owes for the lines of one currency, by its own reckoning; it moves nothing.
    case total
    /// Read, and of no interest.
    case ignored

    /// Which way the amount moves what the provider owes the merchant: 1, -1, or 0.
    package var side: Int64 {
        switch self {
        case .captured, .refundReversed, .disputeWon, .reserveReturned: 1
        case .refunded, .disputed, .fee, .payout, .reserveHeld: -1
        case .disputeLost, .total, .ignored: 0
        }
    }

    /// Whether a line of the kind is kept.
    package var isKept: Bool { self != .total && self != .ignored }
}

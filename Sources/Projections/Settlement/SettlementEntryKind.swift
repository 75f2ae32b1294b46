/// What settlement books beside the movements of payments and bills; the raw values are stored and shown.
///
/// A fee that a file tells is booked as a movement's kind `fee` is.
package enum SettlementEntryKind: String, Hashable, Sendable, CaseIterable {
    /// The provider paid out what it owed.
    case payout
    /// Kept back by the provider, and given back later.
    case reserveHeld, reserveReturned
    /// By so little the provider paid out less than its lines come to, or more where it is below zero; nobody owes it.
    case rounding
    /// Two persons let the books follow a file.
    case adjustment
}

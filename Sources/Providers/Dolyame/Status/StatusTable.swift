import ProviderKit

/// Where an order stands in the provider's words, spelling aside.
package enum OrderStatus: String, Hashable, Sendable, CaseIterable {
    /// Registered; the form was not finished.
    case new
    /// Scoring passed; the first instalment is awaited.
    case approved
    /// The first instalment is on hold and the shop is asked to commit.
    case waiting = "wait_for_commit"
    /// The shop has committed.
    case committed
    /// The first instalment was charged.
    case completed
    /// Declined, final.
    case rejected
    /// Given up by the shop, the provider or the payer, final.
    case canceled
    /// Not in the provider's document; seen in notifications.
    case refunded
}

/// The provider's words for an order.
package enum StatusTable {
    static let version = 1

    private static let words: [String: OrderStatus] = [
        "new": .new, "approved": .approved, "wait_for_commit": .waiting, "waiting_for_commit": .waiting,
        "committed": .committed, "commited": .committed, "completed": .completed, "rejected": .rejected,
        "canceled": .canceled, "refunded": .refunded,
    ]

    package static func lookUp(_ word: String, further: [String: OrderStatus] = [:]) -> OrderStatus? {
        words[word] ?? further[word]
    }

    /// The states of the words that speak of money, where they come alone.
    static let moneyWords: [String: ProviderState] = [
        "wait_for_commit": .held, "waiting_for_commit": .held, "committed": .captured, "commited": .captured,
        "completed": .captured,
    ]
}

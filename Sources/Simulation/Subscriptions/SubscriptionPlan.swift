import Kernel

/// What a world of subscriptions is made of; the same plan plays the same world.
package struct SubscriptionPlan: Hashable, Sendable {
    package let provider: String
    package let seed: UInt64
    /// Customers, each with a saved card and a schedule that charges it day after day.
    package var subscribers = 3
    /// Occurrences of each schedule.
    package var occurrences = 4
    package var faults = SubscriptionFaults()

    package init(provider: String, seed: UInt64) {
        self.provider = provider
        self.seed = seed
    }

    /// Moments that a world may take before it counts as one that never rests.
    static let moments = 20_000
    /// When every retry, poll and proof is over.
    static let life = Duration.seconds(60 * 86_400)
}

/// How often what goes wrong, each in so many of a thousand.
package struct SubscriptionFaults: Hashable, Sendable {
    // The wire.
    package var notSent = 40
    package var lostBefore = 40
    package var lostAfter = 120
    package var brokenAnswer = 60
    package var straggler = 30
    /// A documented refusal of a charge that was not made.
    package var refusal = 60
    /// A repetition of a charge that was made is turned away, whatever the words.
    package var refusedRepetition = 400
    /// A charge that questions don't show at once.
    package var lag = 400
    package var failedQuestion = 100
    // Our own house, per call of the store.
    package var crash = 4
    package var storeAway = 4
    package var lostCommit = 6
    // A subscriber.
    package var cancellation = 300
    package var removal = 300
    package var pause = 200
    package var retriedKey = 200

    package init() {}
}

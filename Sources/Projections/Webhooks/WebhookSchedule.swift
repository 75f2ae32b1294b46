package import Kernel

/// When a delivery that failed is tried again: closer together at first, then daily, and given up behind a week.
package enum WebhookSchedule {
    /// The waits behind the first, second … attempt; the last one repeats.
    package static let waits: [Duration] = [
        .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1800), .seconds(3600), .seconds(7200),
        .seconds(4 * 3600), .seconds(8 * 3600), .seconds(12 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]
    /// Behind the first attempt.
    package static let patience = Duration.seconds(7 * 24 * 3600)
    /// An endpoint that failed all through for so long is disabled.
    package static let endpointPatience = Duration.seconds(5 * 24 * 3600)

    /// How long the next attempt waits behind the `attempt`th one; `nil` where there is none.
    ///
    /// `chance` spreads it by a fifth to either side, so that a receiver that comes back is not stormed.
    package static func wait(behind attempt: Int, begun: Timestamp, now: Timestamp, chance: UInt64) -> Duration? {
        guard begun.adding(patience) > now else { return nil }
        let wait = waits[min(max(attempt, 1), waits.count) - 1]
        return wait * (800 + Int(chance % 401)) / 1000
    }
}

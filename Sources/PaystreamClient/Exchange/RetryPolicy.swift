/// When a request is sent again, and after which pause.
///
/// A request is repeated only where that is safe: reads, and commands under their idempotency key. One that has no key is
/// repeated only where the daemon refused it unread, with 429.
public struct RetryPolicy: Sendable {
    /// How often a request is sent at most.
    public var attempts: Int
    /// The pause doubles from the first on, and is drawn from its upper half so that clients don't come back all at once.
    public var firstPause: Duration
    public var longestPause: Duration
    /// The longest `Retry-After` that is waited for.
    public var longestRetryAfter: Duration

    public init(
        attempts: Int = 5,
        firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(5),
        longestRetryAfter: Duration = .seconds(60)
    ) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.longestRetryAfter = longestRetryAfter
    }

    /// Each request is sent once.
    public static let never = RetryPolicy(attempts: 1)

    /// The pause behind an attempt, counted from one; nothing where the request is not sent again.
    ///
    /// `chance` lies in 0..<1.
    package func pause(after attempt: Int, asked: Duration?, chance: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let doubled = (1..<max(1, min(attempt, 30))).reduce(firstPause) { pause, _ in min(pause * 2, longestPause) }
        let drawn = min(doubled, longestPause) * (0.5 + chance / 2)
        guard let asked else { return drawn }
        guard asked <= longestRetryAfter else { return nil }
        return max(asked, drawn)
    }
}

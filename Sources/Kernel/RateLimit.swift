/// How many requests one sender may send: so many at once, which come back evenly.
package struct RateLimit: Hashable, Sendable {
    /// So many come back in `seconds`.
    package let requests: Int64
    package let seconds: Int64
    /// So many may come at once after a pause.
    package let burst: Int64

    /// What a sender may be given: a million at once, in a day at the slowest.
    package static let mostRequests: Int64 = 1_000_000
    package static let mostSeconds: Int64 = 86_400

    package init(requestsPerSecond: Int64, burst: Int64) {
        precondition(requestsPerSecond > 0 && burst > 0, "a limit lets something through")
        requests = requestsPerSecond
        seconds = 1
        self.burst = burst
    }

    /// So many in a time; `nil` where that is nothing, or more than may be given.
    package init?(requests: Int64, seconds: Int64) {
        guard (1...Self.mostRequests).contains(requests), (1...Self.mostSeconds).contains(seconds) else { return nil }
        self.requests = requests
        self.seconds = seconds
        burst = requests
    }

    /// Reads `100/60`: requests and seconds.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let requests = parts[0], let seconds = parts[1] else { return nil }
        self.init(requests: requests, seconds: seconds)
    }

    /// Seconds in which all come back, rounded up.
    package var window: Int64 { (burst * seconds + requests - 1) / requests }

    /// Whether whoever holds it sends no more than by another limit, at once and in the long run.
    package func isWithin(_ other: RateLimit) -> Bool {
        burst <= other.burst && requests * other.seconds <= other.requests * seconds
    }
}

/// How a sender stands with his limit behind a request.
package struct RateStanding: Hashable, Sendable {
    package let limit: RateLimit
    /// Requests that may come now.
    package let left: Int64
    /// Seconds until all may come again, rounded up.
    package let seconds: Int64
    /// How long to wait where the request was one too many.
    package let pause: Duration?
}

/// How many requests one sender may send.
package struct RateLimit: Hashable, Sendable {
    package let requestsPerSecond: Int64
    /// So many may come at once after a pause.
    package let burst: Int64

    package init(requestsPerSecond: Int64, burst: Int64) {
        precondition(requestsPerSecond > 0 && burst > 0, "a limit lets something through")
        self.requestsPerSecond = requestsPerSecond
        self.burst = burst
    }
}

/// A token bucket per sender, in the memory of this process: a bound on what one client costs, not an account of it.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// Counted in millionths of a request, so that refilling is exact.
    private struct Bucket {
        var left: Int64
        var at: Timestamp
    }

    private struct Buckets {
        var buckets: [Key: Bucket] = [:]
        var sweptAt = Timestamp.epoch
    }

    private static var million: Int64 { 1_000_000 }
    /// A bucket that was left alone so long that it is full again may be forgotten, when there are many.
    private static var bucketsKept: Int { 10_000 }

    private let limit: RateLimit
    private let buckets = Locked(Buckets())

    package init(_ limit: RateLimit) { self.limit = limit }

    /// Takes one request; answers how long to wait where none is left.
    package func take(_ key: Key, at now: Timestamp) -> Duration? { ask(key, taking: 1, at: now) }

    /// How long to wait where none is left, without taking one.
    package func pause(of key: Key, at now: Timestamp) -> Duration? { ask(key, taking: 0, at: now) }

    private func ask(_ key: Key, taking count: Int64, at now: Timestamp) -> Duration? {
        let (full, rate) = (limit.burst * Self.million, limit.requestsPerSecond)
        return buckets.withLock { buckets -> Duration? in
            guard count > 0 || buckets.buckets[key] != nil else { return nil }
            Self.sweep(&buckets, idle: full / rate, now)
            var bucket = buckets.buckets[key] ?? Bucket(left: full, at: now)
            let elapsed = min(max(0, now.microseconds - bucket.at.microseconds), full / rate + 1)
            bucket.left = min(full, bucket.left + elapsed * rate)
            bucket.at = max(bucket.at, now)
            let isTaken = bucket.left >= Self.million
            if isTaken { bucket.left -= count * Self.million }
            buckets.buckets[key] = bucket
            return isTaken ? nil : .microseconds((Self.million - bucket.left + rate - 1) / rate)
        }
    }

    /// Forgets idle buckets, at most once in the time that makes one idle.
    private static func sweep(_ buckets: inout Buckets, idle: Int64, _ now: Timestamp) {
        guard buckets.buckets.count >= bucketsKept, now.microseconds - buckets.sweptAt.microseconds > idle else {
            return
        }
        buckets.sweptAt = now
        buckets.buckets = buckets.buckets.filter { now.microseconds - $0.value.at.microseconds <= idle }
    }
}

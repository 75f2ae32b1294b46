/// A token bucket per sender, in the memory of this process: a bound on what one client costs, not an account of it.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// Counted in millionths of a request.
    private struct Bucket {
        var left: Int64
        var at: Timestamp
        var limit: RateLimit

        var full: Int64 { limit.burst * RateLimiter.million }

        /// Microseconds until nothing is missing, what is owed with it.
        var timeToFull: Int64 { time(of: full - left) }

        /// Microseconds until so much has come back, rounded up.
        func time(of missing: Int64) -> Int64 { (missing * limit.seconds + limit.requests - 1) / limit.requests }

        /// Adds what has come back; the time that was too short for a part of it goes on counting.
        mutating func refill(at now: Timestamp) {
            let elapsed = max(0, now.microseconds - at.microseconds)
            guard elapsed <= timeToFull else {
                (left, at) = (full, now)
                return
            }
            let gained = elapsed * limit.requests / limit.seconds
            left += gained
            at = left >= full ? max(at, now) : Timestamp(microseconds: at.microseconds + time(of: gained))
            left = min(left, full)
        }
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

    /// Requests at once.
    package var burst: Int { Int(limit.burst) }

    /// Takes one request, or one that is worth several; answers how long to wait where none is left.
    ///
    /// One is enough for it: what it is worth more is owed, and the next one waits for it.
    package func take(_ key: Key, worth count: Int = 1, at now: Timestamp) -> Duration? {
        ask(key, limit, taking: Int64(count), at: now).pause
    }

    /// Takes one request of a sender who may have a limit of his own.
    package func take(_ key: Key, by own: RateLimit?, at now: Timestamp) -> RateStanding {
        ask(key, own ?? limit, taking: 1, at: now)
    }

    /// How long to wait where none is left, without taking one.
    package func pause(of key: Key, at now: Timestamp) -> Duration? {
        guard buckets.withLock({ $0.buckets[key] != nil }) else { return nil }
        return ask(key, limit, taking: 0, at: now).pause
    }

    private func ask(_ key: Key, _ limit: RateLimit, taking count: Int64, at now: Timestamp) -> RateStanding {
        let idle = self.limit.window
        return buckets.withLock { buckets -> RateStanding in
            Self.sweep(&buckets, idle: .seconds(idle), now)
            var bucket = buckets.buckets[key] ?? Bucket(left: limit.burst * Self.million, at: now, limit: limit)
            if bucket.limit != limit {
                bucket.limit = limit
                bucket.left = min(bucket.left, bucket.full)
            }
            bucket.refill(at: now)
            let isTaken = bucket.left >= Self.million
            if isTaken { bucket.left -= count * Self.million }
            buckets.buckets[key] = bucket
            return RateStanding(
                limit: limit,
                left: bucket.left / Self.million,
                seconds: (bucket.time(of: bucket.full - bucket.left) + Self.million - 1) / Self.million,
                pause: isTaken ? nil : .microseconds(bucket.time(of: Self.million - bucket.left))
            )
        }
    }

    /// Forgets buckets that are full again, at most once in the time that makes a usual one idle.
    private static func sweep(_ buckets: inout Buckets, idle: Duration, _ now: Timestamp) {
        guard buckets.buckets.count >= bucketsKept, now.since(buckets.sweptAt) > idle else { return }
        buckets.sweptAt = now
        buckets.buckets = buckets.buckets.filter {
            now.microseconds - $0.value.at.microseconds <= $0.value.timeToFull
        }
    }
}

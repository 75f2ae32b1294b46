import Kernel
import TestKit
import Testing

/// The bucket by its arithmetic.
@Suite struct RateLimiterTests {
    private static let key = Uuid(high: 1, low: 1)
    private static let noon = Timestamp(seconds: 1_800_000_000)

    @Test func `a burst is let through, then one for each step of time`() {
        let limiter = RateLimiter<Uuid>(RateLimit(requestsPerSecond: 4, burst: 3))
        for _ in 0..<3 { #expect(limiter.take(Self.key, at: Self.noon) == nil) }
        #expect(limiter.take(Self.key, at: Self.noon) == .milliseconds(250))
        let later = Self.noon.adding(.milliseconds(250))
        #expect(limiter.take(Self.key, at: later) == nil)
        #expect(limiter.take(Self.key, at: later) == .milliseconds(250))
    }

    @Test func `a long pause gives a burst and no more`() {
        let limiter = RateLimiter<Uuid>(RateLimit(requestsPerSecond: 4, burst: 3))
        for _ in 0..<3 { _ = limiter.take(Self.key, at: Self.noon) }
        let nextYear = Self.noon.adding(.seconds(31_536_000))
        for _ in 0..<3 { #expect(limiter.take(Self.key, at: nextYear) == nil) }
        #expect(limiter.take(Self.key, at: nextYear) != nil)
    }

    @Test func `a clock that goes back gives nothing away`() {
        let limiter = RateLimiter<Uuid>(RateLimit(requestsPerSecond: 1, burst: 1))
        #expect(limiter.take(Self.key, at: Self.noon) == nil)
        #expect(limiter.take(Self.key, at: Self.noon.adding(.seconds(-3600))) != nil)
        #expect(limiter.take(Self.key, at: Self.noon.adding(.milliseconds(500))) != nil)
        #expect(limiter.take(Self.key, at: Self.noon.adding(.seconds(1))) == nil)
    }

    @Test func `never more than rate and burst allow, whatever comes when`() throws {
        try forAll(runs: 50, seed: 11) { random in
            let rate = Int64.random(in: 1...50, using: &random)
            let burst = Int64.random(in: 1...20, using: &random)
            let limiter = RateLimiter<Uuid>(RateLimit(requestsPerSecond: rate, burst: burst))
            var now = Self.noon
            var taken: Int64 = 0
            for _ in 0..<200 {
                now = now.adding(.microseconds(Int64.random(in: 0...100_000, using: &random)))
                if limiter.take(Self.key, at: now) == nil { taken += 1 }
            }
            let elapsed = now.microseconds - Self.noon.microseconds
            #expect(taken <= burst + elapsed * rate / 1_000_000)
        }
    }

    @Test func `keys have buckets of their own`() {
        let limiter = RateLimiter<Uuid>(RateLimit(requestsPerSecond: 1, burst: 1))
        for number in 0..<20_000 {
            #expect(limiter.take(Uuid(high: 2, low: UInt64(number)), at: Self.noon) == nil)
        }
        #expect(limiter.take(Uuid(high: 2, low: 19_999), at: Self.noon) != nil)
    }

    @Test func `a slow limit gives what it says to whoever asks all the time`() throws {
        try forAll(runs: 30, seed: 12) { random in
            let requests = Int64.random(in: 1...20, using: &random)
            let seconds = Int64.random(in: 1...600, using: &random)
            let limit = try #require(RateLimit(requests: requests, seconds: seconds))
            let limiter = RateLimiter<Uuid>(limit)
            var now = Self.noon
            var count: Int64 = 0
            // Each look is shorter than a part of a request takes.
            let step = max(1, seconds * 1_000_000 / requests / 997)
            for _ in 0..<5_000 {
                if limiter.take(Self.key, at: now) == nil { count += 1 }
                now = now.adding(.microseconds(step))
            }
            let elapsed = now.microseconds - Self.noon.microseconds
            let most = requests + elapsed * requests / (seconds * 1_000_000)
            #expect(count <= most && count >= most - 1, "\(count) of \(most)")
        }
    }

    @Test func `a sender with a limit of his own has that one, and hears how he stands`() throws {
        let limiter = RateLimiter<Uuid>(RateLimit(requestsPerSecond: 1_000, burst: 2_000))
        let own = try #require(RateLimit(requests: 3, seconds: 60))
        #expect(own.window == 60 && RateLimit(requestsPerSecond: 1_000, burst: 2_000).window == 2)
        for left in [2, 1, 0] as [Int64] {
            let standing = limiter.take(Self.key, by: own, at: Self.noon)
            #expect(standing.left == left && standing.pause == nil && standing.seconds == (3 - left) * 20)
        }
        let refused = limiter.take(Self.key, by: own, at: Self.noon)
        #expect(refused.pause == .seconds(20) && refused.left == 0 && refused.seconds == 60)
        #expect(limiter.take(Self.key, by: own, at: Self.noon.adding(.seconds(20))).pause == nil)
        #expect(limiter.take(Uuid(high: 1, low: 2), by: nil, at: Self.noon).left == 1_999)
        // Another limit holds from the next request on.
        let wider = limiter.take(Self.key, by: RateLimit(requests: 9, seconds: 9), at: Self.noon.adding(.seconds(29)))
        #expect(wider.pause == nil && wider.limit.burst == 9)
    }

    @Test func `limits are read, compared and bounded`() throws {
        #expect(RateLimit("600/60") == RateLimit(requests: 600, seconds: 60))
        for odd in ["", "600", "600/", "/60", "0/60", "600/0", "-1/60", "1/86401", "1000001/1", "1/1/1", "a/b"] {
            #expect(RateLimit(odd) == nil, "\(odd)")
        }
        let standard = RateLimit(requestsPerSecond: 1_000, burst: 2_000)
        let known: [(String, Bool)] = [("1000/1", true), ("2000/2", true), ("2000/1", false), ("2001/3", false)]
        for (text, isWithin) in known {
            #expect(try #require(RateLimit(text)).isWithin(standard) == isWithin, "\(text)")
        }
        // The largest ones meet no bound of their arithmetic.
        let most = try #require(RateLimit(requests: RateLimit.mostRequests, seconds: RateLimit.mostSeconds))
        let limiter = RateLimiter<Uuid>(most)
        #expect(limiter.take(Self.key, at: Self.noon) == nil)
        #expect(limiter.take(Self.key, by: nil, at: Self.noon.adding(.seconds(86_400 * 365))).pause == nil)
    }
}

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
}

import Engine
import Kernel
import Testing

struct FreshCacheTests {
    private let start = ContinuousClock.now
    private let age = Locked(Duration.zero)

    private var cache: FreshCache<String, Int> {
        FreshCache(for: .seconds(1)) { [start, age] in start + age.withLock { $0 } }
    }

    @Test func `what was read before a write is not kept after it`() {
        let cache = cache
        let (early, other) = (cache.mark("a"), cache.mark("b"))
        cache.forget("a")
        cache.keep(1, "a", since: early)
        cache.keep(3, "b", since: other)
        #expect(cache.fresh("a") == nil)
        #expect(cache.fresh("b") == 3)
        cache.keep(2, "a", since: cache.mark("a"))
        #expect(cache.fresh("a") == 2)
    }

    @Test func `nothing that was read before all was forgotten comes back`() {
        let cache = cache
        let early = cache.mark("a")
        cache.forgetAll()
        cache.keep(1, "a", since: early)
        #expect(cache.last("a") == nil)
    }

    @Test func `what is remembered of writes is bounded, and nothing that was read before them comes back`() {
        let cache = FreshCache<String, Int>(capacity: 2)
        let early = cache.mark("a")
        for key in ["a", "b", "c"] { cache.forget(key) }
        cache.keep(1, "a", since: early)
        #expect(cache.last("a") == nil)
        cache.keep(2, "a", since: cache.mark("a"))
        #expect(cache.fresh("a") == 2)
    }

    @Test func `a value is fresh for as long as is said, and known for longer`() {
        let cache = cache
        cache.keep(1, "a", since: cache.mark("a"))
        age.withLock { $0 = .milliseconds(999) }
        #expect(cache.fresh("a") == 1)
        age.withLock { $0 = .seconds(1) }
        #expect(cache.fresh("a") == nil)
        #expect(cache.last("a") == 1)
    }
}

import Kernel
import Testing

struct GenerationCacheTests {
    @Test func `what is asked for stays, and what nobody asks for goes`() {
        var cache = GenerationCache<Int, String>(capacity: 8)
        for number in 0..<100 {
            cache.keep("value \(number)", of: number)
            #expect(cache.find(0) == "value 0", "after \(number)")
        }
        #expect(cache.find(99) == "value 99")
        #expect(cache.find(50) == nil)
    }

    @Test func `no more is held than the capacity says`() {
        var cache = GenerationCache<Int, Int>(capacity: 100) { $0 }
        for number in 1...1000 { cache.keep(number % 7, of: number) }
        let held = (1...1000).filter { cache.find($0) != nil }
        #expect(held.reduce(0) { $0 + $1 % 7 } <= 107)
        #expect(!held.isEmpty)
    }

    @Test func `a value is replaced and forgotten`() {
        var cache = GenerationCache<String, Int>(capacity: 4)
        cache.keep(1, of: "a")
        cache.keep(2, of: "a")
        #expect(cache.find("a") == 2)
        cache.forget("a")
        #expect(cache.find("a") == nil)
        for name in ["b", "c", "d"] { cache.keep(3, of: name) }
        #expect(cache.find("b") == 3)
        cache.forget("b")
        cache.forgetAll()
        for name in ["b", "c", "d"] { #expect(cache.find(name) == nil) }
    }
}

import Engine
import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// What never changes is read once, until a restored log may have lost it.
struct EpochCacheTests {
    private let epoch = Locked<RecoveryEpoch?>(nil)
    private let reads = Locked(0)

    private static func epoch(_ number: Int32) -> RecoveryEpoch {
        RecoveryEpoch(number: number, begunAt: Timestamp(seconds: Int64(number)))
    }

    private func cache(_ capacity: Int = 100) -> EpochCache<Int, String> {
        EpochCache(capacity: capacity) { [epoch] () async throws(StoreFailure) in epoch.withLock { $0 } }
    }

    private func ask(_ cache: EpochCache<Int, String>, _ key: Int, finding value: String?) async throws -> String? {
        try await cache.value(of: key) { () async throws(StoreFailure) in
            reads.withLock { $0 += 1 }
            return value
        }
    }

    @Test func `a value is read once, and what was written is not read`() async throws {
        let cache = cache()
        #expect(try await ask(cache, 1, finding: "one") == "one")
        #expect(try await ask(cache, 1, finding: "another") == "one")
        cache.keep("two", of: 2, in: nil)
        #expect(try await ask(cache, 2, finding: nil) == "two")
        #expect(reads.withLock { $0 } == 1)
    }

    @Test func `what is not there is asked for again`() async throws {
        let cache = cache()
        #expect(try await ask(cache, 1, finding: nil) == nil)
        #expect(try await ask(cache, 1, finding: "come") == "come")
    }

    @Test func `in another epoch everything is read again, and what comes late from the old one is not kept`()
        async throws
    {
        let cache = cache()
        _ = try await ask(cache, 1, finding: "lost")
        epoch.withLock { $0 = Self.epoch(1) }
        #expect(try await ask(cache, 1, finding: nil) == nil)
        cache.keep("late", of: 1, in: nil)
        #expect(try await ask(cache, 1, finding: "found") == "found")
        cache.keep("written", of: 2, in: Self.epoch(1))
        #expect(try await ask(cache, 2, finding: nil) == "written")
    }

    @Test func `a reference leads to its merchant's stream alone`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.authorize, minor: 1000, key: "known")
        let name = try #require(try await harness.payment(id).attempt?.reference)
        let reference = Reference(account: harness.account, kind: "payment", value: name)
        let looks = ReferenceCache(store: harness.store)
        #expect(try await looks.stream(of: reference, harness.merchant) == harness.stream(id))
        #expect(try await looks.stream(of: reference, MerchantNumber(77)) == nil)
        let unknown = Reference(account: harness.account, kind: "payment", value: "nobody's")
        #expect(try await looks.stream(of: unknown, harness.merchant) == nil)
    }
}

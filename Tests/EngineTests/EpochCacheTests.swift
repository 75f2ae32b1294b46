import Decisions
import Engine
import EventSourcing
import Glibc
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

    private struct ToldEpoch: RecoveryRecords {
        let told: Locked<RecoveryEpoch?>

        func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch? { told.withLock { $0 } }
    }

    @Test func `an input's body that was being read when another epoch began is read again`() async throws {
        let (isReading, mayGoOn, age) = (Locked(false), Locked(false), Locked(Duration.zero))
        let (reads, start) = (reads, ContinuousClock.now)
        let store = MemoryStore(
            clock: { .epoch },
            faults: { call in
                guard call == .inputs else { return nil }
                reads.withLock { $0 += 1 }
                isReading.withLock { $0 = true }
                for _ in 0..<10_000 where !mayGoOn.withLock({ $0 }) { usleep(1000) }
                return nil
            }
        )
        let time = EngineTime(now: { start + age.withLock { $0 } }, sleep: { _ in })
        let book = AccountBook(store: store, time: time, recovery: ToldEpoch(told: epoch))
        let input = InputRecord(
            id: Uuid(high: 1, low: 1),
            stream: StreamName(MerchantNumber(1), .chunk, Uuid(high: 2, low: 2)),
            kind: .command,
            name: "bill_chunk.put",
            meta: Array("{}".utf8),
            body: [1],
            receivedAt: .epoch
        )
        _ = try await store.admit([input])
        _ = try await book.epoch()
        let late = Task.detached { try await book.page(input.id, MerchantNumber(1)) }
        while !isReading.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        epoch.withLock { $0 = Self.epoch(1) }
        age.withLock { $0 = .seconds(2) }
        _ = try await book.epoch()
        mayGoOn.withLock { $0 = true }
        #expect(try await late.value?.bytes == [1])
        for _ in 0..<2 { #expect(try await book.page(input.id, MerchantNumber(1))?.bytes == [1]) }
        #expect(reads.withLock { $0 } == 2, "once in each epoch")
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

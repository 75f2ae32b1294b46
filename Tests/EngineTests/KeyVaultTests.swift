import Crypto
import Engine
import EventSourcing
import Kernel
import ProviderKit
import TestKit
import Testing

struct KeyVaultTests {
    private static let merchant = MerchantNumber(1)
    private let rows = MemorySubjectKeys()
    private let random = SeededRandom(seed: 3)
    private let ring: KeyRing

    init() { ring = KeyRing(newest: MasterKey(SymmetricKey(from: random))) }

    private func vault() -> KeyVault {
        KeyVault(ring: ring, rows: rows, random: random, clock: { Timestamp(seconds: 1_800_000_000) })
    }

    @Test func `a subject whose key the log has lost gets another one, which everybody can read`() async throws {
        let vault = vault()
        let document: Json = ["email": "ann@example.com"]
        let subject = Uuid(high: 5, low: 1)
        let paths: [JsonPath] = ["email"]
        let lost = try await vault.seal(document, paths: paths, subject: subject, merchant: Self.merchant)
        rows.lose()
        vault.forgetKeys()
        let sealed = try await vault.seal(document, paths: paths, subject: subject, merchant: Self.merchant)
        let read = try await self.vault().open(sealed, merchant: Self.merchant)
        #expect(Array(read.values) == ["ann@example.com"])
        #expect(try await self.vault().open(lost, merchant: Self.merchant).isEmpty)
    }

    @Test func `what is read in one recovery epoch is forgotten in the next`() async throws {
        let store = MemoryStore(clock: ManualClock(Timestamp(seconds: 1_800_000_000)))
        let now = Locked(ContinuousClock.now)
        let forgotten = Locked(0)
        let book = AccountBook(
            store: store,
            time: EngineTime(now: { now.withLock { $0 } }, sleep: { _ in }),
            recovery: store,
            restored: { forgotten.withLock { $0 += 1 } }
        )
        #expect(try await book.epoch() == nil)
        store.restore(store.backup())
        #expect(try await book.epoch() == nil, "for a second")
        now.withLock { $0 += .seconds(1) }
        #expect(try await book.epoch()?.number == 1)
        #expect(forgotten.withLock { $0 } == 1)
        now.withLock { $0 += .seconds(1) }
        #expect(try await book.epoch()?.number == 1)
        #expect(forgotten.withLock { $0 } == 1)
    }
}

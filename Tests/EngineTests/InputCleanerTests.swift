import Crypto
import Ecommpay
import Engine
import EventSourcing
import Kernel
import ProviderKit
import TestKit
import Testing

struct InputCleanerTests {
    private static let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
    private let body: Json = [
        "payment": ["id": "p-1", "status": "success", "description": "4111 1111 1111 1111"],
        "account": ["token": "7e12077a", "number": "431422******0056"],
        "operation": ["id": 7, "type": "refund", "sum_initial": ["amount": 500, "currency": "EUR"]],
    ]

    private func clean(_ body: [UInt8], keys: any SubjectKeyStore) async -> InputCleaner.Clean {
        let random = SeededRandom(seed: 9)
        let vault = KeyVault(
            ring: KeyRing(newest: MasterKey(SymmetricKey(from: random))),
            rows: keys,
            random: random,
            clock: { Self.clock.now }
        )
        let cleaner = InputCleaner(histories: Histories(store: MemoryStore(clock: Self.clock)), vault: vault)
        let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 5, low: 6))
        return await cleaner.clean(body, EcommpayAdapter().declaration, stream: stream)
    }

    @Test func `card data are cut out, personal values sealed, and the original is marked not to be kept`() async throws
    {
        let clean = await clean(body.compactBytes, keys: MemorySubjectKeys())
        let text = String(decoding: clean.body, as: UTF8.self)
        #expect(!text.contains("4111"))
        #expect(!text.contains("7e12077a"))
        #expect(clean.hadCardData)
        #expect(!clean.lacksPersonal)
        #expect(clean.findings.count == 1)
        #expect(await self.clean(Array("pan 4111111111111111".utf8), keys: MemorySubjectKeys()).hadCardData)
    }

    @Test func `what a message says of money is kept where its personal values can't be sealed`() async throws {
        let clean = await clean(body.compactBytes, keys: BrokenSubjectKeys())
        let kept = try Json(clean.body)
        #expect(kept["operation"] == body["operation"])
        #expect(kept.at("account", "token") == .null)
        #expect(clean.lacksPersonal)
        #expect(clean.findings.contains("personal values not kept: unavailable"))
    }
}

/// Subject keys of a database that is away.
private struct BrokenSubjectKeys: SubjectKeyStore {
    private static let away = StoreFailure(.unavailable, detail: "away")

    func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        throw Self.away
    }

    func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? { throw Self.away }

    func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey {
        throw Self.away
    }

    func keepOriginal(_ sealed: [UInt8], input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) {
        throw Self.away
    }
}

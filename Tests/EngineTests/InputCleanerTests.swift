import Crypto
import Ecommpay
import Engine
import EventSourcing
import Kernel
import Portmone
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

    private let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 5, low: 6))

    private func vault(_ keys: any SubjectKeyStore) -> KeyVault {
        let random = SeededRandom(seed: 9)
        return KeyVault(
            ring: KeyRing(newest: MasterKey(SymmetricKey(from: random))),
            rows: keys,
            random: random,
            clock: { Self.clock.now }
        )
    }

    private func clean(
        _ body: [UInt8],
        keys: any SubjectKeyStore,
        _ adapter: any Adapter = EcommpayAdapter(),
        isLive: Bool = false
    ) async throws -> InputCleaner.Clean {
        let store = MemoryStore(clock: { Self.clock.now })
        let cleaner = InputCleaner(streamCache: StreamCache(store: store), vault: vault(keys))
        return try await cleaner.clean(body, adapter.declaration, stream: stream, isLive: isLive)
    }

    @Test func `card data are cut out, personal values sealed, and the original is marked not to be kept`() async throws
    {
        let clean = try await clean(body.compactBytes, keys: MemorySubjectKeys())
        let text = String(decoding: clean.body, as: UTF8.self)
        #expect(!text.contains("4111"))
        #expect(!text.contains("7e12077a"))
        #expect(clean.hadCardData)
        #expect(clean.findings.count == 1)
        #expect(try await self.clean(Array("pan 4111111111111111".utf8), keys: MemorySubjectKeys()).hadCardData)
    }

    @Test func `what can't be sealed just now is not kept, rather than kept poorer`() async throws {
        let failure = await #expect(throws: StoreFailure.self) {
            try await clean(body.compactBytes, keys: BrokenSubjectKeys())
        }
        #expect(failure?.code == .unavailable)
    }

    @Test func `what can never be sealed apart is kept whole under one envelope`() async throws {
        let hostile = Json.object(
            JsonObject((body.members?.members ?? []).map { ($0.name, $0.value) } + [("$sealed", 1)])
        )
        let keys = MemorySubjectKeys()
        let clean = try await clean(hostile.compactBytes, keys: keys)
        let text = String(decoding: clean.body, as: UTF8.self)
        #expect(!text.contains("7e12077a"))
        let sealed = try #require(try Json(clean.body)[KeptWhole.member]?.text.flatMap { Base64.decode($0) })
        let opened = try Json(try vault(keys).open(whole: sealed, of: stream.id, merchant: stream.merchant))
        #expect(opened.at("account", "token") == "7e12077a")
        #expect(opened["operation"] == body["operation"])
    }

    @Test func `what a message says of money is kept where its subject was erased`() async throws {
        let clean = try await clean(body.compactBytes, keys: ErasedSubjectKeys())
        let kept = try Json(clean.body)
        #expect(kept["operation"] == body["operation"])
        #expect(kept.at("account", "token") == .null)
        #expect(clean.findings.contains("personal values not kept: erased"))
    }

    @Test(arguments: [
        ("https://pay.example/1", true), ("shop-app://back", true), ("", true), ("javascript:alert(1)", false),
        ("JavaScript://x/%0aalert(1)", false), ("nowhere", false),
    ])
    func `an address that no payer can be sent to is kept as none`(_ text: String, isKept: Bool) async throws {
        let body: Json = ["result": ["actionMPI": .string(text), "md": .string(text)]]
        let clean = try await clean(body.compactBytes, keys: MemorySubjectKeys(), PortmoneAdapter())
        let kept = try Json(clean.body)
        #expect(kept.at("result", "actionMPI")?.isNull == !isKept)
        #expect(kept.at("result", "md")?.isNull == false)
        #expect(clean.findings.count == (isKept ? 0 : 1))
    }

    @Test(arguments: [("https://pay.example/1", true), ("http://pay.example/1", false)])
    func `a live payer is sent nowhere without encryption`(_ text: String, isKept: Bool) async throws {
        let body: Json = ["result": ["actionMPI": .string(text)]]
        for isLive in [true, false] {
            let clean = try await clean(body.compactBytes, keys: MemorySubjectKeys(), PortmoneAdapter(), isLive: isLive)
            #expect(try Json(clean.body).at("result", "actionMPI")?.isNull == (isLive && !isKept))
        }
    }

    @Test(arguments: [#"{"token":"7e12077a","token":"7e12077b"}"#, #"{"token":"7e12077a","other":"\u0000"}"#])
    func `of a document kept whole nothing is kept where its payer was erased`(_ text: String) async throws {
        for (keys, isKept) in [(MemorySubjectKeys() as any SubjectKeyStore, true), (ErasedSubjectKeys(), false)] {
            let clean = try await clean(Array(text.utf8), keys: keys)
            let sealed = try #require(try Json(clean.body)[KeptWhole.member]?.text.flatMap { Base64.decode($0) })
            let opened = try vault(keys).open(whole: sealed, of: stream.id, merchant: stream.merchant)
            #expect(String(decoding: opened, as: UTF8.self).contains("7e12077a") == isKept)
        }
    }

    @Test func `a body that is no JSON is kept to its end`() async throws {
        let long = Array(("<html>" + String(repeating: "x", count: 10_000)).utf8)
        #expect(try await clean(long, keys: MemorySubjectKeys()).body == long)
    }
}

/// Subject keys that were all destroyed.
private struct ErasedSubjectKeys: SubjectKeyStore {
    func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? { nil }
    func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? { nil }

    func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        nil
    }

    func erasures() async throws(StoreFailure) -> Int64 { 0 }
    func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure) {}
}

/// Subject keys of a database that is away.
private struct BrokenSubjectKeys: SubjectKeyStore {
    private static let away = StoreFailure(.unavailable, detail: "away")

    func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        throw Self.away
    }

    func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? { throw Self.away }

    func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        throw Self.away
    }

    func erasures() async throws(StoreFailure) -> Int64 { throw Self.away }

    func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure) {
        throw Self.away
    }
}

import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments
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

    @Test func `a key that somebody destroyed opens nothing a second later, and nothing is sealed under it`()
        async throws
    {
        let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
        let vault = KeyVault(ring: ring, rows: rows, random: random, clock: { clock.now })
        let paths: [JsonPath] = ["email"]
        let (gone, other) = (Uuid(high: 5, low: 1), Uuid(high: 5, low: 2))
        func seal(_ subject: Uuid) async throws(VaultFailure) -> Json {
            try await vault.seal(["email": "ann@example.com"], paths: paths, subject: subject, merchant: Self.merchant)
        }
        let (sealed, kept) = (try await seal(gone), try await seal(other))
        #expect(try await vault.open(sealed, merchant: Self.merchant).count == 1)
        rows.destroy(gone, merchant: Self.merchant)
        clock.advance(by: .seconds(1))
        let refused = await #expect(throws: VaultFailure.self) { try await seal(gone) }
        #expect(refused?.code == .erased)
        #expect(try await vault.open(sealed, merchant: Self.merchant).isEmpty)
        #expect(try await vault.open(kept, merchant: Self.merchant).count == 1)
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

    @Test func `a sealed value fills its place as what it was`() async throws {
        let document: Json = [
            "flag": false, "number": 24, "price": -7, "text": "24", "object": ["a": [true, "b"]], "kept": 1,
        ]
        let paths: [JsonPath] = ["flag", "number", "price", "text", "object"]
        let vault = vault()
        let subject = Uuid(high: 5, low: 2)
        let sealed = try await vault.seal(document, paths: paths, subject: subject, merchant: Self.merchant)
        #expect(sealed["flag"] != false && sealed["kept"] == 1)
        let values = try await vault.open(sealed, merchant: Self.merchant)
        let materials = Materials(secrets: AccountSecrets([:]), open: { values[$0] }, now: .epoch)
        #expect(try sealed.opened(with: materials) == document)
    }

    @Test func `what stands in memory once keeps its type, too`() throws {
        let cache = OnceCache()
        let now = Timestamp(seconds: 1_800_000_000)
        let payload: Json = ["data": "x", "header": ["publicKeyHash": "y"]]
        for value in [payload, "a text"] as [Json] {
            let hole = try #require(cache.keep(value, of: Self.payment, merchant: Self.merchant, at: now))
            #expect(cache.value(of: hole, merchant: Self.merchant, at: now) == value)
        }
        #expect(cache.keep("", of: Self.payment, merchant: Self.merchant, at: now) == nil)
        #expect(cache.keep(.null, of: Self.payment, merchant: Self.merchant, at: now) == nil)
    }

    private static let payment = Uuid(high: 5, low: 3)

    @Test func `whoever brings many values takes the room of nobody else, and of a payment a few are kept`() throws {
        let cache = OnceCache(capacity: 100_000)
        let now = Timestamp(seconds: 1_800_000_000)
        func keep(_ value: Json, of payment: UInt64, _ merchant: Int32 = 1, at moment: Timestamp) -> Json? {
            cache.keep(value, of: Uuid(high: 5, low: payment), merchant: MerchantNumber(merchant), at: moment)
        }
        let one = (0..<100 as Range<Int64>).filter { keep(["n": .integer($0)], of: 1, at: now) != nil }
        #expect(one.count == OnceCache.ofPayment)
        let long = String(repeating: "x", count: 4000)
        var mine = 0
        while keep(["n": .string("\(mine) \(long)")], of: UInt64(100 + mine), at: now) != nil { mine += 1 }
        #expect((8...11).contains(mine), "half of the room: \(mine)")
        for merchant in 2...4 as ClosedRange<Int32> {
            #expect(keep(["n": .string(long)], of: 9, merchant, at: now) != nil, "room for merchant \(merchant)")
        }
        let again = try #require(keep(["n": 0], of: 1, at: now.adding(.seconds(60))), "what is here stays")
        // What was kept once is gone with its time, and its room is free again; what was kept again stays a while longer.
        let later = now.adding(OnceCache.lifetime)
        var fresh = 0
        while keep(["m": .string("\(fresh) \(long)")], of: UInt64(500 + fresh), at: later) != nil { fresh += 1 }
        #expect((mine...mine + 2).contains(fresh), "\(fresh)")
        #expect(cache.value(of: again, merchant: MerchantNumber(1), at: later) == ["n": 0])
        #expect(cache.value(of: again, merchant: MerchantNumber(1), at: later.adding(.seconds(60))) == nil)
    }

    @Test(
        arguments: [
            (["payer": ["email": "a"]], nil), (["payer": ["phone": "1"]], "payer.phone"),
            (["items": [["name": "a"], ["name": "b", "sku": "c"]]], "items.1.sku"), (["other": .null], nil),
            (["other": [:]], "other"), (["urls": ["fail": "x", "success": ["y"]]], nil), ([:], nil),
            (["payer": "text"], nil),
        ] as [(Json, JsonPath?)]
    )
    func `details that no message carries are found by their place`(_ row: (details: Json, dropped: JsonPath?)) {
        let carried: CarriedDetails = ["payer.email", "items.*.name", "urls"]
        #expect(carried.dropped(of: row.details) == row.dropped)
        #expect(CarriedDetails.everything.dropped(of: row.details) == nil)
        #expect((carried + ["payer.phone", "items.*.sku", "other"]).dropped(of: row.details) == nil)
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

    @Test func `an account that was just read is no other merchant's`() async throws {
        let harness = try await EngineHarness()
        let book = AccountBook(store: harness.store, recovery: harness.store)
        let account = try #require(try await book.newest(harness.account, harness.merchant))
        let stranger = MerchantNumber(harness.merchant.value + 1)
        #expect(try await book.newest(harness.account, stranger) == nil)
        #expect(try await book.at(account.facts.version, harness.account, stranger) == nil)
    }

    @Test func `an account that was changed is read on from where it was known`() async throws {
        let harness = try await EngineHarness()
        let now = Locked(ContinuousClock.now)
        let book = AccountBook(
            store: harness.store,
            time: EngineTime(now: { now.withLock { $0 } }, sleep: { _ in }),
            recovery: harness.store
        )
        let stream = StreamName(harness.merchant, .account, harness.account)
        let first = try #require(try await book.newest(harness.account, harness.merchant))
        for number in 2...6 as ClosedRange<Int32> {
            let configuration = AccountConfiguration(
                name: "name-\(number)",
                provider: "ecommpay",
                mode: .test,
                settings: first.values,
                secrets: first.sealedSecrets,
                currencies: nil
            )
            let name = AccountCommand.Name.configure.rawValue
            await harness.command(stream, name, configuration.json, key: "change-\(number)")
            now.withLock { $0 += .seconds(1) }
            let before = harness.store.eventsLoaded
            let newest = try await book.newest(harness.account, harness.merchant)
            #expect(newest?.facts.version == number && newest?.facts.name == "name-\(number)")
            #expect(harness.store.eventsLoaded == before + 1, "what is new alone")
        }
        #expect(try await book.at(1, harness.account, harness.merchant)?.facts == first.facts)
        let other = AccountBook(store: harness.store, recovery: harness.store)
        let third = try await other.at(3, harness.account, harness.merchant)
        #expect(third?.facts.name == "name-3")
    }

    @Test func `a message lies sealed in the database until it is sent`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("sealed")
        await harness.command(harness.stream(id), "payment.capture", [:])
        harness.clock.advance(by: .seconds(11))
        let claimed = try await harness.store.claimEffects(owner: "reader", lease: .seconds(15))
        let effect = try #require(claimed.first?.effect)
        #expect((try? Json(effect.template)) == nil)
        let merchant = harness.merchant
        let opened = try harness.vault.open(template: effect.template, effect: effect.id, merchant: merchant)
        #expect(RequestTemplate(try Json(opened)) != nil)
    }
}

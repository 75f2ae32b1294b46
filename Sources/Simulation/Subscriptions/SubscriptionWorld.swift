import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Schedules
import Telemetry
import TestKit

/// An installation whose schedules charge saved cards at one provider, over the provider's real wire format: the production
/// engine and the real adapter, a store in memory, one clock that jumps, and a stand-in that keeps its own books.
///
/// One node lives at a time. It dies at any call of the store, and the next one begins with an empty memory.
final class SubscriptionWorld: Sendable {
    struct State: Sendable {
        var random: SplitMix64
        var report = WorldReport()
        var books = SubscriptionBooks()
        var stragglers: [(request: OutgoingRequest, at: Timestamp)] = []
        var isStormy = false
        var isDead = false
    }

    static let merchant = MerchantNumber(1)
    static let account = Uuid(high: 0xACC0, low: 1)
    static let start = Timestamp(seconds: 1_800_000_000)

    let plan: SubscriptionPlan
    let wire: any HostileWire
    let currency: Currency
    let capabilities: Capabilities
    let time = SimulatedTime(SubscriptionWorld.start)
    let state: Locked<State>
    let store: MemoryStore
    let vault: KeyVault
    private let isTracing: Bool

    init(_ plan: SubscriptionPlan, _ wire: any HostileWire, isTracing: Bool) throws {
        self.plan = plan
        self.wire = wire
        self.isTracing = isTracing
        guard let currency = Currency(wire.provider.currency) else { throw HostileFailure(what: "currency") }
        self.currency = currency
        let facts = AccountFacts(
            id: Self.account,
            name: wire.name,
            provider: wire.provider.name,
            mode: .test,
            version: 1
        )
        capabilities = try wire.provider.adapter.capabilities(
            AccountSettings(account: facts, values: wire.provider.settings, notificationUrl: "", returnUrl: "")
        )
        let state = Locked(State(random: SplitMix64(seed: plan.seed)))
        self.state = state
        let faults = plan.faults
        store = MemoryStore(clock: { [time] in time.now }, faults: { Self.fault($0, faults, state) })
        vault = KeyVault(
            ring: KeyRing(newest: MasterKey(SymmetricKey(from: SeededRandom(seed: plan.seed ^ 0x5EED)))),
            rows: MemorySubjectKeys(),
            random: SeededRandom(seed: plan.seed),
            clock: { [time] in time.now }
        )
    }

    /// What a call of the store comes to: the node may die before or behind it.
    private static func fault(_ call: StoreCall, _ rates: SubscriptionFaults, _ state: Locked<State>) -> StoreFault? {
        let dead = StoreFailure(.unavailable, detail: "dead")
        let lost = StoreFailure(.unknown, detail: "lost")
        return state.withLock { state in
            if state.isDead { return .before(dead) }
            guard state.isStormy else { return nil }
            if state.random.chance(rates.crash) {
                state.isDead = true
                state.report.crashes += 1
                return state.random.chance(500) ? .before(dead) : .after(lost)
            }
            if state.random.chance(rates.storeAway) { return .before(dead) }
            return state.random.chance(rates.lostCommit) ? .after(lost) : nil
        }
    }

    /// A node as it starts: it knows nothing.
    func boot() -> Engine {
        let life = state.withLock { state in
            state.isDead = false
            return state.report.crashes
        }
        return Engine(
            EngineParts(
                store: store,
                adapters: AdapterRegistry([wire.provider.adapter]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: self,
                publicUrl: "https://pay.example",
                clock: { [time] in time.now },
                log: Logger(sink: NoLines(), now: { [time] in time.now }),
                meters: EngineMeters(MetricRegistry()),
                owner: "node-\(life)",
                build: "simulation",
                zones: FixedZones(),
                time: EngineTime(now: { [time] in time.forward }, sleep: { [self] in pause($0) }),
                patience: .zero,
                recovery: store
            )
        )
    }

    /// The node waits before it tries again; a dead one tries nothing.
    private func pause(_ duration: Duration) {
        if state.withLock(\.isDead) { return withUnsafeCurrentTask { $0?.cancel() } }
        time.advance(by: duration)
    }

    func trace(_ line: @autoclosure () -> String) {
        guard isTracing else { return }
        let text = "\(time.now) \(line())"
        state.withLock { $0.report.trace.append(text) }
    }

    func violate(_ what: String) {
        trace("VIOLATION \(what)")
        state.withLock { if $0.report.violations.count < 20 { $0.report.violations.append(what) } }
    }

    func strikes(_ perMille: Int) -> Bool {
        state.withLock { state in
            guard state.isStormy, state.random.chance(perMille) else { return false }
            state.report.faults += 1
            return true
        }
    }

    // MARK: Streams

    func schedule(_ number: Int) -> StreamName {
        StreamName(Self.merchant, .schedule, Uuid(high: 0x5CED, low: UInt64(number + 1)))
    }

    func card(_ number: Int) -> InstrumentId { InstrumentId(Uuid(high: 0x1257, low: UInt64(number + 1))) }

    func cardStream(_ number: Int) -> StreamName { StreamName(Self.merchant, .instrument, card(number).uuid) }
}

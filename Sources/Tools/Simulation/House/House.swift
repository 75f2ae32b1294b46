import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Telemetry
import TestKit

/// Who lives around an installation, and what its provider does.
protocol HousePlot: AnyObject, Sendable {
    /// Makes what the world begins with, and plans what people will do.
    func begin(_ engine: Engine) async throws

    /// The provider does what a request that arrives asks for, and answers.
    func receive(_ request: OutgoingRequest) -> HttpResponse

    /// Holds what became of everything against the provider's books; answers how many payments there were.
    func judge() async throws -> Int
}

/// An installation that a world is played around, over a provider's real wire format: the production engine and the real
/// adapter, a store in memory, one clock that jumps, and a wire that fails by the plan.
///
/// One node lives at a time. It dies at any call of the store, and the next one begins with an empty memory.
final class House: Sendable {
    /// Something that happens beside the engine: a person acts, or the provider tells something.
    struct PlannedAct: Sendable {
        let number: Int
        var at: Timestamp
        /// Answers when it happens again; `nil` where it is over.
        let act: @Sendable (Engine) async -> Timestamp?
    }

    struct State: Sendable {
        var random: SplitMix64
        var report = WorldReport()
        /// In the order in which they were planned.
        var plannedActs: [PlannedAct] = []
        var planned = 0
        var stragglers: [(request: OutgoingRequest, at: Timestamp)] = []
        var isStormy = false
        var isDead = false
        /// Events that the trace has.
        var traced = 0
    }

    static let merchant = MerchantNumber(1)
    static let account = Uuid(high: 0xACC0, low: 1)
    static let start = Timestamp(seconds: 1_800_000_000)
    static let publicUrl = "https://pay.example"
    /// When every retry, poll and proof is over.
    private static let life = Duration.seconds(60 * 86_400)

    let plan: WorldPlan
    let provider: SimulatedProvider
    private let secrets: [String: Secret]
    let currency: Currency
    let capabilities: Capabilities
    let time = SimulatedTime(House.start)
    let state: Locked<State>
    let store: MemoryStore
    let vault: KeyVault
    let isTracing: Bool

    init(_ plan: WorldPlan, _ provider: SimulatedProvider, _ secrets: [String: Secret], isTracing: Bool) throws {
        self.plan = plan
        self.provider = provider
        self.secrets = secrets
        self.isTracing = isTracing
        guard let currency = Currency(provider.currency) else { throw HouseFailure(what: "currency") }
        self.currency = currency
        let facts = AccountFacts(
            id: Self.account,
            name: provider.name,
            provider: provider.name,
            mode: .test,
            version: 1
        )
        capabilities = try provider.adapter.capabilities(
            AccountSettings(account: facts, values: provider.settings, notificationUrl: "", returnUrl: "")
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

    /// Draws what a call of the store comes to: the node may die before or behind it.
    private static func fault(_ call: StoreCall, _ rates: FaultRates, _ state: Locked<State>) -> StoreFault? {
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
    private func boot(_ plot: any HousePlot) -> Engine {
        let life = state.withLock { state in
            state.isDead = false
            return state.report.crashes
        }
        return Engine(
            EngineParts(
                store: store,
                adapters: AdapterRegistry([provider.adapter]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: HouseWire(house: self, plot: plot),
                publicUrl: Self.publicUrl,
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

    // MARK: Playing

    /// Plays the world to its end.
    func run(_ plot: any HousePlot) async -> WorldReport {
        do {
            let engine = boot(plot)
            try await configure(engine)
            try await plot.begin(engine)
            state.withLock { $0.isStormy = true }
            try await live(plot)
            state.withLock { $0.isStormy = false }
            await judge(plot)
        } catch {
            violate("play: \(error)")
        }
        state.withLock { $0.plannedActs = [] }
        return state.withLock(\.report)
    }

    private func configure(_ engine: Engine) async throws {
        let configuration = AccountConfiguration(
            name: provider.name,
            provider: provider.name,
            mode: .test,
            settings: provider.settings,
            secrets: vault.seal(secrets: secrets, account: Self.account, merchant: Self.merchant),
            currencies: nil
        )
        let account = StreamName(Self.merchant, .account, Self.account)
        try await demand(AccountCommand.Name.configure.rawValue, configuration.json, on: account, engine)
    }

    private func live(_ plot: any HousePlot) async throws {
        let end = Self.start.adding(Self.life)
        var engine = boot(plot)
        for _ in 0..<WorldPlan.moments where state.withLock(\.report.violations.isEmpty) {
            arriveLate(plot)
            await runPlannedActs(engine)
            let isHeld = await work(engine)
            traceNews()
            if state.withLock(\.isDead) {
                time.advance(by: .seconds(number(1...90)))
                engine = boot(plot)
                continue
            }
            if isHeld {
                time.advance(by: .seconds(5))
                continue
            }
            let due = store.nextDue(after: time.now, grace: Scheduler.grace)
            let other = state.withLock { ($0.plannedActs.map(\.at).min(), $0.stragglers.map(\.at).min()) }
            guard let next = [due, other.0, other.1].compactMap(\.self).min(), next <= end else { return }
            time.advance(to: next)
        }
        if state.withLock(\.report.violations.isEmpty) { violate("the world never rests") }
    }

    /// Lets the node work until it finds nothing to do at this moment, or dies; answers whether something is due that it holds
    /// back, as where a provider is given a rest.
    private func work(_ engine: Engine) async -> Bool {
        for _ in 0..<Self.turns {
            let due = store.due(at: time.now, grace: Scheduler.grace)
            let isDue = due.mail || due.effects || due.chores || engine.health.hasPending
            guard !state.withLock(\.isDead), isDue else { return false }
            // A task of its own: a node that dies takes it along.
            let done = await Task { await step(engine, due.mail, due.chores, due.effects) }.value
            if done == nil { time.advance(by: .seconds(1)) }
            if done == 0 { return true }
        }
        violate("the node never rests at \(time.now)")
        return false
    }

    /// Does what is due; answers how much that was, nothing where it failed.
    private func step(_ engine: Engine, _ mail: Bool, _ chores: Bool, _ effects: Bool) async -> Int? {
        var done = 0
        do throws(StoreFailure) {
            if mail { done += try await engine.mail.run() }
            if chores { done += try await engine.scheduler.runOnce() }
            done += try await engine.health.runOnce()
            guard effects else { return done }
            for ready in try await engine.sender.prepare() {
                done += 1
                await engine.sender.send(ready)
            }
            return done
        } catch {
            return nil
        }
    }

    /// Steps within one moment.
    private static let turns = 2000

    // MARK: The end

    /// Holds the end against the plot's books, the licences and a replay.
    private func judge(_ plot: any HousePlot) async {
        do {
            let payments = try await plot.judge()
            state.withLock { $0.report.payments = payments }
        } catch {
            violate("the log can't be read: \(error)")
        }
        for refused in store.quarantined { violate("an input in quarantine: \(refused.reason)") }
        let seen = await StoredLog(store, provider.adapter, FixedZones(), time).verify()
        for violation in seen.violations { violate(violation) }
        let events = log.count
        state.withLock { state in
            (state.report.events, state.report.sends) = (events, seen.sends)
            state.report.fingerprint = seen.fingerprint
        }
    }
}

struct HouseFailure: Error { let what: String }

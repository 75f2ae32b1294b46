import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Telemetry
import TestKit

/// A whole installation in one process: nodes that run the production engine, a store, a provider, payers and clients.
///
/// One thing happens at a time. What happens inside a call of the store or on the wire is played there, so that nodes
/// meet each other between any two of their steps. All choices come from the seed.
actor World {
    /// A node as it lives now.
    struct Node {
        var engine: Engine?
        var life = 0
        /// Messages that are marked and not sent yet.
        var ready: [EffectSender.Ready] = []
        /// How far its clock is off the database's.
        var skew = Duration.zero
    }

    static let merchant = MerchantNumber(1)
    static let account = Uuid(high: 0xACC0, low: 1)
    static let start = Timestamp(seconds: 1_800_000_000)
    private static let publicUrl = "https://pay.example"

    let plan: WorldPlan
    let time = SimulatedTime(World.start)
    let store: MemoryStore
    let adapter: DeclaredAdapter
    let settings: Json
    let currency: String
    /// The account's declaration.
    let capabilities: Capabilities
    var random: SplitMix64
    var model: ProviderModel
    var nodes: [Node]
    var agenda = Agenda()
    var clients: [Client] = []
    var books: [StreamName: Payment] = [:]
    var report = WorldReport()
    /// Faults strike; afterwards the world comes to rest.
    var isStormy = true
    var isOutage = false
    var operatorsAt = World.start
    var backup: (store: MemoryBackup, at: Timestamp)?
    /// Nodes in the middle of a call of the store: nothing else may begin on them.
    private var held: Set<Int> = []
    private var depth = 0
    var readEvents = 0
    private let vault: KeyVault
    private let isTracing: Bool

    init(
        _ plan: WorldPlan,
        _ provider: SimulatedProvider,
        promising other: SimulatedProvider,
        isTracing: Bool
    ) throws(SettingsFailure) {
        self.plan = plan
        self.isTracing = isTracing
        adapter = DeclaredAdapter(provider.adapter)
        settings = provider.settings
        currency = provider.currency
        random = SplitMix64(seed: plan.seed)
        let facts = AccountFacts(
            id: Self.account,
            name: plan.provider,
            provider: plan.provider,
            mode: .test,
            version: 1
        )
        func can(_ one: SimulatedProvider) throws(SettingsFailure) -> Capabilities {
            try one.adapter.capabilities(
                AccountSettings(account: facts, values: one.settings, notificationUrl: "", returnUrl: "")
            )
        }
        capabilities = try can(provider)
        model = ProviderModel(Promises(try can(other), adapter.declaration), plan.faults)
        store = MemoryStore(clock: { [time] in time.now })
        nodes = Array(repeating: Node(), count: plan.nodes)
        let root = SymmetricKey(from: SeededRandom(seed: plan.seed ^ 0x5EED))
        vault = KeyVault(
            ring: KeyRing(newest: MasterKey(root)),
            rows: MemorySubjectKeys(),
            random: SeededRandom(seed: plan.seed),
            clock: { [time] in time.now }
        )
    }

    var now: Timestamp { time.now }

    func trace(_ line: @autoclosure () -> String) {
        if isTracing { report.trace.append("\(now) \(line())") }
    }

    func violate(_ what: String) {
        trace("VIOLATION \(what)")
        if report.violations.count < 20 { report.violations.append(what) }
    }

    func strikes(_ perMille: Int) -> Bool {
        guard isStormy, perMille > 0, random.chance(perMille) else { return false }
        report.faults += 1
        return true
    }

    // MARK: Nodes

    /// Starts a node anew: everything that it knew is gone.
    func boot(_ index: Int) {
        nodes[index].life += 1
        nodes[index].ready = []
        let life = nodes[index].life
        let skew = Duration.milliseconds(random.number(-2000...2000))
        nodes[index].skew = skew
        let gated = GatedStore(base: store, world: self, node: index, life: life)
        nodes[index].engine = Engine(
            EngineParts(
                store: gated,
                adapters: AdapterRegistry([adapter]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: GatedWire(world: self, node: index, life: life),
                publicUrl: Self.publicUrl,
                clock: { [time] in time.now.adding(skew) },
                log: Logger(sink: NoLines(), now: { [time] in time.now }),
                meters: EngineMeters(MetricRegistry()),
                owner: "node-\(index)-\(life)",
                build: "simulation",
                time: EngineTime(
                    now: { [time] in time.forward },
                    sleep: { [self] in await self.pause(index, life, $0) }
                ),
                patience: .zero,
                recovery: gated
            )
        )
    }

    /// A node dies where it stands; it comes back by itself.
    func crash(_ index: Int) {
        trace("node \(index) dies")
        report.crashes += 1
        nodes[index].engine = nil
        nodes[index].life += 1
        nodes[index].ready = []
        agenda.add(.restart(node: index), at: now.adding(.seconds(random.number(1...90))))
    }

    func isAlive(_ index: Int, _ life: Int) -> Bool { nodes[index].life == life && nodes[index].engine != nil }

    // MARK: Between two steps of a node

    func before(_ call: StoreCall, _ node: Int, _ life: Int) async -> StoreFailure? {
        guard isAlive(node, life) else { return StoreFailure(.unavailable, detail: "dead") }
        if strikes(plan.faults.crash) { crash(node) }
        guard isAlive(node, life) else { return StoreFailure(.unavailable, detail: "dead") }
        if strikes(plan.faults.storeAway) { return StoreFailure(.unavailable, detail: "away") }
        await meanwhile(at: node)
        return isAlive(node, life) ? nil : StoreFailure(.unavailable, detail: "dead")
    }

    func behind(_ call: StoreCall, _ node: Int, _ life: Int) async -> StoreFailure? {
        guard isAlive(node, life) else { return StoreFailure(.unknown, detail: "dead") }
        if strikes(plan.faults.crash) { crash(node) }
        guard isAlive(node, life) else { return StoreFailure(.unknown, detail: "dead") }
        if call.writes, strikes(plan.faults.lostCommit) { return StoreFailure(.unknown, detail: "lost") }
        return nil
    }

    /// Something else happens while a node waits for the store.
    private func meanwhile(at node: Int) async {
        guard depth < 2, strikes(plan.faults.interleaving) else { return }
        held.insert(node)
        await aside()
        held.remove(node)
    }

    /// Something happens on the nodes that are free.
    func aside() async {
        guard depth < 2 else { return }
        depth += 1
        let free = nodes.indices.filter { nodes[$0].engine != nil && !held.contains($0) }
        if !free.isEmpty {
            let node = random.pick(free)
            _ = await step(node, random.pick(Step.allCases))
        }
        depth -= 1
    }

    /// A node waits before it tries again.
    private func pause(_ node: Int, _ life: Int, _ duration: Duration) async {
        guard isAlive(node, life) else {
            withUnsafeCurrentTask { $0?.cancel() }
            return
        }
        time.advance(by: duration)
        await aside()
    }

    // MARK: Steps

    enum Step: CaseIterable {
        case mail, scheduler, health, mark, prepare, send
    }

    /// Does one step of a node; answers how much there was to do, more than none where it failed.
    func step(_ index: Int, _ step: Step) async -> Int {
        guard let engine = nodes[index].engine else { return 0 }
        let life = nodes[index].life
        // A task of its own: a node that dies takes it along.
        let task = Task { () -> Int in
            do throws(StoreFailure) {
                switch step {
                case .mail:
                    return try await engine.book.inEpoch { () throws(StoreFailure) in try await engine.mail.run() }
                case .scheduler:
                    return try await engine.book.inEpoch { () throws(StoreFailure) in
                        try await engine.scheduler.runOnce()
                    }
                case .health:
                    return try await engine.book.inEpoch { () throws(StoreFailure) in
                        try await engine.health.runOnce()
                    }
                case .mark:
                    let licensed = engine.notifier.takeOutgoing().licensed
                    let page = try await engine.book.inEpoch { () throws(StoreFailure) in
                        try await engine.sender.prepare(licensed: licensed).page
                    }
                    if isAlive(index, life) { nodes[index].ready += page }
                    return page.count
                case .prepare:
                    let page = try await engine.book.inEpoch { () throws(StoreFailure) in
                        try await engine.sender.prepare()
                    }
                    if isAlive(index, life) { nodes[index].ready += page }
                    return page.count
                case .send:
                    guard isAlive(index, life), !nodes[index].ready.isEmpty else { return 0 }
                    let place = Int(random.next() % UInt64(nodes[index].ready.count))
                    await engine.sender.send(nodes[index].ready.remove(at: place))
                    return 1
                }
            } catch {
                return 1
            }
        }
        return await task.value
    }

    /// Lets the nodes work until none finds anything to do at this moment.
    func work() async {
        for _ in 0..<Self.turns {
            var choices: [(Int, Step)] = []
            let due = store.due(at: now, grace: Scheduler.grace)
            for index in nodes.indices where nodes[index].engine != nil {
                if due.mail { choices.append((index, .mail)) }
                if nodes[index].engine?.notifier.hasOutgoing == true { choices.append((index, .mark)) }
                if due.effects { choices.append((index, .prepare)) }
                if due.chores { choices.append((index, .scheduler)) }
                if nodes[index].engine?.health.hasPending == true { choices.append((index, .health)) }
                if !nodes[index].ready.isEmpty { choices.append((index, .send)) }
            }
            guard !choices.isEmpty else { return }
            let (index, step) = random.pick(choices)
            _ = await self.step(index, step)
        }
        violate("the nodes never rest at \(now)")
    }

    /// Steps within one moment.
    private static let turns = 2000

    /// The events that were appended since the last look.
    func news() -> [RecordedEvent] {
        let events = store.recorded(from: readEvents)
        readEvents += events.count
        return events
    }
}

struct NoLines: LogSink {
    func write(_ line: [UInt8]) {}
}

extension StoreCall {
    /// Whether an answer that is lost leaves it open what was written.
    fileprivate var writes: Bool {
        switch self {
        case .commit, .admit, .claimMail, .suspect, .release, .quarantine, .fire, .claimEffects, .markSending, .observe,
            .reclaimEffects, .takeInbox, .pace, .giveBack:
            true
        case .load, .inputs, .decision, .command, .resolve, .awaits, .events, .decisions, .now, .undecided, .dueTimers,
            .lostEffects, .expiredEffects, .streams, .marks, .effects, .recoveryEpoch:
            false
        }
    }
}

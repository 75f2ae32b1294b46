import Decisions
package import EventSourcing
import Http
package import Kernel
import Payments
package import ProviderKit
package import Telemetry

/// The parts that the engine needs from the outside.
package struct EngineParts: Sendable {
    package let store: any EventStore & WorkQueue
    package let adapters: AdapterRegistry
    package let vault: any Vault
    package let quarantine: any Quarantine
    package let transport: any Transport
    package let publicUrl: String
    package let clock: @Sendable () -> Timestamp
    package let log: Logger
    package let meters: EngineMeters
    /// Names this process in leases.
    package let owner: String
    /// Names this build in decision records.
    package let build: String
    package let time: EngineTime
    /// How long a command waits behind its stream's other inputs before it is told as pending.
    package let patience: Duration
    package let zones: any ZoneSource
    package let recovery: any RecoveryRecords
    package let clocks: any MerchantClocks
    package let strangers: StrangerLimits

    package init(
        store: any EventStore & WorkQueue,
        adapters: AdapterRegistry,
        vault: any Vault,
        quarantine: any Quarantine,
        transport: any Transport,
        publicUrl: String,
        clock: @escaping @Sendable () -> Timestamp,
        log: Logger,
        meters: EngineMeters,
        owner: String,
        build: String,
        zones: any ZoneSource = NoZones(),
        clocks: any MerchantClocks = NoClocks(),
        time: EngineTime = .machine,
        patience: Duration = .seconds(5),
        recovery: any RecoveryRecords,
        strangers: StrangerLimits = StrangerLimits()
    ) {
        self.strangers = strangers
        self.store = store
        self.adapters = adapters
        self.vault = vault
        self.quarantine = quarantine
        self.transport = transport
        self.publicUrl = publicUrl
        self.clock = clock
        self.log = log
        self.meters = meters
        self.owner = owner
        self.build = build
        self.time = time
        self.patience = patience
        self.zones = zones
        self.recovery = recovery
        self.clocks = clocks
    }
}

/// The loops that turn inputs into events and licences into messages, put together.
package final class Engine: Sendable {
    package let commands: CommandIntake
    package let notifications: NotificationIntake
    package let handovers: HandoverRenderer
    package let inquirer: Inquirer
    package let bills: BillRenderer
    package let book: AccountBook
    package let notifier = CommitNotifier()
    package let once = OnceCache()
    package let streamCache: StreamCache
    package let folds: FoldCache
    package let zones: any ZoneSource
    /// As the world reaches the daemon.
    package let publicUrl: String
    private let clocks: any MerchantClocks
    package let mail: MailWorker
    package let health: ProviderWatch
    package let sender: EffectSender
    package let answers: AnswerIntake
    package let scheduler: Scheduler
    package let replay: Replay

    package let decisions: DecisionService
    private let fastPath: Batcher<Work, WorkOutcome>
    private let sendLoop: SendLoop
    /// The services that run until the node drains; a daemon's own services run beside the engine's.
    package let services: Services
    private let quietPause = Locked(QuietPause())
    /// Ends the pause of clocks that wait for quiet.
    private let clockSignal = Signal()

    package init(_ parts: EngineParts) {
        let store = parts.store
        let deciders = Deciders(adapters: parts.adapters)
        let book = Self.book(of: parts)
        self.book = book
        folds = deciders.folds
        streamCache = Self.streamCache(store, book)
        let references = ReferenceCache(store: store) { () async throws(StoreFailure) in try await book.epoch() }
        let contexts = Contexts(parts, book, streamCache, folds)
        health = Self.watch(of: parts, book, notifier)
        let decisions = Self.decisions(of: parts, book, streamCache, references, deciders, contexts, notifier, health)
        self.decisions = decisions
        let cleaner = InputCleaner(streamCache: streamCache, vault: parts.vault)
        let fastPath = Batcher(limit: 64, lanes: 2, owner: { Int($0.input.stream.merchant.value) }) { works in
            await decisions.decide(works)
        }
        self.fastPath = fastPath
        let evidence = EvidenceIntake(store: store, decisions: fastPath, notifier: notifier)
        let (adapters, clock) = (parts.adapters, parts.clock)
        answers = AnswerIntake(evidence: evidence, book: book, adapters: adapters, cleaner: cleaner, clock: clock)
        commands = CommandIntake(store: store, notifier: notifier, batcher: fastPath, patience: parts.patience)
        notifications = NotificationIntake(
            references: references,
            book: book,
            adapters: parts.adapters,
            vault: parts.vault,
            quarantine: parts.quarantine,
            gate: StrangerGate(parts.strangers),
            cleaner: cleaner,
            evidence: evidence,
            publicUrl: parts.publicUrl,
            clock: parts.clock,
            log: parts.log,
            meters: parts.meters
        )
        handovers = HandoverRenderer(parts, contexts, streamCache)
        inquirer = Inquirer(parts, book: book)
        bills = BillRenderer(parts, contexts)
        mail = MailWorker(
            store: store,
            decisions: decisions,
            notifier: notifier,
            log: parts.log,
            meters: parts.meters,
            owner: parts.owner
        )
        sender = Self.sender(of: parts, book, answers, once)
        sendLoop = SendLoop(sender: sender, book: book, notifier: notifier)
        let meters = parts.meters
        scheduler = Scheduler(queue: store, answers: answers, notifier: notifier, meters: meters, clock: clock)
        replay = Replay(store: store, deciders: deciders, contexts: contexts)
        zones = parts.zones
        publicUrl = parts.publicUrl
        clocks = parts.clocks
        services = Services(log: parts.log)
    }

    private static func streamCache(_ store: any EventStore, _ book: AccountBook) -> StreamCache {
        StreamCache(
            store: store,
            epoch: { () async throws(StoreFailure) in try await book.epoch() },
            forgetLog: { book.forgetLog() }
        )
    }

    private static func book(of parts: EngineParts) -> AccountBook {
        AccountBook(
            store: parts.store,
            adapters: parts.adapters,
            time: parts.time,
            recovery: parts.recovery,
            restored: { parts.vault.forgetKeys() }
        )
    }

    private static func decisions(
        of parts: EngineParts,
        _ book: AccountBook,
        _ streamCache: StreamCache,
        _ references: ReferenceCache,
        _ deciders: Deciders,
        _ contexts: Contexts,
        _ notifier: CommitNotifier,
        _ health: ProviderWatch
    ) -> DecisionService {
        DecisionService(
            store: parts.store,
            streamCache: streamCache,
            references: references,
            deciders: deciders,
            contexts: contexts,
            vault: parts.vault,
            notifier: notifier,
            meters: parts.meters,
            log: parts.log,
            build: parts.build,
            watch: health
        )
    }

    private static func watch(of parts: EngineParts, _ book: AccountBook, _ notifier: CommitNotifier) -> ProviderWatch {
        ProviderWatch(
            store: parts.store,
            book: book,
            notifier: notifier,
            clock: parts.clock,
            log: parts.log,
            owner: parts.owner
        )
    }

    private static func sender(of parts: EngineParts, _ book: AccountBook, _ answers: AnswerIntake, _ once: OnceCache)
        -> EffectSender
    {
        EffectSender(
            queue: parts.store,
            book: book,
            adapters: parts.adapters,
            vault: parts.vault,
            transport: parts.transport,
            answers: answers,
            clock: parts.clock,
            once: once,
            time: parts.time,
            log: parts.log,
            meters: parts.meters,
            owner: parts.owner
        )
    }

    /// Runs every service until `drain`; what is in flight then is finished.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for service in engineServices { group.addTask { await self.services.run(service) } }
            group.addTask { await self.sendLoop.run(in: self.services) }
        }
    }

    private var engineServices: [EngineService] {
        [
            EngineService("mail", book, rest: .milliseconds(200), signal: notifier.mail) {
                [mail, services] () throws(StoreFailure) in try await mail.run(until: { services.isDraining })
            },
            EngineService("scheduler", book, rest: .milliseconds(500)) { [scheduler] () throws(StoreFailure) in
                try await scheduler.runOnce()
            },
            EngineService("provider watch", book, rest: .seconds(5), signal: health.signal) {
                [health] () throws(StoreFailure) in
                try await health.runOnce()
            },
            EngineService("test clocks", book, rest: .milliseconds(500), signal: clockSignal) {
                [self] () throws(StoreFailure) in
                try await travel()
            },
        ]
    }

    /// Moves test merchants' clocks by a step where they travel, and does what became due by it.
    package func travel() async throws(StoreFailure) -> Int {
        let found = try await clocks.travel()
        let pause = quietPause.withLock { $0.next(after: found) }
        switch found {
        case .noneTravels: return 0
        case .waits:
            await clockSignal.wait(atMost: pause)
            return 1
        case .moved: return try await scheduler.runOnce() + 1
        }
    }

    /// Takes nothing new; `run` returns when what was begun has ended.
    package func drain() {
        services.drain()
        fastPath.close()
    }
}

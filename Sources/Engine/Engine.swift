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
        recovery: any RecoveryRecords = NoRecovery(),
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
    package let sender: EffectSender
    package let answers: AnswerIntake
    package let scheduler: Scheduler
    package let replay: Replay

    package let decisions: DecisionService
    private let fastPath: Batcher<Work, WorkOutcome>
    /// The services that run until the node drains; a daemon's own services run beside the engine's.
    package let services: Services
    private let places = Locked(SendingPlaces())
    private let quietPause = Locked(QuietPause())
    /// Ends the pause of clocks that wait for quiet.
    private let clockSignal = Signal()

    package init(_ parts: EngineParts) {
        let store = parts.store
        let deciders = Deciders(adapters: parts.adapters)
        let book = Self.book(of: parts)
        self.book = book
        folds = deciders.folds
        streamCache = StreamCache(store: store) { () async throws(StoreFailure) in try await book.epoch() }
        let references = ReferenceCache(store: store) { () async throws(StoreFailure) in try await book.epoch() }
        let contexts = Contexts(parts, book, streamCache, folds)
        let watch = Self.watch(of: parts, book, notifier)
        let decisions = Self.decisions(of: parts, streamCache, references, deciders, contexts, notifier, watch)
        self.decisions = decisions
        let cleaner = InputCleaner(streamCache: streamCache, vault: parts.vault)
        let fastPath = Batcher(limit: 64, lanes: 2, owner: { Int($0.input.stream.merchant.value) }) { works in
            await decisions.decide(works)
        }
        self.fastPath = fastPath
        let evidence = EvidenceIntake(store: store, decisions: fastPath, notifier: notifier)
        answers = AnswerIntake(
            evidence: evidence,
            book: book,
            adapters: parts.adapters,
            cleaner: cleaner,
            clock: parts.clock
        )
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
        let (meters, clock) = (parts.meters, parts.clock)
        scheduler = Scheduler(queue: store, answers: answers, notifier: notifier, meters: meters, clock: clock)
        replay = Replay(store: store, deciders: deciders, contexts: contexts)
        zones = parts.zones
        publicUrl = parts.publicUrl
        clocks = parts.clocks
        services = Services(log: parts.log)
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
        _ streamCache: StreamCache,
        _ references: ReferenceCache,
        _ deciders: Deciders,
        _ contexts: Contexts,
        _ notifier: CommitNotifier,
        _ watch: ProviderWatch
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
            watch: watch
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
            group.addTask { await self.sendLoop() }
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

    /// Lets each message go its own way, as many at once as have places.
    private func sendLoop() async {
        var claims = Claims()
        await withDiscardingTaskGroup { group in
            await services.run("sender", rest: .zero, signal: notifier.effects) { () throws(StoreFailure) in
                begin(try await markLicensed(&claims), in: &group)
                if claims.isDue { begin(try await claim(&claims), in: &group) }
                if !claims.isDue, !notifier.hasOutgoing { await notifier.effects.wait(atMost: claims.next - .now) }
                return 1
            }
        }
    }

    private func begin(_ page: [EffectSender.Ready], in group: inout DiscardingTaskGroup) {
        places.withLock { places in for ready in page { places.take(ready.account, of: ready.merchant) } }
        for ready in page {
            group.addTask {
                await self.sender.send(ready)
                let isAwaited = self.places.withLock { $0.release(ready.account, of: ready.merchant) }
                if isAwaited { self.notifier.claim() }
            }
        }
    }

    /// When the sender claims: what this node licenses itself needs none.
    private struct Claims {
        /// Something is ready that it has to claim.
        var isOwed = true
        /// When to look for what nobody told of.
        var next = ContinuousClock.now

        var isDue: Bool { isOwed || next <= .now }

        mutating func look(within time: Duration) { next = min(next, .now + time) }

        /// A look that was asked for stays.
        mutating func done(isMore: Bool) {
            isOwed = isMore
            if next <= .now { next = .now + EffectSender.rest }
        }
    }

    /// Marks a page of what this node has licensed, as far as there are places and nothing older waits for them.
    private func markLicensed(_ claims: inout Claims) async throws(StoreFailure) -> [EffectSender.Ready] {
        // What waits behind older messages is theirs who claim those, however many there are.
        let outgoing = notifier.takeOutgoing(atMost: places.withLock(\.isBehind) ? .max : EffectWish.page)
        let due = outgoing.licensed.filter(sender.mayBeDue)
        let licensed = places.withLock { $0.admit(due) }
        if outgoing.mustClaim || licensed.count < due.count { claims.isOwed = true }
        guard !licensed.isEmpty else { return [] }
        do throws(StoreFailure) {
            let (page, left) = try await book.inEpoch { () throws(StoreFailure) in
                try await sender.prepare(licensed: licensed)
            }
            putBehind(left, &claims)
            if page.count + left.count < licensed.count { claims.look(within: EffectSender.shortRest) }
            return page
        } catch {
            putBehind(licensed, &claims)
            throw error
        }
    }

    private func putBehind(_ messages: [ClaimedEffect], _ claims: inout Claims) {
        guard !messages.isEmpty else { return }
        places.withLock { $0.putBehind(messages) }
        claims.isOwed = true
    }

    private func claim(_ claims: inout Claims) async throws(StoreFailure) -> [EffectSender.Ready] {
        // Whoever leaves a place calls again.
        guard let wish = places.withLock({ $0.claim() }) else {
            claims.done(isMore: false)
            return []
        }
        let page = try await book.inEpoch { () throws(StoreFailure) in
            try await sender.prepare(wish) { claimed in places.withLock { $0.claimed(claimed, wish) } }
        }
        // Less than that was all there was; what comes now signals.
        claims.done(isMore: page.count >= wish.most)
        return page
    }
}

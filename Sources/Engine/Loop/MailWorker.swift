package import EventSourcing
import Kernel
package import Telemetry

/// Decides what waits in mailboxes: answers, notifications, timers, and commands that met a busy stream.
package struct MailWorker: Sendable {
    private let store: any EventStore & WorkQueue
    private let decisions: DecisionService
    private let notifier: CommitNotifier
    private let log: Logger
    private let meters: EngineMeters
    private let owner: String
    /// The merchant that was served last.
    private let last = Locked(MerchantNumber(0))

    package static let lease = Duration.seconds(15)
    /// Decisions of an input alone that may begin and lead nowhere before it is taken for poison.
    ///
    /// Only what can be its own doing counts: a process that ended over it, a store that found it corrupt, took too long or saw
    /// conflicts without end. A store that is away, a busy stream and the end of a process that was at something else are held against nobody.
    package static let poisonAttempts: Int32 = 8
    /// Inputs of one stream that a claim decides at most.
    private static let inputsPerClaim = 32

    package init(
        store: any EventStore & WorkQueue,
        decisions: DecisionService,
        notifier: CommitNotifier,
        log: Logger,
        meters: EngineMeters,
        owner: String
    ) {
        self.store = store
        self.decisions = decisions
        self.notifier = notifier
        self.log = log
        self.meters = meters
        self.owner = owner
    }

    /// Claims page after page of mailboxes and decides what they hold, until none is due or `mustStop`; answers how many
    /// there were.
    package func run(until mustStop: () -> Bool = { false }) async throws(StoreFailure) -> Int {
        var leases = try await claim([])
        var count = 0
        while !leases.isEmpty {
            count += leases.count
            let done = try await work(leases)
            guard !mustStop() else {
                try await store.release(done, after: .zero)
                break
            }
            leases = try await claim(done)
        }
        return count
    }

    /// Claims the next page, behind the merchant that was served last.
    private func claim(_ done: [MailLease]) async throws(StoreFailure) -> [MailLease] {
        let leases = try await store.claimMail(
            owner: owner,
            lease: Self.lease,
            done: done,
            after: last.withLock { $0 }
        )
        if let merchant = leases.last?.stream.merchant { last.withLock { $0 = merchant } }
        return leases
    }

    /// Decides what a page of mailboxes holds; answers the mailboxes that can be given back at once.
    private func work(_ leases: [MailLease]) async throws(StoreFailure) -> [MailLease] {
        var done = try await workTogether(leases.filter { $0.attempts == 0 })
        // Those that led nowhere most often come last: they may end the process once more.
        for suspect in leases.filter({ $0.attempts > 0 }).sorted(by: { $0.attempts < $1.attempts })
        where try await workAlone(suspect) { done.append(suspect) }
        return done
    }

    private func workTogether(_ leases: [MailLease]) async throws(StoreFailure) -> [MailLease] {
        guard !leases.isEmpty else { return [] }
        var works: [Work] = []
        var owners: [MailLease] = []
        for (lease, inputs) in zip(leases, try await store.undecided(leases, limit: Self.inputsPerClaim)) {
            for input in inputs {
                works.append(Work(input: input, fence: lease.fence))
                owners.append(lease)
            }
        }
        var unfinished: [MailLease] = []
        var suspects: [MailLease] = []
        for ((work, lease), outcome) in zip(zip(works, owners), await decisions.decide(works)) {
            if let reason = outcome.hindrance { try await quarantine(work.input, lease, reason) }
            if outcome.isOpen, unfinished.last != lease { unfinished.append(lease) }
            if outcome.mayBeItsDoing, suspects.last?.stream != lease.stream { suspects.append(lease.suspected(1)) }
        }
        if !suspects.isEmpty { try await store.suspect(suspects) }
        if !unfinished.isEmpty { try await store.release(unfinished, after: .seconds(1)) }
        return leases.filter { !unfinished.contains($0) }
    }

    /// Decides the first input of a mailbox alone, which is written down before it begins; answers whether it is done.
    private func workAlone(_ lease: MailLease) async throws(StoreFailure) -> Bool {
        try await store.suspect([lease.suspected(lease.attempts + 1)])
        guard let input = try await store.undecided([lease], limit: 1)[0].first else { return true }
        guard lease.attempts <= Self.poisonAttempts else {
            try await quarantine(input, lease, "no progress in \(Self.poisonAttempts) decisions of it alone")
            return true
        }
        let outcome = await decisions.decide([Work(input: input, fence: lease.fence)])[0]
        if let reason = outcome.hindrance { try await quarantine(input, lease, reason) }
        guard outcome.isOpen else { return true }
        if !outcome.mayBeItsDoing { try await store.suspect([lease]) }
        try await store.release([lease], after: .seconds(1))
        return false
    }

    private func quarantine(_ input: InputRecord, _ lease: MailLease, _ reason: String) async throws(StoreFailure) {
        log.error(
            "input quarantined",
            ["input": LogValue(input.id), "stream": LogValue(input.stream), "reason": .text(reason)]
        )
        meters.quarantined()
        try await store.quarantine(input.id, lease: lease, reason: reason)
    }
}

extension MailLease {
    fileprivate func suspected(_ attempts: Int32) -> MailLease {
        MailLease(stream: stream, fence: fence, attempts: attempts)
    }
}

extension WorkOutcome {
    /// Nothing became of it yet.
    fileprivate var isOpen: Bool {
        switch self {
        case .busy, .unavailable: true
        case .decided, .duplicate, .fenced, .undecidable, .foreign: false
        }
    }

    /// Why it can never be decided.
    fileprivate var hindrance: String? {
        switch self {
        case .undecidable(let reason): reason
        case .foreign(let kind): "the stream is of kind \(kind)"
        case .decided, .duplicate, .busy, .fenced, .unavailable: nil
        }
    }

    /// The failure is one that an input itself can bring about.
    fileprivate var mayBeItsDoing: Bool {
        guard case .unavailable(let failure) = self else { return false }
        return switch failure.code {
        case .corrupt, .timeout, .retry: true
        case .unavailable, .unknown, .moved: false
        }
    }
}

package import EventSourcing
import Kernel
package import Telemetry

/// Decides what waits in mailboxes: answers, notifications, timers, and commands that met a busy stream.
package struct MailWorker: Sendable {
    private let store: any EventStore & WorkQueue
    private let desk: DecisionService
    private let board: CommitNotifier
    private let log: Logger
    private let meters: EngineMeters
    private let owner: String
    /// The merchant that was served last.
    private let last = Locked(MerchantNumber(0))

    package static let lease = Duration.seconds(15)
    /// An input whose mailbox was claimed so often without progress is taken for poison.
    ///
    /// A store that is away and a process that is ended count, too: a money message must not be shelved for their sake.
    package static let poisonAttempts: Int32 = 8
    /// Inputs of one stream that a claim decides at most.
    private static let inputsPerClaim = 32

    package init(
        store: any EventStore & WorkQueue,
        desk: DecisionService,
        board: CommitNotifier,
        log: Logger,
        meters: EngineMeters,
        owner: String
    ) {
        self.store = store
        self.desk = desk
        self.board = board
        self.log = log
        self.meters = meters
        self.owner = owner
    }

    /// Claims page after page of mailboxes and decides what they hold, until none is due or `mustStop`; answers how many
    /// there were.
    package func run(until mustStop: () -> Bool = { false }) async throws(StoreFailure) -> Int {
        var claims = try await claim([])
        var count = 0
        while !claims.isEmpty {
            count += claims.count
            let done = try await work(claims)
            guard !mustStop() else {
                try await store.release(done, after: .zero)
                break
            }
            claims = try await claim(done)
        }
        return count
    }

    /// Claims the next page, behind the merchant that was served last.
    private func claim(_ done: [MailClaim]) async throws(StoreFailure) -> [MailClaim] {
        let claims = try await store.claimMail(
            owner: owner,
            lease: Self.lease,
            done: done,
            after: last.withLock { $0 }
        )
        if let merchant = claims.last?.stream.merchant { last.withLock { $0 = merchant } }
        return claims
    }

    /// Decides what a page of mailboxes holds; answers the mailboxes that can be given back at once.
    private func work(_ claims: [MailClaim]) async throws(StoreFailure) -> [MailClaim] {
        let mail = try await store.undecided(claims, limit: Self.inputsPerClaim)
        // What was claimed before without progress is decided alone: it may be the one that kills its company.
        let suspects = zip(claims, mail).filter { $0.0.attempts > 1 }
        let fresh = zip(claims, mail).filter { $0.0.attempts <= 1 }
        var done = try await work(fresh)
        for suspect in suspects { done += try await work([suspect]) }
        return done
    }

    private func work(_ mail: [(MailClaim, [InputRecord])]) async throws(StoreFailure) -> [MailClaim] {
        var works: [Work] = []
        var owners: [MailClaim] = []
        for (claim, inputs) in mail {
            if claim.attempts >= Self.poisonAttempts, let first = inputs.first {
                try await quarantine(first, claim, "no progress after \(claim.attempts) claims")
                continue
            }
            for input in inputs {
                works.append(Work(input: input, fence: claim.fence))
                owners.append(claim)
            }
        }
        guard !works.isEmpty else { return mail.map(\.0) }
        let outcomes = await desk.decide(works)
        var unfinished: [MailClaim] = []
        for ((work, claim), outcome) in zip(zip(works, owners), outcomes) {
            switch outcome {
            case .decided, .duplicate, .fenced: continue
            case .undecidable(let reason): try await quarantine(work.input, claim, reason)
            case .busy, .unavailable: if unfinished.last != claim { unfinished.append(claim) }
            }
        }
        if !unfinished.isEmpty { try await store.release(unfinished, after: .seconds(1)) }
        return mail.map(\.0).filter { !unfinished.contains($0) }
    }

    private func quarantine(_ input: InputRecord, _ claim: MailClaim, _ reason: String) async throws(StoreFailure) {
        log.error(
            "input quarantined",
            ["input": LogValue(input.id), "stream": LogValue(input.stream), "reason": .text(reason)]
        )
        meters.quarantined()
        try await store.quarantine(input.id, claim: claim, reason: reason)
    }
}

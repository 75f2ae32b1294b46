import Crypto
import Decisions
package import EventSourcing
package import Kernel
import Payments
import Telemetry

/// Fires due timers and takes up what other processes left: expired claims, vanished senders, closed windows.
package struct Scheduler: Sendable {
    private let queue: any WorkQueue
    private let answers: AnswerIntake
    private let notifier: CommitNotifier
    private let meters: EngineMeters
    private let clock: @Sendable () -> Timestamp
    /// The merchant whose timers were read last.
    private let last = Locked(MerchantNumber(0))
    /// Added to a lease before its sender counts as vanished: clock skew and a slow last commit.
    package static let grace = Duration.seconds(5)
    package static let page = 200

    package init(
        queue: any WorkQueue,
        answers: AnswerIntake,
        notifier: CommitNotifier,
        meters: EngineMeters,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.queue = queue
        self.answers = answers
        self.notifier = notifier
        self.meters = meters
        self.clock = clock
    }

    /// Does each chore once; answers how much there was to do.
    package func runOnce() async throws(StoreFailure) -> Int {
        let timers = try await queue.dueTimers(limit: Self.page, after: last.withLock { $0 })
        if let merchant = timers.last?.stream.merchant { last.withLock { $0 = merchant } }
        if !timers.isEmpty {
            try await queue.fire(timers.map { ($0, Self.input(of: $0, at: clock())) })
            meters.timers.increment(by: Int64(timers.count))
            notifier.mail.ring()
        }
        let reclaimed = try await queue.reclaimEffects()
        if reclaimed > 0 { notifier.claim() }
        let lost = try await queue.lostEffects(grace: Self.grace, limit: Self.page)
        let expired = try await queue.expiredEffects(limit: Self.page)
        meters.lost.increment(by: Int64(lost.count))
        // One that can't be booked keeps no other from it.
        let all = lost.map { ($0, isLost: true) } + expired.map { ($0, isLost: false) }
        try await all.eachByItself { effect, isLost throws(StoreFailure) in
            if isLost { try await answers.vanished(effect) } else { try await answers.expired(effect) }
        }
        return timers.count + reclaimed + lost.count + expired.count
    }

    /// The input of a fired timer: the same timer gives the same input on every node.
    package static func input(of timer: DueTimer, at now: Timestamp) -> InputRecord {
        InputRecord(
            id: .version5(namespace: timer.stream.id, name: "timer:\(timer.clock.rawValue):\(timer.at.microseconds)"),
            stream: timer.stream,
            kind: .timer,
            name: "timer",
            meta: InputMeta.timer(timer),
            body: [],
            receivedAt: now
        )
    }
}

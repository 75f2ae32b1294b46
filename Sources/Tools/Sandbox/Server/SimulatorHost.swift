import Glibc
import Kernel

/// Runs a simulator: gives it requests and the time, keeps its journal, and hands out what must be posted.
///
/// It decides nothing. Whoever owns it calls `run` once, which lasts until the task is cancelled.
package actor SimulatorHost<Simulator: ProviderSimulator> {
    /// Posts a notification and says how that ended.
    package typealias Post = @Sendable (SandboxDelivery) async -> DeliveryReply

    private var simulator: Simulator
    private var journal: SandboxJournal?
    private let post: Post
    private let deliveries: AsyncStream<SandboxDelivery>
    private let toDeliver: AsyncStream<SandboxDelivery>.Continuation
    /// The one sleep until the next thing is due; it belongs to this actor and ends with `run`.
    private var sleep: (due: Timestamp, task: Task<Void, Never>)?
    private var isRunning = false

    package init(_ simulator: Simulator, journal: consuming SandboxJournal?, post: @escaping Post) {
        self.simulator = simulator
        self.journal = journal
        self.post = post
        (deliveries, toDeliver) = AsyncStream.makeStream()
    }

    /// The state, for whoever looks on.
    package var state: Simulator { simulator }

    /// Answers a request.
    package func answer(_ request: SandboxRequest) -> SandboxAnswer {
        let actions = take(.request(request), isRecorded: simulator.isRecorded(request))
        for case .answer(let answer) in actions { return answer }
        return .text(500, "The simulator gave no answer.\n")
    }

    /// Delivers notifications and lets the time pass until the task is cancelled.
    package func run() async {
        isRunning = true
        _ = take(.resumed, isRecorded: true)
        await withDiscardingTaskGroup { group in
            for await delivery in deliveries {
                group.addTask { await self.deliver(delivery) }
            }
            group.cancelAll()
        }
        isRunning = false
        sleep?.task.cancel()
        sleep = nil
    }

    private func deliver(_ delivery: SandboxDelivery) async {
        let reply = await post(delivery)
        // A stop in between leaves the attempt open: the next start counts it as not delivered.
        guard isRunning else { return }
        _ = take(.deliveryEnded(delivery.attempt, reply), isRecorded: true)
    }

    private func take(_ input: SandboxInput, isRecorded: Bool) -> [SandboxAction] {
        let time = SimulatorHost.now()
        if isRecorded {
            do throws(SandboxJournalFailure) { try record(input, at: time) } catch {
                return [.answer(.refused(507, error.code.rawValue, "The journal can't be written."))]
            }
        }
        let actions = simulator.take(input, at: time)
        perform(actions)
        return actions
    }

    private func record(_ input: SandboxInput, at time: Timestamp) throws(SandboxJournalFailure) {
        try journal?.write(input, at: time)
    }

    private func perform(_ actions: [SandboxAction]) {
        for action in actions {
            switch action {
            case .answer: break
            case .deliver(let delivery): toDeliver.yield(delivery)
            }
        }
        arm()
    }

    /// Sleeps until the next thing is due, unless that is what happens already.
    private func arm() {
        guard isRunning, let due = simulator.nextDue else { return }
        if let sleep, sleep.due <= due { return }
        sleep?.task.cancel()
        let wait = due.since(SimulatorHost.now())
        sleep = (
            due,
            Task {
                do { try await Task.sleep(for: max(.zero, wait)) } catch { return }
                self.woke(due)
            }
        )
    }

    private func woke(_ due: Timestamp) {
        guard sleep?.due == due else { return }
        sleep = nil
        let now = SimulatorHost.now()
        guard now >= due else { return arm() }
        _ = take(.timeReached, isRecorded: true)
        arm()
    }

    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

package import Kernel

/// The part of a simulator that all have: the time and what is due, the money, the faults in wait and the notices.
package struct SimulatorCore<Due: Sendable, Fault: CountedFault>: Sendable {
    enum Item: Sendable {
        case notice(DeliveryAttempt)
        case own(Due)
    }

    /// The time of the input being handled.
    var now: Timestamp
    /// How far the simulated clock was moved ahead by hand.
    var skew = Duration.zero
    var queue = DueQueue<Item>()
    /// Actions that the input being handled has caused so far.
    var actions: [SandboxAction] = []
    /// Counts what gets a name, so that no name comes twice.
    var counter: Int64 = 0
    var random: SplitMix64
    var ledger = SandboxLedger()
    var diary = SandboxDiary()
    var faults: [Fault] = []
    var notices: [Int64: SandboxNotice] = [:]

    init(startedAt: Timestamp, seed: Int64) {
        now = startedAt
        random = SplitMix64(seed: UInt64(bitPattern: seed))
    }

    func simulated(_ time: Timestamp) -> Timestamp { time.adding(skew) }

    var nextDue: Timestamp? { queue.nextDue.map { $0.adding(.zero - skew) } }

    var noticesInOrder: [SandboxNotice] { notices.values.sorted { $0.id < $1.id } }

    mutating func count() -> Int64 {
        counter += 1
        return counter
    }

    mutating func takeActions() -> [SandboxAction] {
        defer { actions = [] }
        return actions
    }
}

/// How a simulator is set up: whom it knows, how fast its time goes, and where it is reached.
package struct SimulatorConfiguration<Merchant: Hashable & Sendable, Timings: SimulatorTimings>: Hashable, Sendable {
    package var merchants: [Merchant]
    package var timings: Timings
    /// Where the sandbox is reached, without a slash at the end; part of the addresses that it gives.
    package var address: String
    /// Makes identifiers of this run differ from those of earlier ones.
    package var startedAt: Timestamp

    package init(merchants: [Merchant], timings: Timings = Timings(), address: String, startedAt: Timestamp) {
        self.merchants = merchants
        self.timings = timings
        self.address = address
        self.startedAt = startedAt
    }
}

/// How fast a simulated provider's time goes.
package protocol SimulatorTimings: Hashable, Sendable {
    /// Divides the provider's own documented waits.
    var speed: Int64 { get }

    init()
}

extension SimulatorTimings {
    /// A documented wait as it is lived through here.
    func lived(_ documented: Duration) -> Duration { documented / Int(max(1, speed)) }
}

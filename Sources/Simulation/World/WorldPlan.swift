import Kernel

/// What a world is made of; the same plan plays the same world.
package struct WorldPlan: Hashable, Sendable {
    /// A provider whose declaration makes the model.
    package let provider: String
    package let seed: UInt64
    package var payments = 6
    package var nodes = 2
    package var faults = FaultRates.usual

    package init(provider: String, seed: UInt64) {
        self.provider = provider
        self.seed = seed
    }

    /// Moments that a world may take before it counts as one that never rests.
    package static let moments = 20_000
}

/// What was seen of a world.
package struct WorldReport: Hashable, Sendable {
    package var payments = 0
    package var events = 0
    package var sends = 0
    package var crashes = 0
    package var faults = 0
    package var operatorActs = 0
    /// A digest of the log: the same plan gives the same.
    package var fingerprint = ""
    /// What must never be; empty in a good world.
    package var violations: [String] = []
    /// What happened, one line each, where it was asked for.
    package var trace: [String] = []

    package init() {}

    /// Adds the counts of another world.
    package mutating func add(_ other: WorldReport) {
        payments += other.payments
        events += other.events
        sends += other.sends
        crashes += other.crashes
        faults += other.faults
        operatorActs += other.operatorActs
    }
}

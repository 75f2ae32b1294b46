import Kernel

/// The subject of a world.
package enum WorldKind: String, Hashable, Sendable, CaseIterable {
    /// Payments at a provider that is made from its adapter's declaration.
    case payments
    /// Schedules that charge saved cards, over the real wire formats.
    case subscriptions
    /// Money that goes on to other cards, at the sandbox's Portmone.
    case transfers
    /// Bills that are paid in bulk, at the sandbox's Portmone.
    case bills

    /// The providers that have such worlds.
    package var providers: [String] {
        switch self {
        case .payments: SimulatedProvider.all.map(\.name)
        case .subscriptions: Simulation.subscriptionWires.map(\.name)
        case .transfers, .bills: ["portmone"]
        }
    }
}

/// The plan of a world; the same plan plays the same world.
package struct WorldPlan: Hashable, Sendable {
    package let kind: WorldKind
    /// A provider whose declaration makes the model, or whose wire format is spoken.
    package let provider: String
    package let seed: UInt64
    /// Payments or transfers; worlds of subscriptions and bills are of one size.
    package var payments = 6
    package var nodes = 2
    package var faults: FaultRates

    package init(_ kind: WorldKind = .payments, provider: String, seed: UInt64) {
        self.kind = kind
        self.provider = provider
        self.seed = seed
        faults = kind == .payments ? .usual : .overRealWires
    }

    /// Moments that a world may take before it counts as one that never rests.
    package static let moments = 20_000
}

/// The report of a world.
package struct WorldReport: Hashable, Sendable {
    package var payments = 0
    package var events = 0
    package var sends = 0
    package var crashes = 0
    package var faults = 0
    package var operatorActs = 0
    /// A digest of the log: the same plan gives the same.
    package var fingerprint = ""
    /// Breaches of what must never be; empty in a good world.
    package var violations: [String] = []
    /// Everything that happened, one line each, where it was asked for.
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

import Kernel
package import ProviderKit

/// Plays worlds.
package enum Simulation {
    /// Plays one world; `other` makes a provider that keeps another's promises than the adapter declares.
    package static func play(
        _ plan: WorldPlan,
        at provider: SimulatedProvider,
        promising other: SimulatedProvider? = nil,
        isTracing: Bool = false
    ) async throws(SettingsFailure) -> WorldReport {
        let world = try World(plan, provider, promising: other ?? provider, isTracing: isTracing)
        return await world.run()
    }

    /// The wires of providers that charge saved cards by themselves.
    package static let subscriptionWires: [any HostileWire] = [EcommpayTableWire(), WorldlineTableWire()]

    /// Plays one world of subscriptions; `nil` where the provider's wire is not among those.
    package static func play(_ plan: SubscriptionPlan, isTracing: Bool = false) async throws -> WorldReport? {
        guard let wire = subscriptionWires.first(where: { $0.name == plan.provider }) else { return nil }
        return try await SubscriptionWorld(plan, wire, isTracing: isTracing).run()
    }
}

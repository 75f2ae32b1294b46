import Kernel
package import ProviderKit

/// Plays worlds.
package enum Simulation {
    /// Plays one world of payments; `other` makes a provider that keeps another's promises than the adapter declares.
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

    /// Plays one world; `nil` where the provider has none of its kind.
    package static func play(_ plan: WorldPlan, isTracing: Bool = false) async throws -> WorldReport? {
        guard plan.kind.providers.contains(plan.provider) else { return nil }
        switch plan.kind {
        case .payments:
            guard let provider = SimulatedProvider.named(plan.provider) else { return nil }
            return try await play(plan, at: provider, isTracing: isTracing)
        case .subscriptions:
            guard let wire = subscriptionWires.first(where: { $0.name == plan.provider }) else { return nil }
            let world = try SubscriptionWorld(plan, wire, isTracing: isTracing)
            return await world.house.run(world)
        case .transfers:
            let world = try TransferWorld(plan, isTracing: isTracing)
            return await world.house.run(world)
        case .bills:
            let world = try BillWorld(plan, isTracing: isTracing)
            return await world.house.run(world)
        }
    }
}

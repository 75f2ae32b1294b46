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
}

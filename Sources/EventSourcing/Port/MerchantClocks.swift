package import Kernel

/// Business clocks that merchants in test mode own; everybody else lives by the server's clock.
package protocol MerchantClocks: Sendable {
    /// Reads a merchant's own clock; `nil` where it has none.
    func reading(of merchant: MerchantNumber) async throws(StoreFailure) -> Timestamp?

    /// Moves each travelling clock by one step, to the earliest timer on its way, where its merchant is quiet.
    func travel() async throws(StoreFailure) -> ClockTravel
}

/// The work that a merchant's clock waits for before it goes on.
package enum ClockWait: String, Hashable, Sendable, CaseIterable {
    /// Enqueued commands that nobody has taken.
    case commands
    /// Inputs without a decision.
    case decisions
    /// Messages on their way to a provider, or about to leave.
    case messages
    /// Timers that are due.
    case timers
    /// Payments that ask their provider within 20 seconds again.
    case payments
}

/// The outcome of one step of the clocks that travel.
package enum ClockTravel: Int32, Hashable, Sendable {
    case noneTravels = 0
    /// Something is still under way for the merchant.
    case waits = 1
    case moved = 2
}

/// Nobody owns a clock.
package struct NoClocks: MerchantClocks {
    package init() {}

    package func reading(of merchant: MerchantNumber) async throws(StoreFailure) -> Timestamp? { nil }
    package func travel() async throws(StoreFailure) -> ClockTravel { .noneTravels }
}

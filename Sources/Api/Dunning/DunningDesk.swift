package import EventSourcing
import Kernel
package import Schedules

/// Keeps what merchants want to follow a decline, by name and version; a version is never changed.
package protocol DunningDesk: Sendable {
    /// The newest version of each policy, in the order of their names.
    func policies(of merchant: MerchantNumber) async throws(ReadFailure) -> [DunningPolicy]

    /// The newest version of one; `nil` where the merchant has none of that name.
    func policy(named name: String, of merchant: MerchantNumber) async throws(ReadFailure) -> DunningPolicy?

    /// Keeps a policy as the next version of its name, unless the newest one says the same; answers the one that holds.
    func keep(_ policy: DunningPolicy, by actor: String, of merchant: MerchantNumber) async throws(ReadFailure)
        -> DunningPolicy
}

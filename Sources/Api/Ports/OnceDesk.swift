package import EventSourcing
package import Kernel

/// Keeps what a command carries once and nobody may write down.
package protocol OnceDesk: Sendable {
    /// Keeps a value in memory and gives what stands in its place; `nil` where it can't be kept.
    func keepOnce(_ value: Json, merchant: MerchantNumber) -> Json?
}

package import EventSourcing
import Kernel

/// What this process wrote or read lately of what never changes, by key, at most so much of it.
///
/// A restored log may have lost it: in another recovery epoch nothing is held any more.
package final class EpochCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Held: Sendable {
        var epoch: RecoveryEpoch?
        var values: GenerationCache<Key, Value>
    }

    private let held: Locked<Held>
    private let capacity: Int
    private let epoch: @Sendable () async throws(StoreFailure) -> RecoveryEpoch?

    package init(capacity: Int, epoch: @escaping @Sendable () async throws(StoreFailure) -> RecoveryEpoch?) {
        self.capacity = capacity
        self.epoch = epoch
        held = Locked(Held(values: GenerationCache(capacity: capacity)))
    }

    /// The value that is held, else the one that is read, which is held then.
    package func value(of key: Key, _ read: () async throws(StoreFailure) -> Value?) async throws(StoreFailure)
        -> Value?
    {
        let epoch = try await epoch()
        let known = held.withLock { held in
            if held.epoch != epoch { held = Held(epoch: epoch, values: GenerationCache(capacity: capacity)) }
            return held.values.find(key)
        }
        if let known { return known }
        guard let value = try await read() else { return nil }
        keep(value, of: key, in: epoch)
        return value
    }

    /// Keeps what was written in an epoch.
    package func keep(_ value: Value, of key: Key, in epoch: RecoveryEpoch?) {
        held.withLock { if $0.epoch == epoch { $0.values.keep(value, of: key) } }
    }
}

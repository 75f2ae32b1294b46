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
        let known = try await find([key])
        if let value = known.values[0] { return value }
        guard let value = try await read() else { return nil }
        keep(value, of: key, in: known.epoch)
        return value
    }

    /// The values of keys; those that aren't held are read together, and are held then.
    package func values(of keys: [Key], _ read: ([Key]) async throws(StoreFailure) -> [Key: Value])
        async throws(StoreFailure) -> [Value?]
    {
        var (epoch, values) = try await find(keys)
        let missing = keys.indices.filter { values[$0] == nil }
        guard !missing.isEmpty else { return values }
        let found = try await read(missing.map { keys[$0] })
        for index in missing {
            guard let value = found[keys[index]] else { continue }
            values[index] = value
            keep(value, of: keys[index], in: epoch)
        }
        return values
    }

    private func find(_ keys: [Key]) async throws(StoreFailure) -> (epoch: RecoveryEpoch?, values: [Value?]) {
        let epoch = try await epoch()
        let values = held.withLock { held in
            if held.epoch != epoch { held = Held(epoch: epoch, values: GenerationCache(capacity: capacity)) }
            return keys.map { held.values.find($0) }
        }
        return (epoch, values)
    }

    /// Keeps what was written in an epoch.
    package func keep(_ value: Value, of key: Key, in epoch: RecoveryEpoch?) {
        held.withLock { if $0.epoch == epoch { $0.values.keep(value, of: key) } }
    }
}

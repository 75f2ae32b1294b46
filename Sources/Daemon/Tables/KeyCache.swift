package import Api
import Kernel

/// Proved keys for a few seconds; a revoked key works no longer than that.
package final class KeyCache: Sendable {
    private struct Known: Sendable {
        let caller: Caller
        let readAt: ContinuousClock.Instant
    }

    private let known = Locked(GenerationCache<[UInt8], Known>(capacity: KeyCache.capacity))
    private static let freshness = Duration.seconds(2)
    private static let capacity = 10_000

    package func fresh(_ hash: [UInt8]) -> Caller? {
        guard let entry = known.withLock({ $0.find(hash) }), entry.readAt.duration(to: .now) < Self.freshness else {
            return nil
        }
        return entry.caller
    }

    package func keep(_ caller: Caller, _ hash: [UInt8]) {
        known.withLock { $0.keep(Known(caller: caller, readAt: .now), of: hash) }
    }
}

package import EventSourcing
import Kernel

/// Remembers what was read of a merchant, for a second.
package final class MerchantCache<Value: Sendable>: Sendable {
    private struct Entries {
        var known: [MerchantNumber: (value: Value, readAt: ContinuousClock.Instant)] = [:]
        /// How often something was written by this process.
        var writes: [MerchantNumber: Int] = [:]
    }

    private let entries = Locked(Entries())

    package init() {}

    private var freshness: Duration { .seconds(1) }

    package func fresh(_ merchant: MerchantNumber) -> Value? {
        guard let entry = entries.withLock({ $0.known[merchant] }), entry.readAt.duration(to: .now) < freshness else {
            return nil
        }
        return entry.value
    }

    /// To be taken before what is kept is read.
    package func mark(_ merchant: MerchantNumber) -> Int { entries.withLock { $0.writes[merchant, default: 0] } }

    /// Keeps what was read since the mark, unless this process has written meanwhile: it may be older than that.
    package func keep(_ value: Value, _ merchant: MerchantNumber, since mark: Int) {
        entries.withLock { entries in
            if entries.writes[merchant, default: 0] == mark { entries.known[merchant] = (value, .now) }
        }
    }

    package func forget(_ merchant: MerchantNumber) {
        entries.withLock { entries in
            entries.known[merchant] = nil
            entries.writes[merchant, default: 0] += 1
        }
    }
}

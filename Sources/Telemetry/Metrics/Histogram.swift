import Kernel

/// Counts observations in buckets, in whole ticks of a unit.
package final class Histogram: Sendable {
    /// The unit of a measurement: a tick is a microsecond, or one of something.
    package enum Unit: Hashable, Sendable {
        case seconds
        case count

        /// A number of ticks in the unit, exactly: `0.005`, `2`.
        func text(_ ticks: Int64) -> String {
            switch self {
            case .count: return String(ticks)
            case .seconds:
                let fraction = String(ticks.magnitude % 1_000_000 + 1_000_000).dropFirst()
                let kept = fraction.reversed().drop { $0 == "0" }.reversed()
                let whole = (ticks < 0 ? "-" : "") + String(ticks.magnitude / 1_000_000)
                return kept.isEmpty ? whole : whole + "." + String(kept)
            }
        }
    }

    /// The counts so far.
    struct Reading: Sendable {
        /// Observations in each bucket, not yet added up; the last is everything beyond the bounds.
        var buckets: [Int64]
        var sum: Int64 = 0
    }

    /// Upper bounds in ticks, rising.
    let bounds: [Int64]
    let unit: Unit
    private let state: Locked<Reading>

    init(bounds: [Int64], unit: Unit) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds rise")
        self.bounds = bounds
        self.unit = unit
        state = Locked(Reading(buckets: Array(repeating: 0, count: bounds.count + 1)))
    }

    package func observe(_ duration: Duration) {
        let parts = duration.components
        observe(ticks: parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)
    }

    package func observe(_ amount: Int) { observe(ticks: Int64(amount)) }

    private func observe(ticks: Int64) {
        let bucket = bounds.firstIndex { ticks <= $0 } ?? bounds.count
        state.withLock { state in
            state.buckets[bucket] += 1
            state.sum += ticks
        }
    }

    var reading: Reading { state.withLock { $0 } }

    /// From half a millisecond to ten seconds.
    package static let latencyBounds: [Int64] = [
        500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000,
    ]
}

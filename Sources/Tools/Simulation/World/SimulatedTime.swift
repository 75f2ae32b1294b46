import Engine
import Kernel

/// The time of a world: the database's clock, and the clock that only runs forward.
final class SimulatedTime: Sendable {
    private struct Reading: Sendable {
        var now: Timestamp
        var forward = Duration.zero
    }

    private let reading: Locked<Reading>
    private let origin = ContinuousClock.now

    init(_ start: Timestamp) { reading = Locked(Reading(now: start)) }

    var now: Timestamp { reading.withLock { $0.now } }

    var forward: ContinuousClock.Instant { origin + reading.withLock { $0.forward } }

    func advance(by duration: Duration) {
        reading.withLock { reading in
            reading.now = reading.now.adding(duration)
            reading.forward += duration
        }
    }

    func advance(to time: Timestamp) {
        let now = now
        if time > now { advance(by: time.since(now)) }
    }
}

import Engine
import EventSourcing
import Glibc
import Kernel

/// The database's clock, read now and then and carried forward by the boot-time clock in between.
///
/// Leases and deadlines are compared in the database; decisions only record a reading, so a few milliseconds don't matter.
final class DatabaseClock: Sendable {
    private struct Reading: Sendable {
        let time: Timestamp
        let takenAt: ContinuousClock.Instant
    }

    private let reading: Locked<Reading>

    /// Starts from the machine's clock until the first reading.
    init() {
        let time = Timestamp(microseconds: Self.machineMicroseconds())
        reading = Locked(Reading(time: time, takenAt: .now))
    }

    var now: Timestamp {
        reading.withLock { $0.time.adding($0.takenAt.duration(to: .now)) }
    }

    /// Takes a reading; half of the round trip is added to it.
    func read(from queue: any WorkQueue) async throws(StoreFailure) {
        let asked = ContinuousClock.now
        let time = try await queue.now()
        let answered = ContinuousClock.now
        let middle = asked + asked.duration(to: answered) / 2
        reading.withLock { $0 = Reading(time: time, takenAt: middle) }
    }

    private static func machineMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// Reads the database's clock every other second.
struct ClockService: Service {
    let clock: DatabaseClock
    let queue: any WorkQueue

    let name = "clock"
    let rest = Duration.seconds(2)
    let signal = Signal()

    func runOnce() async throws(StoreFailure) -> Int {
        try await clock.read(from: queue)
        return 0
    }
}

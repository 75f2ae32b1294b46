import Glibc
package import Kernel

/// The machine's clock, for log lines and ids outside decisions.
package enum WallClock {
    package static let now: @Sendable () -> Timestamp = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

#if CRASH_POINTS
    import Glibc
    import Kernel

    /// What `PAYSTREAM_CRASH` asks for: the end of this process, or a halt, at the n-th passage of a point.
    ///
    /// `commit.after:2` kills the process at the second passage, as `kill -9` from outside would. With
    /// `PAYSTREAM_CRASH_HALT=FILE` the passage makes FILE and waits until somebody removes it.
    final class CrashDrill: Sendable {
        private let point: CrashPoint
        private let passage: Int
        private let haltFile: String?
        private let passed = Locked(0)

        private static let haltPause: UInt32 = 10_000

        init?(environment: (String) -> String?) {
            guard let words = environment("PAYSTREAM_CRASH")?.split(separator: ":"), words.count == 2,
                let point = CrashPoint(rawValue: String(words[0])), let passage = Int(words[1]), passage > 0
            else { return nil }
            self.point = point
            self.passage = passage
            haltFile = environment("PAYSTREAM_CRASH_HALT")
        }

        /// Ends or halts the process if this is the passage that was asked for.
        func reach(_ point: CrashPoint) {
            guard point == self.point else { return }
            let count = passed.withLock { count in
                count += 1
                return count
            }
            guard count == passage else { return }
            guard let haltFile else {
                kill(getpid(), SIGKILL)
                while true { pause() }
            }
            close(open(haltFile, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            while access(haltFile, F_OK) == 0 { usleep(Self.haltPause) }
        }
    }
#endif

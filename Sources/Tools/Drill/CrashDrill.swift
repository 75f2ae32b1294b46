#if CRASH_POINTS
    import Glibc
    import Kernel

    /// The wish of `PAYSTREAM_CRASH`: the end of this process, or a halt, at the n-th passage of a point.
    ///
    /// `commit.after:2` kills the process at the second passage, as `kill -9` from outside would. In
    /// `mail.read:2,mail.released:1` the process is asked to end, by SIGTERM, at the first place, and killed at the second.
    /// With `PAYSTREAM_CRASH_HALT=FILE` the last passage makes FILE and waits until somebody removes it.
    package final class CrashDrill: Sendable {
        private struct Place {
            let point: CrashPoint
            let passage: Int
        }

        private let places: [Place]
        private let haltFile: String?
        /// Passages of each place's point, counted since the place before it was reached.
        private let passed: Locked<[Int]>

        private static let haltPause: UInt32 = 10_000
        /// So long a process that was asked to end needs at most to know it.
        private static let stopPause: UInt32 = 300_000

        package init?(environment: (String) -> String?) {
            places = (environment("PAYSTREAM_CRASH") ?? "").split(separator: ",").compactMap { text in
                let words = text.split(separator: ":")
                guard words.count == 2, let point = CrashPoint(rawValue: String(words[0])), let passage = Int(words[1]),
                    passage > 0
                else { return nil }
                return Place(point: point, passage: passage)
            }
            guard !places.isEmpty else { return nil }
            passed = Locked(places.map { _ in 0 })
            haltFile = environment("PAYSTREAM_CRASH_HALT")
        }

        /// Whether it ends at a claim: what this process licenses must be claimed, too.
        package var isAtClaims: Bool { places.contains { $0.point == .effectsClaimed } }

        /// Ends or halts the process if this is the passage that was asked for.
        package func reach(_ point: CrashPoint) {
            let reached = passed.withLock { passed -> Int? in
                guard let next = passed.indices.first(where: { passed[$0] < places[$0].passage }),
                    places[next].point == point
                else { return nil }
                passed[next] += 1
                return passed[next] == places[next].passage ? next : nil
            }
            guard let reached else { return }
            guard reached == places.count - 1 else {
                kill(getpid(), SIGTERM)
                usleep(Self.stopPause)
                return
            }
            guard let haltFile else {
                kill(getpid(), SIGKILL)
                while true { pause() }
            }
            close(open(haltFile, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            while access(haltFile, F_OK) == 0 { usleep(Self.haltPause) }
        }
    }
#endif

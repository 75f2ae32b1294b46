import Glibc
import Kernel
import SystemKit

/// How far long work is, on one line of a terminal; nothing where nobody watches.
final class ProgressBar: Sendable {
    private static let width = 30
    private static let pause = Duration.milliseconds(100)

    private let isWatched: Bool
    private let drawn = Locked<ContinuousClock.Instant?>(nil)

    init() { isWatched = isatty(STDERR_FILENO) == 1 }

    /// Shows a share between nothing and all, and a word.
    func show(_ done: Int64, of all: Int64, _ word: String) {
        guard isWatched else { return }
        let isDue = drawn.withLock { drawn in
            let now = ContinuousClock.now
            if let last = drawn, last.duration(to: now) < Self.pause, done < all { return false }
            drawn = now
            return true
        }
        if isDue { StandardStream.error.write("\r" + Self.text(done, of: all, word)) }
    }

    /// Takes the line away.
    func end() {
        guard isWatched, drawn.withLock({ $0 != nil }) else { return }
        StandardStream.error.write("\r" + String(repeating: " ", count: 79) + "\r")
    }

    static func text(_ done: Int64, of all: Int64, _ word: String) -> String {
        let share = all > 0 ? min(1000, max(0, done / max(1, all / 1000))) : 1000
        let filled = Int(share) * width / 1000
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "[\(bar)] \(share / 10) % \(word)"
    }
}

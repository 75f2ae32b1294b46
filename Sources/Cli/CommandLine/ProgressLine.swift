import Glibc
import Kernel
import Postgres
import SystemKit

/// A line that tells how far long work is: drawn anew in a terminal, and written now and then elsewhere.
final class ProgressLine {
    private let begin = ContinuousClock.now
    private var written: ContinuousClock.Instant
    private var drawn = 0
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let title: String

    private static let width = 24
    private static let drawing = Duration.milliseconds(100)
    private static let telling = Duration.seconds(10)

    init(_ title: String) {
        self.title = title
        written = begin
    }

    /// Tells that `done` of `all` are done, and the rate of `count` things of that name.
    func tell(_ done: Int64, of all: Int64, count: Int, _ things: String) {
        let took = ContinuousClock.now - begin
        tellNow { Self.text(title, done, of: all, count: count, things, took: took) }
    }

    /// Tells how far work is whose end nobody knows.
    func tell(_ sentence: String) { tellNow { "\(title): \(sentence)" } }

    private func tellNow(_ text: () -> String) {
        let now = ContinuousClock.now
        guard now - written >= (isTerminal ? Self.drawing : Self.telling) else { return }
        written = now
        write(text())
    }

    /// Ends the line.
    func end(_ sentence: String) {
        write(sentence)
        if isTerminal { StandardStream.error.write("\n") }
    }

    /// Takes away what stands in a terminal, for what is written next.
    func clear() {
        guard isTerminal, drawn > 0 else { return }
        write("")
        StandardStream.error.write("\r")
    }

    private func write(_ text: String) {
        guard isTerminal else { return StandardStream.error.write(text + "\n") }
        let rest = String(repeating: " ", count: max(0, drawn - text.count))
        StandardStream.error.write("\r\(text)\(rest)")
        drawn = text.count
    }

    static func text(_ title: String, _ done: Int64, of all: Int64, count: Int, _ things: String, took: Duration)
        -> String
    {
        let share = all > 0 ? min(1, Double(done) / Double(all)) : 1
        let filled = Int(share * Double(width))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled)
        let seconds = Double(took.wholeMilliseconds) / 1000
        let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
        let left = share > 0 ? Int(seconds / share * (1 - share)) : 0
        return "\(title) [\(bar)] \(Int(share * 100)) %, \(count) \(things), \(rate) a second, \(left) s left"
    }
}

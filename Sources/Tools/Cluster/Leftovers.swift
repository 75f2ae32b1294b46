import Dispatch
package import Glibc
import Kernel
package import SystemKit

/// Everything that a command has started and takes down when it is told to end before its time.
///
/// On SIGTERM and SIGINT its children are told the same, what was entered is done, the newest first, and the process ends
/// with 128 and the signal's number. The command's own end does nothing of this: it cleans up as it always does.
///
/// Unchecked because dispatch sources are not declared sendable; they are made in `init` and only cancelled later, which
/// any thread may do.
package final class Leftovers: @unchecked Sendable {
    private let steps = Locked<[@Sendable () -> Void]>([])
    private let sources: [any DispatchSourceSignal]
    /// One at a time: a second signal waits for the first one's work.
    private static let queue = DispatchQueue(label: "leftovers")

    package init() {
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: Self.queue)
        }
        for (source, number) in zip(sources, [SIGTERM, SIGINT]) {
            source.setEventHandler { [weak self] in
                for child in ChildProcess.children() { kill(child, SIGTERM) }
                for step in self?.steps.withLock({ $0 }).reversed() ?? [] { step() }
                for child in ChildProcess.children() { kill(child, SIGKILL) }
                _exit(128 + number)
            }
            source.resume()
        }
    }

    /// Enters what must be done about something that is about to be started.
    package func add(_ step: @escaping @Sendable () -> Void) { steps.withLock { $0.append(step) } }

    /// Gives the signals their usual meaning back.
    package func close() {
        for source in sources { source.cancel() }
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
}

extension ChildProcess {
    /// The processes that this one started and that have not been waited for.
    package static func children() -> [pid_t] {
        FileTree.names(in: "/proc").compactMap { pid_t($0) }.filter { id in
            guard let text = FileTree.text("/proc/\(id)/stat"), let end = text.lastIndex(of: ")") else { return false }
            return text[text.index(after: end)...].split(separator: " ").dropFirst().first == "\(getpid())"
        }
    }
}

import Dispatch
import Glibc
import Kernel

/// Waits for SIGTERM or SIGINT; after the first one the next ends the process as usual.
///
/// Unchecked because dispatch sources are not declared sendable; they are made in `init` and only cancelled later, which
/// any thread may do.
package final class EndSignals: @unchecked Sendable {
    private struct State: Sendable {
        var isRaised = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let sources: [any DispatchSourceSignal]

    /// Returns when signals are heard: what comes while that is arranged is lost, so nobody should be invited to send one before.
    package init() {
        let heard = DispatchSemaphore(value: 0)
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [weak self] in
                signal(SIGTERM, SIG_DFL)
                signal(SIGINT, SIG_DFL)
                self?.raise()
            }
            source.setRegistrationHandler { heard.signal() }
            source.resume()
        }
        for _ in sources { heard.wait() }
    }

    /// By which a shell knows that a command was told to end.
    package static let exitCode: Int32 = 128 + SIGTERM

    package var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Returns when the process was asked to end, or `close` was called.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isRaised = state.withLock { state -> Bool in
                if !state.isRaised { state.waiting.append(continuation) }
                return state.isRaised
            }
            if isRaised { continuation.resume() }
        }
    }

    package func raise() {
        let waiting = state.withLock { state in
            state.isRaised = true
            let taken = state.waiting
            state.waiting = []
            return taken
        }
        for continuation in waiting { continuation.resume() }
    }

    package func close() {
        for source in sources { source.cancel() }
    }
}

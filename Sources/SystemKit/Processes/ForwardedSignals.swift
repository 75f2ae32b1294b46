import Glibc
import Synchronization

/// The process that gets the signals; 0 while there is none.
private let child = Atomic<Int32>(0)
/// The last signal that came in; 0 before the first.
private let caught = Atomic<Int32>(0)

/// Passes the signals that end a process on to a child.
///
/// Ctrl-C reaches the child without us, because a terminal signals the whole foreground group; only what another
/// process sent to us alone is passed on. State is kept in atomics because a signal handler may touch nothing else.
package enum ForwardedSignals {
    private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Takes the signals over: from now on they no longer end this process.
    package static func install() {
        for signal in forwarded {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = { number, facts, _ in
                caught.store(number, ordering: .releasing)
                let id = child.load(ordering: .acquiring)
                // The kernel's own signals (a terminal's) have a positive code.
                guard id > 0, let facts, facts.pointee.si_code <= 0 else { return }
                kill(id, number)
            }
            action.sa_flags = SA_SIGINFO | Int32(SA_RESTART)
            sigaction(signal, &action, nil)
        }
    }

    /// The last signal that came in.
    package static var received: Int32? {
        let number = caught.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Names the process that gets the signals, and hands it one that came earlier.
    package static func forward(to process: ChildProcess) {
        child.store(process.id, ordering: .releasing)
        if let received { kill(process.id, received) }
    }

    /// Stops forwarding: the process is gone and its number may be another's.
    package static func end() { child.store(0, ordering: .releasing) }
}

import Glibc
import Http
import Kernel

/// One open connection and the deadline of what it is doing.
///
/// A client may hold a connection open, but not for longer than each phase allows. The lock is held while the socket is
/// shut down, and the closing callback takes it too: the descriptor cannot be closed and given to another connection in
/// between.
final class ServerConnection: Sendable {
    enum Phase {
        /// No request line yet. Goes to `receiving`.
        case idle
        /// A request is coming in. Goes to `handling`, or to `answering` where it is refused.
        case receiving
        /// A handler works. Goes to `answering` with its answer or at its deadline.
        case handling(Exchange)
        /// The answer goes out. Goes to `idle` when it is out.
        case answering
        /// The peer was cut off; only the closing callback follows.
        case cut
    }

    /// What the watch has to do about a connection.
    enum Verdict {
        case leave
        case expire(Exchange)
    }

    private struct State {
        var phase = Phase.idle
        var deadline: MonotonicInstant
        var socket: Int32
        /// Bytes that wait in the system for the library to take them, and since when they are so many.
        var waiting: (bytes: Int32, since: MonotonicInstant)?
    }

    /// Bytes of a request that wait so long won't be taken any more: the library's memory is full of a chunk's first line,
    /// and it says nothing.
    private static let patience = Duration.seconds(2)

    let info: ConnectionInfo
    /// Who is counted for the connection.
    let site: ConnectionSite
    let opened = MonotonicInstant.now
    private let state: Locked<State>

    init(socket: Int32, info: ConnectionInfo, deadline: MonotonicInstant) {
        self.info = info
        site = ConnectionSite(info.remoteAddress)
        state = Locked(State(deadline: deadline, socket: socket))
    }

    /// Records what the connection does from now on; a connection that was cut off stays so.
    func enter(_ phase: sending Phase, until deadline: MonotonicInstant) {
        state.withLock { state in
            if case .cut = state.phase { return }
            state.phase = phase
            state.deadline = deadline
            state.waiting = nil
        }
    }

    /// Forgets the socket: it is about to be closed.
    func closed() {
        state.withLock { $0.socket = -1 }
    }

    /// Looks at the deadline: cuts off a slow peer, names a handler that is late.
    func check(_ now: MonotonicInstant) -> Verdict {
        state.withLock { state in
            if case .receiving = state.phase, Self.isStuck(&state, now) {
                state.phase = .cut
                let words = WireStep.lastWords(Problem.bodyMalformed.response)
                _ = unsafe send(state.socket, words, words.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                shutdown(state.socket, Int32(SHUT_RDWR))
                return .leave
            }
            guard state.deadline <= now else { return .leave }
            switch state.phase {
            case .handling(let exchange): return .expire(exchange)
            case .idle, .receiving, .answering:
                state.phase = .cut
                if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
                return .leave
            case .cut: return .leave
            }
        }
    }

    /// Cuts the connection off for others' sake: no handler works for it, and no answer is on its way.
    func giveWay() {
        state.withLock { state in
            switch state.phase {
            case .idle, .receiving:
                state.phase = .cut
                if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
            case .handling, .answering, .cut: break
            }
        }
    }

    private static func isStuck(_ state: inout State, _ now: MonotonicInstant) -> Bool {
        var bytes: Int32 = 0
        guard state.socket >= 0, unsafe ioctl(state.socket, UInt(FIONREAD), &bytes) == 0, bytes > 0 else {
            state.waiting = nil
            return false
        }
        guard let waiting = state.waiting, waiting.bytes == bytes else {
            state.waiting = (bytes, now)
            return false
        }
        return waiting.since.advanced(by: patience) <= now
    }

    /// The exchange a handler works on.
    var handled: Exchange? {
        state.withLock { state in if case .handling(let exchange) = state.phase { exchange } else { nil } }
    }

    /// Whether a request is between its first line and the last byte of its answer.
    var isBusy: Bool {
        state.withLock { state in
            switch state.phase {
            case .receiving, .handling, .answering: true
            case .idle, .cut: false
            }
        }
    }

    var isCut: Bool { state.withLock { state in if case .cut = state.phase { true } else { false } } }

    /// Whether a handler works or its answer is on its way.
    var isOwedAnAnswer: Bool {
        state.withLock { state in
            switch state.phase {
            case .handling, .answering: true
            case .idle, .receiving, .cut: false
            }
        }
    }
}

/// A point on the system's monotonic clock, in nanoseconds.
struct MonotonicInstant: Comparable, Sendable {
    let nanoseconds: Int64

    static var now: MonotonicInstant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    func advanced(by duration: Duration) -> MonotonicInstant {
        let parts = duration.components
        return MonotonicInstant(
            nanoseconds: nanoseconds + parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        )
    }

    static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool { left.nanoseconds < right.nanoseconds }
}

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

    /// The watch's verdict about a connection.
    enum Verdict {
        case leave
        case expire(Exchange)
    }

    private struct State {
        var phase = Phase.idle
        var deadline: MonotonicInstant
        var socket: Int32
        /// Bytes that lay in the system at the last look; 0 once something of the request was taken.
        var left: Int32 = 0
    }

    let info: ConnectionInfo
    /// Who is counted for the connection.
    let site: ConnectionSite
    let opened = MonotonicInstant.now
    /// Whose thread reads and writes its socket.
    let loop: ServerLoop
    private let state: Locked<State>

    init(socket: Int32, info: ConnectionInfo, loop: ServerLoop, deadline: MonotonicInstant) {
        self.info = info
        self.loop = loop
        site = ConnectionSite(info.remoteAddress)
        state = Locked(State(deadline: deadline, socket: socket))
    }

    /// Records what the connection does from now on; a connection that was cut off stays so.
    func enter(_ phase: sending Phase, until deadline: MonotonicInstant) {
        state.withLock { state in
            if case .cut = state.phase { return }
            state.phase = phase
            state.deadline = deadline
            state.left = 0
        }
    }

    /// Forgets the socket: it is about to be closed.
    func closed() {
        state.withLock { $0.socket = -1 }
    }

    /// Looks at the deadline: cuts off a slow peer, names a handler that is late.
    func check(_ now: MonotonicInstant) -> Verdict {
        state.withLock { state in
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

    /// A piece of the body was taken.
    func moved() { state.withLock { $0.left = 0 } }

    /// Refuses a request whose bytes lie there as they did at the last call: the library's memory is full of a chunk's first
    /// line, which it neither takes nor refuses.
    ///
    /// Called on the socket thread, with runs of the library in between: one takes what there is of every other request.
    func refuseIfStuck() {
        state.withLock { state in
            var bytes: Int32 = 0
            guard case .receiving = state.phase, state.socket >= 0,
                unsafe ioctl(state.socket, UInt(FIONREAD), &bytes) == 0, bytes > 0
            else { return }
            guard bytes == state.left else { return state.left = bytes }
            state.phase = .cut
            let words = WireStep.lastWords(Problem.bodyMalformed.response)
            _ = unsafe send(state.socket, words, words.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            shutdown(state.socket, Int32(SHUT_RDWR))
        }
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

import Glibc
import SystemKit

/// The thread that keeps a server's deadlines and stops it; it owns the socket loops and the listening socket.
final class ServerWatch: Sendable {
    /// Milliseconds between two looks at the deadlines while connections are open.
    private static let tick: Int32 = 50
    /// Milliseconds between two looks while the server drains.
    private static let drainTick: Int32 = 5
    /// Time for the last answers to leave after the drain's deadline.
    private static let flushTime = Duration.seconds(2)

    private let core: ServerCore
    private let loops: [ServerLoop]
    private let socket: Int32

    init(core: ServerCore, loops: [ServerLoop], socket: Int32) {
        self.core = core
        self.loops = loops
        self.socket = socket
    }

    /// Starts all threads; the watch's own thread keeps everything alive until the server has stopped.
    func start() {
        for loop in loops { loop.start() }
        OwnThread.detach { self.run() }
    }

    private func run() {
        while core.drainUntil == nil {
            core.signal.wait(core.hasConnections ? ServerWatch.tick : -1)
            core.sweep(.now)
        }
        for loop in loops { loop.quiesce() }
        // Nobody can connect from here on; the descriptor stays open until the loops are gone.
        shutdown(socket, Int32(SHUT_RDWR))
        while !core.isQuiet, let deadline = core.drainUntil, MonotonicInstant.now < deadline {
            core.signal.wait(ServerWatch.drainTick)
            core.sweep(.now)
        }
        finish()
    }

    private func finish() {
        let flushUntil = MonotonicInstant.now.advanced(by: ServerWatch.flushTime)
        core.abandonAll()
        while core.hasSuspended || (core.owesAnswers && MonotonicInstant.now < flushUntil) {
            core.signal.wait(ServerWatch.drainTick)
            core.abandonAll()
        }
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
        close(socket)
        core.stopped()
    }
}

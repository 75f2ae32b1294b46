import CMicrohttpd
import CShims
import Glibc
import Kernel
import SystemKit

/// A thread that reads and writes the sockets of its share of the connections.
///
/// The thread is ours and not libmicrohttpd's: the library's own epoll threads block with a full batch of 128 events in
/// hand (version 0.9.75), so 128 clients that become ready together wait for the next event. `MHD_run` never blocks.
///
/// `daemon`, and every connection of it, is touched by the thread only, once that runs: other threads leave exchanges that
/// have their answer in `answered` and ring.
@safe final class ServerLoop: @unchecked Sendable {
    /// An order to the thread.
    private enum Order {
        /// Accept and serve. Goes to `quiesce`.
        case serve
        /// Serve the connections there are. Goes to `stop`.
        case quiesce
        /// Close everything and end.
        case stop
    }

    let core: ServerCore
    /// Set once, before the thread starts.
    private var daemon: OpaquePointer?
    /// Exchanges whose answer is there and whose connection rests.
    private let answered = Locked<[Exchange]>([])
    private let signal = LoopSignal()
    private let order = Locked(Order.serve)
    /// Whether a connection has closed since the library ran last; touched by the thread only.
    private var hasClosed = false
    /// Runs in which the library did nothing that we heard of, and still wanted to run again; touched by the thread only.
    private var vainRuns = 0
    /// So many of them at once are believed: the library never rests while a connection's memory is full of a line without
    /// an end.
    private static let believedRuns = 8
    /// Milliseconds between two runs from then on; news of a socket does not wait for them.
    private static let vainPause: Int32 = 10
    private var thread: OwnThread?

    /// Prepares the loop; its owner must hold it until `join` has returned.
    init(core: ServerCore, socket: Int32) throws(HttpServerFailure) {
        self.core = core
        let configuration = core.configuration
        let loops = max(1, configuration.threads)
        var options = shim_server_options()
        options.listen_socket = socket
        options.connection_memory = configuration.connectionMemory
        options.connections = UInt32(clamping: max(1, configuration.maximumConnections / loops))
        options.idle_seconds = UInt32(clamping: max(1, configuration.idleTimeout.components.seconds))
        unsafe daemon = unsafe shim_server_start(
            &options,
            Unmanaged.passUnretained(self).toOpaque(),
            WireCallbacks.admit,
            WireCallbacks.handle,
            WireCallbacks.target,
            WireCallbacks.completed,
            WireCallbacks.connection
        )
        guard unsafe daemon != nil else { throw HttpServerFailure(code: .cannotStart, errno: errno) }
    }

    func start() {
        thread = OwnThread { self.run() }
    }

    /// Closes everything: at the thread's end, or where the loop was never started.
    ///
    /// A daemon that was not told to leave the listening socket would close it, which all loops share.
    func discard() {
        unsafe MHD_quiesce_daemon(daemon)
        unsafe MHD_stop_daemon(daemon)
    }

    /// A connection of this loop has closed; called on its thread.
    func closed() {
        hasClosed = true
        worked()
    }

    /// The library came forward with a request; called on its thread.
    func worked() { vainRuns = 0 }

    /// Stops accepting.
    func quiesce() { give(.quiesce) }

    /// Closes what is open and ends the thread; no connection may be suspended any more.
    func stop() { give(.stop) }

    func join() { thread?.join() }

    /// Wakes the connection of an exchange that has its answer.
    func wake(_ exchange: Exchange) {
        let isFirst = answered.withLock { waiting in
            waiting.append(exchange)
            return waiting.count == 1
        }
        if isFirst { signal.ring() }
    }

    private func give(_ next: Order) {
        order.withLock { $0 = next }
        signal.ring()
    }

    private func run() {
        let epoll = unsafe shim_server_epoll(daemon)
        var entries = [
            pollfd(fd: epoll, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        var awake: [Exchange] = []
        while true {
            // A library that was full listens again only when it runs next, and nothing else may wake the loop.
            var pause = hasClosed ? 0 : patience()
            vainRuns = pause == 0 ? vainRuns + 1 : 0
            if vainRuns > Self.believedRuns {
                core.refuseStuck(in: self)
                pause = Self.vainPause
            }
            _ = unsafe poll(&entries, 2, pause)
            hasClosed = false
            if entries[1].revents != 0 { signal.silence() }
            switch order.withLock({ $0 }) {
            case .serve: break
            case .quiesce:
                unsafe MHD_quiesce_daemon(daemon)
            case .stop:
                discard()
                return
            }
            // The two lists change places, so that both keep their memory.
            answered.withLock { swap(&$0, &awake) }
            for exchange in awake { exchange.resume() }
            if !awake.isEmpty { worked() }
            core.resumed(awake.count)
            awake.removeAll(keepingCapacity: true)
            unsafe MHD_run(daemon)
            core.ran()
        }
    }

    /// Milliseconds until the library wants to run even if nothing happens; -1 = never.
    private func patience() -> Int32 {
        var milliseconds: UInt64 = 0
        guard unsafe MHD_get_timeout(daemon, &milliseconds) == .YES else { return -1 }
        return Int32(clamping: milliseconds)
    }
}

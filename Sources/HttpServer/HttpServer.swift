import Glibc
package import Http
import Kernel

/// An HTTP/1.1 server over libmicrohttpd whose handlers are `async` functions.
///
/// A connection is put aside while its handler works, so no thread waits for a handler and no handler for a slow peer.
/// Every request has a body limit, a time to arrive, a time for its handler and a time to take the answer.
package final class HttpServer: Sendable {
    private let core: ServerCore
    private let isStarted = Locked(false)

    package init(
        configuration: HttpServerConfiguration,
        handler: @escaping @Sendable (HttpRequest, ConnectionInfo) async -> HttpResponse
    ) {
        core = ServerCore(configuration: configuration, handler: handler)
    }

    deinit {
        if isStarted.withLock({ $0 }) { core.orderDrain(within: .zero) }
    }

    /// Binds, starts the threads and answers the bound port.
    @discardableResult
    package func start() throws(HttpServerFailure) -> UInt16 {
        let isFirst = isStarted.withLock { started in
            defer { started = true }
            return !started
        }
        guard isFirst else { throw HttpServerFailure(code: .alreadyStarted, errno: 0) }
        do {
            return try launch()
        } catch {
            isStarted.withLock { $0 = false }
            throw error
        }
    }

    private func launch() throws(HttpServerFailure) -> UInt16 {
        let configuration = core.configuration
        let (socket, port) = try ListenSocket.open(address: configuration.address, port: configuration.port)
        var loops: [ServerLoop] = []
        do throws(HttpServerFailure) {
            for _ in 0..<max(1, configuration.threads) { loops.append(try ServerLoop(core: core, socket: socket)) }
            ServerWatch(core: core, loops: loops, socket: socket).start()
        } catch {
            for loop in loops { loop.discard() }
            close(socket)
            throw error
        }
        return port
    }

    /// Stops accepting, lets running handlers finish, then stops; after the deadline their clients get 503.
    ///
    /// A request that arrives on an open connection meanwhile is refused with 503 `server_draining`.
    @discardableResult
    package func drain(deadline: Duration) async -> DrainReport {
        guard isStarted.withLock({ $0 }) else { return DrainReport(unfinished: 0) }
        core.orderDrain(within: deadline)
        return await core.awaitStop()
    }

    package var isDraining: Bool { core.isDraining }

    package var activity: HttpServerActivity { core.activity }

    /// Times that the socket loops have run: what the server does for its sockets, counted.
    package var runs: Int { core.runCount }
}

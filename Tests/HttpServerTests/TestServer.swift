import Http
import HttpServer
import Kernel
import Testing

/// Runs `body` against a server with that handler and stops it afterwards.
func withServer(
    _ change: (inout HttpServerConfiguration) -> Void = { _ in },
    handler: @escaping @Sendable (HttpRequest, ConnectionInfo) async -> HttpResponse,
    _ body: (HttpServer, UInt16) async throws -> Void
) async throws {
    var configuration = HttpServerConfiguration()
    change(&configuration)
    let server = HttpServer(configuration: configuration, handler: handler)
    let port = try server.start()
    do {
        try await body(server, port)
    } catch {
        await server.drain(deadline: .zero)
        throw error
    }
    await server.drain(deadline: .seconds(5))
}

/// A door that is shut until it is opened; waiting ends early where the task is cancelled.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Locked(State())

    var arrived: Int { state.withLock { $0.arrived } }

    func wait() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let isOpen = state.withLock { state in
            state.arrived += 1
            state.waiting.append(continuation)
            return state.isOpen
        }
        guard !isOpen else { return }
        for await _ in stream {}
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        for continuation in waiting { continuation.finish() }
    }
}

/// Waits for a condition that another thread brings about; records an issue after half a minute.
func eventually(
    _ rule: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let end = ContinuousClock.now + .seconds(30)
    while !condition() {
        guard ContinuousClock.now < end else {
            Issue.record(rule, sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
}

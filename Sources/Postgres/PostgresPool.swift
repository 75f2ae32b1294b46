import Kernel

/// A bounded set of connections; callers wait in the order they came.
///
/// Connections are opened when they are needed; broken ones are dropped and replaced.
package final class PostgresPool: Sendable {
    /// The grant that a waiting caller receives.
    private enum Grant: Sendable {
        case connection(PostgresConnection)
        /// A connection less than the limit: open a connection of your own.
        case vacancy
        case refused(PostgresFailure)
    }

    private struct State: Sendable {
        var idle: [PostgresConnection] = []
        var open = 0
        var nextWaiter: UInt64 = 0
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Grant, Never>)] = []
        var isClosed = false
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    /// Callers that may wait for a connection; more are refused with `crowded`.
    package static let waiterLimit = 10_000

    package let options: PostgresOptions
    package let limit: Int
    /// The pool that this is a part of.
    private let whole: PostgresPool?
    private let state: Locked<State>

    package convenience init(_ options: PostgresOptions, limit: Int) { self.init(options, limit, of: nil) }

    private init(_ options: PostgresOptions, _ limit: Int, of whole: PostgresPool?) {
        precondition(limit >= 1, "a pool lends at least one connection")
        self.options = options
        self.limit = limit
        self.whole = whole
        state = Locked(State())
    }

    /// A pool whose callers hold at most so many of this pool's connections at once: the others wait among themselves, and hold up nobody
    /// else.
    package func part(atMost limit: Int) -> PostgresPool { PostgresPool(options, limit, of: self) }

    /// How many connections are open, idle, and waited for.
    package var counts: (open: Int, idle: Int, waiting: Int) {
        state.withLock { ($0.open, $0.idle.count, $0.waiters.count) }
    }

    /// Lends a connection to `body`; it is returned whatever happens, and dropped when it can't serve another caller.
    ///
    /// The look at the socket before, `body` and the look at the state after are one visit to the connection.
    package func withConnection<Value: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        if let whole {
            // Places alone are lent here: a part has no connections of its own.
            if case .refused(let failure) = await grant() { throw failure }
            defer { freePlace() }
            return try await whole.withConnection(body)
        }
        let connection = try await lease()
        if let visit = await connection.visit(body) { return try await end(visit, connection) }
        await connection.close()
        let fresh = try await openInPlace()
        guard let visit = await fresh.visit(body) else {
            await drop(fresh)
            throw PostgresFailure(.connect, detail: "the connection broke as soon as it stood")
        }
        return try await end(visit, fresh)
    }

    private func end<Value>(
        _ visit: PostgresConnection.Visit<Value>,
        _ connection: PostgresConnection
    ) async throws(PostgresFailure) -> Value {
        if visit.isReusable { await giveBack(connection) } else { await drop(connection) }
        return try visit.result.get()
    }

    /// Lends a connection with an open transaction to `body`, and commits.
    package func transaction<Result: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Result
    ) async throws(PostgresFailure) -> Result {
        try await withConnection { connection async throws(PostgresFailure) in try await connection.transaction(body) }
    }

    /// Refuses new callers, waits until every connection is back, and closes them.
    package func drain() async {
        let (waiters, idle) = state.withLock { state in
            state.isClosed = true
            let taken = (state.waiters, state.idle)
            state.open -= state.idle.count
            state.waiters = []
            state.idle = []
            return taken
        }
        for waiter in waiters { waiter.continuation.resume(returning: .refused(Self.closed)) }
        for connection in idle { await connection.close() }
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state -> Bool in
                guard state.open > 0 else { return true }
                state.drained.append(continuation)
                return false
            }
            if isDrained { continuation.resume() }
        }
    }

    // MARK: Lending

    private static let closed = PostgresFailure(.closed, detail: "the pool is closed")

    private func lease() async throws(PostgresFailure) -> PostgresConnection {
        switch await grant() {
        case .connection(let connection): return connection
        case .vacancy: return try await openInPlace()
        case .refused(let failure): throw failure
        }
    }

    /// Opens a connection in a place that was counted already.
    private func openInPlace() async throws(PostgresFailure) -> PostgresConnection {
        do throws(PostgresFailure) {
            return try await PostgresConnection.connect(options)
        } catch {
            freePlace()
            throw error
        }
    }

    private func grant() async -> Grant {
        let id = state.withLock { state -> UInt64 in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let grant = state.withLock { state in Self.request(id, continuation, in: &state, limit: limit) }
                if let grant { continuation.resume(returning: grant) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Grant, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: .refused(PostgresFailure(.closed, detail: "cancelled while waiting")))
        }
    }

    private static func request(
        _ id: UInt64,
        _ continuation: CheckedContinuation<Grant, Never>,
        in state: inout State,
        limit: Int
    ) -> Grant? {
        guard !state.isClosed else { return .refused(closed) }
        if let connection = state.idle.popLast() { return .connection(connection) }
        if state.open < limit {
            state.open += 1
            return .vacancy
        }
        guard state.waiters.count < waiterLimit else {
            return .refused(PostgresFailure(.crowded, detail: "\(waiterLimit) callers wait for a connection"))
        }
        guard !Task.isCancelled else {
            return .refused(PostgresFailure(.closed, detail: "cancelled while waiting"))
        }
        state.waiters.append((id, continuation))
        return nil
    }

    private func drop(_ connection: PostgresConnection) async {
        await connection.close()
        freePlace()
    }

    private func giveBack(_ connection: PostgresConnection) async {
        let (waiter, isClosed) = state.withLock { state -> (CheckedContinuation<Grant, Never>?, Bool) in
            if state.isClosed { return (nil, true) }
            guard state.waiters.isEmpty else { return (state.waiters.removeFirst().continuation, false) }
            state.idle.append(connection)
            return (nil, false)
        }
        waiter?.resume(returning: .connection(connection))
        if isClosed { await drop(connection) }
    }

    /// Hands a place on to the first who waits, or counts it free.
    private func freePlace() {
        let (waiter, drained) = state.withLock {
            state -> (CheckedContinuation<Grant, Never>?, [CheckedContinuation<Void, Never>]) in
            guard state.waiters.isEmpty else { return (state.waiters.removeFirst().continuation, []) }
            state.open -= 1
            guard state.isClosed, state.open == 0 else { return (nil, []) }
            defer { state.drained = [] }
            return (nil, state.drained)
        }
        waiter?.resume(returning: .vacancy)
        for continuation in drained { continuation.resume() }
    }
}

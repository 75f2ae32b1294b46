import Kernel
package import Postgres

/// Wake-ups between the nodes of one database; polling remains the truth, a lost wake-up costs one poll interval.
///
/// `NOTIFY` takes a cluster-wide lock when it commits, so it is never part of an append: `raise` only notes the wish,
/// and one connection of its own notifies at most 20 times a second. One channel, no payload.
package final class NotifySignal: Sendable {
    private struct State: Sendable {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// The shortest time between two notifications.
    package static let interval: Duration = .milliseconds(50)
    /// How long a lost connection is left alone.
    private static let retryAfter: Duration = .seconds(1)

    private let options: PostgresOptions
    private let state = Locked(State())

    package init(_ options: PostgresOptions) {
        self.options = options.with(applicationName: "paystream-signal")
    }

    /// Asks for a wake-up of every node; cheap, never blocks, coalesced.
    package func raise() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isRaised = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Notifies whenever somebody raised, until the task is cancelled.
    package func notify() async {
        await whileConnected { connection in
            while await raised() {
                try await connection.execute("NOTIFY paystream_work")
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Calls `wake` after every wake-up and after every (re)connect, until the task is cancelled; never where a pooler stands
    /// between, which passes no wake-up on.
    package func listen(_ wake: @escaping @Sendable () async -> Void) async {
        await whileConnected { connection in
            guard await !connection.isPooled else { return await Self.rest(behind: connection) }
            try await connection.listen("paystream_work")
            await wake()
            try await withTaskCancellationHandler {
                while !Task.isCancelled {
                    _ = try await connection.notifications()
                    await wake()
                }
            } onCancel: {
                Task { await connection.close() }
            }
        }
    }

    /// Waits until the task is cancelled, without the connection.
    private static func rest(behind connection: PostgresConnection) async {
        await connection.close()
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    /// Runs `body` on a connection, again after a failure, until the task is cancelled.
    private func whileConnected(_ body: @Sendable (PostgresConnection) async throws -> Void) async {
        while !Task.isCancelled {
            if let connection = try? await PostgresConnection.connect(options) {
                try? await body(connection)
                await connection.close()
            }
            guard !Task.isCancelled else { return }
            try? await Task.sleep(for: Self.retryAfter)
        }
    }

    /// Waits until somebody raised and takes it back; false when the task was cancelled.
    private func raised() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state -> Bool in
                    guard !state.isRaised, !Task.isCancelled else { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
        return state.withLock { state in
            defer { state.isRaised = false }
            return state.isRaised && !Task.isCancelled
        }
    }
}

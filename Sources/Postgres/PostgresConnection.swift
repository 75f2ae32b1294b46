import Glibc

/// A connection to PostgreSQL that runs its blocking calls on a thread of its own.
///
/// 1. `connect` opens it; 2. statements run one after another; 3. `close` ends it. One caller at a time should hold it:
/// a `PostgresPool` lends connections out, so that nobody else's statement can slip into a transaction.
package actor PostgresConnection {
    private nonisolated let executor: ThreadExecutor
    private nonisolated let interruption: Interruption
    private var session: LibpqSession?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private init() throws(PostgresFailure) {
        interruption = try Interruption()
        executor = ThreadExecutor()
    }

    deinit { executor.stop() }

    /// Opens a connection.
    package static func connect(_ options: PostgresOptions) async throws(PostgresFailure) -> PostgresConnection {
        let connection = try PostgresConnection()
        try await connection.open(options)
        return connection
    }

    private func open(_ options: PostgresOptions) throws(PostgresFailure) {
        session = try LibpqSession(options)
    }

    /// Ends the connection; later calls fail with `closed`.
    package func close() {
        session = nil
        interruption.raise()
    }

    // MARK: State

    /// Whether the connection can serve another caller: alive, and in no transaction.
    package var isReusable: Bool { session.map { !$0.isBroken && $0.isIdle } ?? false }

    /// The result of a borrower's visit, and whether the connection can serve the next one.
    struct Visit<Value: Sendable>: Sendable {
        let result: Result<Value, PostgresFailure>
        let isReusable: Bool
    }

    /// Runs `body` unless the connection has died meanwhile; `nil` means that nothing was run.
    func visit<Value: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Value
    ) async -> Visit<Value>? {
        guard session?.checkIdle() == true else { return nil }
        let result: Result<Value, PostgresFailure>
        do throws(PostgresFailure) { result = .success(try await body(self)) } catch { result = .failure(error) }
        return Visit(result: result, isReusable: isReusable)
    }

    /// The server process that serves this connection.
    package var processId: Int32 { session?.processId ?? 0 }

    /// As in 150020.
    package var serverVersion: Int32 { session?.serverVersion ?? 0 }

    // MARK: Statements

    /// Runs one statement and decodes its rows on the connection's thread.
    ///
    /// Outside a transaction a broken connection fails with `unknown`: the statement may have committed.
    package func query<Row: Sendable>(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        _ decode: @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Row
    ) throws(PostgresFailure) -> [Row] {
        let session = try live()
        var rows: [Row] = []
        _ = try session.run(sql, parameters) { row throws(PostgresFailure) in rows.append(try decode(row)) }
        return rows
    }

    /// Runs one statement and answers how many rows it affected.
    @discardableResult
    package func execute(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresFailure) -> Int {
        let session = try live()
        return try session.run(sql, parameters) { _ throws(PostgresFailure) in }
    }

    /// Runs several statements without parameters, separated by semicolons.
    ///
    /// Outside a transaction block the server runs them as one transaction.
    package func script(_ sql: String) throws(PostgresFailure) {
        try live().script(sql)
    }

    // MARK: Transactions

    /// Runs `body` inside a transaction and commits; whatever `body` throws rolls it back.
    ///
    /// A connection that breaks during `body` fails with `lost`, one that breaks during the commit with `unknown`.
    package func transaction<Result: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Result
    ) async throws(PostgresFailure) -> Result {
        try script("BEGIN")
        do throws(PostgresFailure) {
            let result = try await body(self)
            try live().commit()
            return result
        } catch {
            if let session, !session.isBroken, !session.isIdle { try? session.script("ROLLBACK") }
            throw error
        }
    }

    // MARK: Notifications

    /// Subscribes to a channel whose name is an identifier of ours.
    package func listen(_ channel: String) throws(PostgresFailure) {
        precondition(channel.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (97...122).contains($0) })
        try script("LISTEN \(channel)")
    }

    /// Waits at most `timeout` for notifications and answers the channels; `interrupt` or `close` ends the wait.
    package func notifications(within timeout: Duration) throws(PostgresFailure) -> [String] {
        let session = try live()
        let milliseconds = Int32(clamping: timeout.wholeMilliseconds)
        let channels = try session.notifications(waitMilliseconds: milliseconds, interrupt: interruption.descriptor)
        interruption.clear()
        return channels
    }

    /// Ends a wait for notifications from any thread.
    package nonisolated func interrupt() { interruption.raise() }

    private func live() throws(PostgresFailure) -> LibpqSession {
        guard let session else { throw PostgresFailure(.closed, detail: "the connection is closed") }
        return session
    }
}

/// A pipe that ends a wait on another thread.
private final class Interruption: Sendable {
    /// Readable after `raise`.
    let descriptor: Int32
    private let writer: Int32

    /// Fails with `connect` where the process may open no more files.
    init() throws(PostgresFailure) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else {
            throw PostgresFailure(.connect, detail: "no file descriptor is left (errno \(errno))")
        }
        descriptor = ends[0]
        writer = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        Glibc.close(descriptor)
        Glibc.close(writer)
    }

    func raise() {
        var byte: UInt8 = 1
        _ = unsafe write(writer, &byte, 1)
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    }
}

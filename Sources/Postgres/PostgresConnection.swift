/// A connection to PostgreSQL; a statement under way holds no thread.
///
/// 1. `connect` opens it; 2. statements run one after another; 3. `close` ends it. One caller at a time should hold it: a
/// `PostgresPool` lends connections out, so that nobody else's statement can slip into a transaction. Of two statements at the same
/// time the second is `refused`.
package actor PostgresConnection {
    private var session: LibpqSession?

    private init() {}

    /// Opens a connection.
    package static func connect(_ options: PostgresOptions) async throws(PostgresFailure) -> PostgresConnection {
        let connection = PostgresConnection()
        try await connection.open(options)
        return connection
    }

    private func open(_ options: PostgresOptions) async throws(PostgresFailure) {
        session = try await LibpqSession.open(options)
    }

    /// Ends the connection, once a statement under way is answered; later calls fail with `closed`.
    package func close() { session = nil }

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

    /// Whether a pooler stands between, which may serve each transaction by another session of the server.
    package var isPooled: Bool { session?.isPooled ?? false }

    /// As in 150020.
    package var serverVersion: Int32 { session?.serverVersion ?? 0 }

    // MARK: Statements

    /// Runs one statement and decodes its rows.
    ///
    /// Outside a transaction a broken connection fails with `unknown`: the statement may have committed.
    package func query<Row: Sendable>(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        _ decode: @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Row
    ) async throws(PostgresFailure) -> [Row] {
        try await framed { session async throws(PostgresFailure) in
            try await session.run(sql, parameters).rows(decode)
        }
    }

    /// Runs one statement and answers how many rows it affected.
    @discardableResult
    package func execute(_ sql: String, _ parameters: [PostgresValue] = []) async throws(PostgresFailure) -> Int {
        try await framed { session async throws(PostgresFailure) in
            try await session.run(sql, parameters).affected
        }
    }

    /// Runs several statements without parameters, separated by semicolons.
    ///
    /// Outside a transaction block the server runs them as one transaction.
    package func script(_ sql: String) async throws(PostgresFailure) {
        try await framed { session async throws(PostgresFailure) in try await session.script(sql) }
    }

    /// Runs a statement; behind a pooler in a transaction of its own, which takes the settings along that no session keeps.
    private func framed<Value>(
        _ body: (LibpqSession) async throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        let session = try live()
        guard session.isPooled, session.isIdle else { return try await body(session) }
        return try await enclosed { () async throws(PostgresFailure) in try await body(session) }
    }

    // MARK: Transactions

    /// Runs `body` inside a transaction and commits; whatever `body` throws rolls it back.
    ///
    /// A connection that breaks during `body` fails with `lost`, one that breaks during the commit with `unknown`.
    package func transaction<Result: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Result
    ) async throws(PostgresFailure) -> Result {
        try await enclosed { () async throws(PostgresFailure) in try await body(self) }
    }

    private func enclosed<Value>(
        _ body: () async throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        do throws(PostgresFailure) {
            try await live().begin()
            let result = try await body()
            try await live().commit()
            return result
        } catch {
            if let session, !session.isBroken, !session.isIdle { try? await session.script("ROLLBACK") }
            throw error
        }
    }

    private func live() throws(PostgresFailure) -> LibpqSession {
        guard let session else { throw PostgresFailure(.closed, detail: "the connection is closed") }
        return session
    }
}

import EventSourcing
import Kernel
package import Postgres

/// The store port over PostgreSQL: every write is one call of a function in `schema/functions`.
package struct PostgresStore: Sendable {
    package let pool: PostgresPool

    /// How often a call that lost a race (deadlock, unique key) is repeated before its caller hears of it.
    private static let raceAttempts = 8

    package init(_ pool: PostgresPool) { self.pool = pool }

    // MARK: Running statements

    /// Runs a statement that only reads.
    func read<Row: Sendable>(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        _ decode: @escaping @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Row
    ) async throws(StoreFailure) -> [Row] {
        do throws(PostgresFailure) {
            return try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query(sql, parameters, decode)
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: false)
        }
    }

    /// Runs one statement that writes and commits, again when it lost a race and so wrote nothing.
    func write<Row: Sendable>(
        _ sql: String,
        _ parameters: [PostgresValue],
        _ decode: @escaping @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Row
    ) async throws(StoreFailure) -> [Row] {
        for attempt in 1... {
            do throws(PostgresFailure) {
                return try await pool.withConnection { connection async throws(PostgresFailure) in
                    try await connection.query(sql, parameters, decode)
                }
            } catch {
                let failure = StoreFailure(error, mayHaveCommitted: true)
                guard failure.code == .retry, attempt < Self.raceAttempts, !Task.isCancelled else { throw failure }
            }
        }
        preconditionFailure("the loop ends by returning or throwing")
    }

    /// Runs one statement that writes and answers nothing of interest.
    func write(_ sql: String, _ parameters: [PostgresValue]) async throws(StoreFailure) {
        _ = try await write(sql, parameters) { _ throws(PostgresFailure) in }
    }
}

/// `$1, $2 … $n` for a call with so many parameters.
func parameterMarks(_ count: Int) -> String { (1...count).map { "$\($0)" }.joined(separator: ", ") }

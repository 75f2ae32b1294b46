import EventSourcing
import Postgres

/// Days that are read some at a time, by number since 2000: what took long is followed by a shorter window.
struct DayWindows: Sendable {
    /// Days from 1970 to the one that they are counted from.
    static let epoch: Int64 = 10_957
    private static let patience = Duration.milliseconds(500)
    private static let longest: Int32 = 366

    private let all: Range<Int32>
    private var left: Range<Int32>
    private var length: Int32 = 31

    init(_ days: Range<Int32>) {
        all = days
        left = days
    }

    /// How many of all days are read.
    var progress: (done: Int64, all: Int64) { (Int64(all.count - left.count), Int64(all.count)) }

    mutating func next() -> Range<Int32>? {
        guard !left.isEmpty else { return nil }
        let window = left.lowerBound..<min(left.upperBound, left.lowerBound + length)
        left = window.upperBound..<left.upperBound
        return window
    }

    /// Tells how long the last window took.
    mutating func took(_ time: Duration) {
        length = time < Self.patience ? min(length * 2, Self.longest) : max(length / 2, 1)
    }
}

extension PostgresStore {
    /// How long a statement of a report may take.
    private static let most = "300s"

    /// Reads a report's rows in a statement that may take longer than others.
    func bounded<Row: Sendable>(
        _ sql: String,
        _ parameters: [PostgresValue],
        _ decode: @escaping @Sendable (borrowing PostgresRow) throws(PostgresFailure) -> Row
    ) async throws(StoreFailure) -> [Row] {
        do throws(PostgresFailure) {
            return try await pool.transaction { connection async throws(PostgresFailure) in
                try await connection.execute("SET LOCAL statement_timeout = '\(Self.most)'")
                return try await connection.query(sql, parameters, decode)
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: false)
        }
    }
}

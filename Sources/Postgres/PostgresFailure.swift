/// Why PostgreSQL did not do what it was asked to; holds no row values and no passwords.
package struct PostgresFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// No connection could be made.
        case connect
        /// The connection broke and nothing was committed.
        case lost
        /// The connection broke, or replication was cut short, while something may have been committed.
        case unknown
        /// The server refused the statement; `sqlState` says why.
        case refused
        /// An answer had another shape than the caller expected.
        case decode
        /// Too many callers wait for a connection.
        case crowded
        /// The pool or connection was closed, or the caller was cancelled while waiting.
        case closed
    }

    package let code: Code
    package let sqlState: SqlState?
    /// For logs.
    package let detail: String
    /// The server's advice to the caller; it holds no row values.
    package let hint: String?

    package init(_ code: Code, sqlState: SqlState? = nil, detail: String, hint: String? = nil) {
        self.hint = hint
        self.code = code
        self.sqlState = sqlState
        self.detail = detail
    }
}

/// The five characters that PostgreSQL classifies errors with.
package struct SqlState: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral value: String) { text = value }

    package static let deadlock: SqlState = "40P01"
    package static let serialization: SqlState = "40001"
    package static let uniqueViolation: SqlState = "23505"
    package static let queryCanceled: SqlState = "57014"
    package static let lockNotAvailable: SqlState = "55P03"

    /// The first two characters.
    package var errorClass: String { String(text.prefix(2)) }

    package var description: String { text }
}

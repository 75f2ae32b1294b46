package import Kernel

/// How to reach a database, and the limits of every connection to it.
package struct PostgresOptions: Sendable {
    /// A `postgres://` URL or a libpq keyword string; may hold a password and is never printed.
    package let address: Secret
    /// libpq keywords that replace parts of the address, as in `dbname`.
    package let overrides: [String: String]
    /// Shown in `pg_stat_activity`.
    package let applicationName: String
    /// The server cancels a statement after this time; zero is no limit.
    package let statementTimeout: Duration
    /// The server ends a session that leaves a transaction open for this time.
    package let idleTransactionTimeout: Duration

    package init(
        address: Secret,
        overrides: [String: String] = [:],
        applicationName: String = "paystream",
        statementTimeout: Duration = .seconds(15),
        idleTransactionTimeout: Duration = .seconds(5)
    ) {
        self.address = address
        self.overrides = overrides
        self.applicationName = applicationName
        self.statementTimeout = statementTimeout
        self.idleTransactionTimeout = idleTransactionTimeout
    }

    /// The same with some things changed; overrides are added to those there are.
    package func with(
        overrides: [String: String] = [:],
        statementTimeout: Duration? = nil,
        idleTransactionTimeout: Duration? = nil
    ) -> PostgresOptions {
        PostgresOptions(
            address: address,
            overrides: self.overrides.merging(overrides) { $1 },
            applicationName: applicationName,
            statementTimeout: statementTimeout ?? self.statementTimeout,
            idleTransactionTimeout: idleTransactionTimeout ?? self.idleTransactionTimeout
        )
    }

    /// Keywords that come before the address, which may override them.
    var defaults: [(String, String)] {
        [
            ("connect_timeout", "3"),
            ("tcp_user_timeout", "5000"),
            ("keepalives", "1"),
            ("keepalives_idle", "10"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            // Bytes that GSSAPI has decrypted already can't be asked for, as those of TLS can.
            ("gssencmode", "disable"),
            ("application_name", applicationName),
        ]
    }

    /// Keywords behind the address and its overrides, which can't change them.
    static let settled = [("client_encoding", "UTF8")]

    /// Settings that a session keeps, or where a pooler shares the server's session, each transaction.
    var settings: [(name: String, value: String)] {
        [
            ("client_min_messages", "warning"),
            ("statement_timeout", String(statementTimeout.wholeMilliseconds)),
            ("idle_in_transaction_session_timeout", String(idleTransactionTimeout.wholeMilliseconds)),
            ("synchronous_commit", "on"),
        ]
    }
}

extension Duration {
    /// Milliseconds, rounded up.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// Microseconds, cut.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

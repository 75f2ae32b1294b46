package import EventSourcing
package import Kernel
import Postgres

/// Looks at accounts that are reconciled as days pass, with no file that brings news.
package struct SettlementReviews: Sendable {
    /// An account whose turn it is.
    package struct Due: Hashable, Sendable {
        package let merchant: MerchantNumber
        package let account: Uuid
    }

    /// So long an account is left alone.
    package static let rest = Duration.seconds(3600)
    /// How long a look at one may take.
    private static let most = "60s"

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Takes the account that was looked at longest ago, at least `rest` before; `nil` where there is none.
    package func due(at moment: Timestamp) async throws(StoreFailure) -> Due? {
        let found = try await store.write(
            "SELECT merchant, account FROM paystream.settlement_due($1 * interval '1 second', $2) WHERE account IS NOT NULL",
            [.int32(Int32(Self.rest.components.seconds)), .timestamp(moment)]
        ) { row throws(PostgresFailure) in
            Due(merchant: MerchantNumber(try row.int32(0)), account: try row.uuid(1))
        }
        return found.first
    }

    /// Looks at an account once; answers whether anything is otherwise than before.
    package func look(at due: Due, as act: Uuid, at moment: Timestamp) async throws(StoreFailure) -> Bool {
        do throws(PostgresFailure) {
            return try await store.pool.transaction { connection async throws(PostgresFailure) in
                try await connection.execute("SET LOCAL statement_timeout = '\(Self.most)'")
                return try await connection.query(
                    "SELECT paystream.settlement_recheck($1, $2, $3, $4)",
                    [.int32(due.merchant.value), .uuid(due.account), .uuid(act), .timestamp(moment)]
                ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: true)
        }
    }
}

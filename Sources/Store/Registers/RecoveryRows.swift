package import EventSourcing
import Kernel
import Postgres

/// A recovery epoch with what it found, for people.
package struct RecoveryReport: Hashable, Sendable {
    package let epoch: RecoveryEpoch
    package let by: String
    package let reason: String
    /// Messages that may have left before it.
    package let doubted: Int
    /// Payments whose providers are asked.
    package let woken: Int64
}

/// The row that fences: recovery epochs in PostgreSQL.
package struct RecoveryRows: RecoveryRecords {
    private let store: PostgresStore
    /// Who begins an epoch where one has to.
    private let actor: String
    /// Payments that are younger are asked about although nothing of them is open.
    package static let askedDays: Int32 = 35

    package init(_ store: PostgresStore, as actor: String = "daemon") {
        self.store = store
        self.actor = actor
    }

    package func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch? {
        let sql = """
            SELECT cluster = paystream.cluster_name() FROM paystream.recovery_epoch ORDER BY number DESC LIMIT 1
            """
        let isHere = try await store.read(sql) { row throws(PostgresFailure) in try row.bool(0) }
        if isHere.first == false {
            try await begin(
                by: actor,
                reason: "the log is in another cluster, or on another timeline",
                ifElsewhere: true
            )
        }
        return try await epochs(limit: 1).first?.epoch
    }

    /// The newest first.
    package func epochs(limit: Int) async throws(StoreFailure) -> [RecoveryReport] {
        let sql = """
            SELECT number, begun_at, begun_by, reason, doubted, woken FROM paystream.recovery_epoch
             WHERE number > 0 ORDER BY number DESC LIMIT $1
            """
        return try await store.read(sql, [.int64(Int64(limit))]) { row throws(PostgresFailure) in
            RecoveryReport(
                epoch: RecoveryEpoch(number: try row.int32(0), begunAt: try row.timestamp(1)),
                by: try row.text(2),
                reason: try row.text(3),
                doubted: Int(try row.int32(4)),
                woken: try row.int64(5)
            )
        }
    }

    /// Begins an epoch; an answer that is lost is asked for again by `epochs`, because a second epoch does no harm.
    package func begin(by who: String, reason: String, ifElsewhere: Bool = false)
        async throws(StoreFailure)
    {
        let values: [PostgresValue] = [
            .text(who), .text(reason), .bool(ifElsewhere), .int32(Self.askedDays),
        ]
        do throws(PostgresFailure) {
            // It wakes every payment of some weeks: no other statement may take so long.
            _ = try await store.pool.transaction { connection async throws(PostgresFailure) in
                try await connection.script("SET LOCAL statement_timeout = 0")
                return try await connection.execute(
                    "SELECT FROM paystream.begin_recovery($1, $2, $3, $4)",
                    values
                )
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: true)
        }
    }

    /// Payments that have met the newest epoch, and whose provider has not answered since.
    package func unasked() async throws(StoreFailure) -> Int64 {
        let sql = """
            SELECT count(*) FROM paystream.payment_view v, json_array_elements(v.document -> 'obligations') o
             WHERE v.has_obligations AND o ->> 'kind' = 'reconciliation'
            """
        return try await store.read(sql) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
    }
}

package import EventSourcing
import Postgres
package import Projections

/// Months of merchants' books that are closed.
package struct PeriodRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Newest first.
    package func closed(of merchant: MerchantNumber) async throws(StoreFailure) -> [ClosedPeriod] {
        try await store.read(
            """
            SELECT to_char(month, 'YYYY-MM'), zone, pos, closed_at, closed_by, note
              FROM paystream.closed_period WHERE merchant = $1 ORDER BY month DESC
            """,
            [.int32(merchant.value)]
        ) { row throws(PostgresFailure) in
            ClosedPeriod(
                month: try row.text(0),
                zone: try row.text(1),
                position: try row.int64(2),
                closedAt: try row.timestamp(3),
                closedBy: try row.text(4),
                note: row.isNull(5) ? nil : try row.text(5)
            )
        }
    }

    /// Closes a month, as `2026-10`; `nil` where it is closed now, whether or not it was before.
    package func close(_ month: String, by actor: String, note: String?, of merchant: MerchantNumber)
        async throws(StoreFailure) -> ClosedPeriod.Refusal?
    {
        let answer = try await store.write(
            """
            SELECT refusal, to_char(next, 'YYYY-MM')
              FROM paystream.close_period($1, ($2 || '-01')::text::date, $3, $4)
            """,
            [.int32(merchant.value), .text(month), .text(actor), .text(note)]
        ) { row throws(PostgresFailure) in
            (row.isNull(0) ? nil : try row.text(0), row.isNull(1) ? "" : try row.text(1))
        }.first
        switch answer?.0 {
        case nil, "closed": return nil
        case "notOver": return .notOver
        case "aside": return .streamsAside
        default: return .notNext(answer?.1 ?? "")
        }
    }
}

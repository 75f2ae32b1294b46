package import EventSourcing
import Kernel
import Postgres
package import Projections

/// What became of the payments of a period.
extension FinanceReports {
    /// Fails with SQLSTATE 22023 where there is no zone of that name.
    package func activity(_ query: ActivityQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> Activity {
        let zone = try await zone(query.zone, of: merchant)
        let parameters: [PostgresValue] = [
            .int32(merchant.value), .text(zone), .text(query.first.text), .text(query.end.text), .text(query.mode),
        ]
        let rows = try await store.read(
            """
            SELECT day::text, provider, account, currency, status, decline, payments, amount::text
              FROM paystream.payment_activity($1, $2, $3::text::date, $4::text::date, $5)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            Activity.Row(
                day: try row.text(0),
                provider: try row.text(1),
                account: row.isNull(2) ? "" : try row.text(2),
                currency: row.isNull(3) ? nil : try row.text(3),
                status: try row.text(4),
                decline: row.isNull(5) ? nil : try row.text(5),
                payments: try row.int64(6),
                amount: try row.text(7)
            )
        }
        let times = try await store.read(
            """
            SELECT provider, payments, median, most
              FROM paystream.time_to_money($1, $2, $3::text::date, $4::text::date, $5)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            Activity.Time(
                provider: try row.text(0),
                payments: try row.int64(1),
                median: try row.int64(2),
                most: try row.int64(3)
            )
        }
        return Activity(zone: zone, rows: rows, times: times)
    }
}

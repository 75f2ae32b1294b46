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
        let times = try await delays("paid", isByDay: false, parameters).map { $0.time }
        let answers = try await delays("answered", isByDay: true, parameters)
        let money = try await money(parameters)
        return Activity(zone: zone, rows: rows, money: money, times: times, answers: answers)
    }

    private func money(_ parameters: [PostgresValue]) async throws(StoreFailure) -> [Activity.Money] {
        try await store.read(
            """
            SELECT day::text, currency, captured::text, refunded::text, charged_back::text, fees::text, net::text
              FROM paystream.money_activity($1, $2, $3::text::date, $4::text::date, $5)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            Activity.Money(
                day: try row.text(0),
                currency: try row.text(1),
                captured: try row.text(2),
                refunded: try row.text(3),
                chargedBack: try row.text(4),
                fees: try row.text(5),
                net: try row.text(6)
            )
        }
    }

    private func delays(_ kind: String, isByDay: Bool, _ parameters: [PostgresValue]) async throws(StoreFailure)
        -> [(day: String, time: Activity.Time)]
    {
        try await store.read(
            """
            SELECT day::text, provider, cases, median, most
              FROM paystream.delays($1, $2, $3::text::date, $4::text::date, $5, $6, $7)
            """,
            parameters + [.text(kind), .bool(isByDay)]
        ) { row throws(PostgresFailure) -> (day: String, time: Activity.Time) in
            let time = Activity.Time(
                provider: try row.text(1),
                cases: try row.int64(2),
                median: try row.int64(3),
                most: try row.int64(4)
            )
            return (try row.text(0), time)
        }
    }
}

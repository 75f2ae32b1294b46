package import EventSourcing
import Kernel
import Postgres

/// The turnover of one day at one provider: sums of minor units, as exact as they are long.
package struct TurnoverLine: Hashable, Sendable {
    /// The day on which the movements were recorded, in the zone that was asked for, as in `2026-11-21`.
    package let day: String
    /// `payment`, `transfer` or `bill`: money that went on to other cards is no turnover.
    package let kind: String
    package let provider: String
    package let mode: String
    package let currency: String
    /// Sums by the name of the movement, as in `captured`.
    package let sums: [String: String]

    package init(day: String, kind: String, provider: String, mode: String, currency: String, sums: [String: String]) {
        self.day = day
        self.kind = kind
        self.provider = provider
        self.mode = mode
        self.currency = currency
        self.sums = sums
    }

    /// The movements that a report has columns for; `claimed` is what apps say of bills, and no money yet.
    package static let columns = ["captured", "refunded", "chargedBack", "transferred", "claimed"]
}

/// Which movements a report is about.
package struct TurnoverQuery: Hashable, Sendable {
    /// Of the IANA database; `nil` is the merchant's own.
    package var zone: String?
    /// Days from this one on, as `2026-11-21`.
    package var first: String?
    /// The first day that no longer counts.
    package var end: String?
    /// Of the account; `nil` is every one.
    package var mode: String? = "live"

    package init() {}
}

/// How far a merchant's turnover is all that moved.
package struct TurnoverStanding: Hashable, Sendable {
    /// The first day that may still grow.
    package let openDay: String
    /// Streams whose newest movements are missing, because a read model set them aside.
    package let aside: Int64
}

extension PaymentView {
    /// How far the sums are all that moved.
    package func turnoverStanding(of merchant: MerchantNumber, zone: String?) async throws(StoreFailure)
        -> TurnoverStanding?
    {
        try await follower.store.read(
            "SELECT open_day::text, aside FROM paystream.turnover_complete($1, $2)",
            [.int32(merchant.value), .text(zone)]
        ) { row throws(PostgresFailure) in
            TurnoverStanding(openDay: try row.text(0), aside: try row.int64(1))
        }.first
    }

    /// Sums of what moved, by the day on which it was recorded: a day that is over stays as it was.
    package func turnover(of merchant: MerchantNumber, _ query: TurnoverQuery) async throws(StoreFailure)
        -> [TurnoverLine]
    {
        try await follower.store.read(
            """
            SELECT day::text, kind, provider, mode, currency, captured::text, refunded::text, charged_back::text,
                   transferred::text, claimed::text
              FROM paystream.turnover($1, $2, $3::text::date, $4::text::date, $5)
            """,
            [.int32(merchant.value), .text(query.zone), .text(query.first), .text(query.end), .text(query.mode)]
        ) { row throws(PostgresFailure) in
            var sums: [String: String] = [:]
            for (column, name) in zip(Int32(5)..., TurnoverLine.columns) { sums[name] = try row.text(column) }
            return TurnoverLine(
                day: try row.text(0),
                kind: try row.text(1),
                provider: try row.text(2),
                mode: try row.text(3),
                currency: try row.text(4),
                sums: sums
            )
        }
    }
}

extension Registers {
    /// Keeps the zone in which a merchant's days begin; fails with SQLSTATE 22023 where PostgreSQL knows none of that name.
    package func keep(zone: String, of merchant: MerchantNumber) async throws(StoreFailure) {
        try await store.write(
            "UPDATE paystream.merchant SET zone = paystream.report_zone(id, $2) WHERE id = $1",
            [.int32(merchant.value), .text(zone)]
        )
    }
}

package import EventSourcing
import Kernel
import Postgres

/// What payments or transfers of one day, provider, mode, currency and status come to; amounts in minor units.
package struct TurnoverLine: Hashable, Sendable {
    /// The UTC day on which the payments were created, as in `2026-11-21`.
    package let day: String
    /// `payment` or `transfer`: money that went on to other cards is no turnover.
    package let kind: String
    package let provider: String
    package let mode: String
    package let currency: String
    package let status: String
    package let payments: Int64
    /// What was asked for.
    package let amount: Int64
    package let captured: Int64
    package let refunded: Int64
    package let transferred: Int64

    package init(
        day: String,
        kind: String,
        provider: String,
        mode: String,
        currency: String,
        status: String,
        payments: Int64,
        amount: Int64,
        captured: Int64,
        refunded: Int64,
        transferred: Int64
    ) {
        self.day = day
        self.kind = kind
        self.transferred = transferred
        self.provider = provider
        self.mode = mode
        self.currency = currency
        self.status = status
        self.payments = payments
        self.amount = amount
        self.captured = captured
        self.refunded = refunded
    }
}

extension PaymentView {
    /// Sums of the read model for days from `first` up to and without `end`, each as `2026-11-21`; `nil` is no bound.
    ///
    /// A payment without a currency yet counts under `-`. A sum beyond 64 bits is a `corrupt` failure.
    package func turnover(of merchant: MerchantNumber, from first: String?, before end: String?)
        async throws(StoreFailure) -> [TurnoverLine]
    {
        try await follower.store.read(
            """
            SELECT (created_at AT TIME ZONE 'UTC')::date::text,
                   CASE kind WHEN 7 THEN 'transfer' ELSE 'payment' END, coalesce(document->'account'->>'provider', '-'),
                   account_mode, coalesce(currency, '-'), status, count(*), coalesce(sum(amount), 0)::bigint,
                   coalesce(sum((document->'amounts'->>'captured')::bigint), 0)::bigint,
                   coalesce(sum((document->'amounts'->>'refunded')::bigint), 0)::bigint,
                   coalesce(sum((document->'amounts'->>'transferred')::bigint), 0)::bigint
              FROM paystream.payment_view
             WHERE merchant = $1 AND created_at >= coalesce($2::text::timestamp AT TIME ZONE 'UTC', '-infinity')
               AND created_at < coalesce($3::text::timestamp AT TIME ZONE 'UTC', 'infinity')
             GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
            """,
            [.int32(merchant.value), .text(first), .text(end)]
        ) { row throws(PostgresFailure) in
            TurnoverLine(
                day: try row.text(0),
                kind: try row.text(1),
                provider: try row.text(2),
                mode: try row.text(3),
                currency: try row.text(4),
                status: try row.text(5),
                payments: try row.int64(6),
                amount: try row.int64(7),
                captured: try row.int64(8),
                refunded: try row.int64(9),
                transferred: try row.int64(10)
            )
        }
    }
}

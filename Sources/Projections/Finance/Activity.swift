package import Kernel

/// Which payments are counted: those that began in a period, of accounts of a mode.
package struct ActivityQuery: Hashable, Sendable {
    /// Of the IANA database; `nil` is the merchant's own.
    package var zone: String?
    package let first: CivilDate
    /// The first day that no longer counts.
    package let end: CivilDate
    /// Of the account; `nil` is every one.
    package var mode: String?

    package init(zone: String?, first: CivilDate, end: CivilDate, mode: String?) {
        self.zone = zone
        self.first = first
        self.end = end
        self.mode = mode
    }

    /// Days of one question.
    package static let days: Int64 = 366
}

/// What became of payments, counted.
package struct Activity: Sendable {
    package let zone: String
    package let rows: [Row]
    package let times: [Time]

    package init(zone: String, rows: [Row], times: [Time]) {
        self.zone = zone
        self.rows = rows
        self.times = times
    }

    /// So many payments of a day, an account and a currency have a status.
    package struct Row: Hashable, Sendable {
        package let day: String
        package let provider: String
        package let account: String
        package let currency: String?
        package let status: String
        /// The class of the refusal, where they failed.
        package let decline: String?
        package let payments: Int64
        /// Minor units that were asked for, of any length.
        package let amount: String

        package init(
            day: String,
            provider: String,
            account: String,
            currency: String?,
            status: String,
            decline: String?,
            payments: Int64,
            amount: String
        ) {
            self.day = day
            self.provider = provider
            self.account = account
            self.currency = currency
            self.status = status
            self.decline = decline
            self.payments = payments
            self.amount = amount
        }
    }

    /// How long a provider's payments took from their beginning to their first money, in milliseconds.
    package struct Time: Hashable, Sendable {
        package let provider: String
        package let payments: Int64
        /// What half of them did not exceed, and what nineteen of twenty did not.
        package let median: Int64
        package let most: Int64

        package init(provider: String, payments: Int64, median: Int64, most: Int64) {
            self.provider = provider
            self.payments = payments
            self.median = median
            self.most = most
        }
    }

    package var json: Json {
        [
            "object": "activity", "zone": .string(zone),
            "rows": .array(
                rows.map { row in
                    .compact([
                        ("day", .string(row.day)), ("provider", .string(row.provider)),
                        ("account", .string(row.account)), ("currency", row.currency.map(Json.string)),
                        ("status", .string(row.status)), ("decline", row.decline.map(Json.string)),
                        ("payments", .integer(row.payments)),
                        ("amount", Int64(row.amount).map(Json.integer) ?? .string(row.amount)),
                    ])
                }
            ),
            "timeToMoney": .array(
                times.map { time in
                    [
                        "provider": .string(time.provider), "payments": .integer(time.payments),
                        "median": .integer(time.median), "most": .integer(time.most),
                    ]
                }
            ),
        ]
    }
}

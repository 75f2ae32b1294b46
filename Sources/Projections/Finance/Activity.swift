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
    package let money: [Money]
    /// From payments' beginning to their first money.
    package let times: [Time]
    /// From messages of ours to the providers' answers, by day.
    package let answers: [(day: String, time: Time)]

    package init(
        zone: String,
        rows: [Row],
        money: [Money],
        times: [Time],
        answers: [(day: String, time: Time)]
    ) {
        self.zone = zone
        self.rows = rows
        self.money = money
        self.times = times
        self.answers = answers
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

    /// What moved on a day in a currency, in minor units of any length.
    package struct Money: Hashable, Sendable {
        package let day: String
        package let currency: String
        package let captured: String
        package let refunded: String
        package let chargedBack: String
        package let fees: String
        package let net: String

        package init(
            day: String,
            currency: String,
            captured: String,
            refunded: String,
            chargedBack: String,
            fees: String,
            net: String
        ) {
            self.day = day
            self.currency = currency
            self.captured = captured
            self.refunded = refunded
            self.chargedBack = chargedBack
            self.fees = fees
            self.net = net
        }
    }

    /// How long it took with a provider, in milliseconds: at most a tenth more than it did.
    package struct Time: Hashable, Sendable {
        package let provider: String
        package let cases: Int64
        /// What half of them did not exceed, and what nineteen of twenty did not.
        package let median: Int64
        package let most: Int64

        package init(provider: String, cases: Int64, median: Int64, most: Int64) {
            self.provider = provider
            self.cases = cases
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
                        ("payments", .integer(row.payments)), ("amount", Self.minor(row.amount)),
                    ])
                }
            ),
            "money": .array(
                money.map { sum in
                    [
                        "day": .string(sum.day), "currency": .string(sum.currency),
                        "captured": Self.minor(sum.captured), "refunded": Self.minor(sum.refunded),
                        "chargedBack": Self.minor(sum.chargedBack), "fees": Self.minor(sum.fees),
                        "net": Self.minor(sum.net),
                    ]
                }
            ),
            "timeToMoney": .array(
                times.map { time in
                    [
                        "provider": .string(time.provider), "payments": .integer(time.cases),
                        "median": .integer(time.median), "most": .integer(time.most),
                    ]
                }
            ),
            "answerTimes": .array(
                answers.map { day, time in
                    [
                        "day": .string(day), "provider": .string(time.provider), "answers": .integer(time.cases),
                        "median": .integer(time.median), "most": .integer(time.most),
                    ]
                }
            ),
        ]
    }

    /// A number where one holds it, else its digits.
    private static func minor(_ digits: String) -> Json { Int64(digits).map(Json.integer) ?? .string(digits) }
}

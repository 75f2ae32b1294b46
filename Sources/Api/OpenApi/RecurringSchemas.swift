import Kernel
import Payments

/// What the registration of a series of debits looks like.
enum RecurringSchemas {
    static let all: [(String, Json)] = [("Recurring", recurring)]

    private static var day: Json { ["type": "string", "format": "date"] }

    private static var recurring: Json {
        Schema.closed(
            [
                ("kind", Schema.words(RecurringTerms.Kind.self)), ("calendar", calendar),
                (
                    "dates",
                    [
                        "type": "array", "minItems": 1,
                        "maxItems": .integer(Int64(RecurringTerms.instalmentsAtMost)),
                        "items": Schema.closed(
                            [("date", day), ("amount", Schema.ref("PositiveMoney"))],
                            required: ["date", "amount"]
                        ),
                    ]
                ), ("amount", Schema.ref("PositiveMoney")), ("expiry", day),
                (
                    "reference",
                    Schema.pattern("^[A-Za-z0-9-]{1,30}$", "The name of the provider's own debits.")
                ),
            ],
            required: ["kind"],
            """
            Registers a series of debits with the payment. A calendar or a list of dates is kept by the provider, which \
            then debits by itself; without them the merchant or the payer begins each debit.
            """
        )
    }

    private static var calendar: Json {
        let range = RecurringTerms.intervals
        return Schema.closed(
            [
                ("period", Schema.words(RecurringTerms.Period.self)),
                ("interval", Schema.integer(from: Int64(range.lowerBound), to: Int64(range.upperBound))),
                ("start", day),
                ("time", Schema.pattern("^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$", "In the zone of the account.")),
            ],
            required: ["period", "start"]
        )
    }
}

import Http
import Kernel
import Payments

extension RecurringTerms {
    /// `recurring` of `POST /v1/payments`; what makes no sense together is refused when the payment is decided.
    init(form json: Json) throws(Problem) {
        var form = try Form(json, at: "recurring")
        guard let kind: Kind = try form.word("kind") else { throw form.missing("kind") }
        var plan: Plan?
        if let calendar = form.value("calendar") { plan = .calendar(try Self.calendar(calendar)) }
        if let dates = form.value("dates") {
            guard plan == nil else {
                throw Problem(.memberUnknown, "A calendar or a list of dates, not both.", path: form.path(of: "dates"))
            }
            plan = .dates(try Self.instalments(dates, form))
        }
        let amount = try form.money("amount")
        let expiry = try form.day("expiry")
        let reference = try form.text("reference", bytes: Self.referenceCharacters)
        try form.end()
        self.init(kind: kind, plan: plan, amount: amount, expiry: expiry, reference: reference)
    }

    private static func calendar(_ json: Json) throws(Problem) -> Calendar {
        var form = try Form(json, at: "recurring.calendar")
        guard let period: Period = try form.word("period") else { throw form.missing("period") }
        let interval = try form.integer("interval", in: Int64(intervals.lowerBound)...Int64(intervals.upperBound)) ?? 1
        guard let start = try form.day("start") else { throw form.missing("start") }
        let time = try form.text("time", bytes: 8)
        try form.end()
        return Calendar(period: period, interval: Int(interval), start: start, time: time)
    }

    private static func instalments(_ json: Json, _ form: Form) throws(Problem) -> [Instalment] {
        guard let items = json.items else { throw form.wrongType("dates", "A list") }
        guard items.count <= instalmentsAtMost else {
            throw Problem(.tooMany, "At most \(instalmentsAtMost) dates.", path: form.path(of: "dates"))
        }
        var list: [Instalment] = []
        for (index, item) in items.enumerated() {
            var form = try Form(item, at: JsonPath("recurring.dates.\(index)"))
            guard let date = try form.day("date") else { throw form.missing("date") }
            guard let amount = try form.money("amount") else { throw form.missing("amount") }
            try form.end()
            list.append(Instalment(date: date, amount: amount))
        }
        return list
    }
}

/// Schemas of the registration of a series of debits.
extension RecurringTerms {
    static var schema: Json {
        Schema.closed(
            [
                ("kind", Schema.words(RecurringTerms.Kind.self)), ("calendar", calendarSchema),
                (
                    "dates",
                    [
                        "type": "array", "minItems": 1,
                        "maxItems": .integer(Int64(RecurringTerms.instalmentsAtMost)),
                        "items": Schema.closed(
                            [("date", Schema.date), ("amount", Schema.ref("PositiveMoney"))],
                            required: ["date", "amount"]
                        ),
                    ]
                ), ("amount", Schema.ref("PositiveMoney")), ("expiry", Schema.date),
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

    private static var calendarSchema: Json {
        let range = RecurringTerms.intervals
        return Schema.closed(
            [
                ("period", Schema.words(RecurringTerms.Period.self)),
                ("interval", Schema.integer(from: Int64(range.lowerBound), to: Int64(range.upperBound))),
                ("start", Schema.date),
                ("time", Schema.pattern("^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$", "In the zone of the account.")),
            ],
            required: ["period", "start"]
        )
    }
}

extension Form {
    fileprivate mutating func day(_ name: String) throws(Problem) -> CivilDate? {
        guard let text = try text(name, bytes: 10) else { return nil }
        guard let day = CivilDate(text) else {
            throw Problem(.timeMalformed, "A day is written as in 2026-01-31.", path: path(of: name))
        }
        return day
    }
}

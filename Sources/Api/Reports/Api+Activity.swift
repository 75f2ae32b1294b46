import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// What became of the payments of a period.
extension Api {
    func paymentActivity(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let zone = try form.text("zone", bytes: 64)
        let mode = try ReportQuery.mode(&form)
        let (from, before) = (try form.day("from"), try form.day("before"))
        try form.end()
        guard let first = from.flatMap({ CivilDate($0) }), let end = before.flatMap({ CivilDate($0) }) else {
            throw Problem(.queryInvalid, "A period begins with one day and ends before another.", path: "from")
        }
        let days = end.daysSinceEpoch - first.daysSinceEpoch
        guard (1...ActivityQuery.days).contains(days) else {
            throw Problem(.queryInvalid, "A period has 1 to \(ActivityQuery.days) days.", path: "before")
        }
        let query = ActivityQuery(zone: zone, first: first, end: end, mode: mode?.rawValue)
        do throws(StoreFailure) {
            return .json(200, try await reader.tables.activity(query, of: call.merchant).json)
        } catch {
            guard error.sqlState == "22023" else { throw .unavailable(error.detail) }
            throw Problem(.queryInvalid, "There is no such zone; one is named as in Europe/Kyiv.", path: "zone")
        }
    }
}

extension Activity {
    /// Its schema in the document.
    static let schema: Json = {
        let minor: Json = [
            "type": "integer", "description": "Minor units; a text of digits where 64 bits do not hold them.",
        ]
        let money = Schema.object(
            [
                ("day", Schema.date), ("currency", Schema.text()), ("captured", minor), ("refunded", minor),
                ("chargedBack", minor), ("fees", minor), ("net", minor),
            ],
            required: ["day", "currency", "captured", "refunded", "chargedBack", "fees", "net"],
            "What moved on the day, as the report of turnover tells it; net is what is left."
        )
        let row = Schema.object(
            [
                ("day", Schema.date), ("provider", Schema.text()), ("account", Schema.text()),
                ("currency", Schema.text()), ("status", Schema.text()), ("decline", Schema.text()),
                ("payments", Schema.integer()), ("amount", minor),
            ],
            required: ["day", "provider", "account", "status", "payments", "amount"],
            "So many payments have the status; the amount is what was asked for, in minor units."
        )
        let time = Schema.object(
            [
                ("provider", Schema.text()), ("payments", Schema.integer()), ("median", Schema.integer()),
                ("most", Schema.integer()),
            ],
            required: ["provider", "payments", "median", "most"],
            "Milliseconds from a payment's beginning to its first money, by the day of that: of half of them, and of nineteen of twenty."
        )
        let answer = Schema.object(
            [
                ("day", Schema.date), ("provider", Schema.text()), ("answers", Schema.integer()),
                ("median", Schema.integer()), ("most", Schema.integer()),
            ],
            required: ["day", "provider", "answers", "median", "most"],
            "Milliseconds that the provider's answers to our messages took: of half of them, and of nineteen of twenty."
        )
        return Schema.object(
            [
                ("object", ["const": "activity"]), ("zone", Schema.text()), ("rows", Schema.list(row)),
                ("money", Schema.list(money)),
                ("timeToMoney", Schema.list(time)), ("answerTimes", Schema.list(answer)),
            ],
            required: ["object", "zone", "rows", "money", "timeToMoney", "answerTimes"],
            "Times are counted in steps, and told as at most a tenth more than they were."
        )
    }()
}

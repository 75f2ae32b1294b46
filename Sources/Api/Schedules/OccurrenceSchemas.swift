import Kernel
import Payments
import Projections
import Schedules

/// Schemas of a schedule's occurrences.
enum OccurrenceSchemas {
    private static let ordinal = Schema.integer(from: 1)
    private static let reasons = Schema.list(Schema.words(RuleOccurrence.Reason.self))
    private static let date = Schema.pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")

    static let all: [(String, Json)] = [
        ("Occurrence", whole), ("OccurrencePage", Schema.page(Schema.ref("Occurrence"))),
    ]

    /// A request to the customer.
    static let nextAction = Schema.object(
        [
            ("is", ["type": "string", "enum": ["payment", "run"]]), ("payment", Schema.id("pay")),
            ("ordinal", ordinal), ("presence", Schema.words(Presence.self)), ("until", Schema.time),
        ],
        required: ["is", "until"],
        "What the customer is asked: to go on with a payment, or to be there when the occurrence is run."
    )

    static let attempt = Schema.object(
        [
            ("attempt", ordinal), ("payment", Schema.id("pay")), ("amount", Schema.ref("Money")),
            ("instrument", Schema.id("ins")), ("presence", Schema.words(Presence.self)), ("origin", Schema.text()),
            ("at", Schema.time),
            (
                "decline",
                Schema.object([("kind", Schema.text()), ("code", Schema.text())], required: ["kind"])
            ),
            ("outcome", ["type": "string", "enum": ["succeeded", "failed"]]), ("endedAt", Schema.time),
        ],
        required: []
    )

    /// When the card ends that an occurrence was to be charged to.
    static let cardEnds = Schema.object(
        [("year", Schema.integer()), ("month", Schema.integer(from: 1, to: 12))],
        required: ["year", "month"]
    )

    /// One that is planned or under way, as a schedule shows it.
    static let open = Schema.object(
        [
            ("ordinal", ordinal), ("state", Schema.words(OccurrenceRecord.State.self)), ("date", date),
            ("dueAt", Schema.time), ("startAt", Schema.time), ("amount", Schema.ref("Money")),
            ("attempts", Schema.integer()), ("payment", Schema.id("pay")), ("nextAction", nextAction),
            ("reasons", reasons), ("zoneDigest", Schema.text()),
        ],
        required: ["ordinal", "state", "date", "dueAt", "startAt", "amount", "attempts", "reasons"]
    )

    private static var whole: Json {
        Schema.object(
            [
                ("ordinal", Schema.integer(from: 1)), ("state", Schema.words(OccurrenceRecord.State.self)),
                ("date", Schema.date), ("dueAt", Schema.time), ("startAt", Schema.time), ("endedAt", Schema.time),
                ("amount", Schema.ref("Money")),
                ("reason", Schema.text("Why it was skipped, or the class of its last decline.")),
                ("gaveUp", Schema.words(DunningPolicy.GiveUp.self)),
                (
                    "policy",
                    Schema.object(
                        [("name", Schema.text(atMost: DunningPolicy.nameBytes)), ("version", Schema.integer(from: 1))],
                        required: ["name", "version"]
                    )
                ),
                ("payment", Schema.id("pay", "The one that paid it, else the newest one.")),
                ("nextAction", nextAction), ("isLate", Schema.flag),
                ("reasons", Schema.list(Schema.words(RuleOccurrence.Reason.self))), ("zoneDigest", Schema.text()),
                ("tries", Schema.list(attempt)), ("paidTwice", Schema.list(Schema.id("pay"))),
                ("cardEnds", cardEnds),
            ],
            required: ["ordinal", "state", "tries"]
        )
    }
}

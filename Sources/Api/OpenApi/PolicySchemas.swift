import Kernel
import Projections
import Schedules

/// What schedules do about declines, and what became of their occurrences.
enum PolicySchemas {
    static let all: [(String, Json)] = [
        ("DunningPolicy", dunning), ("DunningPolicyPage", AnswerSchemas.page(Schema.ref("DunningPolicy"))),
        ("KeepDunningPolicy", keep), ("Occurrence", occurrence),
        ("OccurrencePage", AnswerSchemas.page(Schema.ref("Occurrence"))), ("Zone", zone),
        ("ZonePage", AnswerSchemas.page(Schema.ref("Zone"))), ("BusinessCalendar", businessCalendar),
        ("BusinessCalendarPage", AnswerSchemas.page(Schema.ref("BusinessCalendar"))),
    ]

    static let example: Json = [
        "steps": ["insufficientFunds": ["is": "retry", "afterSeconds": [86_400, 259_200]]], "giveUp": "mark",
    ]

    private static var date: Json { ["type": "string", "format": "date"] }
    private static var timeOfDay: Json {
        Schema.pattern("^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$", "On the zone's clocks.")
    }
    private static var name: Json { Schema.text(atMost: DunningPolicy.nameBytes) }

    /// A schedule's member `policy`.
    static var firing: Json {
        Schema.closed([
            (
                "catchUp",
                Schema.closed(
                    [
                        ("mode", Schema.words(CatchUp.Mode.self)),
                        ("cap", Schema.integer(from: 1, to: Int64(CatchUp.mostLate))),
                        ("graceSeconds", Schema.integer(from: 0, to: 86_400)),
                        ("spreadSeconds", Schema.integer(from: 0, to: 604_800)),
                    ],
                    required: ["mode"]
                )
            ),
            (
                "dunning",
                Schema.text(
                    "A dunning policy by its name; the newest version holds for this schedule.",
                    atMost: DunningPolicy.nameBytes
                )
            ),
            (
                "quiet",
                Schema.closed(
                    [
                        ("from", timeOfDay), ("to", timeOfDay),
                        ("zone", Schema.text("A zone of the IANA database.", atMost: ScheduleRule.zoneNameBytes)),
                    ],
                    required: ["from", "to", "zone"]
                )
            ),
        ])
    }

    private static var step: Json {
        let delay = Schema.integer(
            from: DunningPolicy.delaySeconds.lowerBound,
            to: DunningPolicy.delaySeconds.upperBound
        )
        return Schema.closed(
            [
                ("is", ["type": "string", "enum": ["retry", "stepUp", "replaceInstrument", "giveUp"]]),
                ("afterSeconds", Schema.list(delay)), ("seconds", delay),
            ],
            required: ["is"],
            "retry takes afterSeconds, stepUp takes seconds."
        )
    }

    private static var content: [(String, Json)] {
        [
            ("steps", Schema.closed(DeclineKind.allCases.map { ($0.rawValue, step) })),
            (
                "caps",
                Schema.list(
                    Schema.closed(
                        [
                            ("scheme", name), ("attempts", Schema.integer(from: 1, to: 1000)),
                            ("days", Schema.integer(from: 1, to: Int64(NetworkCap.longestDays))),
                        ],
                        required: ["attempts", "days"]
                    )
                )
            ),
            ("giveUp", Schema.words(DunningPolicy.GiveUp.self)), ("endsAtNext", Schema.flag),
        ]
    }

    private static var keep: Json {
        Schema.closed(content, "What it does not say is as in the standard policy; the networks' caps always hold.")
    }

    private static var dunning: Json {
        Schema.object(
            [("object", ["const": "dunning_policy"]), ("name", name), ("version", Schema.integer(from: 1))] + content,
            required: ["object", "name", "version", "steps", "caps", "giveUp", "endsAtNext"]
        )
    }

    /// Who paused or ended a schedule.
    static var cause: Json {
        Schema.object(
            [("reason", Schema.text()), ("by", Schema.text()), ("at", Schema.time)],
            required: ["at"],
            "Why it is paused, or how it ended."
        )
    }

    private static var zone: Json {
        Schema.object(
            [
                ("object", ["const": "zone"]), ("name", Schema.text("As in the IANA database.")),
                ("digest", Schema.pattern("^[0-9a-f]{64}$", "SHA-256 of the file that holds, as occurrences name it.")),
                ("adoptedAt", Schema.time),
            ],
            required: ["object", "name", "digest", "adoptedAt"]
        )
    }

    private static var businessCalendar: Json {
        let weekend = Schema.list(Schema.integer(from: 1, to: 7))
        return Schema.object(
            [
                ("object", ["const": "business_calendar"]), ("name", Schema.text()),
                ("version", Schema.integer(from: 1)), ("adoptedAt", Schema.time), ("weekend", weekend),
                ("holidays", Schema.list(date)), ("workdays", Schema.list(date)),
            ],
            required: ["object", "name", "version", "adoptedAt", "weekend", "holidays", "workdays"],
            "Weekend days (Monday is 1), holidays, and working days that fall on a weekend."
        )
    }

    private static var occurrence: Json {
        Schema.object(
            [
                ("ordinal", Schema.integer(from: 1)), ("state", Schema.words(OccurrenceRecord.State.self)),
                ("date", date), ("dueAt", Schema.time), ("startAt", Schema.time), ("endedAt", Schema.time),
                ("amount", Schema.ref("Money")),
                ("reason", Schema.text("Why it was skipped, or the class of its last decline.")),
                ("gaveUp", Schema.words(DunningPolicy.GiveUp.self)),
                (
                    "policy",
                    Schema.object(
                        [("name", name), ("version", Schema.integer(from: 1))],
                        required: ["name", "version"]
                    )
                ),
                ("payment", Schema.id("pay", "The one that paid it, else the newest one.")),
                ("nextAction", OccurrenceSchemas.nextAction), ("isLate", Schema.flag),
                ("reasons", Schema.list(Schema.words(RuleOccurrence.Reason.self))), ("zoneDigest", Schema.text()),
                ("tries", Schema.list(OccurrenceSchemas.attempt)), ("paidTwice", Schema.list(Schema.id("pay"))),
                ("cardEnds", OccurrenceSchemas.cardEnds),
            ],
            required: ["ordinal", "state", "tries"]
        )
    }
}

import EventSourcing
import Kernel
import Payments
import Schedules

/// What schedules look like, asked for and answered.
enum ScheduleSchemas {
    static let all: [(String, Json)] =
        [
            ("ScheduleRule", rule), ("CreateSchedule", create), ("PreviewSchedule", preview),
            ("ChangeSchedule", change),
            ("SchedulePage", AnswerSchemas.page(Schema.ref("Schedule"))),
            ("Clock", clock), ("OwnClock", ownClock), ("AdvanceClock", advanceClock), ("PauseSchedule", pause),
            ("ResumeSchedule", resume), ("RunOccurrence", run), ("Schedule", schedule),
            ("SchedulePreview", previewed), ("RuleOccurrence", occurrence),
        ] + PolicySchemas.all

    static let exampleRule: Json = [
        "every": 1, "period": "month", "start": "2099-01-31", "time": "10:00", "zone": "Europe/Moscow",
    ]

    static let example: Json = [
        "kind": "regular", "amount": ["value": 1999, "currency": "EUR"], "customer": "cust-7",
        "presence": "customerPresent", "rule": exampleRule, "details": ["payer": ["email": "payer@example.org"]],
    ]

    private static var date: Json { ["type": "string", "format": "date"] }
    private static var timeOfDay: Json {
        Schema.pattern("^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$", "On the zone's clocks.")
    }
    private static var amount: Json { Schema.ref("PositiveMoney") }
    private static var ordinal: Json { Schema.integer(from: 1, to: Int64(ScheduleRule.ordinals)) }
    private static var zone: Json {
        Schema.text("A zone of the IANA database, as in Europe/Moscow.", atMost: ScheduleRule.zoneNameBytes)
    }

    private static var rule: Json {
        Schema.closed(
            [
                ("every", Schema.integer(from: 1, to: Int64(ScheduleRule.interval))),
                ("period", Schema.words(Period.self)),
                (
                    "dates",
                    Schema.list(Schema.closed([("date", date), ("amount", amount)], required: ["date", "amount"]))
                ),
                ("start", date), ("anchorDay", Schema.integer(from: 1, to: 31)), ("time", timeOfDay), ("zone", zone),
                (
                    "end",
                    Schema.closed([("lastDate", date), ("count", ordinal), ("total", amount)])
                ),
                ("skippedHour", Schema.words(SkippedHour.self)), ("doubledHour", Schema.words(DoubledHour.self)),
                (
                    "businessDays",
                    Schema.closed(
                        [("shift", Schema.words(BusinessDayShift.self)), ("calendar", Schema.text(atMost: 64))],
                        required: ["shift", "calendar"]
                    )
                ),
            ],
            required: ["zone"],
            "A period with a start, or a list of dates. Anchors never decay: the 31st comes back after shorter months."
        )
    }

    private static var mandate: Json {
        Schema.closed(
            [("expiresOn", date), ("minimumDays", Schema.integer(from: 1, to: 366))],
            "What the customer agreed to; nothing is charged outside it."
        )
    }

    private static var create: Json {
        Schema.closed(
            [
                ("kind", Schema.words(ScheduleKind.self)), ("runner", Schema.words(ScheduleRunner.self)),
                ("presence", Schema.words(Presence.self)),
                ("account", Schema.text("The account by its name.", atMost: AccountConfiguration.nameCharacters)),
                ("instrument", Schema.id("ins")), ("fallback", Schema.id("ins", "Charged where the other can't be.")),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
                ("reference", Schema.text(atMost: Limits.referenceBytes)),
                ("description", Schema.text(atMost: Limits.descriptionCharacters)), ("amount", amount),
                ("rule", Schema.ref("ScheduleRule")), ("mandate", mandate),
                ("activation", Schema.words(ActivationMode.self)), ("activateBy", Schema.time),
                ("policy", PolicySchemas.firing),
                ("details", Schema.free), ("metadata", Schema.free),
            ],
            required: ["kind"],
            "Becomes active by a customer-present payment that names it in its member schedule."
        )
    }

    private static var preview: Json {
        Schema.closed(
            [
                ("rule", Schema.ref("ScheduleRule")), ("amount", amount), ("mandate", mandate),
                ("policy", PolicySchemas.firing), ("from", ordinal),
                ("count", Schema.integer(from: 1, to: Int64(ScheduleRule.previewedOccurrences))),
            ],
            required: ["rule"]
        )
    }

    private static var change: Json {
        Schema.closed([
            ("amount", amount), ("instrument", Schema.id("ins")), ("fallback", Schema.id("ins")),
            ("rule", Schema.ref("ScheduleRule")), ("nextDate", date), ("policy", PolicySchemas.firing),
        ])
    }

    private static var pause: Json {
        Schema.closed([("reason", Schema.text("Kept with the schedule.", atMost: Limits.descriptionCharacters))])
    }

    private static var resume: Json { Schema.closed([("missed", Schema.words(ScheduleEvent.Missed.self))]) }

    private static var run: Json {
        Schema.closed([("ordinal", ordinal), ("amount", amount), ("presence", Schema.words(Presence.self))])
    }

    private static var ownClock: Json {
        Schema.closed([("at", Schema.time)], "Where it begins: now where nothing is said, never in the past.")
    }

    private static var advanceClock: Json {
        Schema.closed([("to", Schema.time)], required: ["to"], "It stops at every timer on its way.")
    }

    // MARK: Answers

    private static var clock: Json {
        Schema.object(
            [
                ("object", ["const": "clock"]), ("at", Schema.time), ("steps", Schema.integer(from: 0)),
                ("travellingTo", Schema.time), ("waitsFor", Schema.list(Schema.words(ClockWait.self))),
            ],
            required: ["object", "at", "steps"],
            "On its way it waits until nothing of waitsFor is left, then makes a step."
        )
    }

    private static var occurrence: Json {
        Schema.object(
            [
                ("ordinal", ordinal), ("nominal", date), ("date", date), ("at", Schema.time),
                ("startAt", Schema.time), ("amount", Schema.ref("Money")),
                ("state", Schema.words(SchedulePreview.Item.State.self)),
                ("reasons", Schema.list(Schema.words(RuleOccurrence.Reason.self))), ("zoneDigest", Schema.text()),
            ],
            required: ["ordinal", "date", "at", "reasons"],
            "Nothing is charged before startAt; a skipped one is not charged at all."
        )
    }

    private static var previewed: Json {
        Schema.object(
            [
                ("object", ["const": "preview"]), ("zoneDigest", Schema.text()), ("schedule", Schema.id("sch")),
                ("status", Schema.words(ScheduleStatus.self)), ("policy", Schema.free),
                ("items", Schema.list(Schema.ref("RuleOccurrence"))),
                ("end", Schema.words(SchedulePreview.End.self)),
                ("holds", Schema.list(Schema.words(SchedulePreview.Hold.self))),
            ],
            required: ["object", "items"],
            "As it is known now, if every charge succeeds; end tells why nothing follows, holds what stands before."
        )
    }

    /// What the provider that runs the series was asked last.
    private static var request: Json {
        Schema.object(
            [
                ("ask", Schema.words(SeriesAsk.self)),
                (
                    "state",
                    [
                        "type": "string", "enum": ["asked", "done", "refused", "unknown"],
                        "description": "unknown: the provider never answered, and somebody must look at it.",
                    ]
                ), ("code", Schema.text("As the provider words it.")), ("askedAt", Schema.time),
            ],
            required: ["ask", "state"]
        )
    }

    private static var anomalies: Json {
        Schema.object(
            Anomaly.allCases.map { ($0.rawValue, Schema.integer()) },
            required: [],
            "How often something happened that somebody must look at; each was an alert."
        )
    }

    private static var schedule: Json {
        Schema.object(
            [
                ("id", Schema.id("sch")), ("object", ["const": "schedule"]), ("version", Schema.integer()),
                ("status", Schema.text("A word of the schedule, or accepted while it waits.")),
                ("kind", Schema.words(ScheduleKind.self)),
                ("runner", Schema.words(ScheduleRunner.self)), ("presence", Schema.words(Presence.self)),
                ("account", Schema.uuid), ("instrument", Schema.id("ins")), ("fallback", Schema.id("ins")),
                ("customer", Schema.text()), ("reference", Schema.text()), ("description", Schema.text()),
                ("amount", Schema.ref("Money")), ("rule", Schema.free), ("mandate", Schema.free),
                ("policy", Schema.free), ("activation", Schema.words(ActivationMode.self)),
                ("activateBy", Schema.time), ("activatedBy", Schema.id("pay")),
                ("metadata", Schema.free),
                ("nextAt", Schema.time), ("collected", Schema.integer()), ("paid", Schema.integer()),
                ("series", Schema.text("The provider's id of the series.")), ("request", request),
                ("oddities", anomalies),
                ("occurrences", Schema.list(OccurrenceSchemas.open)),
                ("cause", PolicySchemas.cause), ("expiringInstruments", Schema.list(Schema.id("ins"))),
                ("paidTwice", Schema.list(Schema.id("pay", "Somebody must give its money back."))),
                ("createdAt", Schema.time), ("updatedAt", Schema.time),
            ],
            required: ["id", "object", "status"]
        )
    }
}

import EventSourcing
import Kernel
import Payments
import Schedules

/// Schemas of schedules.
enum ScheduleSchemas {
    static let all: [(String, Json)] =
        [
            ("ScheduleRule", ScheduleRule.schema), ("KeptRule", keptRule), ("Schedule", schedule),
            ("SchedulePage", Schema.page(Schema.ref("Schedule"))), ("SchedulePreview", previewed),
            ("RuleOccurrence", occurrence),
        ] + OccurrenceSchemas.all

    private static var occurrence: Json {
        Schema.object(
            [
                ("ordinal", ScheduleRule.ordinal), ("nominal", Schema.date), ("date", Schema.date), ("at", Schema.time),
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

    /// The last question to the provider that runs the series.
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
                ("amount", Schema.ref("Money")), ("rule", Schema.ref("KeptRule")), ("mandate", Schema.free),
                ("policy", Schema.free), ("activation", Schema.words(ActivationMode.self)),
                ("activateBy", Schema.time), ("activatedBy", Schema.id("pay")),
                ("metadata", Schema.free),
                ("nextAt", Schema.time), ("collected", Schema.integer()), ("paid", Schema.integer()),
                ("series", Schema.text("The provider's id of the series.")), ("request", request),
                ("oddities", anomalies),
                ("occurrences", Schema.list(OccurrenceSchemas.open)),
                ("cause", cause), ("expiringInstruments", Schema.list(Schema.id("ins"))),
                ("paidTwice", Schema.list(Schema.id("pay", "Somebody must give its money back."))),
                ("createdAt", Schema.time), ("updatedAt", Schema.time),
            ],
            required: ["id", "object", "status"]
        )
    }

    /// A rule as a schedule keeps it: what was left out of the command is filled in.
    ///
    /// It has a name of its own, because generators would call it by the schedule's name and its member's: `ScheduleRule`.
    private static var keptRule: Json {
        let dated = Schema.object(
            [("date", Schema.date), ("amount", Schema.ref("Money"))],
            required: ["date", "amount"]
        )
        let cadence = Schema.object(
            [
                ("every", Schema.integer(from: 1)), ("period", Schema.words(Period.self)),
                ("dates", Schema.list(dated)),
            ],
            required: [],
            "A number of periods, or a list of dates."
        )
        let end = Schema.object(
            [("count", Schema.integer(from: 1)), ("lastDate", Schema.date), ("total", Schema.ref("Money"))],
            required: []
        )
        let businessDays = Schema.object(
            [("shift", Schema.words(BusinessDayShift.self)), ("calendar", Schema.text())],
            required: ["shift", "calendar"]
        )
        return Schema.object(
            [
                ("anchorDay", Schema.integer(from: 1, to: 31)), ("businessDays", businessDays), ("cadence", cadence),
                ("doubledHour", Schema.words(DoubledHour.self)), ("end", end),
                ("skippedHour", Schema.words(SkippedHour.self)), ("start", Schema.date), ("time", Schema.timeOfDay),
                ("zone", Schema.text()),
            ],
            required: ["cadence", "doubledHour", "end", "skippedHour", "start", "time", "zone"],
            "The rule with all that was left out of the command filled in."
        )
    }

    /// Who paused or ended a schedule.
    private static var cause: Json {
        Schema.object(
            [("reason", Schema.text()), ("by", Schema.text()), ("at", Schema.time)],
            required: ["at"],
            "Why it is paused, or how it ended."
        )
    }
}

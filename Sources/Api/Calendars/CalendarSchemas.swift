import Kernel

/// Schemas of zones and calendars.
enum CalendarSchemas {
    static let all: [(String, Json)] = [
        ("Zone", zone), ("ZonePage", Schema.page(Schema.ref("Zone"))), ("BusinessCalendar", businessCalendar),
        ("BusinessCalendarPage", Schema.page(Schema.ref("BusinessCalendar"))),
    ]

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
                ("holidays", Schema.list(Schema.date)), ("workdays", Schema.list(Schema.date)),
            ],
            required: ["object", "name", "version", "adoptedAt", "weekend", "holidays", "workdays"],
            "Weekend days (Monday is 1), holidays, and working days that fall on a weekend."
        )
    }
}

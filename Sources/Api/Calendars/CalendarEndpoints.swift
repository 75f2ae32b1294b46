/// Time zones and business calendars that schedules are planned by.
enum CalendarEndpoints {
    static let all: [Endpoint] = [
        .reading("listZones", "/v1/zones", by: Api.listZones)
            .documented(.schedules, "List the time zones that schedules are planned by", "ZonePage"),
        .reading("listCalendars", "/v1/calendars", by: Api.listCalendars)
            .documented(.schedules, "List the business calendars that rules may name", "BusinessCalendarPage"),
    ]
}

import Kernel
import Projections
import Schedules

/// Recurring payments: registered, changed, looked at ahead and behind.
enum ScheduleEndpoints {
    private static let one = "/v1/schedules/{schedule}"

    static let all: [Endpoint] = [
        .command("createSchedule", "/v1/schedules", .json(CreateScheduleForm.schema), by: Api.createSchedule)
            .documented(.schedules, "Register a recurring payment", "Schedule", [200, 201, 202])
            .ids(["id", "instrument", "fallback"])
            .stored(ScheduleCommand.Name.create.rawValue, Api.newSchedule)
            .linked(.below(one, ["schedule": "$response.body#/id"])),
        .reading("listSchedules", "/v1/schedules", query: list, by: Api.listSchedules)
            .documented(.schedules, "List schedules, newest first or by next run", "SchedulePage"),
        .asking(
            "previewSchedule",
            "/v1/schedules/preview",
            .json(PreviewForm.schema),
            scope: .read,
            by: Api.previewSchedule
        )
        .documented(.schedules, "See when a rule falls due", "SchedulePreview", problems: []),
        .reading("getSchedule", one, by: Api.getSchedule)
            .documented(.schedules, "Read a schedule", "Schedule", problems: [404]),
        .schedule("changeSchedule", one + "/change", .json(ChangeScheduleForm.schema), by: Api.changeSchedule)
            .documented(.schedules, "Change amount, rule, instrument or the next date", "Schedule")
            .ids(["instrument", "fallback"])
            .stored(ScheduleCommand.Name.change.rawValue),
        .schedule("pauseSchedule", one + "/pause", .optional(.pauseSchedule), form: ScheduleCommand.pause)
            .documented(.schedules, "Pause a schedule", "Schedule")
            .stored(ScheduleCommand.Name.pause.rawValue),
        .schedule("resumeSchedule", one + "/resume", .optional(.resumeSchedule), form: ScheduleCommand.resume)
            .documented(.schedules, "Resume a schedule", "Schedule")
            .stored(ScheduleCommand.Name.resume.rawValue),
        .schedule("cancelSchedule", one + "/cancel", .optional(.pauseSchedule), form: ScheduleCommand.cancel)
            .documented(.schedules, "Cancel a schedule", "Schedule")
            .stored(ScheduleCommand.Name.cancel.rawValue),
        .schedule("runOccurrence", one + "/run", .optional(.runOccurrence), form: ScheduleCommand.run)
            .documented(.schedules, "Charge an occurrence now", "Schedule")
            .stored(ScheduleCommand.Name.run.rawValue),
        .reading("listOccurrences", one + "/occurrences", query: Endpoint.Parameter.log, by: Api.listOccurrences)
            .documented(.schedules, "Read what became of each occurrence", "OccurrencePage", problems: [404]),
        .reading(
            "previewOccurrences",
            one + "/preview",
            query: [.init("count", Schema.integer(from: 1, to: Int64(ScheduleRule.previewedOccurrences)))],
            by: Api.previewOccurrences
        )
        .documented(.schedules, "See what a schedule charges next", "SchedulePreview", problems: [404]),
        .reading(
            "scheduleEvents",
            one + "/events",
            scope: .audit,
            query: Endpoint.Parameter.log,
            by: Api.scheduleEvents
        )
        .documented(.schedules, "Read a schedule's log", "EventPage", problems: [404]),
    ]

    private static let list: [Endpoint.Parameter] =
        [
            .init("status", Schema.words(ScheduleStatus.self)), .customer,
            .init("instrument", Schema.id("ins", "Charged by the series, or held in reserve by it.")), .account,
            .reference, .init("nextFrom", Schema.time), .init("nextBefore", Schema.time),
            .init("order", Schema.words(ScheduleQuery.Order.self)),
        ] + Endpoint.Parameter.page
}

import Daemon
import Decisions
import Engine
import EventSourcing
import Kernel
import Schedules
import Store
import SystemKit

/// `paystream calendars`: days without business, by name and version.
struct CalendarsCommand: Command {
    static let name = "calendars"
    static let summary = "List business calendars, show one, see what a newer one would move, or let it hold."
    static let usage = "[--json] list | show NAME | diff NAME FILE | put NAME FILE"
    static let options = [PaymentsCommand.jsonOption]
    static let notes = """
        FILE holds weekend days (Monday is 1), holidays, and working days that fall on a weekend; '-' stands for standard input:
          {"weekend": [6, 7], "holidays": ["2027-01-01"], "workdays": ["2027-01-09"]}
        A version is never changed: 'put' makes the next one, and every schedule that names the calendar is planned by it.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let words = given.words
        switch (words.first ?? "list", words.count) {
        case ("list", ...1): return try await StoreSession.with { try await list($0, given) }
        case ("show", 2): return try await StoreSession.with { try await show($0, words[1], given) }
        case ("diff", 3):
            let calendar = try Self.file(words[2], named: words[1])
            return try await StoreSession.with { try await diff($0, calendar, given) }
        case ("put", 3):
            let calendar = try Self.file(words[2], named: words[1])
            return try await StoreSession.with { try await put($0, calendar, given) }
        default: throw UsageError("say 'list', 'show NAME', 'diff NAME FILE' or 'put NAME FILE'")
        }
    }

    private static func file(_ path: String, named name: String) throws(UsageError) -> BusinessCalendar {
        guard let bytes = SmallFile.read(path == "-" ? "/dev/stdin" : path) else {
            throw UsageError("the file '\(path)' can't be read")
        }
        guard let json = try? Json(bytes, limits: .api) else { throw UsageError("'\(path)' is no JSON") }
        guard !name.isEmpty, name.utf8.count <= ScheduleRule.zoneNameBytes else {
            throw UsageError("a name has 1 to \(ScheduleRule.zoneNameBytes) bytes")
        }
        do throws(CodecFailure) { return try BusinessCalendar(name: name, version: 1, json) } catch {
            throw UsageError("'\(path)': the member '\(error.path)' is no part of a calendar, or not of its form")
        }
    }

    private func list(_ session: StoreSession, _ given: ScatteredArguments) async throws -> Int32 {
        var table = ColumnTable(["CALENDAR", "VERSION", "HOLIDAYS", "SINCE"], rightAligned: [1, 2])
        for row in try await CalendarRows(session.store).all() {
            if given.has("json") { StandardStream.output.write(Self.shown(row).canonicalText + "\n") }
            table.add([
                row.name, String(row.version), String(row.document["holidays"]?.items?.count ?? 0),
                Cell.time(row.adoptedAt),
            ])
        }
        if !given.has("json") { StandardStream.output.write(table.text(orSay: "there is no calendar")) }
        return 0
    }

    private func show(_ session: StoreSession, _ name: String, _ given: ScatteredArguments) async throws -> Int32 {
        guard let row = try await CalendarRows(session.store).newest(named: name) else {
            throw CommandFailure("there is no calendar '\(name)'")
        }
        DaemonCall.show(Self.shown(row), given)
        return 0
    }

    private static func shown(_ row: CalendarRows.Row) -> Json {
        [
            "adoptedAt": row.adoptedAt.json, "days": row.document, "name": .string(row.name),
            "version": .integer(Int64(row.version)),
        ]
    }

    private func diff(_ session: StoreSession, _ new: BusinessCalendar, _ given: ScatteredArguments) async throws
        -> Int32
    {
        let change = CalendarChange(session: session)
        try await change.catchUp()
        let zones = StoreZones(rows: ZoneRows(session.store), calendars: CalendarRows(session.store))
        let old = try await zones.businessCalendar(named: new.name, version: nil)
        let schedules = try await session.views.schedules.planned(byCalendar: new.name)
        let moves = try await change.moves(of: schedules) { rule in
            guard let zone = try await zones.zone(named: rule.zone) else { return nil }
            return (CalendarData(zone: zone, business: old), CalendarData(zone: zone, business: new))
        }
        CalendarChange.show(moves, asJson: given.has("json"))
        return 0
    }

    private func put(_ session: StoreSession, _ calendar: BusinessCalendar, _ given: ScatteredArguments) async throws
        -> Int32
    {
        guard let row = try await CalendarRows(session.store).put(calendar.json, named: calendar.name) else {
            throw CommandFailure("the calendar could not be kept")
        }
        let adoption = CalendarAdoption.business(name: row.name, version: row.version)
        let told = try await CalendarChange(session: session).tell(adoption, adoptedAt: row.adoptedAt) {
            try await session.views.schedules.planned(byCalendar: row.name)
        }
        given.tell(
            "\(row.name): version \(row.version) holds for \(told) schedules",
            ["name": .string(row.name), "schedules": .integer(Int64(told)), "version": .integer(Int64(row.version))]
        )
        return 0
    }
}

import Daemon
import Decisions
import Engine
import EventSourcing
import FoundationEssentials
import Kernel
import Schedules
import Store
import SystemKit

/// `paystream zones`: time zone data that schedules are planned by, and newer data before it applies.
struct ZonesCommand: Command {
    static let name = "zones"
    static let summary = "List the time zone data in use, show what newer data would move, or adopt it."
    static let usage = "[--from DIR] [--json] list | diff [NAME…] | adopt NAME…"
    static let options = [
        CommandOption("from", value: "DIR", summary: "newer zone files (default: /usr/share/zoneinfo)"),
        PaymentsCommand.jsonOption,
    ]
    static let notes = """
        Nothing moves by itself: a zone keeps the file that it was first planned by until 'adopt' names it.
        'diff' shows, of the next 12 occurrences of every schedule, those that the newer file would move.
        """

    /// A zone whose newer file is another one.
    private struct Newer {
        let name: String
        let old: ZoneData
        let new: ZoneData
        let bytes: [UInt8]
    }

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let names = Array(given.words.dropFirst())
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await StoreSession.with { try await list($0, given) }
        case "diff": return try await StoreSession.with { try await diff($0, names, given) }
        case "adopt":
            guard !names.isEmpty else { throw UsageError("name the zones, as in Europe/Kyiv") }
            return try await StoreSession.with { try await adopt($0, names, given) }
        case let verb?: throw UsageError("zones know no '\(verb)'; say 'list', 'diff' or 'adopt NAME'")
        }
    }

    private func list(_ session: StoreSession, _ given: ScatteredArguments) async throws -> Int32 {
        var table = ColumnTable(["ZONE", "DIGEST", "SINCE"])
        for row in try await ZoneRows(session.store).all() {
            if given.has("json") {
                let line: Json = [
                    "adoptedAt": row.adoptedAt.json, "digest": .string(row.digest), "zone": .string(row.name),
                ]
                StandardStream.output.write(line.canonicalText + "\n")
            }
            table.add([row.name, String(row.digest.prefix(12)), Cell.time(row.adoptedAt)])
        }
        if !given.has("json") { StandardStream.output.write(table.text(orSay: "no zone was asked for yet")) }
        return 0
    }

    private func newer(_ session: StoreSession, _ names: [String], _ given: ScatteredArguments) async throws -> [Newer]
    {
        let rows = ZoneRows(session.store)
        let folder = given["from"] ?? StoreZones.folder
        let known = try await rows.all()
        for name in names where !known.contains(where: { $0.name == name }) {
            throw UsageError("no schedule has asked for the zone '\(name)' yet")
        }
        var found: [Newer] = []
        for row in known where names.isEmpty || names.contains(row.name) {
            guard let data = FileManager.default.contents(atPath: folder + "/" + row.name) else { continue }
            let new: ZoneData
            do throws(ZoneFailure) { new = try ZoneData(Array(data)) } catch {
                throw CommandFailure("\(folder)/\(row.name): \(FailureText.of(error))")
            }
            guard new.digest != row.digest, let bytes = try await rows.file(digest: row.digest) else { continue }
            guard let old = try? ZoneData(bytes) else { throw CommandFailure("the kept file of \(row.name) is broken") }
            found.append(Newer(name: row.name, old: old, new: new, bytes: Array(data)))
        }
        return found
    }

    private func diff(_ session: StoreSession, _ names: [String], _ given: ScatteredArguments) async throws -> Int32 {
        let change = CalendarChange(session: session)
        try await change.catchUp()
        let zones = StoreZones(rows: ZoneRows(session.store), calendars: CalendarRows(session.store))
        var moves: [CalendarChange.Move] = []
        for one in try await newer(session, names, given) {
            let schedules = try await session.views.schedules.planned(inZone: one.name)
            StandardStream.error.write(
                "\(one.name): \(one.old.digest.prefix(12)) -> \(one.new.digest.prefix(12)), "
                    + "\(schedules.count) schedules\n"
            )
            moves += try await change.moves(of: schedules) { rule in
                let business = try await Self.business(rule, zones)
                return (
                    CalendarData(zone: one.old, business: business), CalendarData(zone: one.new, business: business)
                )
            }
        }
        CalendarChange.show(moves, asJson: given.has("json"))
        return 0
    }

    private static func business(_ rule: ScheduleRule, _ zones: StoreZones) async throws -> BusinessCalendar? {
        guard let name = rule.businessDays?.calendar else { return nil }
        return try await zones.businessCalendar(named: name, version: nil)
    }

    /// Lets the newer files hold, and has every schedule planned by them.
    private func adopt(_ session: StoreSession, _ names: [String], _ given: ScatteredArguments) async throws -> Int32 {
        let rows = ZoneRows(session.store)
        for one in try await newer(session, names, given) {
            try await rows.adopt(one.bytes, digest: one.new.digest, named: one.name)
        }
        // One that was adopted by a command that was cut short is told again; who knows already hears nothing new.
        for row in try await rows.all() where names.contains(row.name) {
            let adoption = CalendarAdoption.zone(name: row.name, digest: row.digest)
            let told = try await CalendarChange(session: session).tell(adoption, adoptedAt: row.adoptedAt) {
                try await session.views.schedules.planned(inZone: row.name)
            }
            given.tell(
                "\(row.name): \(row.digest.prefix(12)) holds for \(told) schedules",
                ["digest": .string(row.digest), "name": .string(row.name), "schedules": .integer(Int64(told))]
            )
        }
        return 0
    }
}

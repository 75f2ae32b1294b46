import Api
import EventSourcing
import Kernel
import Schedules
import Store

/// Time zones and business calendars out of the database.
struct StoreCalendars: CalendarDesk {
    let zoneRows: ZoneRows
    let calendarRows: CalendarRows

    func zones() async throws(ReadFailure) -> [PlannedZone] {
        let rows = try await asked { () async throws(StoreFailure) in try await zoneRows.all() }
        return rows.map { PlannedZone(name: $0.name, digest: $0.digest, adoptedAt: $0.adoptedAt) }
    }

    func calendars() async throws(ReadFailure) -> [KeptCalendar] {
        let rows = try await asked { () async throws(StoreFailure) in try await calendarRows.newest() }
        var calendars: [KeptCalendar] = []
        for row in rows {
            do throws(CodecFailure) {
                let calendar = try BusinessCalendar(name: row.name, version: row.version, row.document)
                calendars.append(KeptCalendar(calendar, adoptedAt: row.adoptedAt))
            } catch {
                throw ReadFailure("the calendar \(row.name): \(error.path)")
            }
        }
        return calendars
    }
}

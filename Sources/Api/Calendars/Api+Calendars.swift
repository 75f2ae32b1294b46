import EventSourcing
import Http
import Kernel

/// Time zones and business calendars that schedules are planned by.
extension Api {
    func listZones(_: Call) async throws(Problem) -> HttpResponse {
        let zones = try await asked { () async throws(StoreFailure) in try await reader.tables.zones() }
        return Self.page(zones.map(\.json), next: nil)
    }

    func listCalendars(_: Call) async throws(Problem) -> HttpResponse {
        let calendars = try await asked { () async throws(StoreFailure) in try await reader.tables.calendars() }
        return Self.page(calendars.map(\.json), next: nil)
    }
}

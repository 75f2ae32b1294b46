import Http
import Kernel

/// What schedules are planned by.
extension Api {
    func listZones(_: Call) async throws(Problem) -> HttpResponse {
        let zones = try await read { () async throws(ReadFailure) in try await ports.calendars.zones() }
        return Self.page(zones.map(\.json), next: nil)
    }

    func listCalendars(_: Call) async throws(Problem) -> HttpResponse {
        let calendars = try await read { () async throws(ReadFailure) in try await ports.calendars.calendars() }
        return Self.page(calendars.map(\.json), next: nil)
    }
}

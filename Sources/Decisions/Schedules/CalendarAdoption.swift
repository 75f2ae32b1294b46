import Crypto
package import EventSourcing
package import Kernel
import Payments
import Schedules

/// Newer zone data or another table of holidays, told to one schedule: an input that names exactly what holds from now on.
package enum CalendarAdoption: Hashable, Sendable {
    case zone(name: String, digest: String)
    case business(name: String, version: Int)

    /// The stored name of the input.
    package static let name = "schedule.calendar_adopted"

    private var json: Json {
        switch self {
        case .zone(let name, let digest): ["digest": .string(digest), "zone": .string(name)]
        case .business(let name, let version): ["calendar": .string(name), "version": .integer(Int64(version))]
        }
    }

    /// Reads a stored input.
    package init?(_ input: InputRecord) {
        guard input.name == Self.name, let json = try? Json(input.body) else { return nil }
        if let name = json["zone"]?.text, let digest = json["digest"]?.text {
            self = .zone(name: name, digest: digest)
        } else if let name = json["calendar"]?.text, let version = json["version"]?.integer {
            self = .business(name: name, version: Int(version))
        } else {
            return nil
        }
    }

    /// The input that tells a schedule; the same adoption gives the same input, however often it is told.
    package func input(for schedule: StreamName, adoptedAt: Timestamp, by actor: String, at now: Timestamp)
        -> InputRecord
    {
        .sent(
            .version5(namespace: schedule.id, name: "adopt:\(json.canonicalText):\(adoptedAt.microseconds)"),
            to: schedule,
            Self.name,
            json,
            by: Actor(id: actor, isOperator: true),
            at: now
        )
    }
}

import Crypto
package import EventSourcing
package import Kernel
import Payments
import Schedules

/// Newer zone data or another table of holidays, told to one schedule: an input that names exactly what holds from now on.
package enum CalendarAdoption: Hashable, Sendable, JsonWritable {
    case zone(name: String, digest: String)
    case business(name: String, version: Int)

    /// The stored name of the input.
    package static let name = "schedule.calendar_adopted"

    package func write(into out: inout JsonText) {
        switch self {
        case .zone(let name, let digest):
            out.member("digest", digest)
            out.member("zone", name)
        case .business(let name, let version):
            out.member("calendar", name)
            out.member("version", version)
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
        let said = canonical
        let name = "adopt:\(String(decoding: said, as: UTF8.self)):\(adoptedAt.microseconds)"
        return .sent(
            .version5(namespace: schedule.id, name: name),
            to: schedule,
            Self.name,
            said,
            by: Actor(id: actor, isOperator: true),
            at: now
        )
    }
}

import Kernel

/// One measured figure beside its raw baselines, as one line of JSON.
package struct Figure: Sendable {
    private var members: [(String, Json)]

    package init(_ bench: String, _ figure: String) {
        members = [("bench", .string(bench)), ("figure", .string(figure))]
    }

    /// The same figure with another member; three digits behind the point.
    package func with(_ name: String, _ value: Double) -> Figure { with(name, Self.number(value)) }

    package func with(_ name: String, _ value: Int) -> Figure { with(name, .integer(Int64(value))) }

    package func with(_ name: String, _ value: String) -> Figure { with(name, .string(value)) }

    /// Adds the target, and whether it was met.
    package func target(_ text: String, isMet: Bool) -> Figure { with("target", text).with("met", .bool(isMet)) }

    private func with(_ name: String, _ value: Json) -> Figure {
        var copy = self
        copy.members.append((name, value))
        return copy
    }

    /// One line; the order of members is as they were given.
    package var line: String { String(decoding: Json.object(JsonObject(members)).compactBytes, as: UTF8.self) }

    private static func number(_ value: Double) -> Json {
        guard value.isFinite, value.magnitude < 1e12 else { return .null }
        let thousandths = Int64((value * 1000).rounded())
        let sign = thousandths < 0 ? "-" : ""
        let whole = thousandths.magnitude / 1000
        let rest = thousandths.magnitude % 1000
        let text = "\(sign)\(whole).\(String(repeating: "0", count: 3 - String(rest).count))\(rest)"
        return (try? Json(Array(text.utf8))) ?? .null
    }
}

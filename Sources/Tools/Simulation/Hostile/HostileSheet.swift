import Http
import Kernel

/// A case of a table; its name plays it again.
package protocol HostileCoordinate: Hashable, Sendable {
    /// `table/scene/truth/answer/turn/look`.
    var name: String { get }
}

extension HostileCoordinate {
    /// Whether it is one that a pattern names: each part of the name a value, several with `|` between them, or `*`.
    package func matches(_ pattern: some StringProtocol) -> Bool {
        let (parts, names) = (pattern.split(separator: "/"), name.split(separator: "/"))
        guard parts.count == names.count else { return false }
        return zip(parts, names).allSatisfy { part, name in
            part == "*" || part.split(separator: "|").contains { $0 == name }
        }
    }
}

/// A table of cases, and how each is played and judged.
package protocol HostileSheet: Sendable {
    associatedtype Coordinate: HostileCoordinate

    /// The first part of its cases' names.
    var name: String { get }
    /// The provider's own name.
    var provider: String { get }
    var cases: [Coordinate] { get }

    /// Plays a case and judges how it ended; no breach where all is well.
    func play(_ one: Coordinate) async -> HostileSeen
}

extension HostileSheet {
    package var count: Int { cases.count }

    /// Plays every so many cases, those of them that a pattern names; answers how many those were.
    ///
    /// A single one can be printed with what went over the wire.
    package func play(
        step: Int,
        only pattern: String? = nil,
        isTracing: Bool = false,
        _ tell: (any HostileCoordinate, HostileSeen) -> Void
    ) async -> Int {
        let chosen = cases.enumerated().filter { place, one in
            place % step == 0 && pattern.map { one.matches($0) } ?? true
        }
        for (_, one) in chosen {
            let seen = await play(one)
            if isTracing, chosen.count == 1 { for line in seen.trace { print(line) } }
            tell(one, seen)
        }
        return chosen.count
    }
}

/// The outcome of a case.
package struct HostileSeen: Sendable {
    /// Breaches of what must never be, each with the word of its class in front.
    package var breaches: [String] = []
    package var trace: [String] = []

    package init() {}
}

extension HttpResponse {
    /// The same answer with other values wherever a member's name has this word in it.
    func changing(_ word: String, _ value: (Json) -> Json) -> HttpResponse {
        guard let body = try? Json(body) else { return self }
        var other = self
        other.body = body.changing(word, value).compactBytes
        return other
    }
}

extension Json {
    /// The same with other values wherever a member's name has this word in it.
    func changing(_ word: String, _ value: (Json) -> Json) -> Json {
        if let items { return .array(items.map { $0.changing(word, value) }) }
        guard let members else { return self }
        let changed = members.members.map { member in
            let isMeant = member.value.scalarText != nil && member.name.lowercased().contains(word)
            return (member.name, isMeant ? value(member.value) : member.value.changing(word, value))
        }
        return .object(JsonObject(changed))
    }
}

extension OutgoingRequest {
    /// As a case's trace shows it.
    var line: String { "\(method.rawValue) \(url) \(String(decoding: body, as: UTF8.self))" }
}

extension ExchangeOutcome {
    var line: String {
        switch self {
        case .notSent(let reason): "not sent: \(reason.rawValue)"
        case .sentNoAnswer: "no answer"
        case .answered(let response): "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
        }
    }
}

/// Every table that there is.
package enum HostileTables {
    package static let all: [any HostileSheet] = HostileTable.all + [HostileBillTable(), HostileSeriesTable()]
}

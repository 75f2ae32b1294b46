package import EventSourcing
package import Kernel
package import Payments

/// The members that travel in an input's `meta`.
package struct InputMeta: Sendable {
    package let json: Json

    package init(_ json: Json) { self.json = json }

    package init(_ input: InputRecord) throws(Undecidable) {
        guard let json = try? Json(input.meta) else { throw Undecidable("meta") }
        self.json = json
    }

    package var actor: Actor {
        Actor(id: json.at("actor", "id")?.text ?? "unknown", isOperator: json.at("actor", "operator")?.flag ?? false)
    }
    package var account: Uuid? { json["account"]?.text.flatMap { Uuid($0) } }
    package var route: RouteReference? { json["route"].flatMap { try? RouteReference(Fields($0)) } }
    package var effect: EffectId? { json["effect"]?.text.flatMap { EffectId($0) } }
    /// Why an answer's message was not sent or has none.
    package var reason: String { json["reason"]?.text ?? "" }
    package var status: Int { Int(json["status"]?.integer ?? 0) }
    package var headers: [String: String] {
        var headers: [String: String] = [:]
        for member in json["headers"]?.members?.members ?? [] { headers[member.name] = member.value.text }
        return headers
    }
    package var ordinal: Int32? { json["ordinal"]?.integer.flatMap { Int32(exactly: $0) } }
    /// The versions of the stream that the command is meant for; any where the client named none.
    private var wantedVersions: [Int64]? { json["versions"]?.items?.compactMap(\.integer) }

    /// Refuses a command that is meant for another version than this one.
    func demand(_ version: Int32) throws(Rejection) {
        guard let wanted = wantedVersions, !wanted.contains(Int64(version)) else { return }
        throw Rejection(
            planCode: Self.preconditionFailed,
            "It is at version \(version) now: read it again, and send what you then want under another key.",
            path: "If-Match"
        )
    }

    package static let preconditionFailed = "precondition_failed"

    package var trust: Trust { json["trust"]?.text == Trust.hint.rawValue ? .hint : .verified }

    /// The meta of a command.
    package static func command(
        actor: Actor,
        account: Uuid?,
        traceparent: String?,
        correlation: String?,
        route: RouteReference? = nil,
        versions: [Int32]? = nil
    ) -> Json {
        .compact([
            ("account", account?.json), ("actor", ["id": .string(actor.id), "operator": .bool(actor.isOperator)]),
            ("correlation", correlation.map(Json.string)), ("route", route?.json),
            ("traceparent", traceparent.map(Json.string)),
            ("versions", versions.map { .array($0.map { .integer(Int64($0)) }) }),
        ])
    }
}

/// An input or history that can't be decided: it goes to quarantine and its stream goes on.
package struct Undecidable: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

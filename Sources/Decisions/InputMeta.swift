package import EventSourcing
package import Kernel
package import Payments

/// The members that travel in an input's `meta`.
package struct InputMeta: Sendable {
    private let fields: Fields

    package init(_ input: InputRecord) throws(Undecidable) {
        guard let fields = Fields(stored: input.meta) else { throw Undecidable("meta") }
        self.fields = fields
    }

    package var actor: Actor {
        let actor = try? fields.optionalFields("actor")
        return Actor(
            id: (try? actor?.optionalText("id")) ?? "unknown",
            isOperator: (try? actor?.optionalFlag("operator")) ?? false
        )
    }
    package var account: Uuid? { try? fields.optionalUuid("account") }
    package var route: RouteReference? { (try? fields.optionalFields("route")).flatMap { try? RouteReference($0) } }
    package var effect: EffectId? { try? fields.optionalId("effect") }
    /// Why an answer's message was not sent or has none.
    package var reason: String { (try? fields.optionalText("reason")) ?? "" }
    package var status: Int { (try? fields.optionalInt("status")) ?? 0 }
    package var headers: [String: String] {
        var headers: [String: String] = [:]
        for member in fields.member("headers")?.members?.members ?? [] { headers[member.name] = member.value.text }
        return headers
    }
    package var ordinal: Int32? { try? fields.optionalInt32("ordinal") }
    /// When the timer was due that a timer's input fires.
    package var dueAt: Timestamp? { try? fields.optionalTime("at") }
    /// The keyed code that tells a command from another one under its key.
    package var mac: [UInt8]? { (try? fields.optionalText("mac")).flatMap { Hex.decode($0) } }
    package var page: Int? { try? fields.optionalInt("page") }
    /// The names that a notification gave, the surest first.
    var references: [Arrival.Reference] {
        (fields.member("references")?.items ?? []).compactMap { item in
            guard let kind = item["kind"]?.text, let value = item["value"]?.text else { return nil }
            return Arrival.Reference(kind: kind, value: value)
        }
    }
    /// The versions of the stream that the command is meant for; any where the client named none.
    private var wantedVersions: [Int64]? { fields.member("versions")?.items?.compactMap(\.integer) }

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

    package var trust: Trust { (try? fields.optionalText("trust")) == Trust.hint.rawValue ? .hint : .verified }
}

/// The meta of each kind of input, as it is stored.
extension InputMeta {
    /// The meta of a command; that of a page of bills has its number.
    package static func command(
        actor: Actor,
        account: Uuid?,
        traceparent: String?,
        correlation: String?,
        route: RouteReference? = nil,
        versions: [Int32]? = nil,
        mac: [UInt8]? = nil,
        page: Int? = nil
    ) -> [UInt8] {
        JsonText.canonical { out in
            out.member("account", account)
            out.member("actor") { out in
                out.member("id", actor.id)
                out.member("operator", actor.isOperator)
            }
            out.member("correlation", correlation)
            out.member("mac", mac.map { Hex.encode($0) })
            out.member("page", page)
            out.member("route", route)
            out.member("traceparent", traceparent)
            out.member("versions", versions.map { .array($0.map { .integer(Int64($0)) }) })
        }
    }

    /// The meta of one event of a notification; `findings` are the places where card data was taken out.
    package static func notification(
        account: Uuid,
        keyId: String,
        findings: [String],
        references: [(kind: String, value: String)],
        trust: Trust
    ) -> [UInt8] {
        JsonText.canonical { out in
            out.member("account", account)
            out.member("findings", findings.isEmpty ? nil : findings)
            out.member("keyId", keyId)
            out.member("references", listing: references, isAlwaysShown: true) { reference, out in
                out.member("kind", reference.kind)
                out.member("value", reference.value)
            }
            out.member("trust", trust)
        }
    }

    /// The meta of an answer.
    package static func answer(
        _ lease: EffectLease,
        ordinal: Int32,
        status: Int,
        headers: [(String, String)],
        findings: [String]
    ) -> [UInt8] {
        JsonText.canonical { out in
            out.member("effect", EffectId(lease.id))
            out.member("fence", lease.fence)
            out.member("findings", findings.isEmpty ? nil : findings)
            out.member("headers", .object(JsonObject(headers.map { ($0.0, .string($0.1)) })))
            out.member("ordinal", ordinal)
            out.member("status", status)
        }
    }

    /// The meta of a message that was not sent or has no answer.
    package static func noAnswer(_ lease: EffectLease, ordinal: Int32, reason: String) -> [UInt8] {
        JsonText.canonical { out in
            out.member("effect", EffectId(lease.id))
            out.member("fence", lease.fence)
            out.member("ordinal", ordinal)
            out.member("reason", reason)
        }
    }

    /// The meta of a fired timer.
    package static func timer(_ timer: DueTimer) -> [UInt8] {
        JsonText.canonical { out in
            out.member("at", timer.at)
            out.member("clock", Int64(timer.clock.rawValue))
        }
    }
}

/// An input or history that can't be decided: it goes to quarantine and its stream goes on.
package struct Undecidable: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

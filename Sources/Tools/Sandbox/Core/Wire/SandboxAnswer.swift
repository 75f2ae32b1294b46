import Kernel

/// An answer, and what becomes of it on the way.
package struct SandboxAnswer: Hashable, Sendable {
    package enum Body: Hashable, Sendable {
        case bytes([UInt8])
        /// That many bytes of filler, made by the shell.
        case filler(Int)
    }

    /// The answer's fate after the effect.
    package enum Fate: Hashable, Sendable {
        case sent
        /// The connection closes, or stays silent beyond any sensible deadline.
        case lost
    }

    package var status: Int
    package var contentType: String
    package var location: String?
    /// Further header fields by name.
    package var headers: [String: String] = [:]
    package var body: Body
    /// How long the answer is held back.
    package var delay: Duration = .zero
    package var fate: Fate = .sent

    package init(status: Int, contentType: String, location: String? = nil, body: Body) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
    }

    static func json(_ status: Int, _ value: Json) -> SandboxAnswer {
        SandboxAnswer(status: status, contentType: "application/json", body: .bytes(value.compactBytes))
    }

    static func json(_ value: Json) -> SandboxAnswer { json(200, value) }
    static func json(_ members: [(String, Json?)]) -> SandboxAnswer { json(200, .compact(members)) }

    static func page(_ status: Int, _ html: String) -> SandboxAnswer {
        SandboxAnswer(status: status, contentType: "text/html; charset=utf-8", body: .bytes(Array(html.utf8)))
    }

    static func text(_ status: Int, _ text: String) -> SandboxAnswer {
        SandboxAnswer(status: status, contentType: "text/plain; charset=utf-8", body: .bytes(Array(text.utf8)))
    }

    /// Sends a browser elsewhere by GET.
    static func seeOther(_ location: String) -> SandboxAnswer {
        SandboxAnswer(
            status: 303,
            contentType: "text/plain; charset=utf-8",
            location: location,
            body: .bytes(Array("See \(location)\n".utf8))
        )
    }

    /// An error of a control endpoint, with a stable code.
    static func refused(_ status: Int, _ code: String, _ detail: String) -> SandboxAnswer {
        json(status, .object(JsonObject([("code", .string(code)), ("detail", .string(detail))])))
    }

    static let notFound = refused(404, "not_found", "Nothing of that name.")
    static let badFields = refused(400, "bad_fields", "Send a JSON object or form fields.")

    static func badAddress(_ name: String) -> SandboxAnswer {
        refused(422, "bad_address", "\(name) is an http or https address.")
    }

    /// The bytes of the body; a filler has none to show.
    package var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .filler: []
        }
    }
}

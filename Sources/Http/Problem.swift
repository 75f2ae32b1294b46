package import Kernel

/// Problem details (RFC 9457): what a client is told when a request fails.
///
/// `code` is the stable word that programs compare; `title` and `detail` are for people and may change. Every problem says in
/// `detail` what is wrong, and closes with what to do about it.
package struct Problem: Error, Hashable, Sendable {
    /// Leads to the page that explains the code; relative to the address that was asked.
    package let type: String
    package var title: String
    package var status: Int
    package let code: String
    package var detail: String
    /// Extension members, written behind the standard ones in their order.
    package var members: JsonObject
    /// Fields of the answer besides the content type, such as `Allow` or `Retry-After`.
    package var headers: HttpHeaders
    /// The next step of whoever was refused, where status and code alone don't tell.
    package var remedy: String?
    /// Whether something that is stored can't be read: a list goes on without it.
    package var isUnreadable = false

    /// The path of the pages that explain codes.
    package static let page = "/problems/"

    package init(
        status: Int,
        code: String,
        title: String? = nil,
        detail: String,
        members: [(String, Json)] = [],
        headers: HttpHeaders = HttpHeaders()
    ) {
        type = Self.page + code
        self.title = title ?? HttpStatus.phrase(status)
        self.status = status
        self.code = code
        self.detail = detail
        self.members = JsonObject(members)
        self.headers = headers
    }

    /// The members as a JSON object.
    package var json: Json {
        var object = JsonObject([
            ("type", .string(type)), ("title", .string(title)), ("status", .integer(Int64(status))),
            ("code", .string(code)), ("detail", .string(detail)),
        ])
        for member in members.members where object[member.name] == nil { object[member.name] = member.value }
        return .object(object)
    }

    /// The answer that carries this problem.
    package var response: HttpResponse {
        var answer = HttpResponse(status: status, headers: headers, body: json.compactBytes)
        answer.headers.set("Content-Type", "application/problem+json")
        return answer
    }

    /// Too many at once; the client comes again after a pause.
    package static func tooMany(_ pause: Duration, _ detail: String) -> Problem {
        let seconds = max(1, pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0))
        let later = HttpHeaders([("Retry-After", String(seconds))])
        return Problem(status: 429, code: "rate_limited", detail: detail, headers: later)
    }
}

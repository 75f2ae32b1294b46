import Api
import Crypto
import EventSourcing
import Http
import Kernel

/// One request of a person, with all that its page is made from.
struct Visit: Sendable {
    let console: Console
    let request: HttpRequest
    let reading: Reading
    let peer: Peer
    var path = PathParameters([])
    /// The fields of a form that was sent.
    var form: [(name: String, value: String)] = []
    /// The file that came along with it.
    var file: [UInt8] = []
    /// As its sender calls it.
    var fileName: String?
    var session: ConsoleSession?

    /// The field of a form that carries its session's token.
    static let formToken = "form_token"
    /// The field of a form that names the command it makes, so that sending it twice makes it once.
    static let commandKey = "command"
    /// The header of what a page fetches by itself.
    static let refreshField = "Paystream-Refresh"

    init(_ console: Console, _ request: HttpRequest, _ reading: Reading, _ peer: Peer) {
        self.console = console
        self.request = request
        self.reading = reading
        self.peer = peer
    }

    var language: Language { reading.language }
    var formats: Formats {
        var formats = reading.formats
        formats.year = reading.zone.local(console.now).date.year
        return formats
    }
    var address: Address { Address(of: request) }

    func say(_ text: Text) -> String { text(language) }
    func say(_ text: Text, _ values: [String: String]) -> String { text(language, values) }

    /// A count with its noun.
    func count(_ text: CountedText, _ count: Int64) -> String { text(language, count, formats.number(count)) }

    /// A word of the API as its reader says it; one that is not known stays as it is.
    func word(_ words: [String: Text], _ word: String?) -> String {
        guard let word else { return "–" }
        return words[word].map { say($0) } ?? word
    }

    /// The first value of a parameter that says something.
    func parameter(_ name: String) -> String? {
        request.query?.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// The first value of a form's field, without blanks around it.
    func field(_ name: String) -> String? { form.first { $0.name == name }.map { Visit.trimmed($0.value) } }

    /// The same, where it says something.
    func filled(_ name: String) -> String? { field(name).flatMap { $0.isEmpty ? nil : $0 } }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    func may(_ scope: Scope) -> Bool { session?.caller.scopes.contains(scope) ?? false }

    /// The same visit of somebody whose key is known already.
    func signed(_ caller: Caller?) -> Visit {
        guard let caller, session == nil else { return self }
        var visit = self
        visit.session = ConsoleSession(caller: caller, begunAt: .epoch, formTokens: [])
        return visit
    }

    /// The answer to somebody whose session is unknown or over.
    var unknown: HttpResponse {
        if request.headers[Self.refreshField] != nil { return .empty(401) }
        guard request.method == .get || request.method == .head else {
            let ended = Problem(
                status: 401,
                code: "session_ended",
                detail: "The session is over. Nothing was done: sign in and do it again."
            )
            return ProblemPage(ended, self).response
        }
        // A browser keeps a strict cookie back when another site leads here; once the page is ours, it sends it.
        if request.headers["Sec-Fetch-Site"] == "cross-site" { return ComeAgainPage.response(address) }
        let there = Address("sign-in").with("next", address.text)
        return .seeOther(there)
    }

    // MARK: The API

    /// Reads from the API as the session's key.
    func read(_ path: String, _ query: [(name: String, value: String)] = []) async throws(Problem) -> Json {
        let target = query.isEmpty ? path : path + "?" + FormEncoding.encode(query)
        return try Self.json(await send(.get, target, [], []))
    }

    /// Sends a command to the API as the session's key.
    func command(
        _ method: HttpMethod = .post,
        _ path: String,
        _ body: Json? = nil,
        key: String? = nil,
        headers: [(String, String)] = []
    ) async throws(Problem) -> Json {
        var fields = headers
        if body != nil { fields.append(("Content-Type", "application/json")) }
        if let key { fields.append(("Idempotency-Key", key)) }
        return try Self.json(await send(method, path, fields, body?.compactBytes ?? []))
    }

    /// Sends a file to the API as the session's key.
    func bring(_ target: String, _ type: String, _ file: [UInt8]) async throws(Problem) -> (status: Int, Json) {
        let answer = await send(.post, target, [("Content-Type", type)], file)
        return (answer.status, try Self.json(answer))
    }

    /// A whole answer of the API, as of a download.
    func send(_ method: HttpMethod, _ target: String, _ fields: [(String, String)] = [], _ body: [UInt8] = [])
        async -> HttpResponse
    {
        guard let caller = session?.caller else { return .empty(401) }
        let request = HttpRequest(method: method, target: target, headers: HttpHeaders(fields), body: body)
        return await console.api.handle(request, from: peer, proven: caller)
    }

    /// The value of a good answer; any other is the problem that it tells.
    static func json(_ answer: HttpResponse) throws(Problem) -> Json {
        let body = (try? Json(answer.body, limits: JsonLimits(bytes: 64 * 1024 * 1024, depth: 64))) ?? .null
        guard !(200..<300).contains(answer.status) else { return body }
        throw Problem(
            status: answer.status,
            code: body["code"]?.text ?? "unknown",
            detail: body["detail"]?.text ?? "",
            members: (body.members?.members ?? []).filter { $0.name == "path" || $0.name == "scope" }
                .map { ($0.name, $0.value) }
        )
    }

    /// A segment of a path of the API.
    func segment(_ name: String) -> String { FormEncoding.escape(path[name] ?? "") }
}

extension HttpResponse {
    /// Leads the browser to another page of the console, by a request of its own.
    static func seeOther(_ address: Address) -> HttpResponse {
        HttpResponse(status: 303, headers: HttpHeaders([("Location", address.text)]))
    }
}

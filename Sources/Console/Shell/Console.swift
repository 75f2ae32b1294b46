package import Api
import EventSourcing
package import Http
package import Kernel
package import Telemetry

/// Pages for people over the same endpoints that programs use.
///
/// A request of a person becomes requests to `Api` in this process: its scopes, checks, limits and records are the only ones. The console adds
/// sessions, forms that prove where they come from, languages, and markup. It reads no table of money and decides nothing.
package struct Console: Sendable {
    let api: Api
    let sessions: any SessionRegister
    let zones: ZoneFinder
    /// As the world reaches the daemon.
    let origin: PublicOrigin
    let random: any RandomSource
    private let clock: @Sendable () -> Timestamp
    private let watch: RequestWatch?
    private let log: Logger?
    let attempts = SignInAttempts()
    /// Forms with files that are in memory at once.
    let uploads = RequestPlaces(4)

    package init(
        api: Api,
        sessions: any SessionRegister,
        publicUrl: String,
        random: any RandomSource,
        watch: RequestWatch? = nil,
        clock: @escaping @Sendable () -> Timestamp,
        log: Logger? = nil
    ) {
        self.api = api
        self.sessions = sessions
        zones = ZoneFinder(api.reader)
        origin = PublicOrigin(publicUrl)
        self.random = random
        self.watch = watch
        self.clock = clock
        self.log = log
    }

    var now: Timestamp { clock() }

    /// Whether a path is the console's.
    package static func serves(_ path: Substring) -> Bool { path == Address.root || path.hasPrefix(Address.root + "/") }

    /// How long the body of a request may be that comes while it is read; `nil` where bodies come whole.
    package static func uploadBytes(_ head: HttpRequest.Head) -> Int? {
        guard serves(head.path), case .found(let page, _) = Pages.router.match(head) else { return nil }
        return page.uploadBytes
    }

    /// Answers one request; every failure becomes a page.
    package func handle(_ request: HttpRequest, from peer: Peer, body: (any BodyReader)? = nil) async -> HttpResponse {
        let begun = ContinuousClock.now
        var request = request
        request.peerAddress = peer.address
        if let asset = Assets.answer(request) { return asset }
        let match = Pages.router.match(request.head)
        var caller: Caller?
        var answer = await answer(request, match, peer, body, &caller)
        for (name, value) in Self.headers where answer.headers[name] == nil { answer.headers.set(name, value) }
        var pattern: String?
        if case .found(let page, _) = match { pattern = page.pattern }
        let trace = TraceContext.new(from: random)
        watch?.answered(
            page: pattern,
            request,
            caller,
            answer.status,
            took: begun.duration(to: .now),
            trace: trace
        )
        return answer
    }

    /// What every answer carries: nothing is loaded from elsewhere, run from the page, framed or kept.
    private static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
        // The origin of a form's sender is told to ourselves and to nobody else.
        ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private func answer(
        _ request: HttpRequest,
        _ match: Router<Page>.Match,
        _ peer: Peer,
        _ body: (any BodyReader)?,
        _ caller: inout Caller?
    ) async -> HttpResponse {
        let reader = await Reading(of: request, zones)
        let stranger = Visit(self, request, reader, peer)
        do throws(Problem) {
            guard request.target.utf8.count <= Limits.targetBytes else {
                throw Problem(.targetTooLong, "At most \(Limits.targetBytes) bytes of path and query.")
            }
            guard let query = request.query else { throw Problem(.queryMalformed, "The query can't be read.") }
            try CardScreen.check(form: query)
            switch match {
            case .notFound: throw Problem(.routeUnknown, "There is no page at this address.")
            case .methodNotAllowed(let allowed): throw .pageTakesNone(but: allowed)
            case .found(let page, let path):
                return try await answer(page, path, stranger, body, &caller)
            }
        } catch {
            return ProblemPage(error, stranger.signed(caller)).response
        }
    }

    private func answer(
        _ page: Page,
        _ path: PathParameters,
        _ stranger: Visit,
        _ body: (any BodyReader)?,
        _ caller: inout Caller?
    ) async throws(Problem) -> HttpResponse {
        var visit = stranger
        visit.path = path
        try CardScreen.check(form: path.pairs)
        if page.method == .post, page.uploadBytes == nil {
            visit.form = try sent(visit.request, isSecret: page.isForStrangers)
        }
        switch page.access {
        case .everybody(let handler): return try await handler(visit)
        case .signedIn(let scope, let handler):
            guard let session = try await session(of: visit) else { return visit.unknown }
            caller = session.caller
            visit.session = session
            if page.method == .post, page.uploadBytes == nil { try checkForm(visit) }
            if let scope, !session.caller.scopes.contains(scope) {
                throw Problem(
                    .scopeMissing,
                    "The API key lacks a scope.",
                    members: [("scope", .string(scope.rawValue))]
                )
            }
            guard let most = page.uploadBytes else { return try await handler(visit) }
            guard uploads.take(session.caller.merchant) else {
                throw .tooMany(.seconds(1), "As many files as there is room for are on their way.")
            }
            defer { uploads.release(session.caller.merchant) }
            try await FormWithFile.read(body, most: most, into: &visit)
            try checkForm(visit)
            return try await handler(visit)
        }
    }

    // MARK: Who asks

    /// The session that the request's cookie names.
    func session(of visit: Visit) async throws(Problem) -> ConsoleSession? {
        guard let token = origin.session(in: visit.request.headers) else { return nil }
        // What a page fetches by itself shows no person.
        let isUsed = visit.request.headers[Visit.refreshField] == nil
        return try await kept { () async throws(StoreFailure) in try await sessions.session(token, isUsed: isUsed) }
    }

    /// Asks where sessions are kept; what fails there is for the log.
    func kept<Value>(_ body: () async throws(StoreFailure) -> Value) async throws(Problem) -> Value {
        do throws(StoreFailure) { return try await body() } catch {
            log?.warning("console not served", ["reason": .text(error.detail)])
            throw Problem(.unavailable, "This can't be done just now; nothing is known to have happened.")
        }
    }

    /// Reads a form that comes from a page of ours: browsers say of every form where it was.
    private func sent(_ request: HttpRequest, isSecret: Bool) throws(Problem) -> [(name: String, value: String)] {
        guard origin.isOwn(request.headers) else {
            throw Problem(
                status: 403,
                code: "form_foreign",
                detail: "The form was not sent from a page of this console."
            )
        }
        guard request.body.count <= Limits.apiBodyBytes else {
            throw Problem(.bodyTooLarge, "At most \(Limits.apiBodyBytes) bytes of a form.")
        }
        let type = (request.headers["Content-Type"] ?? "").prefix { $0 != ";" }
        guard HttpHeaders.isSame(String(type), "application/x-www-form-urlencoded") else {
            throw Problem(.mediaTypeUnsupported, "A form is application/x-www-form-urlencoded.")
        }
        guard let text = String(validating: request.body, as: UTF8.self), let form = FormEncoding.decode(text) else {
            throw Problem(.queryMalformed, "The form can't be read.")
        }
        if !isSecret { try CardScreen.check(form: form) }
        return form
    }

    /// Refuses a form that does not carry its session's token.
    private func checkForm(_ visit: Visit) throws(Problem) {
        let given = visit.field(Visit.formToken) ?? ""
        guard visit.session?.formTokens.contains(where: { FormToken.isSame($0, given) }) == true else {
            throw Problem(
                status: 403,
                code: "form_token_wrong",
                detail: "The form is not this session's. Nothing was done."
            )
        }
    }
}

package import Api
package import Http
package import Kernel
import Telemetry

/// Pages of payment links: for whoever has the address, and nobody else knows who that is.
///
/// A payer's choice becomes a command of the API; no card number enters here, and nothing is loaded from elsewhere or run.
package struct PaymentLinkPages: Sendable {
    private let api: Api
    private let origin: PublicOrigin
    private let random: any RandomSource
    private let clock: @Sendable () -> Timestamp
    private let watch: RequestWatch?
    private let openings = RateLimiter<[UInt8]>(PaymentLinkRates.pages)
    private let payers = RateLimiter<[UInt8]>(PaymentLinkRates.payers)

    private static let pattern = PaymentLinkToken.path + "/{token}"
    private static let router = Router<HttpMethod>([
        (method: .get, pattern: pattern, route: .get), (method: .post, pattern: pattern, route: .post),
    ])

    package init(
        api: Api,
        publicUrl: String,
        random: any RandomSource,
        watch: RequestWatch? = nil,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.api = api
        origin = PublicOrigin(publicUrl)
        self.random = random
        self.watch = watch
        self.clock = clock
    }

    /// Whether a path is a payment link's.
    package static func serves(_ path: Substring) -> Bool { path.hasPrefix(PaymentLinkToken.path + "/") }

    /// Answers one request; every failure becomes a page.
    package func handle(_ request: HttpRequest, from peer: Peer) async -> HttpResponse {
        let begun = ContinuousClock.now
        var request = request
        request.peerAddress = peer.address
        if let asset = Assets.answer(request) { return asset }
        let match = Self.router.match(request.head)
        let visit = LinkVisit(request)
        var answer: HttpResponse
        do throws(Problem) { answer = try await self.answer(match, visit, peer) } catch {
            answer = LinkLayout.problem(error, visit)
        }
        for (name, value) in Self.headers { answer.headers.set(name, value) }
        var pattern: String?
        if case .found = match { pattern = Self.pattern }
        let trace = TraceContext.new(from: random)
        watch?.answered(page: pattern, request, nil, answer.status, took: begun.duration(to: .now), trace: trace)
        return answer
    }

    /// What every answer carries: its address is a secret that no other page hears of and nothing keeps.
    private static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; "
                + "base-uri 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private func answer(_ match: Router<HttpMethod>.Match, _ visit: LinkVisit, _ peer: Peer) async throws(Problem)
        -> HttpResponse
    {
        guard visit.request.target.utf8.count <= Limits.targetBytes else {
            throw Problem(.targetTooLong, "At most \(Limits.targetBytes) bytes of path and query.")
        }
        guard visit.request.query != nil else { throw Problem(.queryMalformed, "The query can't be read.") }
        switch match {
        case .notFound: throw Problem(.paymentLinkUnknown, "There is no such payment link.")
        case .methodNotAllowed(let allowed): throw .pageTakesNone(but: allowed)
        case .found(let method, let path):
            let address = SignInAttempts.site(peer.address)
            if let pause = openings.take(address, at: clock()) {
                throw .tooMany(pause, "More pages are opened from this address than may be.")
            }
            let token = path["token"] ?? ""
            guard method == .post else { return try await show(token, visit, failure: nil) }
            if let pause = payers.take(address, at: clock()) {
                throw .tooMany(pause, "More payments are begun from this address than may be.")
            }
            return try await pay(token, visit)
        }
    }

    private func show(_ token: String, _ visit: LinkVisit, failure: Text?) async throws(Problem) -> HttpResponse {
        let page = try await api.linkPage(token, payment: visit.payment)
        return LinkView(page, token, visit, failure: failure).response
    }

    /// Begins the payment that was chosen, and shows its page by a request of its own.
    private func pay(_ token: String, _ visit: LinkVisit) async throws(Problem) -> HttpResponse {
        let form = try sent(visit.request)
        func field(_ name: String) -> String { form.first { $0.name == name }?.value ?? "" }
        var visit = visit
        visit.chosen = Language(rawValue: field("lang")) ?? visit.chosen
        guard let email = LinkVisit.email(field("email")) else {
            return try await show(token, visit, failure: .linkEmailWrong)
        }
        let choice = PaymentLinkChoice(
            method: field("method"),
            email: email,
            form: field("form"),
            seal: field("seal"),
            language: visit.named?.rawValue,
            chosen: visit.chosen?.rawValue
        )
        do throws(Problem) {
            let payment = try await api.pay(by: token, choice)
            return HttpResponse(status: 303, headers: HttpHeaders([("Location", visit.target(token, payment))]))
        } catch {
            let isOfEmail = error.members["path"]?.text?.contains("payer") == true
            switch error.status {
            case 409, 422: return try await show(token, visit, failure: isOfEmail ? .linkEmailWrong : .linkRefused)
            default: throw error
            }
        }
    }

    /// Reads a form of this page; browsers tell where one comes from, and its seal is held against the link.
    private func sent(_ request: HttpRequest) throws(Problem) -> [(name: String, value: String)] {
        guard isOwn(request.headers) else {
            throw Problem(status: 403, code: "form_foreign", detail: "The form was not sent from this page.")
        }
        guard request.body.count <= Limits.apiBodyBytes else {
            throw Problem(.bodyTooLarge, "At most \(Limits.apiBodyBytes) bytes of a form.")
        }
        let type = (request.headers["Content-Type"] ?? "").prefix { $0 != ";" }
        guard HttpHeaders.isSame(String(type), "application/x-www-form-urlencoded"),
            let text = String(validating: request.body, as: UTF8.self), let form = FormEncoding.decode(text)
        else { throw Problem(.queryMalformed, "The form can't be read.") }
        try CardScreen.check(form: form.filter { $0.name != "seal" })
        return form
    }

    /// A page that tells no referrer is of no origin that its forms could name; what the browser adds says it all the same.
    private func isOwn(_ headers: HttpHeaders) -> Bool {
        guard let named = headers["Origin"], named != "null" else {
            return headers["Sec-Fetch-Site"].map { $0 == "same-origin" } ?? true
        }
        return origin.isOwn(headers)
    }
}

/// One request for the page of a payment link, and how its reader wants to read.
struct LinkVisit: Sendable {
    let request: HttpRequest
    /// What the reader chose on the page.
    var chosen: Language?
    /// The payment that this payer began, where the address names one.
    let payment: PaymentId?
    /// Whether the payer is on the way to the provider.
    let isGoing: Bool

    init(_ request: HttpRequest) {
        func value(_ name: String) -> String? { request.query?.last { $0.name == name }?.value }
        self.request = request
        chosen = value("lang").flatMap { Language(rawValue: $0) }
        payment = value("payment").flatMap { PaymentId($0) }
        isGoing = value("go") == "1"
    }

    /// The language of the page: the chosen one, the browser's, or the link's own.
    func language(_ link: String?) -> Language {
        named ?? link.flatMap { Language(rawValue: $0) } ?? .en
    }

    /// The one that the payer chose, or that the browser asks for.
    var named: Language? { chosen ?? Language.best(request.headers["Accept-Language"]) }

    /// The address of the page of a payment that has begun.
    func target(_ token: String, _ payment: PaymentId) -> String {
        address(token, [(name: "payment", value: payment.text), (name: "go", value: "1")])
    }

    /// The same page in another language.
    func address(_ token: String, in language: Language) -> String {
        var visit = self
        visit.chosen = language
        return visit.address(token, payment.map { [(name: "payment", value: $0.text)] } ?? [])
    }

    private func address(_ token: String, _ query: [(name: String, value: String)]) -> String {
        let query = query + (chosen.map { [(name: "lang", value: $0.rawValue)] } ?? [])
        let path = "\(PaymentLinkToken.path)/\(FormEncoding.escape(token))"
        return query.isEmpty ? path : path + "?" + FormEncoding.encode(query)
    }

    /// An address as payers type it, without blanks around it; `nil` for what is none.
    static func email(_ text: String) -> String? {
        let typed = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        let halves = typed.split(separator: "@", omittingEmptySubsequences: false)
        guard typed.utf8.count <= Limits.emailBytes, halves.count == 2, halves.allSatisfy({ !$0.isEmpty }),
            typed.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
        else { return nil }
        return typed
    }
}

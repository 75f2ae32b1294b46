package import Crypto
package import Engine
import EventSourcing
package import Http
package import Kernel
import Payments
package import ProviderKit
package import Telemetry

/// Who sent a request, as the connection shows it.
package struct Peer: Hashable, Sendable {
    /// The address without the port.
    package let address: String

    package init(address: String) { self.address = address }
}

/// Version 1 of the HTTP API: requests become commands and queries, outcomes become answers.
///
/// 1. finds the route, 2. proves the caller, 3. refuses what is too large, too often, malformed or holds card data,
/// 4. submits a command to the engine or reads a page. It decides nothing about money and keeps no state but rate limits.
package struct Api: Sendable {
    let engine: Engine
    let commands: any CommandPort
    let handovers: any HandoverPort
    package let reader: Reader
    let vault: KeyVault
    let keys: KeyRing
    let vitals: any Vitals
    /// Whether values that nobody may write down are kept in memory; otherwise the adapter refuses them.
    let keepsOnce: Bool
    let adapters: AdapterRegistry
    private let clock: @Sendable () -> Timestamp
    let random: any RandomSource
    let amounts: AmountLimits
    /// Where receivers of webhooks may stand.
    let webhookAddresses: AddressPolicy
    private let log: Logger?
    let limiter: RateLimiter<Uuid>
    let merchantLimiter: RateLimiter<MerchantNumber>
    let places: RequestPlaces
    package let requestLog: RequestLog
    /// Reports that are made at once: each holds a connection to the database for as long as a merchant's books are large.
    let reports = RequestPlaces(2)
    /// Looks through the request log at once: each reads up to 20 000 requests.
    package let requestLooks = RequestPlaces(4)
    /// Settlement files and files about disputes that are held in memory at once, and settlement files that are imported at once.
    package let uploads = RequestPlaces(8)
    let imports = RequestPlaces(2)
    /// Requests and streams of the event feed that wait: none holds a thread or a connection to the database.
    let waits = RequestPlaces(512)
    let streams = RequestPlaces(256)
    package let tail: EventTail
    private let watch: RequestWatch?
    /// Bounds what one account's provider is asked by callers who wait.
    let inquiryLimiter = RateLimiter<Uuid>(Api.inquiryRate)
    /// Bounds what one address costs where payers' browsers come back, and where banks' pages post through them.
    let returnLimiter = RateLimiter<[UInt8]>(Api.returnRate)
    let bankLimiter = RateLimiter<[UInt8]>(Api.returnRate)
    /// Bounds what strangers begin by one payment link.
    let linkLimiter = RateLimiter<Uuid>(PaymentLinkRates.links)

    /// Requests of one key that no merchant's backend needs more of.
    package static let standardRate = RateLimit(requestsPerSecond: 1_000, burst: 2_000)

    /// Questions about one account that its provider answers while somebody waits.
    package static let inquiryRate = RateLimit(requestsPerSecond: 50, burst: 200)
    /// Browsers that come back from one address: each is looked up, and has its provider asked where its payment is known.
    package static let returnRate = RateLimit(requestsPerSecond: 50, burst: 500)
    /// The places of a server of the usual size.
    package static let standardPlaces = 1_792

    /// The ports are the engine's own where none are given; `places` is how many requests of all merchants may be answered at once.
    package init(
        engine: Engine,
        reader: Reader,
        vault: KeyVault,
        keys: KeyRing,
        vitals: any Vitals,
        commands: (any CommandPort)? = nil,
        handovers: (any HandoverPort)? = nil,
        keepsOnce: Bool = true,
        adapters: AdapterRegistry,
        rate: RateLimit = Api.standardRate,
        places: Int = Api.standardPlaces,
        amounts: AmountLimits = AmountLimits(),
        webhookAddresses: AddressPolicy = AddressPolicy(),
        watch: RequestWatch? = nil,
        requestLog: RequestLog = RequestLog(),
        tail: EventTail = EventTail(),
        clock: @escaping @Sendable () -> Timestamp,
        random: any RandomSource,
        log: Logger? = nil
    ) {
        self.log = log
        self.engine = engine
        self.reader = reader
        self.vault = vault
        self.keys = keys
        self.vitals = vitals
        self.commands = commands ?? engine.commands
        self.handovers = handovers ?? engine.handovers
        self.keepsOnce = keepsOnce
        self.webhookAddresses = webhookAddresses
        self.adapters = adapters
        self.watch = watch
        self.requestLog = requestLog
        self.tail = tail
        self.clock = clock
        self.random = random
        self.amounts = amounts
        limiter = RateLimiter(rate)
        merchantLimiter = RateLimiter(rate)
        self.places = RequestPlaces(places)
    }

    var now: Timestamp { clock() }

    /// Answers one request; every failure becomes a problem, nothing is thrown.
    ///
    /// `body` gives the body of a route that is streamed; other bodies are in the request. `proven` is a caller that another entrance has
    /// proved just now, as a session of the console does: scopes, limits and records are those of everybody.
    package func handle(
        _ request: HttpRequest,
        from peer: Peer,
        body: (any BodyReader)? = nil,
        proven: Caller? = nil
    ) async -> HttpResponse {
        let begun = ContinuousClock.now
        let trace = trace(of: request)
        let answer: HttpResponse
        var seen = RequestWatch.Seen()
        let id = RequestId(Self.requestId(at: now, trace)), name = id.text
        seen.request = name
        var request = request
        request.peerAddress = peer.address
        let reader = body ?? WholeBody(request.body)
        do throws(Problem) { answer = try await route(request, reader, trace, proven, &seen) } catch {
            var problem = outward(error).advised
            problem.members["requestId"] = .string(name)
            seen.code = problem.code
            answer = problem.response
        }
        if let merchant = seen.merchant { places.release(merchant) }
        var finished = answer
        finished.headers.set("Request-Id", name)
        seen.quotas.write(to: &finished.headers)
        finished.headers.set("traceparent", trace.traceparent)
        if finished.headers["Cache-Control"] == nil { finished.headers.set("Cache-Control", "no-store") }
        finished.headers.set("X-Content-Type-Options", "nosniff")
        let time = begun.duration(to: .now)
        watch?.answered(request, seen, finished.status, took: time, trace: trace)
        note(request, id.uuid, seen, finished.status, time)
        return finished
    }

    /// The id of a request: its time, and the step of its trace that is ours and random.
    private static func requestId(at now: Timestamp, _ trace: TraceContext) -> Uuid {
        Uuid.version7(at: now, random: (trace.spanId >> 52, trace.spanId))
    }

    /// Keeps a request of a proven caller for his merchant's request log; nobody else's is kept.
    private func note(
        _ request: HttpRequest,
        _ id: Uuid,
        _ seen: RequestWatch.Seen,
        _ status: Int,
        _ time: Duration
    ) {
        guard let caller = seen.caller, let route = seen.pattern else { return }
        requestLog.note(
            AnsweredRequest(
                id: id,
                method: request.method,
                path: request.head.path,
                idempotencyKey: seen.isCommand ? request.headers["Idempotency-Key"] : nil,
                peerAddress: request.peerAddress,
                route: route,
                caller: caller,
                status: status,
                code: seen.code,
                time: time
            )
        )
    }

    /// Says a failure on our side in words of the API: its reason names sockets, tables and files, and is for the log.
    private func outward(_ problem: Problem) -> Problem {
        guard problem.code == ProblemCode.unavailable.rawValue else { return problem }
        log?.warning("request not done", ["reason": .text(problem.detail)])
        var outward = problem
        outward.detail = "This can't be done just now; nothing is known to have happened."
        if outward.headers["Retry-After"] == nil { outward.headers.set("Retry-After", "1") }
        return outward
    }

    /// What a list shows of a stream that can't be read: the others are shown all the same, and the log says why.
    func unreadable(_ object: String, _ id: String, _ reason: String, _ call: Call) -> Json {
        log?.error(
            "a stream can't be read",
            ["id": .text(id), "merchant": .text(call.caller.merchantName), "reason": .text(reason)]
        )
        return ["id": .string(id), "object": .string(object), "status": "unreadable"]
    }

    /// Continues the caller's trace, or starts one.
    private func trace(of request: HttpRequest) -> TraceContext {
        let given = request.headers["traceparent"].flatMap {
            TraceContext(traceparent: $0, tracestate: request.headers["tracestate"])
        }
        return given?.child(from: random) ?? TraceContext.new(from: random)
    }

    private func route(
        _ request: HttpRequest,
        _ body: any BodyReader,
        _ trace: TraceContext,
        _ proven: Caller?,
        _ seen: inout RequestWatch.Seen
    ) async throws(Problem) -> HttpResponse {
        guard request.target.utf8.count <= Limits.targetBytes else {
            throw Problem(.targetTooLong, "At most \(Limits.targetBytes) bytes of path and query.")
        }
        try checkHeaders(request)
        switch Endpoints.router.match(request.head) {
        case .notFound: throw Problem(.routeUnknown, "There is nothing at this path.")
        case .methodNotAllowed(let allowed):
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw Problem(.methodNotAllowed, "Allowed: \(names).", headers: HttpHeaders([("Allow", names)]))
        case .found(let endpoint, let path):
            seen.pattern = endpoint.pattern
            seen.isProbe = endpoint.isProbe
            seen.isCommand = endpoint.isCommand
            let limit = endpoint.bodyBytes(of: path["provider"].flatMap { adapters[$0] })
            guard request.body.count <= limit else { throw Problem(.bodyTooLarge, "At most \(limit) bytes of body.") }
            switch endpoint.access {
            case .open(let answer):
                guard endpoint.body.rule == .raw || request.body.isEmpty else {
                    throw Problem(.bodyNotAllowed, "This request takes no body.")
                }
                return try await answer(self)(request, path)
            case .keyed(let scope, let handler):
                let caller = try await proved(request, proven)
                seen.caller = caller
                try count(caller, &seen.quotas)
                try admit(caller, request, scope)
                try enter(caller, &seen)
                return try await perform(try call(endpoint, request, path, caller, body, trace), handler)
            }
        }
    }

    private func checkHeaders(_ request: HttpRequest) throws(Problem) {
        let fields = request.headers.fields
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard fields.count <= Limits.headerCount, bytes <= Limits.headerBytes else {
            throw Problem(
                .headersTooLarge,
                "At most \(Limits.headerCount) fields and \(Limits.headerBytes) bytes of headers."
            )
        }
    }

    // MARK: The call

    /// Checks a request as far as every endpoint needs it.
    private func call(
        _ endpoint: Endpoint,
        _ request: HttpRequest,
        _ path: PathParameters,
        _ caller: Caller,
        _ upload: any BodyReader,
        _ trace: TraceContext
    ) throws(Problem) -> Call {
        try CardScreen.check(request, path)
        let body = endpoint.isStreamed ? [:] : try parsed(request, endpoint.body.rule)
        // A card's number is refused as one, however large an amount it would make.
        try CardScreen.check(body, of: endpoint, passing: adapters)
        try amounts.check(body)
        var key = ""
        if endpoint.isCommand {
            key = try Call.key(of: request.headers)
            try Preconditions.refuseCopies(heldBy: request.headers)
        }
        if endpoint.query.isEmpty { try QueryForm(request.query).end() }
        try Call.checkCorrelation(of: request.headers)
        if endpoint.isCommand, !endpoint.hasVersion { try Preconditions.refuseVersions(meantBy: request.headers) }
        return Call(
            endpoint: endpoint,
            path: path,
            caller: caller,
            actor: caller.actor,
            key: key,
            body: body,
            trace: trace,
            now: now,
            headers: request.headers,
            query: request.query,
            upload: upload
        )
    }

    private func parsed(_ request: HttpRequest, _ rule: Body.Rule) throws(Problem) -> Json {
        guard !request.body.isEmpty else {
            guard rule != .json else { throw Problem(.bodyMissing, "A JSON object is needed.") }
            return [:]
        }
        guard rule != .none else { throw Problem(.bodyNotAllowed, "This request takes no body.") }
        guard let type = request.headers.mediaType, HttpHeaders.isSame(type, "application/json") else {
            throw Problem(.mediaTypeUnsupported, "The body is application/json.", path: "Content-Type")
        }
        return try parsed(request.body)
    }

    /// Parses a body; how long it may be was said before.
    func parsed(_ body: [UInt8]) throws(Problem) -> Json {
        do throws(JsonFailure) {
            return try Json(body, limits: JsonLimits(bytes: Limits.reportBodyBytes, depth: Limits.jsonDepth))
        } catch {
            if error.code == .tooDeep { throw Problem(.tooDeep, "At most \(Limits.jsonDepth) levels.") }
            throw Problem(
                .jsonMalformed,
                "The body is not one JSON value in UTF-8 without repeated names.",
                members: [("reason", .string(error.code.rawValue)), ("offset", .integer(Int64(error.offset)))]
            )
        }
    }
}

extension Caller {
    /// The key stands for its holder.
    var actor: Actor {
        Actor(id: "key:\(keyId)", isOperator: !scopes.isDisjoint(with: [.admin, .resolve, .approve]))
    }
}

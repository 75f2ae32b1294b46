import Http
import Kernel
import Payments
import Schedules

/// The usual kinds of endpoints: how they are called.
extension Endpoint {
    typealias Answering = @Sendable (Api) -> (Call) async throws(Problem) -> HttpResponse
    typealias PaymentReading = @Sendable (Api) -> (Call, Payment) async throws(Problem) -> PaymentCommand
    typealias ScheduleReading = @Sendable (Api) -> (Call, Schedule) async throws(Problem) -> ScheduleCommand
    typealias Opening = @Sendable (Api) -> (HttpRequest, PathParameters) async throws(Problem) -> HttpResponse

    static func reading(
        _ id: String,
        _ pattern: String,
        scope: Scope = .read,
        query: [Parameter] = [],
        by handler: @escaping Answering
    ) -> Endpoint {
        Endpoint(id: id, method: .get, pattern: pattern, access: .keyed(scope, .answer(handler)), query: query)
    }

    /// A change that is made once for its key.
    static func command(
        _ id: String,
        _ pattern: String,
        _ body: Body = .none,
        method: HttpMethod = .post,
        scope: Scope = .commands,
        ids: [JsonPath] = [],
        by handler: @escaping Answering
    ) -> Endpoint { change(id, method, pattern, body, ids, .keyed(scope, .answer(handler)), [409]) }

    /// A command to a payment or transfer that exists.
    static func payment(
        _ id: String,
        _ pattern: String,
        _ body: Body,
        scope: Scope = .commands,
        ids: [JsonPath] = [],
        isOfBody: Bool = false,
        by read: @escaping PaymentReading
    ) -> Endpoint {
        change(id, .post, pattern, body, ids, .keyed(scope, .payment(read, isOfBody: isOfBody)), [404, 409])
    }

    /// The same, read from its body alone.
    static func payment(
        _ id: String,
        _ pattern: String,
        _ body: Body,
        scope: Scope = .commands,
        ids: [JsonPath] = [],
        form: @escaping @Sendable (Json) throws(Problem) -> PaymentCommand
    ) -> Endpoint {
        payment(id, pattern, body, scope: scope, ids: ids, isOfBody: true) { _ in
            { (call, _) async throws(Problem) in try form(call.body) }
        }
    }

    /// A command to a schedule that exists.
    static func schedule(
        _ id: String,
        _ pattern: String,
        _ body: Body,
        ids: [JsonPath] = [],
        by read: @escaping ScheduleReading
    ) -> Endpoint { change(id, .post, pattern, body, ids, .keyed(.commands, .schedule(read)), [404, 409]) }

    /// The same, read from its body alone.
    static func schedule(
        _ id: String,
        _ pattern: String,
        _ body: Body,
        form: @escaping @Sendable (Json) throws(Problem) -> ScheduleCommand
    ) -> Endpoint {
        schedule(id, pattern, body) { _ in { (call, _) async throws(Problem) in try form(call.body) } }
    }

    private static func change(
        _ id: String,
        _ method: HttpMethod,
        _ pattern: String,
        _ body: Body,
        _ ids: [JsonPath],
        _ access: Access,
        _ problems: [Int]
    ) -> Endpoint {
        Endpoint(id: id, method: method, pattern: pattern, access: access, body: body, identifiers: ids).with {
            $0.isCommand = true
            $0.hasVersion = pattern.contains("{payment}") || pattern.contains("{transfer}")
            $0.successes = [200, 202]
            $0.problems = problems
        }
    }

    /// A question with a body, or a change that may be made twice.
    static func asking(
        _ id: String,
        _ pattern: String,
        _ body: Body,
        method: HttpMethod = .post,
        scope: Scope = .commands,
        ids: [JsonPath] = [],
        by handler: @escaping Answering
    ) -> Endpoint {
        let access = Access.keyed(scope, .answer(handler))
        return Endpoint(id: id, method: method, pattern: pattern, access: access, body: body, identifiers: ids).with {
            $0.problems = [404]
        }
    }

    /// For providers, browsers and probes.
    static func open(
        _ id: String,
        _ pattern: String,
        method: HttpMethod = .get,
        body: Body = .none,
        by handler: @escaping Opening
    ) -> Endpoint { Endpoint(id: id, method: method, pattern: pattern, access: .open(handler), body: body) }
}

/// Further facts of an endpoint.
extension Endpoint {
    /// The same as the document tells it: its part, a line of text, a good answer's schema; statuses where they aren't the usual ones.
    func documented(_ tag: Tag, _ summary: String, _ answer: Answer, _ successes: [Int]? = nil, problems: [Int]? = nil)
        -> Endpoint
    {
        with {
            $0.tag = tag
            $0.summary = summary
            $0.answer = answer
            if let successes { $0.successes = successes }
            if let problems { $0.problems = problems }
        }
    }

    /// The same, decided at once and for good.
    var atOnce: Endpoint { with { $0.isImmediate = true } }

    /// The same, for what has an `ETag`.
    var versioned: Endpoint { with { $0.hasVersion = true } }

    func ids(_ paths: [JsonPath]) -> Endpoint { with { $0.identifiers = paths } }

    func linked(_ links: Links) -> Endpoint { with { $0.links = links } }

    /// The same, taken by SQL under a name.
    func stored(
        _ name: String,
        stage: Dispute.Stage? = nil,
        _ make: (@Sendable (Api) -> (Call) async throws(Problem) -> Submission)? = nil
    ) -> Endpoint { with { $0.stored = Stored(name: name, stage: stage, make: make) } }

    func with(_ change: (inout Endpoint) -> Void) -> Endpoint {
        var copy = self
        change(&copy)
        return copy
    }
}

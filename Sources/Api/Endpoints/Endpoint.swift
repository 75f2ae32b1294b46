package import Http
import Kernel
import Payments
package import ProviderKit
import Schedules

/// One operation of the API and all that is said of it: who may call it, what it takes, who answers, how it is told.
package struct Endpoint: Sendable {
    /// Its name in the document.
    package let id: String
    package let method: HttpMethod
    package let pattern: String
    let access: Access
    package var body = Body.none
    /// How many bytes of a body are taken.
    var most = Most.bytes(Limits.apiBodyBytes)
    /// Parameters in the query; where there are none, a keyed request has no query.
    var query: [Parameter] = []
    /// Whether it changes something, so that an idempotency key is needed.
    package var isCommand = false
    /// Whether it is decided at once and for good: nothing is asked of a provider.
    var isImmediate = false
    /// Whether what it changes has an `ETag`, which `If-Match` may name.
    var hasVersion = false
    /// Whether machines call it every few seconds to know how the daemon is.
    var isProbe = false
    /// Whether its body is read while it comes in.
    package var isStreamed = false
    /// Members of the body that hold ids of ours: one of the right form is no card number.
    var identifiers: [JsonPath] = []
    /// Members of the body that are looked through by other rules.
    var exempt = Exempt.commands
    var tag = Tag.service
    /// One line for the document.
    var summary = ""
    var wording = Wording.full
    /// The form of a good answer.
    var answer = Answer.text("text/plain")
    /// Statuses of answers that went well.
    var successes = [200]
    /// Statuses of problems, beside those that any request may end in.
    var problems: [Int] = []
    /// Statuses of problems that are told as plain text.
    var plainProblems: [Int] = []
    var links = Links.none
    /// The command of the SQL entrance that is read as this one, and how it is read where no thing must be known for it.
    var stored: Stored?

    /// The right that a key must have; `nil` where no key is asked for.
    package var scope: Scope? {
        switch access {
        case .keyed(let scope, _): scope
        case .open: nil
        }
    }

    /// The kind of stream that it is about, where it is about a payment.
    var isTransfer: Bool { pattern.hasPrefix("/v1/transfers") }

    /// Some providers call back with everything in the query: the same endpoint, by another method.
    package var otherMethod: HttpMethod?

    /// How much a request may bring along; a notification as much as its provider's adapter declares.
    package func bodyBytes(of adapter: (any Adapter)? = nil) -> Int {
        switch most {
        case .bytes(let bytes): bytes
        case .notification: adapter?.declaration.notificationBytes ?? Limits.notificationBodyBytes
        }
    }

    /// Every status that a request may be answered with.
    package var statuses: [Int] {
        var all = Set(successes + problems + [413, 414, 431])
        if scope != nil { all.formUnion([400, 401, 403, 422, 429, 503]) }
        if isCommand { all.insert(412) }
        if body.rule == .none { all.insert(400) }
        if body.rule == .json || body.rule == .optionalJson || isStreamed { all.insert(415) }
        return all.sorted()
    }
}

extension Endpoint {
    /// The parts of the API, in the document's order.
    enum Tag: String, CaseIterable {
        case payments = "Payments"
        case links = "Payment links"
        case events = "Events"
        case webhooks = "Webhooks"
        case bills = "Bills in bulk"
        case transfers = "Transfers"
        case schedules = "Schedules"
        case device = "Payer's device"
        case operations = "Operations"
        case reports = "Reports"
        case settlement = "Settlement"
        case configuration = "Configuration"
        case access = "Teams and access"
        case entrances = "Other entrances"
        case service = "Service"
    }

    /// How the document tells commands and their answers; its clients are generated, so it stays as it is.
    struct Wording: Sendable {
        /// What 201 and 202 mean.
        let made: String
        let takenIn: String
        /// The form of an idempotency key, where it is told.
        let keyPattern: String?
        /// Whether `If-Match` and the headers of answers are told.
        let tellsHeaders: Bool

        static let full = Wording(
            made: "The outcome is known.",
            takenIn: "Taken in; the resource will show the outcome.",
            keyPattern: "^[!-~]+$",
            tellsHeaders: true
        )
        /// That of bills.
        static let brief = Wording(made: "Made.", takenIn: "Taken in.", keyPattern: nil, tellsHeaders: false)
    }

    /// Who answers.
    enum Access: Sendable {
        /// For a proven caller whose key has the scope.
        case keyed(Scope, Handler)
        /// For providers, browsers and probes.
        case open(Opening)
    }

    /// A way to serve a proven caller.
    enum Handler: Sendable {
        case answer(Answering)
        /// Reads a command to a payment or transfer that exists, or of its body alone.
        case payment(PaymentReading, isOfBody: Bool)
        /// Reads a command to a schedule that exists.
        case schedule(ScheduleReading)
    }

    /// A command of the SQL entrance.
    struct Stored: Sendable {
        let name: String
        /// A dispute's, where it is about one.
        var stage: Dispute.Stage?
        /// The submission that it becomes; `nil` where the handler tells.
        var make: (@Sendable (Api) -> (Call) async throws(Problem) -> Submission)?
    }

    /// A bound of the body's size.
    enum Most: Sendable {
        case bytes(Int)
        /// As much as the provider's adapter declares.
        case notification
    }

    /// Members that the search for card data passes over.
    enum Exempt: Sendable {
        /// Identifiers that adapters declare for commands.
        case commands
        /// Those that adapters declare for what apps claim.
        case claims
        /// An account's secrets, and those that adapters declare for settings.
        case settings
        /// Bank accounts' numbers, which their own check digits tell from cards'.
        case fields
        /// Members that nobody reads but the provider.
        case members(Set<JsonPath>)
    }

    /// The form of an answer when it goes well.
    enum Answer: Sendable, ExpressibleByStringLiteral {
        /// JSON of a schema.
        case json(String)
        /// A body of another kind.
        case text(String)
        /// A page of JSON, or the same as lines of another schema.
        case lines(String, of: String)
        /// A page of JSON, or what comes as server-sent events.
        case feed(String)
        /// JSON of a schema, the same as lines of another, or as CSV.
        case table(String, of: String)

        init(stringLiteral name: String) { self = .json(name) }

        var schema: String? {
            switch self {
            case .json(let name), .lines(let name, _), .table(let name, _), .feed(let name): name
            case .text: nil
            }
        }
    }

    /// A parameter in the query.
    struct Parameter: Sendable {
        let name: String
        let schema: Json
        var isNeeded = false
        /// Whether each member of the object is written as a parameter (`style: deepObject`).
        private(set) var isDeep = false

        init(_ name: String, _ schema: Json, isNeeded: Bool = false) {
            self.name = name
            self.schema = schema
            self.isNeeded = isNeeded
        }

        /// Labels, as `metadata[channel]=web`.
        static let metadata = Parameter(
            "metadata",
            Schema.labels(atMost: Limits.soughtLabels, "Labels that it has all of, as in metadata[channel]=web.")
        ).deep

        /// The same, whose members are parameters of their own.
        private var deep: Parameter {
            var copy = self
            copy.isDeep = true
            return copy
        }

        static func limit(_ most: Int) -> Parameter { Parameter("limit", Schema.integer(from: 1, to: Int64(most))) }

        /// Parameters of pages of lists.
        static let page = [
            limit(Limits.pageRows),
            Parameter("cursor", Schema.text("The member next of an earlier page.", atMost: Limits.identifierBytes)),
        ]

        /// Parameters of pages of a log.
        static let log = [
            Parameter("after", Schema.integer(from: 0, to: Int64(Int32.max))),
            limit(Limits.pageRows),
        ]

        static let account = Parameter(
            "account",
            Schema.text("The account's name.", atMost: AccountConfiguration.nameCharacters)
        )
        static let customer = Parameter("customer", Schema.text(atMost: Limits.identifierBytes))
        static let reference = Parameter("reference", Schema.text(atMost: Limits.identifierBytes))
    }

    /// Where the things that an answer names can be used.
    enum Links: Sendable {
        case none
        /// At every endpoint below this pattern that names nothing else.
        case below(String, Json)
        /// At these endpoints.
        case to([String], Json)
    }
}

/// The body of a request, and how the document tells it.
package struct Body: Sendable {
    package enum Rule: Hashable, Sendable {
        case none
        /// An object; an empty body is an empty object.
        case optionalJson
        case json
        /// Bytes as they came, for somebody else to read.
        case raw
    }

    package let rule: Rule
    let type: String
    let schema: Json
    var form: FormSchema?
    var isNeeded = true
    var about: String?

    static let none = Body(rule: .none, type: "", schema: .null)

    static func json(_ form: FormSchema) -> Body {
        Body(rule: .json, type: "application/json", schema: Schema.ref(form.name), form: form)
    }

    static func optional(_ form: FormSchema) -> Body {
        Body(rule: .optionalJson, type: "application/json", schema: Schema.ref(form.name), form: form, isNeeded: false)
    }

    static func raw(_ type: String, _ schema: Json = Schema.free, isNeeded: Bool = true, _ about: String? = nil) -> Body
    {
        Body(rule: .raw, type: type, schema: schema, isNeeded: isNeeded, about: about)
    }
}

/// The schema of a form under its name in the document, with an example that works.
struct FormSchema: Sendable {
    let name: String
    let schema: Json
    let example: Json

    init(_ name: String, _ schema: Json, example: Json = [:]) {
        self.name = name
        self.schema = schema
        self.example = example
    }

    /// The same form where another example works.
    func example(_ example: Json) -> FormSchema { FormSchema(name, schema, example: example) }

    /// Nothing is asked for.
    static let empty = FormSchema("Empty", Schema.closed([]))
}

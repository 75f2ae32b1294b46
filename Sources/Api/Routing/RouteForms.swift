import Http
import Kernel
import Payments

/// `PUT /v1/routes`: rules whose accounts are named as the merchant calls them.
struct RouteRulesForm {
    let rules: RouteRules
    /// The number of the rules that the author looked at.
    let seenNumber: Int?

    init(_ body: Json, _ accounts: [Account]) throws(Problem) {
        var form = try Form(body)
        seenNumber = try form.integer("seenNumber", in: 0...Int64(Int32.max)).map { Int($0) }
        guard let items = form.value("rules") else { throw form.missing("rules") }
        guard let items = items.items else { throw form.wrongType("rules", "A list") }
        guard items.count <= RouteRules.rulesPerMerchant else {
            throw Problem(.tooMany, "At most \(RouteRules.rulesPerMerchant) rules.", path: "rules")
        }
        var rules: [RouteRule] = []
        for (index, item) in items.enumerated() {
            rules.append(try Self.rule(item, "rules.\(index)", accounts))
        }
        var breaker = BreakerPolicy.standard
        if let json = form.value("breaker") { breaker = try Self.breaker(json) }
        try form.end()
        self.rules = RouteRules(rules: rules, breaker: breaker)
    }

    private static func rule(_ json: Json, _ path: String, _ accounts: [Account]) throws(Problem) -> RouteRule {
        var form = try Form(json, at: JsonPath(path))
        let name = try form.needed("name", bytes: RouteRules.nameCharacters)
        var when = RouteCondition()
        if let json = form.value("when") { when = try condition(json, "\(path).when") }
        guard let shares = form.value("to") else { throw form.missing("to") }
        guard let shares = shares.items else { throw form.wrongType("to", "A list") }
        var to: [RouteShare] = []
        for (index, item) in shares.enumerated() { to.append(try share(item, "\(path).to.\(index)", accounts)) }
        var then: [Uuid] = []
        for (index, item) in (try list("then", &form) ?? []).enumerated() {
            then.append(try account(item, "\(path).then.\(index)", accounts))
        }
        var fallback = FallbackPolicy.none
        if let json = form.value("fallback") { fallback = try self.fallback(json, "\(path).fallback") }
        try form.end()
        try checkModes(to.map(\.account) + then, path, accounts)
        return RouteRule(
            name: name,
            when: when,
            to: to,
            then: then,
            fallback: fallback
        )
    }

    /// A rule that leads to test accounts and to live ones would be two rules.
    private static func checkModes(_ ids: [Uuid], _ path: String, _ accounts: [Account]) throws(Problem) {
        let modes = Set(ids.compactMap { id in accounts[id]?.configuration?.mode })
        guard modes.count <= 1 else {
            throw Problem(.routeMixed, "The accounts of a rule have one mode; test and live never mix.", path: path)
        }
    }

    private static func share(_ json: Json, _ path: String, _ accounts: [Account]) throws(Problem) -> RouteShare {
        var form = try Form(json, at: JsonPath(path))
        guard let name = form.value("account") else { throw form.missing("account") }
        let id = try account(name, form.path(of: "account"), accounts)
        let weight = try form.integer("weight", in: 0...Int64(RouteRules.heaviest)) ?? 1
        try form.end()
        return RouteShare(account: id, weight: Int(weight))
    }

    private static func account(_ json: Json, _ path: String, _ accounts: [Account]) throws(Problem) -> Uuid {
        guard let text = json.text else { throw Problem(.typeWrong, "A name is needed here.", path: path) }
        guard let found = accounts.called(text) else {
            throw Problem(.accountUnknown, "There is no such account.", path: path)
        }
        return found.id
    }

    private static func condition(_ json: Json, _ path: String) throws(Problem) -> RouteCondition {
        var form = try Form(json, at: JsonPath(path))
        let currencies = try words("currencies", &form) { Currency($0) }
        let countries = try words("countries", &form) { RouteQuestion.isCountry($0) ? $0 : nil }
        var amount: AmountRange?
        if let json = form.value("amount") { amount = try range(json, form.path(of: "amount")) }
        let modes = try words("modes", &form) { PaymentMode(rawValue: $0) }
        let methods = try words("methods", &form) { PaymentMethod(rawValue: $0) }
        let customers = try words("customers", &form) { text in
            text.isEmpty || text.utf8.count > Limits.identifierBytes ? nil : text
        }
        try form.end()
        return RouteCondition(
            currencies: currencies,
            countries: countries,
            amount: amount,
            modes: modes,
            methods: methods,
            customers: customers
        )
    }

    private static func range(_ json: Json, _ path: String) throws(Problem) -> AmountRange {
        var form = try Form(json, at: JsonPath(path))
        let code = try form.needed("currency", bytes: 3)
        guard let currency = Currency(code) else {
            throw Problem(.currencyUnknown, "This is no currency of ISO 4217.", path: form.path(of: "currency"))
        }
        let from = try form.integer("from", in: 0...Int64.max)
        let below = try form.integer("below", in: 1...Int64.max)
        try form.end()
        return AmountRange(currency: currency, from: from, below: below)
    }

    private static func fallback(_ json: Json, _ path: String) throws(Problem) -> FallbackPolicy {
        var form = try Form(json, at: JsonPath(path))
        guard let classes = try words("on", &form, { DeclineClass(rawValue: $0) }) else { throw form.missing("on") }
        let range = Int64(FallbackPolicy.range.lowerBound)...Int64(FallbackPolicy.range.upperBound)
        let attempts = try form.integer("attempts", in: range) ?? 2
        try form.end()
        return FallbackPolicy(classes: classes, attempts: Int(attempts))
    }

    private static func breaker(_ json: Json) throws(Problem) -> BreakerPolicy {
        let usual = BreakerPolicy.standard
        var form = try Form(json, at: "breaker")
        func number(_ name: String, _ form: inout Form) throws(Problem) -> Int64? {
            try form.integer(name, in: 1...1000)
        }
        let failures = try number("failures", &form)
        let percent = try number("percent", &form)
        let window = try form.integer("windowSeconds", in: 1...3600)
        let pause = try form.integer("pauseSeconds", in: 1...BreakerPolicy.longestPause.components.seconds)
        let probes = try number("probePercent", &form)
        let successes = try number("successes", &form)
        try form.end()
        return BreakerPolicy(
            failures: failures.map { Int($0) } ?? usual.failures,
            percent: percent.map { Int($0) } ?? usual.percent,
            window: window.map { .seconds($0) } ?? usual.window,
            pause: pause.map { .seconds($0) } ?? usual.pause,
            probePercent: probes.map { Int($0) } ?? usual.probePercent,
            successes: successes.map { Int($0) } ?? usual.successes
        )
    }

    private static func list(_ name: String, _ form: inout Form) throws(Problem) -> [Json]? {
        guard let value = form.value(name) else { return nil }
        guard let items = value.items else { throw form.wrongType(name, "A list") }
        return items
    }

    private static func words<Word: Hashable>(_ name: String, _ form: inout Form, _ read: (String) -> Word?)
        throws(Problem) -> Set<Word>?
    {
        guard let items = try list(name, &form) else { return nil }
        guard items.count <= RouteRules.wordsPerCondition else {
            throw Problem(.tooMany, "At most \(RouteRules.wordsPerCondition) values.", path: form.path(of: name))
        }
        var found: Set<Word> = []
        for (index, item) in items.enumerated() {
            guard let word = item.text.flatMap(read) else {
                throw Problem(.wordUnknown, "This value is not known here.", path: form.path(of: "\(name).\(index)"))
            }
            found.insert(word)
        }
        return found
    }
}

/// `POST /v1/routes/explain`: a payment that might be, or one that is.
struct ExplainForm {
    let payment: PaymentId?
    let mode: PaymentMode
    let method: PaymentMethod
    let amount: Money?
    let country: String?
    let customer: String?
    let provider: String?
    let accountMode: AccountFacts.Mode?

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        payment = try form.id("payment")
        if payment != nil, let other = body.members?.names.first(where: { $0 != "payment" }) {
            throw Problem(
                .memberUnknown,
                "The decisions of a payment are recorded: a question about one has no other member.",
                path: form.path(of: other)
            )
        }
        mode = try form.word("mode") ?? .sale
        method = try form.word("method") ?? .hosted
        amount = try form.money("amount")
        country = try form.country("country")
        customer = try form.text("customer", bytes: Limits.identifierBytes)
        provider = try form.text("provider", bytes: Limits.identifierBytes)
        accountMode = try form.word("accountMode")
        try form.end()
    }

    /// The payment that the question is about; shares are drawn from `id`.
    func question(_ id: PaymentId) -> RouteQuestion {
        RouteQuestion(
            payment: id,
            mode: mode,
            method: method,
            amount: amount,
            country: country,
            customer: customer,
            provider: provider,
            accountMode: accountMode
        )
    }
}

extension Form {
    /// A country by ISO 3166-1, two upper-case letters.
    mutating func country(_ name: String) throws(Problem) -> String? {
        guard let text = try text(name, bytes: Limits.identifierBytes) else { return nil }
        guard RouteQuestion.isCountry(text) else {
            throw Problem(.wordUnknown, "A country is two upper-case letters, as in DE.", path: path(of: name))
        }
        return text
    }
}

extension RouteRulesForm {
    static let schema = FormSchema(
        "SetRoutes",
        Schema.closed(
            [
                ("rules", few(Schema.ref("RouteRule"), atMost: RouteRules.rulesPerMerchant)),
                ("breaker", Schema.ref("RouteBreaker")),
                ("seenNumber", Schema.integer(to: Int64(Int32.max))),
            ],
            required: ["rules"],
            """
            Replaces the rules in full. The first rule that matches a payment decides; where none does, the plain order \
            of the routing does. With seenNumber the change is refused when somebody else changed the rules meanwhile.
            """
        ),
        example: [
            "rules": [
                [
                    "name": "euro", "when": ["currencies": ["EUR"]],
                    "to": [["account": "ecommpay-eur", "weight": 1]],
                    "fallback": ["on": ["soft", "providerDown"], "attempts": 2],
                ]
            ]
        ]
    )

    /// Parts of the rules by their names.
    static let schemas: [(String, Json)] = [
        ("RouteRule", rule), ("RouteCondition", condition), ("RouteFallback", fallback), ("RouteBreaker", breaker),
    ]

    private static var accountName: Json { Schema.text("Name or id of an account.", atMost: 64) }

    private static func few(_ items: Json, atMost most: Int) -> Json {
        ["type": "array", "items": items, "maxItems": .integer(Int64(most))]
    }

    private static func words(_ items: Json) -> Json {
        ["type": "array", "items": items, "minItems": 1, "maxItems": .integer(Int64(RouteRules.wordsPerCondition))]
    }

    private static var country: Json { Schema.pattern("^[A-Z]{2}$", "The payer's country by ISO 3166-1.") }

    private static var rule: Json {
        Schema.closed(
            [
                ("name", Schema.text(atMost: RouteRules.nameCharacters)), ("when", Schema.ref("RouteCondition")),
                ("to", few(share, atMost: RouteRules.accountsPerRule)),
                ("then", few(accountName, atMost: RouteRules.accountsPerRule)),
                ("fallback", Schema.ref("RouteFallback")),
            ],
            required: ["name", "to"],
            "Payments are shared among the accounts of to by weight; those of then come behind them, in their order."
        )
    }

    private static var share: Json {
        Schema.closed(
            [("account", accountName), ("weight", Schema.integer(to: Int64(RouteRules.heaviest)))],
            required: ["account"]
        )
    }

    private static var condition: Json {
        Schema.closed(
            [
                ("currencies", words(Schema.text(atMost: 3))), ("countries", words(country)),
                (
                    "amount",
                    Schema.closed(
                        [
                            ("currency", Schema.text(atMost: 3)), ("from", Schema.integer()),
                            ("below", Schema.integer(from: 1)),
                        ],
                        required: ["currency"],
                        "Minor units: from is included, below is not."
                    )
                ), ("modes", words(Schema.words(PaymentMode.self))),
                ("methods", words(Schema.words(PaymentMethod.self))),
                ("customers", words(Schema.text(atMost: Limits.identifierBytes))),
            ],
            "Every part that is given must hold."
        )
    }

    private static var fallback: Json {
        let range = FallbackPolicy.range
        return Schema.closed(
            [
                ("on", few(Schema.words(DeclineClass.self), atMost: RouteRules.wordsPerCondition)),
                ("attempts", Schema.integer(from: Int64(range.lowerBound), to: Int64(range.upperBound))),
            ],
            required: ["on"],
            """
            After a refusal of these classes, and only on proof that nothing was taken and no link is alive, the payment \
            goes on to the next account, up to so many attempts in total (2 where none are named).
            """
        )
    }

    private static var breaker: Json {
        Schema.closed(
            [
                ("failures", Schema.integer(from: 1, to: 1000)), ("percent", Schema.integer(from: 1, to: 100)),
                ("windowSeconds", Schema.integer(from: 1, to: 3600)),
                ("pauseSeconds", Schema.integer(from: 1, to: BreakerPolicy.longestPause.components.seconds)),
                ("probePercent", Schema.integer(from: 1, to: 100)), ("successes", Schema.integer(from: 1, to: 1000)),
            ],
            "When an account's provider counts as down. A payment that names the account is never refused for it."
        )
    }
}

extension ExplainForm {
    static let schema = FormSchema(
        "ExplainRoute",
        Schema.closed(
            [
                (
                    "payment",
                    Schema.id(
                        "pay",
                        "A payment whose recorded decisions are shown. No other member may stand beside it."
                    )
                ),
                ("mode", Schema.words(PaymentMode.self)), ("method", Schema.words(PaymentMethod.self)),
                ("amount", Schema.ref("Money")),
                ("country", Schema.pattern("^[A-Z]{2}$", "The payer's country by ISO 3166-1.")),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
                ("provider", Schema.text(atMost: Limits.identifierBytes)),
                ("accountMode", Schema.words(AccountFacts.Mode.self)),
            ]
        ),
        example: ["amount": ["value": 1999, "currency": "EUR"], "method": "hosted"]
    )
}

extension FormSchema {
    static let setRouting = FormSchema(
        "SetRouting",
        Schema.closed(
            [
                (
                    "accounts",
                    [
                        "type": "array", "maxItems": .integer(Int64(Routing.accountsPerMerchant)),
                        "items": Schema.text("Name or id of an account.", atMost: 64),
                    ]
                )
            ],
            required: ["accounts"],
            "The accounts in the order in which new payments try them."
        ),
        example: ["accounts": ["ecommpay-eur"]]
    )
}

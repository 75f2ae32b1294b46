import Kernel
import Payments

/// What the rules of routing and their decisions look like.
enum RouteSchemas {
    static let requests: [(String, Json)] = [
        ("SetRoutes", setRoutes), ("RouteRule", rule), ("RouteCondition", condition), ("RouteFallback", fallback),
        ("RouteBreaker", breaker), ("ExplainRoute", explain),
    ]

    static let answers: [(String, Json)] = [
        ("Routes", routes), ("RouteDecision", decision), ("RouteExplanation", explanation),
    ]

    private static var accountName: Json { Schema.text("Name or id of an account.", atMost: 64) }

    private static func few(_ items: Json, atMost most: Int) -> Json {
        ["type": "array", "items": items, "maxItems": .integer(Int64(most))]
    }

    private static func words(_ items: Json) -> Json {
        ["type": "array", "items": items, "minItems": 1, "maxItems": .integer(Int64(RouteRules.wordsPerCondition))]
    }

    private static var country: Json { Schema.pattern("^[A-Z]{2}$", "The payer's country by ISO 3166-1.") }

    // MARK: Requests

    private static var setRoutes: Json {
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
        )
    }

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

    private static var explain: Json {
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
                ("amount", Schema.ref("Money")), ("country", country),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
                ("provider", Schema.text(atMost: Limits.identifierBytes)),
                ("accountMode", Schema.words(AccountFacts.Mode.self)),
            ]
        )
    }

    // MARK: Answers

    private static var routes: Json {
        Schema.object(
            [
                ("object", ["type": "string", "const": "routes"]), ("number", Schema.integer()),
                ("rules", Schema.list(Schema.ref("RouteRule"))), ("order", Schema.list(Schema.text())),
                ("breaker", Schema.ref("RouteBreaker")),
                (
                    "breakers",
                    Schema.list(
                        Schema.object(
                            [
                                ("account", Schema.text()),
                                ("phase", ["type": "string", "enum": ["closed", "open", "halfOpen"]]),
                                ("until", Schema.time), ("trips", Schema.integer()), ("changedAt", Schema.time),
                            ],
                            required: ["account", "phase", "trips", "changedAt"]
                        )
                    )
                ),
            ],
            required: ["object", "number", "rules", "order", "breaker", "breakers"]
        )
    }

    private static var decision: Json {
        Schema.object(
            [
                ("cause", Schema.free), ("at", Schema.time), ("rulesNumber", Schema.integer()),
                ("rule", Schema.text()), ("accountMode", Schema.words(AccountFacts.Mode.self)),
                ("question", Schema.free), ("skipped", Schema.list(Schema.free)),
                ("chosen", Schema.ref("AccountRef")), ("candidates", Schema.list(candidate)),
                ("lastResort", Schema.flag), ("fallback", Schema.ref("RouteFallback")),
            ],
            required: ["cause", "at", "rulesNumber", "accountMode", "question", "skipped", "candidates", "fallback"],
            "Why each account was taken or passed over; without chosen, no account takes the payment."
        )
    }

    private static var candidate: Json {
        Schema.object(
            [
                (
                    "account",
                    Schema.object(
                        [
                            ("id", Schema.uuid), ("name", Schema.text()), ("provider", Schema.text()),
                            ("mode", Schema.words(AccountFacts.Mode.self)),
                        ],
                        required: ["id"]
                    )
                ),
                ("verdict", ["type": "string", "enum": ["chosen", "available", "passed"]]),
                ("reason", Schema.words(RouteCandidate.Reason.self)), ("weight", Schema.integer()),
            ],
            required: ["account", "verdict"]
        )
    }

    private static var explanation: Json {
        Schema.object(
            [
                ("object", ["type": "string", "const": "routeExplanation"]), ("payment", Schema.id("pay")),
                ("decisions", Schema.list(Schema.ref("RouteDecision"))),
            ],
            required: ["object", "decisions"]
        )
    }
}

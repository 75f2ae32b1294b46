import EventSourcing
package import Kernel
package import Payments
import Projections

/// A merchant's routing as answers and commands show it.
package enum RoutingPage {
    package static func shown(_ routing: Routing, _ accounts: [Account]) -> Json {
        let names = Dictionary(accounts.map { ($0.id, $0.configuration?.name ?? "") }) { first, _ in first }
        func name(_ id: Uuid) -> Json { names[id].map(Json.string) ?? id.json }
        let breakers = routing.breakers.sorted { $0.key < $1.key }.map { id, breaker in
            breaker.shown(name(id))
        }
        return [
            "object": "routes", "number": .integer(Int64(routing.rulesNumber)),
            "rules": .array((routing.rules?.rules ?? []).map { $0.shown(name) }),
            "order": .array(routing.accounts.map(name)), "breaker": routing.policy.json,
            "breakers": .array(breakers),
        ]
    }
}

extension RouteRule {
    /// The rule in the form in which it is set.
    fileprivate func shown(_ name: (Uuid) -> Json) -> Json {
        [
            "name": .string(self.name), "when": when.json,
            "to": .array(to.map { ["account": name($0.account), "weight": .integer(Int64($0.weight))] }),
            "then": .array(then.map(name)), "fallback": fallback.json,
        ]
    }
}

extension CircuitBreaker {
    fileprivate func shown(_ account: Json) -> Json {
        let word: String
        var until: Timestamp?
        switch phase {
        case .closed: word = "closed"
        case .open(let end):
            word = "open"
            until = end
        case .halfOpen: word = "halfOpen"
        }
        return .compact([
            ("account", account), ("phase", .string(word)), ("until", until?.json),
            ("trips", .integer(Int64(trips))), ("changedAt", changedAt.json),
        ])
    }
}

/// Schemas of the rules of routing and their decisions.
enum RouteSchemas {
    static let all: [(String, Json)] =
        [
            ("Routes", routes), ("RouteDecision", decision), ("RouteExplanation", explanation),
            (
                "Routing",
                Schema.object(
                    [
                        ("object", ["type": "string", "const": "routing"]),
                        ("accounts", Schema.list(Schema.ref("Account"))),
                    ],
                    required: ["object", "accounts"]
                )
            ),
        ] + RouteRulesForm.schemas

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

import Kernel
import Payments
import Projections

/// Values that answers of several resources show.
enum ValueSchemas {
    static let all: [(String, Json)] = [
        ("CurrencyCode", Schema.pattern("^[A-Z]{3}$", "A code of ISO 4217.")),
        ("Money", money(from: 0)), ("PositiveMoney", money(from: 1)),
        ("Amounts", amounts), ("AccountRef", accountRef), ("Decline", decline), ("PayerAction", payerAction),
        ("Ending", ending), ("Outcome", outcome), ("Obligation", obligation), ("OpenMatter", openItem),
        ("Contradiction", contradiction),
        ("Problem", problem),
    ]

    private static func money(from least: Int64) -> Json {
        Schema.closed(
            [("value", Schema.integer(from: least, to: .max)), ("currency", Schema.ref("CurrencyCode"))],
            required: ["value", "currency"],
            "Whole minor units: 19.99 EUR is 1999, 100 JPY is 100, 1.500 KWD is 1500."
        )
    }

    private static var amounts: Json {
        let names = [
            "authorized", "captured", "released", "holdExpired", "held", "refunded", "transferred", "disputed",
            "chargedBack",
            "returnedToCustomer",
        ]
        return Schema.object(
            [("currency", Schema.ref("CurrencyCode"))] + names.map { ($0, ["type": "integer"]) },
            required: ["currency"] + names,
            "Sums in minor units, each a function of evidence."
        )
    }

    private static var accountRef: Json {
        Schema.object(
            [
                ("id", Schema.uuid), ("name", Schema.text()), ("provider", Schema.text()),
                ("mode", Schema.words(AccountFacts.Mode.self)),
            ],
            required: ["id", "name", "provider", "mode"]
        )
    }

    private static var decline: Json {
        Schema.object(
            [("class", Schema.words(DeclineClass.self)), ("code", Schema.text("As the provider words it."))],
            required: ["class"]
        )
    }

    private static var payerAction: Json {
        Schema.object(
            [
                (
                    "is",
                    [
                        "type": "string",
                        "enum": [
                            "handover", "threeDSecure", "redirect", "clarify", "retryInForm", "customerAction",
                            "approval",
                        ],
                    ]
                ),
                ("fields", Schema.list(Schema.text())), ("attemptsLeft", Schema.integer()),
                ("seconds", Schema.integer()),
            ],
            required: ["is"]
        )
    }

    private static var ending: Json {
        Schema.object(
            [
                ("is", ["type": "string", "enum": ["declined", "expired", "cancelled"]]),
                ("decline", Schema.ref("Decline")),
            ],
            required: ["is"]
        )
    }

    private static var outcome: Json {
        Schema.object(
            [
                (
                    "is",
                    [
                        "type": "string",
                        "enum": ["waiting", "processing", "ambiguous", "succeeded", "declined", "expired"],
                    ]
                ),
                ("action", Schema.ref("PayerAction")), ("decline", Schema.ref("Decline")),
            ],
            required: ["is"]
        )
    }

    /// An auxiliary request: it moves no money.
    static var auxiliary: Json {
        Schema.object(
            [
                ("kind", Schema.words(AuxiliaryKind.self)), ("state", Schema.words(AuxiliaryRequest.State.self)),
                ("at", Schema.time),
            ],
            required: ["kind", "state", "at"]
        )
    }

    private static var obligation: Json {
        Schema.object(
            [
                ("kind", Schema.words(Obligation.Kind.self)), ("owner", Schema.words(Obligation.Owner.self)),
                ("nextStep", Schema.words(Obligation.Step.self)), ("reason", Schema.text("A stable word for why.")),
                ("operation", Schema.id("op")), ("deadline", Schema.time),
            ],
            required: ["kind", "owner", "nextStep", "reason"],
            "What must still happen, who owes it, and until when."
        )
    }

    private static var openItem: Json {
        Schema.object(
            [
                ("id", Schema.text("As people name it.")), ("object", ["type": "string", "const": "openMatter"]),
                ("kind", Schema.words(OpenItem.Kind.self)), ("owner", Schema.words(Obligation.Owner.self)),
                ("nextStep", Schema.words(Obligation.Step.self)), ("reason", Schema.text("A stable word for why.")),
                ("since", Schema.time), ("deadline", Schema.time), ("detail", Schema.text("More about the reason.")),
                ("about", Schema.text("What an input is about: a payment's id, say.")),
            ],
            required: ["id", "object", "kind", "owner", "nextStep", "reason"],
            "What is unresolved and no payment's; on the first page, the newest of each kind."
        )
    }

    private static var contradiction: Json {
        Schema.object(
            [
                ("kind", Schema.words(ContradictionKind.self)), ("detail", Schema.text("What it is about.")),
                ("open", Schema.flag),
            ],
            required: ["kind", "detail", "open"],
            "Two claims that can't both be true; while one is open, no new message about money is licensed."
        )
    }

    private static var problem: Json {
        let known = ProblemMeaning.all.map(\.code).joined(separator: ", ")
        return [
            "type": "object", "additionalProperties": true,
            "description": "RFC 9457. Programs compare code; title and detail may change.",
            "properties": .object(
                JsonObject([
                    ("type", Schema.text("A path of the daemon, where a page explains the code.")),
                    ("title", Schema.text()), ("status", Schema.integer(from: 400, to: 599)),
                    ("code", Schema.text("One of: \(known).")),
                    ("detail", Schema.text()),
                    ("path", Schema.text("The member, header or parameter at fault.")),
                    ("requestId", Schema.id("req", "The request, as GET /v1/requests/{request} tells of it.")),
                ])
            ),
            "required": ["type", "title", "status", "code"],
        ]
    }
}

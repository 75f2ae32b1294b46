import Kernel
import Payments
import Projections

/// What answers look like.
enum AnswerSchemas {
    static let all: [(String, Json)] = values + payment + others

    // MARK: Values

    private static let values: [(String, Json)] = [
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

    /// What the provider was asked for beside moving money.
    private static var auxiliary: Json {
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
        let ours = ProblemCode.allCases.map(\.rawValue)
        let decisions = Rejection.Code.allCases.map(\.rawValue)
        let known = Set(ours + decisions).sorted().joined(separator: ", ")
        return [
            "type": "object", "additionalProperties": true,
            "description": "RFC 9457. Programs compare code; title and detail may change.",
            "properties": .object(
                JsonObject([
                    ("type", Schema.text()), ("title", Schema.text()), ("status", Schema.integer(from: 400, to: 599)),
                    ("code", Schema.text("Of the API: \(known). Adapters add their own.")),
                    ("detail", Schema.text()),
                    ("path", Schema.text("The member, header or parameter at fault.")),
                ])
            ),
            "required": ["type", "title", "status", "code"],
        ]
    }

    // MARK: Payments

    private static let payment: [(String, Json)] = [
        ("Payment", whole), ("Transfer", transfer), ("TransferSummary", transferSummary),
        ("TransferPage", page(Schema.ref("TransferSummary"))), ("UnresolvedPage", unresolvedPage),
        ("PaymentSummary", Schema.object(summary, required: summaryRequired)),
        ("PaymentRow", Schema.object(summary + [("position", Schema.integer())], required: summaryRequired)),
        ("Accepted", accepted), ("PaymentPage", page(Schema.ref("PaymentSummary"))), ("Operation", operation),
        ("Sighting", transaction), ("Attempt", attempt), ("Dispute", dispute), ("Receipt", receipt),
        ("Resolution", resolution),
        ("Event", event), ("EventPage", page(Schema.ref("Event"))),
    ]

    private static let summaryRequired = [
        "id", "object", "version", "status", "mode", "method", "account", "createdAt", "updatedAt",
    ]

    private static let summary: [(String, Json)] = [
        ("id", Schema.id("pay")), ("object", ["type": "string", "const": "payment"]),
        ("version", Schema.integer(from: 1)),
        ("status", Schema.words(PaymentStatus.self)), ("mode", Schema.words(PaymentMode.self)),
        ("method", Schema.words(PaymentMethod.self)), ("amount", Schema.ref("Money")),
        ("amounts", Schema.ref("Amounts")), ("fee", Schema.ref("Money")), ("commission", Schema.ref("Money")),
        ("disputes", Schema.list(Schema.ref("Dispute"))), ("receipts", Schema.list(Schema.ref("Receipt"))),
        ("reference", Schema.text()), ("customer", Schema.text()),
        ("account", Schema.ref("AccountRef")), ("obligations", Schema.list(Schema.ref("Obligation"))),
        ("createdAt", Schema.time), ("updatedAt", Schema.time),
    ]

    private static var whole: Json {
        let more: [(String, Json)] = [
            ("country", Schema.text()), ("description", Schema.text()),
            ("instrument", Schema.id("ins")), ("schedule", Schema.id("sch")),
            (
                "adopted",
                Schema.object(
                    [("name", Schema.text()), ("registeredBy", Schema.id("pay"))],
                    required: ["name", "registeredBy"],
                    "A debit that the provider made by itself: its name there, and who registered its series."
                )
            ),
            ("metadata", ["type": "object", "additionalProperties": ["type": "string"]]),
            ("expiresAt", Schema.time), ("attempt", Schema.ref("Attempt")),
            ("earlierAttempts", Schema.list(Schema.ref("Attempt"))), ("recurring", Schema.ref("Recurring")),
            (
                "series",
                Schema.object(
                    [("id", Schema.text()), ("active", Schema.flag), ("kind", Schema.words(RecurringTerms.Kind.self))],
                    required: ["id"]
                )
            ),
            ("routes", Schema.list(Schema.ref("RouteDecision"))), ("nextAction", Schema.ref("PayerAction")),
            ("operations", Schema.list(Schema.ref("Operation"))),
            ("errands", Schema.list(auxiliary)), ("savedInstruments", Schema.list(Schema.id("ins"))),
            (
                "evidence",
                Schema.list(
                    Schema.object(
                        [("text", Schema.text()), ("by", Schema.text()), ("at", Schema.time)],
                        required: ["text", "by", "at"]
                    )
                )
            ), ("resolutions", Schema.list(Schema.ref("Resolution"))),
            ("contradictions", Schema.list(Schema.ref("Contradiction"))),
            ("unrecognised", Schema.list(Schema.text())),
        ]
        return Schema.object(summary + more, required: summaryRequired + ["expiresAt", "operations"])
    }

    /// A transfer looks like a payment with another prefix.
    private static var transfer: Json { asTransfer(whole) }
    private static var transferSummary: Json { asTransfer(Schema.object(summary, required: summaryRequired)) }

    private static func asTransfer(_ schema: Json) -> Json {
        guard case .object(var members) = schema, case .object(var properties)? = members["properties"] else {
            return schema
        }
        properties["id"] = Schema.id("trf")
        properties["object"] = ["type": "string", "const": "transfer"]
        members["properties"] = .object(properties)
        return .object(members)
    }

    private static var unresolvedPage: Json {
        let item: Json = ["anyOf": [Schema.ref("PaymentSummary"), Schema.ref("TransferSummary")]]
        let openItems = Schema.list(Schema.ref("OpenMatter"))
        return page(item, and: [("matters", openItems)])
    }

    private static var accepted: Json {
        Schema.object(
            [
                ("id", Schema.pattern("^(pay|trf)_[0-9a-f]{32}$")),
                ("object", ["type": "string", "enum": ["payment", "transfer"]]),
                ("status", ["type": "string", "const": "accepted"]),
            ],
            required: ["id", "object", "status"],
            "Stored and not decided yet; the resource will show it."
        )
    }

    private static var operation: Json {
        Schema.object(
            [
                ("id", Schema.id("op")), ("kind", Schema.words(OperationKind.self)),
                ("origin", Schema.words(OperationOrigin.self)),
                (
                    "state",
                    [
                        "type": "string",
                        "enum": ["requested", "pending", "indeterminate", "succeeded", "failed", "notExecuted"],
                    ]
                ),
                ("amount", Schema.ref("Money")), ("booked", Schema.ref("Money")), ("target", Schema.id("op")),
                ("reference", Schema.text()), ("reason", Schema.text()), ("decline", Schema.ref("Decline")),
                (
                    "because",
                    Schema.text(
                        "Why a `notExecuted` one is known to have done nothing, as in `secretLost`; `shown_after_refusal` "
                            + "where one that was refused counts as done because the provider shows such a one."
                    )
                ),
                ("requestedAt", Schema.time), ("sightings", Schema.list(Schema.ref("Sighting"))),
            ],
            required: ["id", "kind", "origin", "state", "reference", "requestedAt"]
        )
    }

    private static var transaction: Json {
        Schema.object(
            [
                ("providerId", Schema.text()), ("kind", Schema.words(OperationKind.self)),
                ("outcome", Schema.ref("Outcome")), ("amount", Schema.ref("Money")), ("createdAt", Schema.time),
                ("changedAt", Schema.time),
            ],
            required: ["providerId", "kind", "outcome"]
        )
    }

    private static var attempt: Json {
        Schema.object(
            [
                ("number", Schema.integer(from: 1)), ("reference", Schema.text("Our name for it at the provider.")),
                ("deadline", Schema.time), ("open", Schema.flag), ("ending", Schema.ref("Ending")),
                ("account", Schema.ref("AccountRef")),
                ("providerMethod", Schema.text()), ("cancelRequested", Schema.flag), ("expiryReached", Schema.flag),
            ],
            required: ["number", "reference", "deadline", "open"]
        )
    }

    private static var dispute: Json {
        Schema.object(
            [
                ("id", Schema.id("dsp")), ("capture", Schema.id("op")), ("amount", Schema.ref("Money")),
                ("stage", Schema.words(Dispute.Stage.self)), ("reason", Schema.text()), ("at", Schema.time),
            ],
            required: ["id", "capture", "amount", "stage", "at"]
        )
    }

    private static var resolution: Json {
        Schema.object(
            [
                ("id", Schema.uuid), ("verdict", Schema.ref("Verdict")), ("evidence", Schema.text()),
                ("by", Schema.text()), ("seenVersion", Schema.integer(from: 1)), ("approved", Schema.flag),
            ],
            required: ["id", "verdict", "evidence", "by", "seenVersion", "approved"]
        )
    }

    private static var event: Json {
        Schema.object(
            [
                ("version", Schema.integer(from: 1)), ("position", Schema.integer()), ("type", Schema.text()),
                ("cause", Schema.id("in")), ("recordedAt", Schema.time), ("data", Schema.free),
            ],
            required: ["version", "position", "type", "cause", "recordedAt", "data"]
        )
    }

    static func page(_ item: Json, and others: [(String, Json)] = []) -> Json {
        Schema.object(
            [("items", Schema.list(item)), ("next", Schema.text("Where the next page begins; absent on the last."))]
                + others,
            required: ["items"]
        )
    }

    // MARK: Others

    private static let others: [(String, Json)] =
        [
            ("NextAction", nextAction), ("AppParameters", appParameters),
            ("Signature", Schema.object([("signature", Schema.text())], required: ["signature"])),
            ("Account", account), ("AccountPage", page(Schema.ref("Account"))),
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
            ("Instrument", instrument), ("InstrumentPage", page(Schema.ref("Instrument"))),
            ("InboxOutcome", inboxOutcome),
            ("Health", Schema.object([("status", Schema.text())], required: ["status"])),
            ("Readiness", readiness),
        ] + RouteSchemas.answers

    private static var readiness: Json {
        let follower = Schema.object(
            [
                ("name", Schema.text()), ("lagMilliseconds", Schema.integer()), ("streamsAside", Schema.integer()),
            ],
            required: ["name", "lagMilliseconds", "streamsAside"],
            "A read model behind the log: how long its oldest event waits, and how many streams it can't show."
        )
        return Schema.object(
            [("status", Schema.text()), ("followers", Schema.list(follower))],
            required: ["status", "followers"]
        )
    }
}

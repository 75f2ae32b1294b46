import Kernel
import Payments

/// Schemas of answers about payments and transfers.
enum PaymentSchemas {
    static let all: [(String, Json)] =
        [
            ("Payment", whole), ("Transfer", transfer), ("TransferSummary", transferSummary),
            ("TransferPage", Schema.page(Schema.ref("TransferSummary"))), ("UnresolvedPage", unresolvedPage),
            ("PaymentSummary", Schema.object(summary, required: summaryRequired)),
            ("PaymentRow", Schema.object(summary + [("position", Schema.integer())], required: summaryRequired)),
            ("Accepted", accepted), ("PaymentPage", Schema.page(Schema.ref("PaymentSummary"))),
            ("Operation", operation),
            ("Sighting", transaction), ("Attempt", attempt), ("Dispute", dispute), ("Receipt", receipt),
            ("CapturePlan", capturePlan),
            ("Resolution", resolution),
            ("Event", event), ("EventPage", Schema.page(Schema.ref("Event"))), ("NextAction", nextAction),
            ("AppParameters", appParameters), ("Verdict", Resolution.Verdict.schema),
            ("Recurring", RecurringTerms.schema),
            ("Signature", Schema.object([("signature", Schema.text())], required: ["signature"])),
        ] + DisputeEvidenceSchemas.all

    private static let summaryRequired = [
        "id", "object", "version", "status", "mode", "method", "account", "createdAt", "updatedAt",
    ]

    private static let summary: [(String, Json)] = [
        ("id", Schema.id("pay")), ("object", ["type": "string", "const": "payment"]),
        ("version", Schema.integer(from: 1)),
        ("status", Schema.words(PaymentStatus.self)), ("mode", Schema.words(PaymentMode.self)),
        ("method", Schema.words(PaymentMethod.self)), ("amount", Schema.ref("Money")),
        ("amounts", Schema.ref("Amounts")), ("decline", Schema.ref("Decline")), ("fee", Schema.ref("Money")),
        ("commission", Schema.ref("Money")),
        ("disputes", Schema.list(Schema.ref("Dispute"))), ("receipts", Schema.list(Schema.ref("Receipt"))),
        ("reference", Schema.text()), ("customer", Schema.text()),
        ("account", Schema.ref("AccountRef")), ("obligations", Schema.list(Schema.ref("Obligation"))),
        ("createdAt", Schema.time), ("updatedAt", Schema.time),
    ]

    private static var whole: Json {
        let more: [(String, Json)] = [
            ("country", Schema.text()), ("description", Schema.text()),
            ("instrument", Schema.id("ins")), ("schedule", Schema.id("sch")),
            ("paymentLink", Schema.id(PaymentLinkKind.prefix)),
            (
                "adopted",
                Schema.object(
                    [("name", Schema.text()), ("registeredBy", Schema.id("pay"))],
                    required: ["name", "registeredBy"],
                    "A debit that the provider made by itself: its name there, and who registered its series."
                )
            ),
            ("metadata", ["type": "object", "additionalProperties": ["type": "string"]]),
            ("capturePlan", Schema.ref("CapturePlan")),
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
            ("errands", Schema.list(ValueSchemas.auxiliary)), ("savedInstruments", Schema.list(Schema.id("ins"))),
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

    private static var capturePlan: Json {
        let sums = ["authorized", "captured", "released", "underWay", "capturable"]
        return Schema.object(
            [("currency", Schema.ref("CurrencyCode"))] + sums.map { ($0, Schema.integer(from: 0, to: .max)) } + [
                ("refusal", Schema.text("The code that a capture would be refused with now.")),
                ("final", Schema.flag), ("partial", Schema.flag), ("multiple", Schema.flag),
                ("beyondHold", Schema.flag), ("until", Schema.time),
            ],
            required: ["currency"] + sums + ["final", "partial", "multiple", "beyondHold"],
            "Of a payment that is held first, in minor units: what can still be captured, and what its account allows."
        )
    }

    private static var unresolvedPage: Json {
        let item: Json = ["anyOf": [Schema.ref("PaymentSummary"), Schema.ref("TransferSummary")]]
        let openItems = Schema.list(Schema.ref("OpenMatter"))
        return Schema.page(item, and: [("matters", openItems)])
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
                ("answerBy", Schema.time),
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

    private static var nextAction: Json {
        Schema.object(
            [
                ("type", Schema.words(NextActionKind.self)), ("action", Schema.ref("PayerAction")),
                ("url", Schema.text("Signed and short-lived: give it to the payer's browser, never keep it.")),
                ("appParameters", Schema.text("Where an app's parameters are asked for.")), ("deadline", Schema.time),
                ("reason", Schema.text("Why nothing can be done any more, as in `handover_impossible`.")),
            ],
            required: ["type"]
        )
    }

    private static var appParameters: Json {
        Schema.object(
            [("provider", Schema.text()), ("parameters", Schema.free), ("deadline", Schema.time)],
            required: ["provider", "parameters"],
            "The exact object for the SDK, made for this moment."
        )
    }

    private static var receipt: Json {
        Schema.object(
            [
                ("providerId", Schema.text("The provider's id of the operation that it is about.")),
                ("url", Schema.text("Where the payer can read it.")), ("payee", Schema.text()),
                ("contract", Schema.text("The number under which the payee keeps it, or what it was for.")),
                ("paidAt", Schema.text("As the provider writes it: a civil time where it names no zone.")),
                ("authorizationCode", Schema.text()), ("retrievalReference", Schema.text()),
                ("acquirerReference", Schema.text()),
                ("claimed", Schema.flag),
            ],
            required: ["providerId"],
            "What the provider tells for people and their books; claimed: only an app says so."
        )
    }
}

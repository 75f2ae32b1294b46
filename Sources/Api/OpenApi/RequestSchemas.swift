import Kernel
import Payments

/// What commands look like.
enum RequestSchemas {
    static let all: [(String, Json)] =
        [
            ("CreatePayment", createPayment), ("CreateTransfer", createTransfer), ("Claim", claim), ("Part", part),
            ("Capture", capture), ("Refund", refund), ("Delivery", delivery),
            ("Empty", empty),
            ("DeviceString", deviceString), ("OpenDispute", openDispute), ("EndDispute", part), ("Verdict", verdict),
            ("AddEvidence", addEvidence), ("Proposal", proposal), ("Approval", approval),
            ("ConfigureAccount", configureAccount),
            ("SetRouting", setRouting),
        ] + InquirySchemas.requests + RouteSchemas.requests + RecurringSchemas.all

    private static var amount: Json { Schema.ref("PositiveMoney") }
    private static var reason: Json { Schema.text("Kept with the operation.", atMost: Limits.descriptionCharacters) }

    private static var createPayment: Json {
        Schema.closed(
            [
                ("mode", paymentModes), ("method", Schema.words(PaymentMethod.self)), ("amount", Schema.ref("Money")),
                ("schedule", Schema.id("sch", "The schedule that this payment activates.")),
            ] + shared,
            required: ["mode"],
            """
            Sale and authorize need an amount above zero, verify an amount of zero, tokenize none. Without expiresAt a \
            payment is open for a day.
            """
        )
    }

    /// A transfer has a resource of its own.
    private static var paymentModes: Json {
        [
            "type": "string",
            "enum": .array(PaymentMode.allCases.filter { $0 != .transfer }.map { .string($0.rawValue) }),
        ]
    }

    private static var createTransfer: Json {
        Schema.closed(
            [("method", Schema.words(PaymentMethod.self)), ("amount", amount)] + shared,
            required: ["amount"],
            """
            Moves money from the payer's card on to another card, for good. The recipient's card number is entered in the \
            app or kept by the provider; it never comes here. The method is sdk where none is named.
            """
        )
    }

    private static var shared: [(String, Json)] {
        [
            ("reference", Schema.text("The merchant's own number.", atMost: Limits.referenceBytes)),
            ("description", Schema.text("Shown to the payer.", atMost: Limits.descriptionCharacters)),
            ("customer", Schema.text("The payer as the merchant calls them.", atMost: Limits.identifierBytes)),
            ("instrument", Schema.id("ins", "A saved credential, for the method instrument.")),
            (
                "account",
                Schema.text("The account by its name; otherwise the routing picks one.", atMost: 64)
            ),
            ("provider", Schema.text("Narrows the routing.", atMost: Limits.identifierBytes)),
            ("country", Schema.pattern("^[A-Z]{2}$", "The payer's country, for the rules of routing.")),
            ("accountMode", Schema.words(AccountFacts.Mode.self)), ("recurring", Schema.ref("Recurring")),
            ("expiresAt", Schema.time), ("details", details), ("metadata", labels),
        ]
    }

    private static var details: Json {
        [
            "type": "object", "additionalProperties": true,
            "description": .string("By the schema of the provider: payer, items, addresses, presentation."),
        ]
    }

    private static var delivery: Json {
        Schema.closed(
            [("details", details)],
            required: [],
            "Where the account's provider takes such a request: that all which was sold is delivered. It moves no money."
        )
    }

    private static var labels: Json {
        [
            "type": "object", "maxProperties": .integer(Int64(Limits.metadataEntries)),
            "additionalProperties": [
                "type": "string", "maxLength": .integer(Int64(Limits.metadataValueBytes)),
            ],
            "propertyNames": ["minLength": 1, "maxLength": .integer(Int64(Limits.metadataNameBytes))],
            "description": "The merchant's labels, text to text.",
        ]
    }

    private static var claim: Json {
        [
            "type": "object", "additionalProperties": true,
            "description": "By the schema of the provider's SDK: what it said. A claim decides nothing.",
        ]
    }

    private static var part: Json {
        Schema.closed([("amount", amount), ("reason", reason)], "Without an amount: all that is left.")
    }

    private static var ownDetails: Json {
        [
            "type": "object", "additionalProperties": true,
            "description": "By the schema of the payment's provider, as the positions that are meant.",
        ]
    }

    private static var capture: Json {
        Schema.closed(
            [("amount", amount), ("details", ownDetails), ("reason", reason)],
            "Without an amount: all that is held."
        )
    }

    private static var refund: Json {
        Schema.closed(
            [
                ("amount", amount), ("capture", Schema.id("op", "Which capture; otherwise the first with room.")),
                ("details", ownDetails), ("reason", reason),
            ],
            "Without an amount: all that is left of the capture."
        )
    }

    private static var empty: Json { Schema.closed([]) }

    private static var deviceString: Json {
        Schema.closed(
            [
                (
                    "paramsForSignature",
                    Schema.text("What getParamsForSignature of the SDK gave.", atMost: Limits.deviceStringBytes)
                )
            ],
            required: ["paramsForSignature"]
        )
    }

    private static var openDispute: Json {
        Schema.closed(
            [("amount", amount), ("capture", Schema.id("op")), ("reason", reason)],
            required: ["amount"]
        )
    }

    private static var verdict: Json {
        Schema.closed(
            [
                ("is", Schema.words(VerdictWord.self)), ("operation", Schema.id("op")), ("amount", Schema.ref("Money")),
            ],
            required: ["is"],
            "succeeded names operation and amount, failed and sendAgain an operation, the others nothing."
        )
    }

    private static var addEvidence: Json {
        Schema.closed(
            [("evidence", Schema.text("What was found out beside the log.", atMost: Limits.evidenceBytes))],
            required: ["evidence"],
            "It stays with the payment and decides nothing; proposals that were made before are stale."
        )
    }

    private static var proposal: Json {
        Schema.closed(
            [
                ("verdict", Schema.ref("Verdict")),
                ("evidence", Schema.text("What the person has seen.", atMost: Limits.evidenceBytes)),
                ("seenVersion", seenVersion),
            ],
            required: ["verdict", "evidence", "seenVersion"]
        )
    }

    private static var approval: Json { Schema.closed([("seenVersion", seenVersion)], required: ["seenVersion"]) }

    private static var seenVersion: Json { Schema.integer(from: 1, to: Int64(Int32.max)) }

    private static var configureAccount: Json {
        Schema.closed(
            [
                ("name", Schema.pattern("^[a-z0-9-]{1,64}$")),
                ("provider", Schema.text(atMost: Limits.identifierBytes)),
                ("mode", Schema.words(AccountFacts.Mode.self)), ("settings", Schema.free),
                (
                    "secrets",
                    [
                        "type": "object", "additionalProperties": ["type": "string", "minLength": 1],
                        "description": "Sealed at once and never shown; left out, an account keeps those it has.",
                    ]
                ),
                ("currencies", Schema.list(Schema.ref("CurrencyCode"))),
            ],
            required: ["name", "provider", "mode"],
            "Makes the account of this name, or replaces its configuration."
        )
    }

    private static var setRouting: Json {
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
        )
    }
}

import Kernel
import Payments

/// Schemas of bills.
enum BillSchemas {
    static let all: [(String, Json)] = [
        ("BillLine", line), ("BillBatch", batch), ("BillBatchPage", page(Schema.ref("BillBatch"))), ("BillRow", row),
        ("BillPage", page(Schema.ref("BillRow"))), ("Bill", bill), ("BillStanding", standing), ("BillTally", tally),
        ("BillAction", action),
        ("BillAppParameters", Schema.object([("parameters", Schema.free)], required: ["parameters"])),
        (
            "SavedBillCredentials",
            Schema.object(
                [
                    ("id", Schema.id("ins")),
                    ("object", ["type": "string", "enum": ["bill_card", "bill_credentials"]]),
                    ("masked", Schema.text()), ("account", Schema.text("The account's name.")),
                ],
                required: ["id", "object", "masked", "account"]
            )
        ),
        ("BillCard", Schema.object([("usable", Schema.flag), ("masked", Schema.text())], required: ["usable"])),
    ]

    private static let action = Schema.object(
        [
            ("type", Schema.words(NextActionKind.self)), ("bill", Schema.text()),
            ("appParameters", Schema.text("The path where the app's parameters are.")),
            ("action", ["type": "string", "const": "threeDSecure"]), ("parameters", Schema.free),
            ("reason", Schema.text("Why nothing can be done any more, as in `handover_impossible`.")),
        ],
        required: ["type"]
    )

    private static let line = Schema.closed(
        [("id", Schema.text(atMost: BillPage.idBytes)), ("amount", Schema.ref("PositiveMoney"))],
        required: ["id", "amount"]
    )

    private static let tally = Schema.object(
        [
            ("counts", counts), ("charged", Schema.ref("Money")), ("commission", Schema.ref("Money")),
            ("claimed", Schema.ref("Money")), ("differing", Schema.integer()),
        ],
        required: ["counts", "charged", "claimed", "commission", "differing"]
    )

    /// How many bills there are of each outcome.
    private static let counts: Json = ["type": "object", "additionalProperties": Schema.integer()]

    private static let batch = Schema.object(
        [
            ("account", Schema.ref("AccountRef")), ("chunks", Schema.integer()), ("createdAt", Schema.time),
            ("credentials", Schema.id("ins")), ("currency", Schema.text()), ("customer", Schema.text()),
            ("endedAt", Schema.time), ("instrument", Schema.id("ins")), ("mode", Schema.text()),
            ("priceRefused", Schema.text()), ("reference", Schema.text()), ("submittedAt", Schema.time),
            ("id", Schema.id("bat")), ("object", Schema.text()), ("status", Schema.words(BillBatch.Status.self)),
            ("version", Schema.integer()), ("bills", Schema.integer()), ("pages", Schema.integer()),
            ("total", Schema.ref("Money")), ("tally", Schema.ref("BillTally")), ("digest", Schema.text()),
            ("trouble", Schema.words(BillTrouble.self)), ("requiresAction", Schema.text()),
            ("expectedCommission", Schema.ref("Money")),
        ],
        required: ["id", "object"]
    )

    private static let standing = Schema.object(
        [
            ("id", Schema.text()), ("outcome", Schema.words(BillOutcome.self)),
            ("source", Schema.words(BillStanding.Source.self)), ("paid", Schema.ref("Money")),
            ("claimed", Schema.words(BillOutcome.self)),
            ("commission", Schema.ref("Money")), ("amountDiffers", Schema.flag), ("errorCode", Schema.text()),
            ("errorText", Schema.text()), ("receiptUrl", Schema.text()), ("payeeName", Schema.text()),
            ("contractNumber", Schema.text()), ("authCode", Schema.text()), ("payDate", Schema.text()),
        ],
        required: ["id", "outcome", "source"]
    )

    private static let row = Schema.object(
        [
            ("id", Schema.text()), ("ordinal", Schema.integer(from: 1)), ("amount", Schema.ref("Money")),
            ("outcome", Schema.text()), ("standing", Schema.ref("BillStanding")),
        ],
        required: ["id", "ordinal", "amount", "outcome"]
    )

    private static let bill = Schema.object(
        [
            ("id", Schema.text()), ("object", Schema.text()), ("version", Schema.integer(from: 1)),
            ("outcome", Schema.text()), ("standing", Schema.ref("BillStanding")),
            ("batch", Schema.id("bat")), ("ordinal", Schema.integer(from: 1)), ("amount", Schema.ref("Money")),
            ("resolutions", Schema.list(resolution)),
        ],
        required: ["object", "version", "outcome"]
    )

    private static let resolution = Schema.object(
        [
            ("id", Schema.uuid), ("approved", Schema.flag), ("by", Schema.text()), ("evidence", Schema.text()),
            ("outcome", Schema.words(BillOutcome.self)), ("paid", Schema.ref("Money")),
            ("seenVersion", Schema.integer(from: 1)),
        ],
        required: ["id", "approved", "by", "evidence", "outcome", "seenVersion"]
    )

    private static func page(_ items: Json) -> Json {
        Schema.object([("items", Schema.list(items)), ("next", Schema.text())], required: ["items"])
    }
}

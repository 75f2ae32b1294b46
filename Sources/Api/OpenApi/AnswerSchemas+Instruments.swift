import Kernel
import Payments

/// What saved instruments and receipts look like.
extension AnswerSchemas {
    static var receipt: Json {
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

    static var removal: Json {
        Schema.object(
            [
                ("by", ["type": "string", "enum": ["merchant", "payer", "provider"]]),
                (
                    "atProvider",
                    [
                        "type": "string", "enum": ["asked", "removed", "refused", "unknown", "notSupported"],
                        "description": "notSupported: the provider takes no such request, so it is removed here alone.",
                    ]
                ),
                ("code", Schema.text("As the provider words it.")),
            ],
            required: ["atProvider"]
        )
    }

    /// What the payer allowed for later charges.
    static var mandate: Json {
        Schema.object(
            [
                ("endsAt", Schema.time), ("days", Schema.integer(from: 1)),
                ("chargedAt", Schema.time),
            ],
            required: ["days"]
        )
    }

    /// What the provider said when it was asked whether it keeps the credential.
    static var listing: Json {
        Schema.object(
            [
                ("is", ["type": "string", "enum": ["asked", "listed", "notListed", "unknown"]]), ("at", Schema.time),
            ],
            required: ["is"]
        )
    }

    static var instrument: Json {
        Schema.object(
            [
                ("id", Schema.id("ins")), ("object", ["type": "string", "const": "instrument"]),
                ("version", Schema.integer(from: 1)), ("status", Schema.words(InstrumentStatus.self)),
                ("usable", Schema.flag), ("scheme", Schema.text()), ("masked", Schema.text()),
                ("expiryYear", Schema.integer()), ("expiryMonth", Schema.integer(from: 1, to: 12)),
                ("customer", Schema.text()), ("payment", Schema.id("pay")), ("account", Schema.ref("AccountRef")),
                ("savedAt", Schema.time), ("uses", Schema.integer()), ("lastUsedAt", Schema.time),
                (
                    "ended",
                    Schema.object(
                        [
                            ("at", Schema.time), ("because", ["type": "string", "enum": ["lastMonth", "invalid"]]),
                            ("code", Schema.text("As the provider words it.")),
                        ],
                        required: ["because"]
                    )
                ),
                ("removedAt", Schema.time), ("removal", removal), ("mandate", mandate), ("listing", listing),
            ],
            required: ["id", "object", "status", "usable"]
        )
    }

    /// What became of a command of the SQL entrance.
    static var inboxOutcome: Json {
        let states: Json = ["pending", "admitted", "refused", "rejected", "quarantined", "done", "unknown"]
        return Schema.object(
            [
                ("state", ["type": "string", "enum": states]), ("stream", Schema.uuid), ("version", Schema.integer()),
                ("code", Schema.text()), ("detail", Schema.text()),
            ],
            required: ["state"]
        )
    }
}

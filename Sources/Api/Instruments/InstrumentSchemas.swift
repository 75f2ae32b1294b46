import Kernel
import Payments

/// Schemas of saved instruments.
enum InstrumentSchemas {
    static let all: [(String, Json)] = [
        ("Instrument", instrument), ("InstrumentPage", Schema.page(Schema.ref("Instrument"))),
    ]

    private static var removal: Json {
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

    /// The payer's mandate for later charges.
    private static var mandate: Json {
        Schema.object(
            [
                ("endsAt", Schema.time), ("days", Schema.integer(from: 1)),
                ("chargedAt", Schema.time),
            ],
            required: ["days"]
        )
    }

    /// The provider's answer when it was asked whether it keeps the credential.
    private static var listing: Json {
        Schema.object(
            [
                ("is", ["type": "string", "enum": ["asked", "listed", "notListed", "unknown"]]), ("at", Schema.time),
            ],
            required: ["is"]
        )
    }

    private static var instrument: Json {
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
}

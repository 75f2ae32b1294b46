import Kernel
import Projections
import Settlement

/// Schemas of settlement files, exceptions and mappings.
enum SettlementSchemas {
    static let all: [(String, Json)] = [
        ("SettlementFile", file), ("SettlementFilePage", Schema.page(Schema.ref("SettlementFile"))),
        ("SettlementException", exception),
        ("SettlementExceptionPage", Schema.page(Schema.ref("SettlementException"))), ("SettlementMapping", kept),
    ]

    private static var file: Json {
        let sum = Schema.object(
            [
                ("kind", Schema.text("A kind, or unknown.")), ("currency", Schema.ref("CurrencyCode")),
                ("lines", Schema.integer()), ("amount", Schema.integer()), ("fees", ["type": "integer"]),
            ],
            required: ["kind", "currency", "lines", "amount", "fees"]
        )
        return Schema.object(
            [
                ("object", ["const": "settlement_file"]), ("id", Schema.id(SettlementFileKind.prefix)),
                ("account", Schema.text()), ("provider", Schema.text()), ("mode", Schema.text()),
                ("digest", Schema.pattern("^[0-9a-f]{64}$", "SHA-256 of its bytes as they came.")),
                ("mapping", Schema.integer(from: 1)), ("from", Schema.time), ("before", Schema.time),
                ("lines", Schema.integer()), ("matched", Schema.integer()),
                ("repeated", Schema.integer()), ("exceptions", Schema.integer()),
                ("totals", Schema.list(sum)), ("corrects", Schema.id(SettlementFileKind.prefix)),
                ("supersededBy", Schema.id(SettlementFileKind.prefix)),
                ("position", Schema.integer()), ("importedAt", Schema.time), ("importedBy", Schema.text()),
            ],
            required: [
                "object", "id", "account", "digest", "mapping", "from", "before", "lines", "matched", "repeated",
                "exceptions", "totals", "position", "importedAt",
            ],
            """
            matched and exceptions are lines with a movement and open exceptions about lines, as they are now. supersededBy is the newest file \
            that stands in its place.
            """
        )
    }

    private static var exception: Json {
        let step = Schema.object(
            [
                ("step", Schema.text()), ("number", Schema.integer()), ("at", Schema.time), ("by", Schema.text()),
                ("detail", Schema.free),
            ],
            required: ["step", "at", "by"]
        )
        return Schema.object(
            [
                ("object", ["const": "settlement_exception"]), ("id", Schema.id(SettlementExceptionKind.prefix)),
                ("class", Schema.words(ExceptionClass.self)), ("account", Schema.text()), ("provider", Schema.text()),
                ("mode", Schema.text()),
                (
                    "amount",
                    Schema.object(
                        [("value", ["type": "integer"]), ("currency", Schema.ref("CurrencyCode"))],
                        required: ["value", "currency"],
                        "What our books have more than the file, in minor units."
                    )
                ), ("at", Schema.time), ("since", Schema.time), ("owner", Schema.text()), ("outcome", Schema.text()),
                ("file", Schema.id(SettlementFileKind.prefix)), ("line", Schema.integer()), ("kind", Schema.text()),
                ("word", Schema.text("The file's, where the mapping does not know it.")),
                ("providerReference", Schema.text()), ("reference", Schema.text()), ("payment", Schema.text()),
                ("position", Schema.integer()), ("number", Schema.integer()),
                ("proposal", Schema.integer(from: 1)), ("suggestion", Schema.text()),
                ("history", Schema.list(step)), ("candidates", Schema.list(Schema.free)),
            ],
            required: ["object", "id", "class", "account", "amount", "at", "since"],
            "history and candidates, what it may be linked with, come with the exception alone."
        )
    }

    private static var kept: Json {
        Schema.object(
            [
                ("object", ["const": "settlement_mapping"]), ("account", Schema.text()),
                ("version", Schema.integer(from: 0)), ("mapping", mapping),
            ],
            required: ["object", "account", "version", "mapping"],
            "Version 0 comes with the provider."
        )
    }

    static var mapping: Json {
        let days = Schema.integer(from: 0, to: Int64(SettlementMapping.Limits.days))
        let name = Schema.text(atMost: SettlementLimits.columnNameBytes)
        return Schema.closed(
            [
                ("name", Schema.text(atMost: SettlementMapping.Limits.nameBytes)),
                ("format", Schema.words(SettlementMapping.Format.self)),
                ("encoding", Schema.words(SettlementMapping.Encoding.self)), ("delimiter", Schema.text()),
                ("decimal", Schema.text()), ("grouping", Schema.text()),
                ("amounts", Schema.words(SettlementMapping.Units.self)),
                ("skipLines", Schema.integer(from: 0, to: Int64(SettlementMapping.Limits.skippedLines))),
                ("columns", Schema.closed(SettlementMapping.Column.allCases.map { ($0.rawValue, name) })),
                ("kinds", Schema.free), ("kind", Schema.words(SettlementKind.self)),
                ("currency", Schema.ref("CurrencyCode")), ("currencies", Schema.free),
                (
                    "only",
                    Schema.closed(
                        [("column", name), ("words", Schema.list(Schema.text()))],
                        required: ["column", "words"]
                    )
                ), ("dates", Schema.text()), ("zone", Schema.text(atMost: 64)),
                ("total", Schema.words(SettlementMapping.Total.self)), ("tariff", Schema.free), ("windowDays", days),
                ("byAmount", Schema.words(SettlementMapping.ByAmount.self)), ("delayDays", days),
                ("rounding", Schema.integer(from: 0, to: Int64(SettlementMapping.Limits.rounding))),
            ],
            required: ["name", "format", "columns", "zone"]
        )
    }
}

import Kernel
import ProviderKit

/// Schemas of answers to questions to a provider.
enum InquirySchemas {
    static let all: [(String, Json)] = [
        ("ConnectionTest", connectionTest), ("ClientSession", clientSession), ("ProductList", products(items: true)),
        ("Product", products(items: false)), ("FieldCheck", fieldCheck), ("CardPrefix", cardPrefix),
    ]

    private static func object(_ name: String) -> (String, Json) {
        ("object", ["type": "string", "const": .string(name)])
    }

    private static var connectionTest: Json {
        Schema.object(
            [
                object("connectionTest"), ("account", Schema.uuid), ("result", Schema.words(ConnectionWord.self)),
                ("code", Schema.text("The provider's.")), ("detail", Schema.text()), ("testedAt", Schema.time),
            ],
            required: ["object", "account", "result", "testedAt"]
        )
    }

    private static var clientSession: Json {
        Schema.object(
            [
                object("clientSession"), ("account", Schema.uuid), ("provider", Schema.text()),
                ("customer", Schema.text()),
                ("session", Schema.free), ("presentation", Schema.free),
                (
                    "removedInstruments",
                    Schema.list(Schema.id("ins", "The provider does not know it any more: no payment may use it."))
                ),
                ("expiresAt", Schema.time),
            ],
            required: ["object", "account", "provider", "customer", "session", "removedInstruments", "expiresAt"],
            "Bearer material for one payer's app: give it to that app, never keep it."
        )
    }

    private static func products(items: Bool) -> Json {
        Schema.object(
            [
                object(items ? "productList" : "product"),
                items ? ("items", Schema.list(Schema.free)) : ("product", Schema.free), ("fetchedAt", Schema.time),
                ("stale", Schema.flag),
            ],
            required: ["object", items ? "items" : "product", "fetchedAt", "stale"],
            "As the provider lists it; stale where it stands in for an answer that did not come."
        )
    }

    private static var fieldCheck: Json {
        let error = Schema.object(
            [
                ("field", Schema.text()), ("rule", Schema.text()), ("parameters", Schema.free),
                ("labelKey", Schema.text("Names the text that tells the payer.")),
            ],
            required: ["field", "rule", "parameters", "labelKey"]
        )
        return Schema.object(
            [
                object("fieldCheck"), ("valid", Schema.flag), ("errors", Schema.list(error)),
                (
                    "described",
                    [
                        "type": "object", "additionalProperties": Schema.list(Schema.text()),
                        "description": "Rules that the payer's device runs alone, by field.",
                    ]
                ),
            ],
            required: ["object", "valid", "errors", "described"]
        )
    }

    private static var cardPrefix: Json {
        let brand = Schema.object(
            [("product", Schema.integer()), ("allowed", Schema.flag)],
            required: ["product", "allowed"]
        )
        return Schema.object(
            [
                object("cardPrefix"), ("status", Schema.words(CardPrefixReply.Status.self)),
                ("product", Schema.integer()), ("country", Schema.text()), ("cardType", Schema.text()),
                ("brands", Schema.list(brand)),
                ("mustChooseBrand", Schema.flag),
            ],
            required: ["object", "status", "mustChooseBrand"]
        )
    }
}

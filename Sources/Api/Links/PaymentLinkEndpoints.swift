import Http
import Kernel
import Payments

/// Payment links: pages of ours on which payers choose how to pay.
enum PaymentLinkEndpoints {
    private static let list = "/v1/payment-links"
    private static let one = list + "/{link}"

    static let all: [Endpoint] = [
        .command("createPaymentLink", list, .json(.paymentLink), by: Api.createPaymentLink)
            .documented(
                .links,
                "Make a page on which payers choose how to pay",
                "PaymentLink",
                [200, 201, 202]
            )
            .atOnce
            .linked(.below(one, ["link": "$response.body#/id"])),
        .reading("listPaymentLinks", list, query: Endpoint.Parameter.page, by: Api.listPaymentLinks)
            .documented(.links, "List payment links, newest first", "PaymentLinkPage"),
        .reading("getPaymentLink", one, by: Api.getPaymentLink)
            .documented(.links, "Read a payment link and its payments", "PaymentLink", problems: [404]),
        .command("deactivatePaymentLink", one + "/deactivate", .optional(.empty), by: Api.deactivatePaymentLink)
            .documented(.links, "Begin nothing more by a payment link", "PaymentLink", problems: [404, 409])
            .atOnce,
    ]
}

/// Schemas of payment links.
enum PaymentLinkSchemas {
    static let all: [(String, Json)] = [
        ("PaymentLink", link), ("PaymentLinkPage", Schema.page(Schema.ref("PaymentLink"))),
    ]

    static var modes: Json {
        ["type": "string", "enum": .array(PaymentLinkTerms.modes.map { .string($0.rawValue) })]
    }

    static var methods: Json {
        [
            "type": "array", "maxItems": .integer(Int64(PayerMethod.allCases.count)),
            "items": Schema.words(PayerMethod.self),
        ]
    }

    private static var link: Json {
        Schema.object(
            [
                ("id", Schema.id(PaymentLinkKind.prefix)), ("object", ["type": "string", "const": "paymentLink"]),
                ("version", Schema.integer(from: 1)), ("status", Schema.words(PaymentLinkStanding.Status.self)),
                ("url", Schema.text("The page, for whoever shall pay.")), ("amount", Schema.ref("Money")),
                ("mode", modes), ("uses", Schema.words(PaymentLinkTerms.Uses.self)), ("payee", Schema.text()),
                ("description", Schema.text()), ("reference", Schema.text()), ("customer", Schema.text()),
                ("country", Schema.text()), ("accountMode", Schema.words(AccountFacts.Mode.self)),
                ("methods", Schema.list(Schema.words(PayerMethod.self))), ("returnUrl", Schema.text()),
                ("language", Schema.words(PageLanguage.self)), ("expiresAt", Schema.time),
                ("metadata", ["type": "object", "additionalProperties": ["type": "string"]]),
                ("createdAt", Schema.time), ("deactivatedAt", Schema.time),
                ("payments", Schema.list(paid)),
            ],
            required: ["id", "object"],
            """
            One that is not decided yet is known by its id alone, and so is one in a list that can't be read. The payments of a link of many uses are found by their \
            reference, and each names its link.
            """
        )
    }

    private static var paid: Json {
        Schema.object(
            [("id", Schema.id("pay")), ("status", Schema.words(PaymentStatus.self))],
            required: ["id", "status"],
            "A payment of a link of one use, the oldest first."
        )
    }
}

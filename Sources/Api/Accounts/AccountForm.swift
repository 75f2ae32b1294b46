import Http
import Kernel
import Payments

/// `POST /v1/accounts`.
struct AccountForm {
    let name: String
    let provider: String
    let mode: AccountFacts.Mode
    let settings: Json
    let secrets: [String: Secret]?
    let currencies: [Currency]?

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        name = try form.needed("name", bytes: AccountConfiguration.nameCharacters)
        provider = try form.needed("provider", bytes: Limits.identifierBytes)
        guard let mode: AccountFacts.Mode = try form.word("mode") else { throw form.missing("mode") }
        self.mode = mode
        settings = form.value("settings") ?? [:]
        try FreeForm.check(settings, at: "settings", lines: true)
        secrets = try Self.secrets(form.value("secrets"))
        currencies = try Self.currencies(form.value("currencies"))
        try form.end()
    }

    private static func secrets(_ json: Json?) throws(Problem) -> [String: Secret]? {
        guard let json else { return nil }
        guard let object = json.members else { throw Problem(.typeWrong, "An object is needed here.", path: "secrets") }
        var secrets: [String: Secret] = [:]
        for member in object.members {
            let path = "secrets.\(member.name)"
            guard let text = member.value.text else { throw Problem(.typeWrong, "A text is needed here.", path: path) }
            guard !text.isEmpty else { throw Problem(.textEmpty, "The secret is empty.", path: path) }
            secrets[member.name] = Secret(text)
        }
        return secrets
    }

    private static func currencies(_ json: Json?) throws(Problem) -> [Currency]? {
        guard let json else { return nil }
        guard let items = json.items else { throw Problem(.typeWrong, "A list is needed here.", path: "currencies") }
        var currencies: [Currency] = []
        for (index, item) in items.enumerated() {
            let path = "currencies.\(index)"
            guard let text = item.text else { throw Problem(.typeWrong, "A text is needed here.", path: path) }
            guard let currency = Currency(text) else {
                throw Problem(.currencyUnknown, "This is no currency of ISO 4217.", path: path)
            }
            currencies.append(currency)
        }
        return currencies
    }
}

extension AccountForm {
    static let schema = FormSchema(
        "ConfigureAccount",
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
        ),
        // An account at the sandbox, as `paystream sandbox` serves it.
        example: [
            "name": "ecommpay-eur", "provider": "ecommpay", "mode": "test",
            "settings": [
                "projectId": 42, "currencies": ["EUR"], "gateUrl": "http://127.0.0.1:8081",
                "paymentPageUrl": "http://127.0.0.1:8081/payment",
            ],
            "secrets": ["secretKey": "sandbox-secret"],
        ]
    )
}

/// Schemas of accounts.
enum AccountSchemas {
    static let all: [(String, Json)] = [
        ("Account", account), ("AccountPage", Schema.page(Schema.ref("Account"))),
    ]

    private static var account: Json {
        Schema.object(
            [
                ("id", Schema.uuid), ("object", ["type": "string", "const": "account"]),
                ("version", Schema.integer(from: 1)), ("name", Schema.text()), ("provider", Schema.text()),
                ("mode", Schema.words(AccountFacts.Mode.self)), ("settings", Schema.free),
                ("secrets", Schema.list(Schema.text("The name of a secret that the account has."))),
                ("currencies", Schema.list(Schema.ref("CurrencyCode"))), ("open", Schema.flag),
                ("notificationUrl", Schema.text("Where the provider sends this account's notifications.")),
            ],
            required: ["id", "object", "name", "provider", "mode", "settings", "open", "notificationUrl"]
        )
    }
}

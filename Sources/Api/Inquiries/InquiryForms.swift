import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

/// `POST …/sessions`.
struct SessionForm {
    static let mostInstruments = 10

    let customer: String
    let instruments: [InstrumentId]
    let presentation: Json

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        customer = try form.needed("customer", bytes: Limits.identifierBytes)
        let listed = form.value("instruments")
        guard let items = (listed ?? []).items else { throw form.wrongType("instruments", "A list") }
        guard items.count <= Self.mostInstruments else {
            throw Problem(.tooMany, "At most \(Self.mostInstruments) instruments.", path: "instruments")
        }
        var ids: [InstrumentId] = []
        for (index, item) in items.enumerated() {
            guard let id = item.text.flatMap({ InstrumentId($0) }) else {
                throw Problem(.identifierMalformed, "An id is written as in ins_….", path: "instruments.\(index)")
            }
            if !ids.contains(id) { ids.append(id) }
        }
        instruments = ids
        presentation = form.value("presentation") ?? [:]
        try FreeForm.check(presentation, at: "presentation")
        try form.end()
    }
}

/// A payment that might be, in a query or a body.
struct ProductQuery {
    let setting: PaymentSetting
    /// Whose saved credentials may be listed.
    let customer: String?

    /// `currency`, `amount`, `country`, `recurring`, `language`, `operation`, `customer`.
    init(_ call: Call) throws(Problem) {
        var form = try QueryForm(call.query)
        let code = try form.text("currency")
        let minor = try form.integer("amount", in: 0...Int(Int32.max) * 1000)
        let country = try form.text("country")
        let isRecurring = try form.flag("recurring") ?? false
        let language = try form.text("language")
        let operation = try form.text("operation")
        customer = try form.text("customer")
        try form.end()
        guard let code else { throw Problem(.queryInvalid, "A currency is needed.", path: "currency") }
        guard let currency = Currency(code) else {
            throw Problem(.queryInvalid, "This is no currency of ISO 4217.", path: "currency")
        }
        guard let minor else { throw Problem(.queryInvalid, "An amount in minor units is needed.", path: "amount") }
        guard let country, Self.isCountry(country) else {
            throw Problem(.queryInvalid, "A country of two capital letters is needed.", path: "country")
        }
        setting = PaymentSetting(
            amount: Money(Int64(minor), currency),
            country: country,
            isRecurring: isRecurring,
            language: language,
            operationType: operation
        )
    }

    /// `language`, `operation` and what `PaymentSetting` takes.
    init(_ form: inout Form) throws(Problem) {
        let language = try form.text("language", bytes: Limits.identifierBytes)
        let operation = try form.text("operation", bytes: Limits.identifierBytes)
        setting = try PaymentSetting(&form, language: language, operation: operation)
        customer = nil
    }

    fileprivate static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

/// `POST …/products/{product}/checks`.
struct FieldsForm {
    static let mostFields = 50
    static let valueBytes = 1024

    let query: ProductQuery
    let values: [String: String]

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        query = try ProductQuery(&form)
        guard let given = form.value("values") else { throw form.missing("values") }
        guard let members = given.members?.members else { throw form.wrongType("values", "An object") }
        guard members.count <= Self.mostFields else {
            throw Problem(.tooMany, "At most \(Self.mostFields) fields.", path: "values")
        }
        var values: [String: String] = [:]
        for member in members {
            let place = "values.\(member.name)"
            guard let text = member.value.text else { throw Problem(.typeWrong, "A text is needed here.", path: place) }
            guard text.utf8.count <= Self.valueBytes else {
                throw Problem(.textTooLong, "At most \(Self.valueBytes) bytes of UTF-8.", path: place)
            }
            values[member.name] = text
        }
        self.values = values
        try form.end()
    }
}

/// `POST …/card-prefixes`.
struct CardPrefixForm {
    private static let digitBytes = 19

    /// Never printed.
    let digits: Secret
    let setting: PaymentSetting

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        digits = Secret(try form.needed("digits", bytes: Self.digitBytes))
        setting = try PaymentSetting(&form)
        try form.end()
    }
}

extension PaymentSetting {
    /// `amount`, `country`, `recurring`.
    fileprivate init(_ form: inout Form, language: String? = nil, operation: String? = nil) throws(Problem) {
        guard let amount = try form.money("amount") else { throw form.missing("amount") }
        let country = try form.needed("country", bytes: 2)
        guard ProductQuery.isCountry(country) else {
            throw Problem(.wordUnknown, "A country is two capital letters.", path: form.path(of: "country"))
        }
        self.init(
            amount: amount,
            country: country,
            isRecurring: try form.flag("recurring") ?? false,
            language: language,
            operationType: operation
        )
    }
}

extension Form {
    mutating func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.flag else { throw wrongType(name, "true or false") }
        return flag
    }
}

extension SessionForm {
    static let schema = FormSchema(
        "OpenSession",
        Schema.closed(
            [
                ("customer", Schema.text("The one payer whom the session is for.", atMost: Limits.identifierBytes)),
                (
                    "instruments",
                    [
                        "type": "array", "maxItems": .integer(Int64(SessionForm.mostInstruments)),
                        "items": Schema.id("ins", "A saved credential of this payer at this account."),
                    ]
                ),
                ("presentation", Schema.free),
            ],
            required: ["customer"]
        ),
        example: ["customer": "customer-77", "presentation": ["productGrouping": true]]
    )
}

extension FieldsForm {
    static let schema = FormSchema(
        "CheckFields",
        Schema.closed(
            PaymentSetting.members + shown + [
                (
                    "values",
                    [
                        "type": "object", "maxProperties": .integer(Int64(FieldsForm.mostFields)),
                        "additionalProperties": [
                            "type": "string", "maxLength": .integer(Int64(FieldsForm.valueBytes)),
                        ],
                        "description":
                            "What the payer entered, by the ids of fields; never card number, expiry or CVV.",
                    ]
                )
            ],
            required: ["amount", "country", "values"]
        ),
        example: [
            "amount": ["value": 1999, "currency": "EUR"], "country": "BE", "values": ["cardholderName": "Ann Example"],
        ]
    )

    private static var shown: [(String, Json)] {
        [
            ("language", Schema.text("A BCP 47 tag.", atMost: Limits.identifierBytes)),
            ("operation", Schema.text("The provider's word.", atMost: Limits.identifierBytes)),
        ]
    }
}

extension CardPrefixForm {
    static let schema = FormSchema(
        "CardPrefixQuestion",
        Schema.closed(
            PaymentSetting.members + [
                ("digits", Schema.pattern("^[0-9]{1,8}$", "A card's first digits; more than eight are refused."))
            ],
            required: ["amount", "country", "digits"]
        ),
        example: [
            "amount": ["value": 1999, "currency": "EUR"], "country": "BE", "digits": "45673500",
        ]
    )
}

extension PaymentSetting {
    fileprivate static var members: [(String, Json)] {
        [
            ("amount", Schema.ref("Money")), ("country", Schema.pattern("^[A-Z]{2}$")), ("recurring", Schema.flag),
        ]
    }
}

extension ProductQuery {
    static let parameters: [Endpoint.Parameter] = [
        .init("currency", Schema.ref("CurrencyCode"), isNeeded: true),
        .init("amount", Schema.integer(), isNeeded: true),
        .init("country", Schema.pattern("^[A-Z]{2}$"), isNeeded: true), .init("recurring", Schema.flag),
        .init("language", Schema.text("A BCP 47 tag.", atMost: Limits.identifierBytes)),
        .init("operation", Schema.text("The provider's word.", atMost: Limits.identifierBytes)),
        .init("customer", Schema.text("Whose saved credentials may be listed.", atMost: Limits.identifierBytes)),
    ]
}

import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Schedules

/// `POST /v1/payments` or `POST /v1/transfers`, read and checked as far as no account is known yet.
struct CreatePaymentForm {
    /// As its client made it.
    let id: PaymentId?
    let mode: PaymentMode
    let method: PaymentMethod
    let amount: Money?
    let reference: String?
    let description: String?
    let customer: String?
    let instrument: InstrumentId?
    let account: String?
    let provider: String?
    let country: String?
    let accountMode: AccountFacts.Mode?
    let recurring: RecurringTerms?
    let expiresAt: Timestamp?
    let details: Json
    let metadata: Json
    /// The schedule that this payment activates.
    let schedule: ScheduleId?

    /// How long a payment is open where the client names no end.
    static let standardLifetime = Duration.seconds(86_400)

    init(_ body: Json, _ kind: StreamKind) throws(Problem) {
        var form = try Form(body)
        id = try Self.id(&form, kind)
        mode = try Self.mode(&form, kind)
        method = try form.word("method") ?? (mode == .transfer ? .sdk : .hosted)
        amount = try Self.amount(&form, mode)
        reference = try form.text("reference", bytes: Limits.referenceBytes)
        description = try form.text("description", characters: Limits.descriptionCharacters)
        customer = try form.text("customer", bytes: Limits.identifierBytes)
        instrument = try form.id("instrument")
        account = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        provider = try form.text("provider", bytes: Limits.identifierBytes)
        country = try form.country("country")
        accountMode = try form.word("accountMode")
        recurring = try Self.recurring(form.value("recurring"))
        expiresAt = try form.time("expiresAt")
        details = form.value("details") ?? [:]
        try FreeForm.check(details, at: "details")
        metadata = try FreeForm.labels(form.value("metadata"), at: "metadata")
        schedule = kind == .payment ? try form.id("schedule") : nil
        try form.end()
        if method == .instrument, instrument == nil {
            throw Problem(.instrumentMissing, "This method needs a saved instrument.", path: "instrument")
        }
    }

    private static func id(_ form: inout Form, _ kind: StreamKind) throws(Problem) -> PaymentId? {
        guard kind == .transfer else { return try form.madeId() }
        let id: TransferId? = try form.madeId()
        return id.map { PaymentId($0.uuid) }
    }

    /// A transfer's mode goes without saying, and no payment has it.
    private static func mode(_ form: inout Form, _ kind: StreamKind) throws(Problem) -> PaymentMode {
        guard kind != .transfer else { return .transfer }
        guard let mode: PaymentMode = try form.word("mode") else { throw form.missing("mode") }
        guard mode != .transfer else {
            throw Problem(.wordUnknown, "A transfer is created at /v1/transfers.", path: form.path(of: "mode"))
        }
        return mode
    }

    private static func recurring(_ json: Json?) throws(Problem) -> RecurringTerms? {
        guard let json else { return nil }
        return try RecurringTerms(form: json)
    }

    private static func amount(_ form: inout Form, _ mode: PaymentMode) throws(Problem) -> Money? {
        let amount = try form.money("amount")
        do throws(Rejection) { try mode.check(amount, at: form.path(of: "amount"), value: "amount.value") } catch {
            throw Problem(error)
        }
        return amount
    }

    /// The question to the rules for this payment.
    func question(_ id: PaymentId) -> RouteQuestion {
        RouteQuestion(
            payment: id,
            mode: mode,
            method: method,
            amount: amount,
            country: country,
            customer: customer,
            provider: provider,
            accountMode: accountMode
        )
    }

    func terms(details: Json, linked: LinkedPayment?, now: Timestamp) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: amount,
            reference: reference,
            description: description,
            customer: customer,
            instrument: instrument,
            expiresAt: linked?.expiresAt ?? expiresAt ?? now.adding(Self.standardLifetime),
            details: details,
            metadata: metadata,
            recurring: recurring,
            occurrence: schedule.map { OccurrenceName(schedule: $0.uuid, ordinal: 0) },
            country: country,
            paymentLink: linked?.link,
            pageLanguage: linked?.language
        )
    }
}

extension Money {
    func checkPositive(at path: String) throws(Problem) {
        guard minor > 0 else { throw Problem(.amountNotPositive, "The amount must be more than zero.", path: path) }
    }
}

/// Schemas of a new payment and a new transfer.
extension CreatePaymentForm {
    static let payment = FormSchema(
        "CreatePayment",
        Schema.closed(
            [
                ("id", Schema.madeId("pay")), ("mode", modes), ("method", Schema.words(PaymentMethod.self)),
                ("amount", Schema.ref("Money")),
                ("schedule", Schema.id("sch", "The schedule that this payment activates.")),
            ] + shared,
            required: ["mode"],
            """
            Sale and authorize need an amount above zero, verify an amount of zero, tokenize none. Without expiresAt a \
            payment is open for a day.
            """
        ),
        example: [
            "mode": "sale", "method": "hosted", "amount": ["value": 1999, "currency": "EUR"],
            "reference": "order-1042", "description": "Two tickets", "customer": "customer-77",
            "details": ["payer": ["email": "ann@example.com"], "language": "en"], "metadata": ["channel": "web"],
        ]
    )

    static let transfer = FormSchema(
        "CreateTransfer",
        Schema.closed(
            [
                ("id", Schema.madeId("trf")), ("method", Schema.words(PaymentMethod.self)),
                ("amount", Schema.ref("PositiveMoney")),
            ] + shared,
            required: ["amount"],
            """
            Moves money from the payer's card on to another card, for good. The recipient's card number is entered in the \
            app or kept by the provider; it never comes here. The method is sdk where none is named.
            """
        ),
        example: [
            "account": "portmone-uah", "method": "sdk", "amount": ["value": 15000, "currency": "UAH"],
            "reference": "gift-7", "description": "A gift", "customer": "customer-77",
        ]
    )

    /// A transfer has a resource of its own.
    private static var modes: Json {
        [
            "type": "string",
            "enum": .array(PaymentMode.allCases.filter { $0 != .transfer }.map { .string($0.rawValue) }),
        ]
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
            ("expiresAt", Schema.time), ("details", Schema.details),
            ("metadata", Schema.labels(atMost: Limits.metadataEntries, "The merchant's labels, text to text.")),
        ]
    }
}

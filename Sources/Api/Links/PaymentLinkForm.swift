import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

/// `POST /v1/payment-links`.
struct PaymentLinkForm {
    let terms: PaymentLinkTerms

    /// `payee` is shown where the merchant names no other.
    init(_ body: Json, payee: String) throws(Problem) {
        var form = try Form(body)
        let mode: PaymentMode = try form.word("mode") ?? .sale
        guard PaymentLinkTerms.modes.contains(mode) else {
            let known = PaymentLinkTerms.modes.map(\.rawValue).joined(separator: ", ")
            throw Problem(.wordUnknown, "Known words are: \(known).", path: "mode")
        }
        guard let amount = try form.money("amount") else { throw form.missing("amount") }
        do throws(Rejection) { try mode.check(amount, at: "amount", value: "amount.value") } catch {
            throw Problem(error)
        }
        let returnUrl = try form.text("returnUrl", bytes: PaymentLinkTerms.addressBytes)
        if let returnUrl, !WebAddress.isAbsolute(returnUrl) {
            throw Problem(.addressMalformed, "An address of a page is written as in https://…", path: "returnUrl")
        }
        terms = PaymentLinkTerms(
            amount: amount,
            mode: mode,
            uses: try form.word("uses") ?? .once,
            payee: try form.text("payee", characters: PaymentLinkTerms.payeeCharacters) ?? payee,
            description: try form.text("description", characters: Limits.descriptionCharacters),
            reference: try form.text("reference", bytes: Limits.referenceBytes),
            customer: try form.text("customer", bytes: Limits.identifierBytes),
            country: try form.country("country"),
            accountMode: try form.word("accountMode"),
            methods: try Self.methods(&form),
            returnUrl: returnUrl,
            language: try form.word("language"),
            expiresAt: try form.time("expiresAt"),
            metadata: try FreeForm.labels(form.value("metadata"), at: "metadata")
        )
        try form.end()
    }

    private static func methods(_ form: inout Form) throws(Problem) -> [PayerMethod] {
        guard let value = form.value("methods") else { return [] }
        guard let items = value.items else { throw form.wrongType("methods", "A list") }
        guard items.count <= PayerMethod.allCases.count else {
            throw Problem(.tooMany, "At most \(PayerMethod.allCases.count) methods.", path: "methods")
        }
        var methods: [PayerMethod] = []
        for (index, item) in items.enumerated() {
            let path = "methods.\(index)"
            guard let text = item.text else { throw form.wrongType(path, "A text") }
            guard let method = PayerMethod(rawValue: text), !methods.contains(method) else {
                let known = PayerMethod.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.wordUnknown, "Known words are, each once: \(known).", path: path)
            }
            methods.append(method)
        }
        return methods
    }
}

extension FormSchema {
    static let paymentLink = FormSchema(
        "CreatePaymentLink",
        Schema.closed(
            [
                ("amount", Schema.ref("PositiveMoney")), ("mode", PaymentLinkSchemas.modes),
                ("uses", Schema.words(PaymentLinkTerms.Uses.self)),
                (
                    "payee",
                    Schema.text(
                        "Who is paid, as payers read it: the merchant's name where it is left out.",
                        atMost: PaymentLinkTerms.payeeCharacters
                    )
                ),
                ("description", Schema.text("Shown to the payer.", atMost: Limits.descriptionCharacters)),
                ("reference", Schema.text("The merchant's own number.", atMost: Limits.referenceBytes)),
                ("customer", Schema.text("The payer as the merchant calls them.", atMost: Limits.identifierBytes)),
                ("country", Schema.pattern("^[A-Z]{2}$", "The payer's country, for the rules of routing.")),
                ("accountMode", Schema.words(AccountFacts.Mode.self)),
                ("methods", PaymentLinkSchemas.methods),
                (
                    "returnUrl",
                    Schema.text("Where the page leads once it is done.", atMost: PaymentLinkTerms.addressBytes)
                ),
                ("language", Schema.words(PageLanguage.self)), ("expiresAt", Schema.time),
                (
                    "metadata",
                    Schema.labels(atMost: Limits.metadataEntries, "Labels that each payment by the link carries.")
                ),
            ],
            required: ["amount"],
            """
            Once is paid by one payment at most, and many by as many as there are payers. Without methods the page offers all \
            that an account serves; the language is that of browsers that name none of ours.
            """
        ),
        example: [
            "amount": ["value": 1999, "currency": "EUR"], "description": "Two tickets", "reference": "order-1042",
            "returnUrl": "https://shop.example.com/thanks",
        ]
    )
}

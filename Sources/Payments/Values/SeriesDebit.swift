import Crypto
package import EventSourcing
package import Kernel

/// A debit that a provider made by itself, of the series that a payment registered: a payment of its own at the provider.
package struct SeriesDebit: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case succeeded
        case declined(Decline)
    }

    /// How the provider names it; not ours.
    package let payment: String
    package let series: String
    /// `nil` where the provider has not said it readably: it is asked.
    package let amount: Money?
    package let outcome: Outcome
    /// When the provider made it; `nil` where it does not say.
    package let at: Timestamp?
    /// The operation that took the money, by the provider's name, where it has one beside the payment's.
    package let operation: String?

    package init(
        payment: String,
        series: String,
        amount: Money?,
        outcome: Outcome,
        at: Timestamp?,
        operation: String? = nil
    ) {
        self.operation = operation
        self.payment = payment
        self.series = series
        self.amount = amount
        self.outcome = outcome
        self.at = at
    }

    /// The name that the debit has with us: the same for each of its messages.
    package func id(at account: Uuid) -> PaymentId {
        PaymentId(.version5(namespace: account, name: "series debit:\(payment)"))
    }
}

/// Where a payment comes from that a provider made by itself: it has a name there, and nobody here asked for it.
package struct AdoptedDebit: Hashable, Sendable, JsonWritable {
    /// How the provider names the payment.
    package let name: String
    /// The payment that registered the series.
    package let registeredBy: PaymentId

    package init(name: String, registeredBy: PaymentId) {
        self.name = name
        self.registeredBy = registeredBy
    }

    package func write(into out: inout JsonText) {
        out.member("name", name)
        out.member("registeredBy", registeredBy)
    }

    package init?(json: Json) {
        guard let name = json["name"]?.text, let registeredBy = json["registeredBy"]?.text.flatMap({ PaymentId($0) })
        else {
            return nil
        }
        self.init(name: name, registeredBy: registeredBy)
    }
}

extension Payment {
    /// A series that is debited each day for ten years is followed to its end.
    static let seriesDebitsKept = 4096
}

extension SeriesDebit: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("at", at)
        if case .declined(let decline) = outcome { out.member("decline", decline) }
        out.member("operation", operation)
        out.member("payment", payment)
        out.member("series", series)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let decline = fields.has("decline") ? try Decline(fields.fields("decline")) : nil
        self.init(
            payment: try fields.text("payment"),
            series: try fields.text("series"),
            amount: try fields.optionalMoney("amount"),
            outcome: decline.map { .declined($0) } ?? .succeeded,
            at: try fields.optionalTime("at"),
            operation: try fields.optionalText("operation")
        )
    }
}

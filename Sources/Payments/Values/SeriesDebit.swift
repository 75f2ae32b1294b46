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
    package let amount: Money
    package let outcome: Outcome
    /// When the provider made it; `nil` where it does not say.
    package let at: Timestamp?

    package init(payment: String, series: String, amount: Money, outcome: Outcome, at: Timestamp?) {
        self.payment = payment
        self.series = series
        self.amount = amount
        self.outcome = outcome
        self.at = at
    }

    /// The name that the debit has in this house: the same for each of its messages.
    package func id(at account: Uuid) -> PaymentId {
        PaymentId(.version5(namespace: account, name: "series debit:\(payment)"))
    }
}

extension Payment {
    /// A series that is debited each day for ten years is followed to its end.
    static let seriesDebitsKept = 4096
}

extension SeriesDebit {
    package var json: Json {
        .compact([
            ("amount", amount.json), ("at", at?.json),
            ("decline", { if case .declined(let decline) = outcome { decline.json } else { nil } }()),
            ("payment", .string(payment)), ("series", .string(series)),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let decline = fields.has("decline") ? try Decline(fields.fields("decline")) : nil
        self.init(
            payment: try fields.text("payment"),
            series: try fields.text("series"),
            amount: try fields.money("amount"),
            outcome: decline.map { .declined($0) } ?? .succeeded,
            at: try fields.optionalTime("at")
        )
    }
}

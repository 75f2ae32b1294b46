package import EventSourcing
package import Kernel
package import Payments

/// The filter of a list of payments.
package struct PaymentQuery: Hashable, Sendable {
    /// Payments or transfers; `nil` for both.
    package let kind: StreamKind?
    package var status: PaymentStatus?
    package var reference: String?
    /// A name that the provider, or we for the provider, gave to something of it.
    package var providerReference: String?
    package var customer: String?
    /// Codes of an e-mail address that its payer gave (`PayerCode`), one for each master key.
    package var emailCodes: [[UInt8]]?
    package var card: MaskedCard?
    /// Minor units, both ends included.
    package var amountFrom: Int64?
    package var amountTo: Int64?
    package var currency: Currency?
    package var provider: String?
    package var account: Uuid?
    package var method: PaymentMethod?
    /// Codes of pairs that its metadata has all of (`PaymentLabel`).
    package var labels: [Uuid] = []
    /// Of its account.
    package var accountMode: AccountFacts.Mode?
    package var createdFrom: Timestamp?
    package var createdBefore: Timestamp?
    /// Only payments that someone still owes something.
    package var hasObligations = false
    /// Only payments with an obligation that an operator must meet.
    package var needsOperator = false
    /// Only payments with an open dispute.
    package var isDisputed = false
    /// Where the page begins; `nil` for the newest.
    package var cursor: PageCursor?
    package var limit = 20

    package init(_ kind: StreamKind?) { self.kind = kind }
}

/// What a masked card shows: up to six digits of its begin and the last four, as `431422******0056` or `****0056`.
package struct MaskedCard: Hashable, Sendable {
    /// The digits that are compared: at most six of the begin, and at most four of the end.
    package let digits: String

    /// A mask has between one digit and twelve, and something between or before them that is none: a whole number is none.
    package init?(_ text: String) {
        let shown = text.unicodeScalars.filter { (0x30...0x39).contains($0.value) }
        let hidden = text.unicodeScalars.filter { "*xX•.… -".unicodeScalars.contains($0) }
        guard shown.count + hidden.count == text.unicodeScalars.count, (1...12).contains(shown.count),
            hidden.contains(where: { $0 != " " && $0 != "-" })
        else { return nil }
        let all = String(String.UnicodeScalarView(shown))
        digits = String(all.prefix(6) + all.suffix(4))
    }
}

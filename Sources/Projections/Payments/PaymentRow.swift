package import EventSourcing
package import Kernel
package import Payments

/// A payment's row in the read model `payment_view`: a function of its whole stream up to one event.
///
/// A follower that applies events in the order of the log gives the same rows as one that begins again from zero,
/// because a row looks at nothing but the fold and the first and last event of it.
package struct PaymentRow: Hashable, Sendable {
    /// Raised when the same stream gives another row: the read model is rebuilt.
    package static let version: Int32 = 8

    package let merchant: MerchantNumber
    package let id: PaymentId
    /// Whether it is a payment or a transfer.
    package let kind: StreamKind
    /// Version of the stream that the row shows.
    package let version: Int32
    /// Place of that version's event in the log; guards against a late writer.
    package let position: Int64
    package let status: PaymentStatus
    package let currency: Currency?
    package let amount: Int64?
    package let amounts: PaymentAmounts
    package let reference: String?
    package let customer: String?
    package let account: AccountFacts
    package let method: PaymentMethod
    /// The saved credential that it charges.
    package let instrument: InstrumentId?
    /// Codes of the pairs of its metadata (`PaymentLabel`).
    package let labels: [Uuid]
    package let needsOperator: Bool
    /// Whether anybody but the payer owes something.
    package let hasObligations: Bool
    /// Whether a dispute is open.
    package let isDisputed: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    /// The document that lists show, in canonical JSON.
    package let document: [UInt8]

    /// Makes the row of a stream that begins with `first` and was folded up to `last`; `nil` before its creation.
    package init?(_ payment: Payment, first: RecordedEvent, last: RecordedEvent) {
        guard let terms = payment.terms, let account = payment.account else { return nil }
        assert(payment.version == last.version, "the fold ends with the last event")
        merchant = last.stream.merchant
        id = payment.id
        kind = last.stream.kind
        version = payment.version
        position = last.position
        let (debts, amounts) = (Debts(payment), payment.amounts)
        let status = debts.status
        self.status = status
        self.amounts = amounts
        currency = payment.currency
        amount = terms.amount?.minor
        reference = terms.reference
        customer = terms.customer
        self.account = account
        method = terms.method
        instrument = terms.instrument
        labels = PaymentLabel.codes(terms.metadata)
        let obligations = debts.obligations
        needsOperator = obligations.contains { $0.owner == .operator }
        hasObligations = obligations.contains { $0.owner != .payer }
        isDisputed = payment.disputes.values.contains { $0.stage == .opened }
        createdAt = first.recordedAt
        updatedAt = last.recordedAt
        document = JsonText.canonical { out in
            out.member("account") { out in
                out.member("id", account.id)
                out.member("mode", account.mode)
                out.member("name", account.name)
                out.member("provider", account.provider)
            }
            out.member("amount", terms.amount)
            out.member("amounts", payment.currency.map { amounts.json($0) })
            out.member("commission", payment.commission)
            out.member("createdAt", first.recordedAt)
            out.member("customer", terms.customer)
            out.member("decline", payment.lastDecline(status)?.shown)
            out.member("disputes", payment.disputes.isEmpty ? nil : .array(payment.shownDisputes))
            out.member("fee", payment.fee)
            out.member("id", payment.shownId)
            out.member("method", terms.method)
            out.member("mode", terms.mode)
            out.member("object", payment.objectName)
            out.member("obligations", listing: obligations) { $0.write(into: &$1) }
            out.member("receipts", payment.shownReceipts.isEmpty ? nil : .array(payment.shownReceipts))
            out.member("reference", terms.reference)
            out.member("status", status)
            out.member("updatedAt", last.recordedAt)
            out.member("version", payment.version)
        }
    }

    package var cursor: PageCursor { PageCursor(createdAt: createdAt, id: id.uuid) }
}

extension Payment {
    /// Every dispute with its stage, the oldest first.
    package var shownDisputes: [Json] {
        disputes.values.sorted { ($0.at, $0.id.uuid) < ($1.at, $1.id.uuid) }.map { dispute in
            .compact([
                ("id", dispute.id.json), ("capture", dispute.capture.json), ("amount", dispute.amount.json),
                ("stage", .string(dispute.stage.rawValue)), ("reason", dispute.reason.map(Json.string)),
                ("at", dispute.at.json), ("answerBy", dispute.answerBy?.json),
            ])
        }
    }

    /// The provider's receipts for people, and behind them those that an app claims to have been given.
    package var shownReceipts: [Json] {
        func shown(_ receipts: [String: Receipt], isClaimed: Bool) -> [Json] {
            receipts.values.sorted { $0.providerId < $1.providerId }.map { receipt in
                guard case .object(var members) = receipt.json else { return receipt.json }
                if isClaimed { members["claimed"] = true }
                return .object(members)
            }
        }
        return shown(receipts, isClaimed: false) + shown(claimedReceipts, isClaimed: true)
    }
}

extension Payment {
    /// Why it failed, where a refusal ended it.
    fileprivate func lastDecline(_ status: PaymentStatus) -> Decline? {
        guard status == .failed else { return nil }
        if case .declined(let decline)? = attempt?.strongestEnding { return decline }
        for operation in operations.reversed() { if case .failed(let decline) = operation.state { return decline } }
        return nil
    }
}

extension Decline {
    package var shown: Json { .compact([("class", .string(reason.rawValue)), ("code", code.map(Json.string))]) }
}

extension PaymentAmounts {
    /// Each sum by its name.
    private var sums: [(name: StaticString, minor: Int64)] {
        [
            ("authorized", authorized), ("captured", captured), ("released", released), ("holdExpired", holdExpired),
            ("held", held), ("refunded", refunded), ("transferred", transferred), ("disputed", disputed),
            ("chargedBack", chargedBack), ("returnedToCustomer", returnedToCustomer),
        ]
    }

    /// Minor units of one currency, each sum by its name.
    package func json(_ currency: Currency) -> Json {
        .object(
            JsonObject(
                [("currency", .string(currency.code))] + sums.map { ("\($0.name)", .integer($0.minor)) }
            )
        )
    }

    /// Writes what `json` holds.
    func write(in currency: Currency, into out: inout JsonText) {
        out.member("currency", currency.code)
        for sum in sums { out.member(sum.name, sum.minor) }
    }
}

extension AccountFacts {
    /// An account in answers: its name, provider and mode.
    package var shown: Json {
        ["id": id.json, "name": .string(name), "provider": .string(provider), "mode": .string(mode.rawValue)]
    }

    /// Writes what `shown` holds.
    func writeShown(into out: inout JsonText) {
        out.member("id", id)
        out.member("name", name)
        out.member("provider", provider)
        out.member("mode", mode.rawValue)
    }
}

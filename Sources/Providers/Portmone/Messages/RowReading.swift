import Crypto
import Kernel
import Payments
import ProviderKit

/// Reads the rows of an order against what was known of the payment before.
///
/// The same word means another thing after a hold: `REJECTED` is then its release and no decline. A refund is a row of its
/// own with a negative amount; the paid row stays.
struct RowReading {
    let settings: PortmoneSettings
    let context: InterpretContext

    init(_ settings: PortmoneSettings, _ context: InterpretContext) {
        self.settings = settings
        self.context = context
    }

    /// Messages that never state an amount.
    enum Unstated {
        /// A paid row after a hold shows what was taken; what was held is what was asked for, or what an earlier row said.
        static let hold = "paid row after a hold"
        /// The account's rows are taken without their amounts.
        static let unchecked = "row of an account without amountCheck"
        /// Other currencies than hryvnia may come back converted and are not read.
        static let converted = "row of a payment in another currency"
        /// A charge is flagged as a whole.
        static let chargeback = "flag of a chargeback"
    }

    private var begins: OperationKind { context.terms.mode.operation }

    /// The hold or payment that was seen to succeed before.
    private var knownBeginning: ProviderOperation? {
        context.known.first { $0.kind.isInitial && $0.outcome == .succeeded }
    }

    /// All rows of the order: what is ours, the furthest first.
    func facts(_ rows: [Row]) -> [Fact] {
        let ours = rows.filter(isOurs)
        var facts = rows.filter { !isOurs($0) }.map { row in
            Fact.contradiction(.identity, detail: "row \(row.billId ?? "?") of another order or payee")
        }
        facts += whole
        guard !ours.isEmpty else { return facts + vanished(ours) + (rows.isEmpty ? [.attempt(.notRegistered)] : []) }
        let ranked = ours.sorted { ($0.status?.precedence ?? 3) > ($1.status?.precedence ?? 3) }
        facts += ranked.first.map(method) ?? []
        for row in ranked {
            if let id = row.billId {
                facts += self.facts(id, row, among: ours)
            } else {
                facts += unnamed(row)
            }
        }
        facts += vanished(ours) + commission(ours)
        facts += ours.flatMap { receipt($0) + chargeback($0) }
        return facts
    }

    /// A status call shows every row of the order; in the auto-cancel mode a row that is gone was given back.
    private var whole: [Fact] {
        switch begins {
        case .authorize: [.complete([.authorize, .capture, .void, .refund])]
        case .sale: [.complete(isAutoCancelled ? [.refund] : [.sale, .refund])]
        case .verify, .tokenize, .transfer, .capture, .void, .refund, .refundReversal: []
        }
    }

    /// A row that names another payee or number is not about this payment.
    private func isOurs(_ row: Row) -> Bool {
        if let payee = row.payeeId, payee != settings.payeeId { return false }
        if let number = row.orderNumber, number != context.paymentReference { return false }
        return true
    }

    private func facts(_ id: String, _ row: Row, among rows: [Row]) -> [Fact] {
        switch row.status {
        case .paid: return paid(id, row)
        case .held: return held(id, row)
        case .created: return created(id, row)
        case .rejected, .cancelled: return rejected(id, row, isLast: !rows.contains { Self.isAlive($0) })
        case .returned: return returned(id, row)
        case nil:
            return [
                Interpretation.unrecognised("status", row.statusText),
                operation(id, begins, .ambiguous, amount(row)),
            ]
        }
    }

    /// How the furthest row was paid, where it was.
    private func method(_ row: Row) -> [Fact] {
        switch row.status {
        case .paid, .held:
            guard row.billId != nil, let method = row.method else { return [] }
            return [.method(String(method.prefix(64)), scheme: CardScheme.word(row.scheme))]
        case .created, .rejected, .cancelled, .returned, nil: return []
        }
    }

    /// A row without an id: what it says of money is nobody's.
    private func unnamed(_ row: Row) -> [Fact] {
        let unread = Interpretation.unrecognised("shopBillId", nil)
        switch row.status {
        case .created, .rejected, .cancelled: return [unread]
        case .paid, .held, .returned, nil:
            let word = "a row without an id, \(row.statusText?.prefix(32) ?? "no status")"
            return [unread, .attempt(.reading(.moneyWithoutOperation(word)))]
        }
    }

    /// Whether a row keeps the order from being closed by a rejected one.
    private static func isAlive(_ row: Row) -> Bool {
        switch row.status {
        case .paid, .held, .created, nil: true
        case .rejected, .cancelled, .returned: false
        }
    }

    private func paid(_ id: String, _ row: Row) -> [Fact] {
        let paid = amount(row)
        switch begins {
        case .authorize:
            var facts = [
                operation(id, .authorize, .succeeded, .unstated(in: Unstated.hold)),
                operation("\(id)/capture", .capture, .succeeded, paid),
            ]
            if settings.partialCaptureReleases, case .stated(let paid) = paid, let held = heldAmount.money,
                held.currency == paid.currency,
                held.minor > paid.minor
            {
                let rest = Money(held.minor - paid.minor, held.currency)
                facts.append(operation("\(id)/rest", .void, .succeeded, .stated(rest)))
            }
            return facts
        case .sale, .verify, .tokenize, .transfer, .capture, .void, .refund, .refundReversal:
            return [operation(id, begins, .succeeded, paid)] + instrument(row)
        }
    }

    private func held(_ id: String, _ row: Row) -> [Fact] {
        switch begins {
        case .tokenize: [operation(id, .tokenize, .succeeded, amount(row))] + instrument(row)
        case .sale, .verify, .authorize, .transfer, .capture, .void, .refund, .refundReversal:
            [operation(id, .authorize, .succeeded, amount(row))] + instrument(row)
        }
    }

    /// An order that the payer has not finished: nothing is registered for good, and the page is open.
    private func created(_ id: String, _ row: Row) -> [Fact] {
        if row.needsThreeDSecure { return [operation(id, begins, .waiting(.threeDSecure), amount(row))] }
        guard context.isHandover, knownBeginning == nil else {
            return knownBeginning == nil ? [operation(id, begins, .processing, amount(row))] : []
        }
        return [.attempt(.notRegistered), .attempt(.reading(.waiting(.handover)))]
    }

    private func rejected(_ id: String, _ row: Row, isLast: Bool) -> [Fact] {
        if let known = knownBeginning, known.providerId == id {
            switch known.kind {
            case .authorize:
                return [
                    operation(id, .authorize, .succeeded, .unstated(in: Unstated.hold)),
                    operation("\(id)/void", .void, .succeeded, released(row)),
                ]
            case .tokenize: return []  // The hold that saved the card was given back by itself.
            case .sale where isAutoCancelled:
                return [operation("\(id)/cancelled", .refund, .succeeded, wholeAmount(known))]
            case .sale, .verify, .transfer, .capture, .void, .refund, .refundReversal: break
            }
        }
        if begins == .tokenize, row.token != nil {
            return [operation(id, .tokenize, .succeeded, amount(row))] + instrument(row)
        }
        let code = row.errorCode.flatMap { $0 == "0" ? nil : $0 } ?? row.statusText
        let decline = settings.decline(code)
        let declined = operation(id, begins, .declined(decline), amount(row))
        return isLast && (settings.declineIsFinal || !context.isHandover)
            ? [declined, .attempt(.closed(.declined(decline)))] : [declined]
    }

    private func returned(_ id: String, _ row: Row) -> [Fact] {
        [operation("\(id)/return", .refund, .succeeded, amount(row, isReturn: true))]
    }

    /// The part of a hold that the row says was given back; a row without an amount gives back all of it.
    private func released(_ row: Row) -> EvidenceAmount {
        let said = amount(row)
        return said == .absent ? heldAmount : said
    }

    /// The operation as it was seen and booked before: an amount that its message never states is the requested one.
    private func wholeAmount(_ known: ProviderOperation) -> EvidenceAmount {
        if case .unstated = known.amount { return EvidenceAmount(context.terms.amount) }
        return known.amount
    }

    /// In the auto-cancel mode a payment that is not there any more was given back by the provider.
    private func vanished(_ rows: [Row]) -> [Fact] {
        guard isAutoCancelled, let known = knownBeginning, known.kind == .sale else { return [] }
        guard !rows.contains(where: { $0.billId == known.providerId }) else { return [] }
        return [operation("\(known.providerId)/cancelled", .refund, .succeeded, wholeAmount(known))]
    }

    private var isAutoCancelled: Bool {
        switch context.settings.account.mode {
        case .liveAutoCancel: true
        case .live, .test: false
        }
    }

    private var heldAmount: EvidenceAmount {
        let hold = context.known.first { $0.kind == .authorize && $0.outcome == .succeeded }
        return hold.map(wholeAmount) ?? EvidenceAmount(context.terms.amount)
    }

    private func commission(_ rows: [Row]) -> [Fact] {
        var sum: Int64 = 0
        for row in rows where row.status == .paid {
            guard let part = Amounts.read(row.commissionText, Amounts.hryvnia), part.minor > 0 else { continue }
            let (total, overflow) = sum.addingReportingOverflow(part.minor)
            if overflow { return [Interpretation.unrecognised("commission", row.commissionText)] }
            sum = total
        }
        guard sum > 0, let currency = Amounts.hryvnia else { return [] }
        return [.commission(Money(sum, currency))]
    }
}

extension RowReading {
    /// The answer to a wallet payment.
    func charged(_ row: Row) -> [Fact] {
        guard isOurs(row) else { return [.contradiction(.identity, detail: "the answer is about another order")] }
        // What completes 3-D Secure may leave the id out; the order that it completes has it.
        guard let id = row.billId ?? context.order?.id else {
            return [Interpretation.unrecognised("shopBillId", nil)]
        }
        if row.needsThreeDSecure {
            let order = ProviderOrder(
                id: id,
                handover: .compact([
                    ("acsUrl", row.value("actionmpi")), ("md", row.value("md")), ("paReq", row.value("pareq")),
                    ("shopBillId", .string(id)),
                ])
            )
            return [.order(order)] + facts(id, row, among: [row])
        }
        return facts(id, row, among: [row]) + commission([row]) + receipt(row)
    }

    /// The answer to a capture, void or refund that carries no error.
    func followUp(_ kind: OperationKind, _ row: Row) -> [Fact] {
        guard isOurs(row) else {
            return [
                .dispatch(.unknown(reason: "the answer is about another order")),
                .contradiction(.identity, detail: "the answer is about another order"),
            ]
        }
        guard let id = row.billId else { return [.dispatch(.unknown(reason: "no bill id in the answer"))] }
        switch (kind, row.status) {
        case (.capture, .paid?): return [.dispatch(.accepted)] + paid(id, row) + commission([row]) + receipt(row)
        case (.void, .rejected?), (.void, .cancelled?):
            return [.dispatch(.accepted), operation("\(id)/void", .void, .succeeded, released(row))]
        case (.refund, .returned?):
            // A row that carries the paid bill's own id would be counted again under the id of its refund.
            guard !context.known.contains(where: { $0.providerId == id && $0.kind.isInitial }) else {
                return [.dispatch(.accepted), .attempt(.reading(.moneyWithoutOperation(Interpretation.changedWord)))]
            }
            return [.dispatch(.accepted)] + returned(id, row)
        case (_, let status):
            let word = status?.rawValue ?? row.statusText
            return [
                .dispatch(.unknown(reason: "another status than asked for")),
                Interpretation.unrecognised("status after \(kind.rawValue)", word),
            ]
        }
    }

    private func operation(
        _ id: String,
        _ kind: OperationKind,
        _ outcome: ProviderOutcome,
        _ amount: EvidenceAmount
    ) -> Fact {
        .operation(ProviderOperation(providerId: id, kind: kind, outcome: outcome, amount: amount))
    }

    /// The row's amount; what went back stands with a minus, or without.
    func amount(_ row: Row, isReturn: Bool = false) -> EvidenceAmount {
        switch settings.amountCheck {
        case .off: return .unstated(in: Unstated.unchecked)
        case .strict: break
        }
        let asked = context.terms.amount?.currency ?? Amounts.hryvnia
        guard asked == Amounts.hryvnia else { return .unstated(in: Unstated.converted) }
        let said = EvidenceAmount(decimal: row.amount, asked, isSigned: isReturn)
        guard case .stated(let money) = said, money.minor < 0 else { return said }
        return .stated(Money(-money.minor, money.currency))
    }

    /// The row's words for people, where money stands behind it.
    private func receipt(_ row: Row) -> [Fact] {
        guard let id = row.billId ?? context.order?.id else { return [] }
        switch row.status {
        case .paid?, .held?, .returned?: break
        case .created?, .rejected?, .cancelled?, nil: return []
        }
        let receipt = Receipt(
            String(id.prefix(200)),
            [
                .url: row.text("pdfurl"), .payee: row.text("payeename"),
                .contract: row.text("contractnumber", "description"), .paidAt: row.payDateIso,
                .authorizationCode: row.authCode, .retrievalReference: row.text("rrn"),
            ]
        )
        return receipt.map { [.receipt($0)] } ?? []
    }

    /// The provider flags the charge and says nothing of how the case goes on.
    private func chargeback(_ row: Row) -> [Fact] {
        guard row.isChargedBack, let id = row.billId else { return [] }
        let charge = begins == .authorize ? "\(id)/capture" : id
        return [
            .dispute(
                DisputeFact(
                    providerId: nil,
                    charge: charge,
                    amount: .unstated(in: Unstated.chargeback),
                    stage: .opened,
                    reason: "chargeback=Y"
                )
            )
        ]
    }

    /// The card that was saved, where one was asked to be.
    private func instrument(_ row: Row) -> [Fact] {
        guard let token = row.token, let fingerprint = Self.fingerprint(token) else { return [] }
        return [
            .instrument(
                InstrumentFact(
                    token: token,
                    fingerprint: fingerprint,
                    masked: row.cardMask,
                    scheme: row.scheme,
                    expiryYear: nil,
                    expiryMonth: nil
                )
            )
        ]
    }

    /// The blind index of a sealed token, else the digest of an open one.
    private static func fingerprint(_ token: Json) -> String? {
        if let text = token.text { return Hex.encode(Digest.sha256(Array(text.utf8))) }
        guard let sealed = Sealed(token) else { return nil }
        return Hex.encode(sealed.blindIndex ?? Digest.sha256(sealed.bytes))
    }
}

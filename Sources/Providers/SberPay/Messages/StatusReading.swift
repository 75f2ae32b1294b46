import Kernel
import Payments
import ProviderKit

/// The facts of a status answer.
///
/// The gateway tells totals, and a list to some: both go to the aggregate as they are.
struct StatusReading {
    let status: OrderStatus
    let context: InterpretContext
    let settings: SberPaySettings
    private let orderId: String
    private let currency: Currency

    init?(_ status: OrderStatus, _ settings: SberPaySettings, _ context: InterpretContext) {
        guard let currency = context.terms.amount?.currency ?? Currency("RUB") else { return nil }
        self.status = status
        self.context = context
        self.settings = settings
        self.currency = currency
        orderId = status.orderId ?? context.order?.id ?? context.paymentReference
    }

    /// An answer about another order, amount or currency is none about ours.
    var contradictions: [Fact] {
        var found: [Fact] = []
        if let number = status.orderNumber, number != context.paymentReference {
            found.append(.contradiction(.identity, detail: "order number \(number.prefix(64))"))
        }
        if let known = context.order?.id, let told = status.orderId, known != told {
            found.append(.contradiction(.identity, detail: "order \(told.prefix(64))"))
        }
        if let code = status.currency, code != "643" {
            found.append(.contradiction(.currency, detail: "currency \(code.prefix(8))"))
        }
        return found
    }

    /// An order over another amount than ours.
    private var otherAmount: Fact? {
        guard let amount = status.amount, amount != context.terms.amount?.minor ?? 0 else { return nil }
        return .contradiction(.amount, detail: "the order is over \(amount)")
    }

    /// Whether money is, or was, with the order.
    private var hasMoney: Bool { status.status.map { (1...4).contains($0) } ?? false }

    var facts: [Fact] {
        let contradictions = contradictions
        guard contradictions.isEmpty else { return contradictions }
        var facts = otherAmount.map { [$0] } ?? []
        // What another amount moved is booked as it is; an order that is not paid yet is nobody's to pay.
        guard facts.isEmpty || hasMoney else { return facts }
        if context.order == nil, let id = status.orderId { facts.append(.order(found(id))) }
        if let way = status.card.way, !way.isEmpty {
            facts.append(.method(String(way.prefix(64)), scheme: CardScheme.word(status.card.scheme)))
        }
        switch status.status {
        // The bank was asked and has not answered: it may have taken the money.
        case 0 where isUnknown, 5 where isUnknown, 6 where isUnknown: facts.append(initial(.ambiguous))
        case 0 where isOutOfReach && !isPaid: facts += [.attempt(.closed(.declined(Self.linkLost)))]
        case 0: facts.append(initial(.waiting(status.hasFailedTry ? Self.retry : .handover)))
        case 5: facts.append(initial(.waiting(.threeDSecure)))
        case 1: facts += held
        case 2, 4: facts += captures + refunds
        case 3: facts += released
        case 6: facts += ended
        case let other?:
            facts.append(.unrecognised(what: "orderStatus", value: String(other)))
            facts.append(initial(.ambiguous))
        case nil: break
        }
        facts += unreadLines
        if let code = status.actionCode, CodeTable.entry(code) == nil, settings.codeClasses[code] == nil {
            facts.append(.unrecognised(what: "actionCode", value: String(code)))
        }
        return facts
    }

    /// An order whose opening was not answered: the SDK of the newer gateway goes on with its id, and nothing else does.
    private func found(_ id: String) -> ProviderOrder {
        let leadsOn = context.terms.method == .sdk && settings.dialect == .ecom
        return ProviderOrder(id: id, handover: leadsOn ? [Handover.Name.invoice: .string(id)] : [:])
    }

    /// Whether money was seen with it before.
    private var isPaid: Bool { known([.sale, .authorize]) > 0 }

    private var isUnknown: Bool { status.actionCode.flatMap(settings.actionClass) == .unk }

    /// Whether nobody can pay the order: its address came with an answer that was lost, and the gateway never tells it again.
    ///
    /// It ends unpaid at its deadline.
    private var isOutOfReach: Bool {
        let isLost = context.operations.contains { $0.kind == kind && $0.isAnswerLost }
        return context.order?.isWithoutHandover != false && (isLost || context.order?.isCut == true)
            && !status.hasFailedTry && Handover.needsAddress(context.terms, settings)
    }

    /// The payment may be tried again as another one.
    private static let linkLost = Decline(reason: .soft, code: "link_lost", tableVersion: CodeTable.version)

    private static let retry = PayerAction.retryInForm(attemptsLeft: nil, seconds: nil)

    private var kind: OperationKind { context.terms.mode.operation }

    private func initial(_ outcome: ProviderOutcome, amount: Int64? = nil) -> Fact {
        operation(orderId, kind, outcome, amount)
    }

    private func operation(
        _ id: String,
        _ kind: OperationKind,
        _ outcome: ProviderOutcome,
        _ amount: Int64?
    ) -> Fact {
        .operation(
            ProviderOperation(
                providerId: id,
                kind: kind,
                outcome: outcome,
                amount: evidence(outcome, amount)
            )
        )
    }

    /// A difference of sums one of which can't be read is no amount.
    private func evidence(_ outcome: ProviderOutcome, _ amount: Int64?) -> EvidenceAmount {
        if outcome.isSuccess, let text = status.unreadableSum { return .unreadable(text) }
        return EvidenceAmount(amount.map { Money($0, currency) })
    }

    private func known(_ kinds: Set<OperationKind>) -> Int64 {
        context.operations.reduce(Int64(0)) { sum, operation in
            guard kinds.contains(operation.kind), let moved = operation.moved, moved.currency == currency else {
                return sum
            }
            return sum.saturating(moved.minor)
        }
    }
}

extension StatusReading {
    /// The sum that is held: as we know it, as it was approved, or the order's amount where that is gone from the answer.
    private var hold: Int64? {
        let before = known([.authorize])
        if before > 0 { return before }
        return status.approved > 0 ? status.approved : status.amount
    }

    private var held: [Fact] {
        guard kind == .authorize else {
            return [.unrecognised(what: "orderStatus", value: "1 for a \(kind.rawValue)"), initial(.ambiguous)]
        }
        let hold = hold
        let left = status.approved > 0 ? status.approved : hold ?? 0
        return [
            initial(.succeeded, amount: hold),
            released(max(0, (hold ?? 0).saturating(-left)), entries(reversals, .void)),
            .complete([.capture]),
        ] + instrument
    }

    /// The part of the hold that went back so far.
    private func released(_ total: Int64, _ listed: [Statement.Entry]? = nil) -> Fact {
        let total = Statement.Total.books(Money(total, currency))
        let isListed = listed != nil && !status.operations.isEmpty
        return .statement(Statement(.void, entries: listed ?? [], total: total, isListed: isListed))
    }

    /// The sum that was taken, before anything went back of it.
    ///
    /// The gateway does not say whether its deposited sum is what was taken or what is left of it: what was seen before
    /// decides where it is one of the two.
    private var gross: Int64 {
        let before = known(kind == .authorize ? [.capture] : [.sale])
        let back = status.refunded.saturating(reversed)
        let net = status.deposited.saturating(back)
        if before > 0, status.deposited == 0, back == 0 { return before }
        let readings: [Int64] =
            switch settings.depositedIsNet {
            case .no: [status.deposited, status.deposited.saturating(reversed)]
            case .yes: [net]
            case .auto:
                [
                    status.deposited, status.deposited.saturating(reversed),
                    status.deposited.saturating(status.refunded), net,
                ]
            }
        if before > 0, readings.contains(before) { return before }
        if let only = completed { return only }
        switch settings.depositedIsNet {
        case .no: return status.deposited.saturating(reversed)
        case .yes: return net
        case .auto:
            // Of the readings the largest that was approved; more than that was taken against what was asked.
            let bound = status.approved.saturating(reversed)
            return status.approved > 0 ? readings.filter { $0 <= bound }.max() ?? status.deposited : net
        }
    }

    /// The one capture that the gateway lists.
    private var completed: Int64? {
        let completed = status.operations.filter { $0.type == "COMPLETION" && $0.isDone }.compactMap(\.amount)
        return kind == .authorize && completed.count == 1 ? completed[0] : nil
    }

    /// The sum that was taken, and what of it went back as reversals, by the list: of a hold they release the rest, unless
    /// more was captured than is left.
    private var reversed: Int64 {
        guard status.deposited > 0 || status.refunded > 0 else { return 0 }
        if kind == .authorize {
            let captured = max(known([.capture]), completed ?? 0)
            guard captured > status.deposited.saturating(status.refunded) else { return 0 }
        }
        return reversals.filter(\.isDone).compactMap(\.amount).reduce(Int64(0)) { $0.saturating($1) }
    }

    private var reversals: [OrderStatus.Operation] { status.operations.filter { $0.type == "REVERSAL" } }

    private var captures: [Fact] {
        let gross = gross
        switch kind {
        // A check is over nothing: what it took is told as it is.
        case .verify, .tokenize: return [initial(.succeeded, amount: gross > 0 ? gross : nil)] + instrument
        case .sale:
            // A sale is taken whole; an answer without sums tells it by the order's amount.
            guard gross > 0 else {
                return [initial(.succeeded, amount: status.hasSums ? nil : status.amount)] + instrument
            }
            return [initial(.succeeded, amount: gross)] + contradiction(of: gross) + instrument + fee
        case .authorize:
            let hold = hold
            var facts = [initial(.succeeded, amount: hold)]
            facts.append(operation("\(orderId):deposit", .capture, .succeeded, gross > 0 ? gross : nil))
            if settings.captureReleasesRest, let hold, gross > 0, gross < hold {
                facts.append(released(hold - gross))
            }
            return facts + instrument + fee
        case .transfer, .capture, .void, .refund, .refundReversal: return []
        }
    }

    /// A sale is taken whole.
    private func contradiction(of gross: Int64) -> [Fact] {
        guard let asked = context.terms.amount?.minor, gross != asked, known([.sale]) == 0, otherAmount == nil else {
            return []
        }
        return [.contradiction(.amount, detail: "\(gross) taken")]
    }

    private var released: [Fact] {
        switch kind {
        // A check ends so when it succeeded.
        case .verify, .tokenize: return [initial(.succeeded)] + instrument
        case .sale:
            let before = known([.sale])
            guard before > 0 else { return [initial(.expired), .attempt(.closed(.cancelled))] }
            return back(all: before)
        case .authorize:
            let captured = known([.capture])
            guard captured == 0 else { return back(all: captured) }
            let hold = hold
            let void = hold.map { released($0) } ?? operation("\(orderId):reverse", .void, .succeeded, nil)
            return [initial(.succeeded, amount: hold), void] + instrument
        case .transfer, .capture, .void, .refund, .refundReversal: return []
        }
    }

    /// Tells that a taken sum went back as a reversal of the same day.
    private func back(all captured: Int64) -> [Fact] {
        [.statement(Statement(.refund, total: .books(Money(captured, currency))))]
    }

    /// The sums that went back, by list and total; the aggregate knows what of them was ours.
    private var refunds: [Fact] {
        let refunds = status.operations.filter { $0.type == "REFUND" }
        let reversed = reversed
        let listed = entries(refunds, .refund) + (reversed > 0 ? entries(reversals, .refund) : [])
        let isListed = !status.operations.isEmpty
        return [.statement(Statement(.refund, entries: listed, total: returned(reversed), isListed: isListed))]
    }

    /// The sum that went back in total; status 4 says that something did, whatever the sum says.
    private func returned(_ reversed: Int64) -> Statement.Total {
        let isNothing = status.refunded == 0 && reversed == 0
        if status.refundedSum.isUnreadable || isNothing && status.status == 4 { return .untold(status.refundedSum) }
        return .books(Money(status.refunded.saturating(reversed), currency))
    }

    /// Lines of a type that nobody knows: they may be about money.
    private var unreadLines: [Fact] {
        status.operations.filter { $0.isDone && !OrderStatus.Operation.types.contains($0.type) }.flatMap { line in
            let type = String(line.type.prefix(32))
            return [
                Fact.unrecognised(what: "operations.type", value: type),
                .attempt(.reading(.moneyWithoutOperation("a line of operations, \(type)"))),
            ]
        }
    }

    /// Lines of the gateway's list; only our own id of a refund is its name, everything else may be another's, too.
    private func entries(_ listed: [OrderStatus.Operation], _ kind: OperationKind) -> [Statement.Entry] {
        listed.map { line in
            let outcome: ProviderOutcome =
                line.isDone
                ? .succeeded
                : .declined(CodeTable.decline(line.actionCode, line.actionCode.flatMap(settings.actionClass)))
            let name = line.externalRefundId ?? line.reference ?? "\(line.date ?? "?"):\(line.amount ?? 0)"
            let told = ProviderOperation(
                providerId: "\(line.type.lowercased()):\(name)",
                kind: kind,
                outcome: outcome,
                amount: EvidenceAmount(line.amount.map { Money($0, currency) }),
                ourReference: line.externalRefundId.flatMap { id in
                    context.operations.contains { $0.kind == kind && $0.reference == id } ? id : nil
                }
            )
            return Statement.Entry(told, isNamed: line.externalRefundId != nil)
        }
    }

    private var ended: [Fact] {
        let kind = status.actionCode.flatMap(settings.actionClass)
        switch kind {
        case .exp: return [initial(.expired), .attempt(.closed(.expired))]
        case .merchant: return [initial(.expired), .attempt(.closed(.cancelled))]
        case .ok, .pend, .order, .soft, .unk, .tds, .hard, .fraud, .cfg, nil:
            let decline = CodeTable.decline(status.actionCode, kind)
            return [initial(.declined(decline)), .attempt(.closed(.declined(decline)))]
        }
    }

    private var fee: [Fact] {
        guard let fee = status.fee, fee > 0 else { return [] }
        return [.fee(Money(fee, currency))]
    }
}

extension OrderStatus {
    /// Whether a try failed on an order that can still be paid.
    package var hasFailedTry: Bool {
        guard let code = actionCode else { return false }
        switch CodeTable.entry(code)?.kind {
        case .ok, .pend: return false
        case .exp, .order, .soft, .unk, .tds, .hard, .fraud, .cfg, .merchant, nil: return true
        }
    }
}

extension OrderStatus.Operation {
    var isDone: Bool { actionCode == nil || actionCode == 0 }

    /// Each that the gateway documents.
    fileprivate static let types: Set<String> = [
        "AUTHORIZATION", "COMPLETION", "PREAUTHORIZATION", "REFUND", "REVERSAL",
    ]
}

extension Int64 {
    /// Adds and stops at the ends of the range: a hostile amount must not end the process.
    fileprivate func saturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return Swift.max(sum, -.max) }
        return other < 0 ? -.max : .max
    }
}

import Crypto
import Kernel

/// News of providers and apps beside money: receipts, disputes, and values that complete an operation.
extension PaymentDraft {
    /// Keeps what is new of a receipt.
    mutating func book(_ receipt: Receipt, isClaimed: Bool) {
        let kept = isClaimed ? payment.claimedReceipts : payment.receipts
        let known = kept[receipt.providerId]
        guard known != nil || kept.count < Receipt.kept, receipt.joined(known) != known else { return }
        add(.receiptReported(receipt, isClaimed: isClaimed))
    }

    /// Records how far a dispute has come by the provider's word; an end is never taken back by an earlier word.
    mutating func book(_ fact: DisputeFact) {
        let charge = payment.charges.first { fact.charge == nil || $0.transactions[fact.charge ?? ""] != nil }
        guard let target = charge ?? payment.initial, let currency = payment.currency else { return }
        if fact.providerId == nil, payment.disputes.values.contains(where: { $0.capture == target.id }) { return }
        let name = fact.providerId ?? "flag:\(fact.charge ?? "")"
        let id = DisputeId(.version5(namespace: payment.id.uuid, name: "dispute:\(name)"))
        let known = payment.disputes[id]?.amount
        let said = disputed(fact, of: target, in: currency)
        if said == nil, known == nil || fact.amount.isUnreadable {
            queryAboutNews()
            contradict(unknownAmount(name, fact.amount))
        }
        guard let amount = said ?? known else { return }
        guard amount.minor > 0, amount.currency == currency else {
            return contradict(unknownAmount(name, .unreadable("\(amount)")))
        }
        if let known = payment.disputes[id], known.stage.rank >= fact.stage.rank { return }
        add(
            .disputeRecorded(
                Dispute(
                    id: id,
                    capture: target.id,
                    amount: amount,
                    stage: fact.stage,
                    reason: fact.reason,
                    at: context.now,
                    answerBy: payment.disputes[id]?.answerBy
                )
            )
        )
    }

    /// The amount in dispute as a message says it; all of the charge only where the message is declared never to state
    /// it.
    private func disputed(_ fact: DisputeFact, of target: Operation, in currency: Currency) -> Money? {
        switch fact.amount {
        case .stated(let amount): amount
        case .unstated(let message) where context.capabilities.unstatedAmounts.contains(message):
            Money(target.booked([.sale, .capture, .transfer], in: currency), currency)
        case .unstated, .absent, .unreadable: nil
        }
    }

    /// A dispute that nobody can book is owed by a person.
    private func unknownAmount(_ name: String, _ said: EvidenceAmount) -> Contradiction {
        let what: String
        switch said {
        case .unreadable(let text): what = "\"\(text)\" is no amount in dispute"
        case .stated, .absent, .unstated: what = "no amount is in dispute"
        }
        return Contradiction(kind: .amount, detail: "dispute \(name): \(what)", basis: .message)
    }

    /// Sends on what the payer's bank gave, once for each answer of the bank and while nothing else is under way.
    mutating func complete(_ completion: Json) throws(Rejection) {
        guard let initial = payment.initial, !initial.isClosed, initial.openAction == .threeDSecure,
            payment.order != nil, payment.cancelRequestedBy == nil
        else { throw Rejection(.notConfirmable, "The payment does not wait for the payer's bank.") }
        guard !initial.isInFlight else {
            throw Rejection(.operationInProgress, "The bank's answer is being passed on.")
        }
        let request = OperationRequest(
            id: initial.id,
            kind: initial.kind,
            amount: initial.requested,
            target: nil,
            reference: initial.reference,
            actor: initial.actor,
            reason: nil,
            at: initial.requestedAt
        )
        ask(
            DispatchRequest(
                effect: EffectId(.version5(namespace: initial.id.uuid, name: "completion:\(context.input)")),
                planned: payment.planned(
                    .operation(initial.kind),
                    request,
                    isFull: true,
                    attempt: initial.attempt,
                    completion: completion
                ),
                attempt: initial.attempt,
                operation: initial.id,
                ordinal: 1,
                ground: .completion,
                notBefore: context.now,
                sendBefore: context.now.adding(Payment.sendWindow)
            )
        )
    }
}

extension Dispute.Stage {
    /// How final it is: where a provider says both, a loss stands.
    fileprivate var rank: Int {
        switch self {
        case .opened: 0
        case .won: 1
        case .lost: 2
        }
    }
}

extension DispatchLicense {
    /// Whether it passes on what the payer's device brought back; what came before it opened the order.
    package var isCompletion: Bool { operation.map { Payment.effect(of: $0) != effect } ?? false }
}

extension Payment {
    /// Why the saved card that this payment charges can't be charged again, where the provider has said so.
    package var instrumentRefusal: Decline? {
        guard terms?.method == .instrument, terms?.instrument != nil else { return nil }
        if case .failed(let decline)? = initial?.state, decline.reason == .instrumentInvalid { return decline }
        for case .declined(let decline) in attempt?.endings ?? [] where decline.reason == .instrumentInvalid {
            return decline
        }
        return nil
    }
}

extension [Fact] {
    /// A word of the message that no table knows, where the message says nothing else of how the payment stands.
    var unreadWord: String? {
        var word: String?
        for fact in self {
            switch fact {
            case .unrecognised(let what, _): word = what
            case .operation(let sighted): if sighted.outcome != .ambiguous { return nil }
            case .attempt(.reading(.ambiguous)): break
            case .attempt, .contradiction, .seriesDebit, .dispute, .statement: return nil
            case .order, .dispatch, .instrument, .instrumentNews, .receipt, .method, .series, .fee, .commission,
                .question, .firstAnswer, .complete:
                break
            }
        }
        return word
    }

    /// Whether nothing in a message leaves open how much there is of a kind.
    ///
    /// That two persons know what it leaves open proves nothing of it.
    func saysHowMuch(of kind: OperationKind) -> Bool {
        allSatisfy { if case .statement(let told) = $0, told.kind == kind { told.saysHowMuch } else { true } }
    }

    /// Whether an answer that does not show something says that it is not there.
    ///
    /// A word or an amount that nobody can read, and money without its operation, may be what was looked for.
    var canTell: Bool {
        allSatisfy { fact in
            switch fact {
            case .unrecognised, .attempt(.reading(.ambiguous)), .attempt(.reading(.moneyWithoutOperation)): false
            case .operation(let sighted): sighted.isReadable
            case .statement(let told): told.entries.allSatisfy(\.operation.isReadable)
            case .attempt, .complete, .contradiction, .seriesDebit, .dispute, .order, .dispatch, .instrument,
                .instrumentNews, .receipt, .method, .series, .fee, .commission, .question, .firstAnswer:
                true
            }
        }
    }
}

extension ProviderOperation {
    /// Whether it says how it ended, or that it has not, and nothing in it is garbled.
    fileprivate var isReadable: Bool { outcome != .ambiguous && !amount.isUnreadable }
}

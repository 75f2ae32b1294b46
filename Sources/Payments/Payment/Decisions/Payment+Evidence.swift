package import Kernel

/// Something that happened to a payment without a command.
package enum PaymentObservation: Hashable, Sendable {
    /// Facts that an adapter read; `dispatch` names the message that was answered.
    case facts([Fact], trust: Trust, dispatch: DispatchRef?)
    /// The payer's browser came back: it decides nothing.
    case browserReturn
    /// A moment that the stream had asked for.
    case timer

    /// One licence by its effect and ordinal.
    package struct DispatchRef: Hashable, Sendable {
        package let effect: EffectId
        package let ordinal: Int32

        package init(effect: EffectId, ordinal: Int32) {
            self.effect = effect
            self.ordinal = ordinal
        }
    }
}

extension Payment {
    /// Decides an observation; nothing is refused and nothing is lost.
    package func decide(_ observation: PaymentObservation, _ context: PaymentContext) -> PaymentDecision {
        var draft = PaymentDraft(self, context)
        guard isCreated else { return draft.decision }
        draft.enterEpoch()
        switch observation {
        case .facts(let facts, .verified, let dispatch): draft.take(facts, dispatch)
        case .facts(let facts, .hint, _): draft.hint(facts)
        case .browserReturn: draft.queryAfresh()
        case .timer: draft.timer()
        }
        draft.settle()
        if case .facts(_, .verified, let answered) = observation { draft.lookAtContradictions(answered) }
        return draft.decision
    }
}

extension PaymentDraft {
    /// Books verified facts and what they say about the message they answer.
    fileprivate mutating func take(_ facts: [Fact], _ answered: PaymentObservation.DispatchRef?) {
        let question = answered.flatMap { payment.dispatch($0) }
        let isLook = question?.license.purpose == .query
        let told = facts + facts.unreadableTotals
        let facts = question.map { credible(understood(told, $0.license), $0.license) } ?? told
        if question == nil, facts.unreadWord != nil { queryAboutNews() }
        if let answered, question != nil {
            for fact in facts {
                guard case .dispatch(let outcome) = fact else { continue }
                observe(outcome, of: answered)
            }
        }
        for fact in facts { book(question.map { about($0.license, fact) } ?? fact) }
        let isUntold = hasMovedUntold || !payment.gaps(in: facts, attempt: focus).isEmpty
        if !isLook, isUntold || facts.contains(.question) { queryAboutNews() }
        guard let question else { return }
        switch question.license.purpose {
        case .query:
            guard facts.contains(.dispatch(.answered)) else { break }
            adoptRemainders()
            missVanished(question.license, facts)
            missForgotten(question.license, facts)
            afterQuery(question.license, facts)
        case .handover, .operation, .auxiliary: recover(question.license)
        }
    }

    /// Leaves out of an answer what it can't prove: while another message of the operation may have acted, that this one
    /// was refused says nothing about the operation.
    ///
    /// Looks and notifications prove it, and answers that the provider gives alike to every message under a key.
    private mutating func credible(_ facts: [Fact], _ answered: DispatchLicense) -> [Fact] {
        guard let operation = answered.operation.flatMap({ payment.operation($0) }) else { return facts }
        let doubtful = operation.doubtful(beside: answered)
        guard !doubtful.isEmpty else { return facts }
        let declared = context.capabilities.firstAnswers
        let isForAll = facts.contains { if case .firstAnswer(let name) = $0 { declared.contains(name) } else { false } }
        guard isForAll else { return facts.filter { !$0.isRefusal } }
        for case .dispatch(.notExecuted(let decline)) in facts {
            for other in doubtful where !other.isInFlight {
                observe(.notExecuted(decline), of: other.license.ref)
            }
        }
        return facts
    }

    /// Takes an operation in the answer to our own message for the one that the message was about, whatever its amount.
    ///
    /// An operation that was there before we asked is another one.
    private func about(_ license: DispatchLicense, _ fact: Fact) -> Fact {
        guard case .operation(let sighted) = fact else { return fact }
        let told = sighted.asked(at: license.leavesAt)
        guard sighted.ourReference == nil, let operation = license.operation.flatMap({ payment.operation($0) }),
            !operation.kind.isInitial, operation.kind == sighted.kind
        else { return .operation(told) }
        let first = payment.firstSeen[sighted.providerId]
        let isOlder = first.map { $0 < operation.dispatches.first?.version ?? 0 } == true
        return .operation(isOlder ? told : told.about(operation.reference))
    }

    /// Notes words that nobody knows and asks how things stand, unless the message is about something else.
    ///
    /// A word that contradicts all that is known is news like other words: a look tells.
    fileprivate mutating func hint(_ facts: [Fact]) {
        for case .unrecognised(let what, let value) in facts { book(.unrecognised(what: what, value: value)) }
        let isForeign = facts.contains { if case .contradiction(.identity, _) = $0 { true } else { false } }
        if !isForeign { queryAboutNews() }
    }

    /// Records what became of a message, once; a definitive answer replaces the news that there was none.
    ///
    /// A message that never left is revoked if its operation was closed meanwhile: nobody needs it any more.
    private mutating func observe(_ outcome: DispatchOutcome, of answered: PaymentObservation.DispatchRef) {
        guard let known = payment.dispatch(answered), known.outcome?.isDefinitive != true, known.outcome != outcome
        else { return }
        var outcome = outcome
        switch outcome {
        case .notSent(let reason):
            if case .unknown? = known.outcome { return }
            if known.revoked { return }
            if known.outcome == nil, let id = known.license.operation, payment.operation(id)?.isClosed == true {
                return add(.dispatchRevoked(answered.effect, ordinal: answered.ordinal, reason: "operation closed"))
            }
            // The log may have lost the licence that followed: a look tells.
            if payment.mayHaveLostSuccessor(known.license, reason, context.capabilities) {
                outcome = .unknown(reason: reason)
            }
        case .unknown:
            if case .notSent? = known.outcome { return }
            if known.revoked { return }
        case .notExecuted(let decline): if countsAfterLook(known.license) { outcome = .refused(decline) }
        case .accepted, .refused, .duplicate, .answered: break
        }
        add(.dispatchObserved(answered.effect, ordinal: answered.ordinal, outcome, at: context.now))
    }

    /// Whether a refusal waits for a look, as long as one can be had: what is refused as closed, as done already or as too
    /// much tells that the money stands otherwise than we think.
    private func countsAfterLook(_ license: DispatchLicense) -> Bool {
        guard let operation = license.operation.flatMap({ payment.operation($0) }), !operation.kind.isInitial else {
            return false
        }
        return payment.queryEnd(context.capabilities).map { context.now < $0 } ?? false
    }

    mutating func book(_ fact: Fact) {
        switch fact {
        case .operation(let sighted): book(sighted)
        case .statement(let statement): book(statement)
        case .complete: break  // Concluded from when everything that was shown is booked.
        case .attempt(let fact): book(fact)
        case .order(let order): book(order)
        case .dispatch, .firstAnswer: break  // Weighed with the message that is answered.
        case .instrument(let instrument):
            let id = payment.instrumentId(instrument.fingerprint, context.account)
            if !payment.instruments.contains(id) { add(.instrumentSaved(id, instrument)) }
        case .instrumentNews(let news):
            let id = payment.instrumentId(news.fingerprint, context.account)
            if !payment.reportedInstruments.contains(id) { add(.instrumentReported(id, news.report)) }
        case .receipt(let receipt): book(receipt, isClaimed: false)
        case .dispute(let dispute): book(dispute)
        case .method(let method, let scheme): book(method, scheme)
        case .series(let series): book(series)
        case .seriesDebit(let debit): book(debit)
        case .fee(let amount):
            if payment.raises(payment.fees[focus], amount), !isTold(amount) {
                add(.feeReported(amount, attempt: placedFocus))
            }
        case .commission(let amount):
            if payment.raises(payment.commissions[focus], amount), !isTold(amount) {
                add(.commissionReported(amount, attempt: placedFocus))
            }
        case .contradiction(let kind, let detail):
            contradict(Contradiction(kind: kind, detail: detail, basis: .message))
        case .question: break  // Asked when everything that was said is booked.
        case .unrecognised(let what, let value):
            guard payment.unrecognised.count < Payment.unrecognisedKept else { return }
            if !payment.unrecognised.contains("\(what)=\(value)") {
                add(.unrecognisedReported(what: what, value: value))
            }
        }
    }

    /// The attempt that evidence is about, where there are several.
    private var placedFocus: Int? { payment.pastAttempts.isEmpty ? nil : focus }

    /// Whether an earlier attempt's sum was told before events named attempts.
    private func isTold(_ amount: Money) -> Bool { payment.isPast(focus) && payment.unplacedSums.contains(amount) }

    /// A message that tells no scheme takes none back.
    private mutating func book(_ method: String, _ scheme: String?) {
        guard !payment.isPast(focus) else { return }
        let isKnown = payment.methodAtProvider == method
        let scheme = scheme ?? (isKnown ? payment.cardScheme : nil)
        if !isKnown || payment.cardScheme != scheme { add(.methodReported(method, scheme: scheme)) }
    }

    /// A payment registers one series; another id is not ours.
    private mutating func book(_ series: SeriesFact) {
        if let known = payment.series, known.id != series.id {
            return contradict(Contradiction(kind: .identity, detail: "series \(series.id)", basis: .message))
        }
        let joined = series.joined(payment.series)
        if joined != payment.series { add(.seriesReported(joined)) }
    }

    /// A success stays one; another decline of the same debit says nothing new.
    ///
    /// One that was told without its operation is told again with it. What can't be followed any more is told once.
    private mutating func book(_ debit: SeriesDebit) {
        if let known = payment.series, known.id != debit.series {
            let detail = "series \(debit.series) of debit \(debit.payment)"
            return contradict(Contradiction(kind: .identity, detail: detail, basis: .message))
        }
        guard payment.seriesDebits.count < Payment.seriesDebitsKept || payment.seriesDebits[debit.payment] != nil
        else {
            let detail = "series \(debit.series): more than \(Payment.seriesDebitsKept) debits"
            return contradict(Contradiction(kind: .identity, detail: detail, basis: .message))
        }
        switch (payment.seriesDebits[debit.payment], debit.outcome) {
        case (nil, _), (.declined?, .succeeded): add(.seriesDebitReported(debit, at: context.now))
        case (.succeeded?, .succeeded), (.declined?, .declined):
            guard debit.operation != nil, !payment.adoptedDebits.contains(debit.payment) else { break }
            add(.seriesDebitReported(debit, at: context.now))
        case (.succeeded?, .declined): break
        }
    }

    /// One attempt has one order; another one under our reference is not ours.
    private mutating func book(_ order: ProviderOrder) {
        guard let known = payment.order(of: focus) else {
            return payment.isPast(focus) ? queryAboutNews() : add(.orderOpened(order))
        }
        guard known.id == order.id else {
            return contradict(Contradiction(kind: .identity, detail: "order \(order.id)", basis: .message))
        }
        // News of the order may come before the answer that says what its payer needs.
        if !payment.isPast(focus), known.isWithoutHandover, !order.isWithoutHandover { add(.orderOpened(order)) }
    }

    private mutating func book(_ fact: AttemptFact) {
        guard !payment.isPast(focus), let attempt = payment.attempt else { return }
        let isNew: Bool
        switch fact {
        case .notRegistered: isNew = attempt.notRegisteredAt == nil
        case .reading(let reading): isNew = reading.joined(attempt.reading) != attempt.reading
        case .closed(let ending): isNew = !attempt.endings.contains(ending)
        }
        if isNew { add(.attemptReported(fact, at: context.now)) }
    }

    /// Whether something was seen to succeed just now whose amount no message has named.
    private var hasMovedUntold: Bool {
        decision.events.contains { event in
            guard case .operationReported(_, let sighted, _) = event, sighted.outcome.isSuccess else { return false }
            return sighted.kind.movesMoney
                && payment.transaction(of: sighted.providerId, attempt: focus)?.finalAmount == nil
        }
    }

    /// Asks how things stand where an answer or a message has just contradicted what is known; a look has shown it.
    fileprivate mutating func lookAtContradictions(_ answered: PaymentObservation.DispatchRef?) {
        let isLook = answered.flatMap { payment.dispatch($0) }?.license.purpose == .query
        let isNew = decision.events.contains { if case .contradictionFound = $0 { true } else { false } }
        if isNew, !isLook { queryAboutNews() }
    }

    /// Takes the lines of a list in, and the total beside them.
    private mutating func book(_ statement: Statement) {
        for operation in statement.operations { book(operation) }
        let total = statement.total?.amount
        guard total != nil || !statement.entries.isEmpty, let currency = payment.currency else { return }
        guard total?.currency ?? currency == currency else {
            let detail = "total of \(statement.kind.rawValue)"
            return contradict(Contradiction(kind: .currency, detail: detail, basis: .message))
        }
        let told = ToldTotal(
            kind: statement.kind,
            attempt: focus,
            total: total,
            listed: statement.entries.isEmpty ? nil : Money(statement.listed(in: currency), currency),
            books: statement.total?.isBooked == true
        )
        let known = payment.totals[Totals.Key(kind: told.kind, attempt: told.attempt)] ?? Totals()
        if known.isNew(told) { add(.totalReported(told, at: context.now)) }
    }

    /// Adopts the part of a total that nobody here can have done: it is the provider's own.
    mutating func adoptRemainders() {
        for key in payment.totals.keys.sorted() {
            let rest = payment.unexplained(key)
            guard rest > 0, let request = payment.remainder(key, rest, at: context.now) else { continue }
            add(.operationAdopted(request))
        }
    }

    mutating func put(_ sighted: ProviderOperation, _ owner: TransactionOwner) {
        switch owner {
        case .operation(let id): add(.operationReported(id, sighted, at: context.now))
        case .adopted:
            let id = payment.adoptedId(sighted.providerId, attempt: focus)
            if payment.operation(id) == nil { adopt(sighted, id) }
            add(.operationReported(id, sighted, at: context.now))
        }
    }

    private mutating func adopt(_ sighted: ProviderOperation, _ id: OperationId) {
        add(
            .operationAdopted(
                OperationRequest(
                    id: id,
                    kind: sighted.kind,
                    amount: sighted.amount.money,
                    target: payment.adoptedTarget(sighted),
                    reference: sighted.ourReference ?? sighted.providerId,
                    actor: "provider",
                    reason: nil,
                    at: context.now,
                    attempt: payment.isPast(focus) ? focus : nil
                )
            )
        )
    }
}

extension ProviderOperation {
    /// An amount goes without saying only where the account's adapter declares the message.
    func admitted(by can: Capabilities) -> ProviderOperation {
        guard case .unstated(let message) = amount, !can.unstatedAmounts.contains(message) else { return self }
        return ProviderOperation(
            providerId: providerId,
            kind: kind,
            outcome: outcome,
            amount: .absent,
            ourReference: ourReference,
            createdAt: createdAt,
            changedAt: changedAt
        )
    }
}

extension DispatchOutcome {
    /// Whether a later observation of the same message can't say more.
    var isDefinitive: Bool {
        switch self {
        case .accepted, .notExecuted, .refused, .duplicate, .answered: true
        case .notSent, .unknown: false
        }
    }
}

extension Fact {
    /// Whether it ends an operation or an attempt without its success.
    package var isRefusal: Bool {
        switch self {
        case .operation(let sighted): sighted.outcome.isFinal && !sighted.outcome.isSuccess
        case .attempt(.closed): true
        case .statement, .complete, .attempt(.notRegistered), .attempt(.reading), .order, .dispatch, .instrument,
            .instrumentNews, .receipt,
            .dispute, .method, .series, .seriesDebit, .fee, .commission, .contradiction, .question, .firstAnswer,
            .unrecognised:
            false
        }
    }
}

extension DispatchLicense {
    fileprivate var ref: PaymentObservation.DispatchRef {
        PaymentObservation.DispatchRef(effect: effect, ordinal: ordinal)
    }
}

extension Payment {
    /// So many unknown words one payment keeps as events; each further message is still kept raw.
    package static let unrecognisedKept = 64
    /// Operations of one message that are matched with ours; a provider's page of history has a tenth of that.
    package static let operationsOfMessage = 200
    /// Operations at the provider that one payment is known by.
    package static let operationsKept = 500

    /// Whether a total that the provider names is more than the one known: totals grow, and messages come in any order.
    fileprivate func raises(_ known: Money?, _ told: Money) -> Bool {
        guard let known else { return true }
        func rank(_ money: Money) -> (Int, Int64, String) {
            (money.currency == currency ? 1 : 0, money.minor, money.currency.code)
        }
        return rank(known) < rank(told)
    }
}

package import Kernel

/// Something that happened to a payment without a command.
package enum PaymentObservation: Hashable, Sendable {
    /// What an adapter read; `dispatch` names the message that was answered.
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
        switch observation {
        case .facts(let facts, .verified, let dispatch): draft.take(facts, dispatch)
        case .facts(_, .hint, _), .browserReturn: draft.query()
        case .timer: draft.timer()
        }
        draft.settle()
        return draft.decision
    }
}

extension PaymentDraft {
    /// Books verified facts and what they say about the message they answer.
    fileprivate mutating func take(_ facts: [Fact], _ answered: PaymentObservation.DispatchRef?) {
        let question = answered.flatMap { payment.dispatch($0) }
        if let answered, let question {
            for fact in facts {
                guard case .dispatch(let outcome) = fact, question.outcome?.isDefinitive != true else { continue }
                add(.dispatchObserved(answered.effect, ordinal: answered.ordinal, outcome, at: context.now))
            }
        }
        for fact in facts { book(fact) }
        guard let question, question.license.purpose == .query else { return recover(question) }
        guard facts.contains(.dispatch(.answered)) else { return }
        afterQuery(question.license)
    }

    private mutating func book(_ fact: Fact) {
        switch fact {
        case .operation(let sighted): book(sighted)
        case .attempt(let fact): book(fact)
        case .dispatch: break  // Booked with the message that it answers.
        case .instrument(let instrument):
            let id = payment.instrumentId(instrument, context.account)
            if !payment.instruments.contains(id) { add(.instrumentSaved(id, instrument)) }
        case .method(let method): if payment.methodAtProvider != method { add(.methodReported(method)) }
        case .fee(let amount): if payment.fee != amount { add(.feeReported(amount)) }
        case .commission(let amount): if payment.commission != amount { add(.commissionReported(amount)) }
        case .contradiction(let kind, let detail): contradict(kind, detail)
        case .unrecognised(let what, let value):
            if !payment.unrecognised.contains("\(what)=\(value)") {
                add(.unrecognisedReported(what: what, value: value))
            }
        }
    }

    private mutating func book(_ fact: AttemptFact) {
        guard let attempt = payment.attempt else { return }
        let isNew: Bool
        switch fact {
        case .notRegistered: isNew = attempt.notRegisteredAt == nil || payment.expiryReached
        case .reading(let reading): isNew = attempt.reading != reading
        case .closed(let ending): isNew = !attempt.endings.contains(ending)
        }
        if isNew { add(.attemptReported(fact, at: context.now)) }
    }

    private mutating func book(_ sighted: ProviderOperation) {
        let id: OperationId
        if let operation = payment.match(sighted) {
            id = operation.id
        } else {
            id = payment.adoptedId(sighted.providerId)
            add(
                .operationAdopted(
                    OperationRequest(
                        id: id,
                        kind: sighted.kind,
                        amount: sighted.amount,
                        target: payment.adoptedTarget(sighted.kind),
                        reference: sighted.ourReference ?? sighted.providerId,
                        actor: "provider",
                        reason: nil,
                        at: context.now
                    )
                )
            )
        }
        guard let before = payment.operation(id) else { return }
        var merged = before.sightings[sighted.providerId] ?? Sighting(sighted)
        merged.merge(sighted)
        guard before.sightings[sighted.providerId] != merged else { return }
        add(.operationReported(id, sighted))
        for conflict in merged.conflicts { contradict(conflict, "operation \(sighted.providerId)") }
        if let after = payment.operation(id) { checkEcho(after, sighted) }
    }

    /// Holds the echoed amount and currency against what was asked for.
    private mutating func checkEcho(_ operation: Operation, _ sighted: ProviderOperation) {
        guard sighted.outcome.isSuccess, let amount = sighted.amount else { return }
        if let currency = payment.currency, amount.currency != currency {
            return contradict(.currency, "operation \(sighted.providerId): \(amount.currency.code)")
        }
        guard operation.origin == .commanded, let requested = operation.requested, operation.kind != .verify else {
            return
        }
        if requested.minor != amount.minor {
            contradict(.amount, "operation \(sighted.providerId): asked \(requested), seen \(amount)")
        }
    }

    private mutating func contradict(_ kind: ContradictionKind, _ detail: String) {
        if !payment.contradictions.contains(kind) { add(.contradictionFound(kind, detail: detail)) }
    }

    /// Rules that follow from the amounts and flags, whatever brought them about.
    mutating func settle() {
        if let attempt = payment.attempt, !attempt.isOpen {
            for operation in payment.operations where operation.kind.isInitial && operation.state == .succeeded {
                if !payment.lateSuccesses.contains(operation.id) { add(.lateSuccess(operation.id)) }
            }
        }
        if let currency = payment.currency {
            let sums = payment.amounts
            let excess = sums.returnedToCustomer.addingClamped(sums.disputed).addingClamped(-sums.captured)
            if excess > payment.overReturned { add(.overReturned(Money(excess, currency))) }
        }
        revokeUnsent()
        giveBackCancelled()
    }

    /// A message that nobody needs any more is not sent.
    private mutating func revokeUnsent() {
        for operation in payment.operations where operation.isClosed {
            for dispatch in operation.dispatches where dispatch.isInFlight {
                add(
                    .dispatchRevoked(
                        dispatch.license.effect,
                        ordinal: dispatch.license.ordinal,
                        reason: "operation closed"
                    )
                )
            }
        }
    }

    /// Money that arrives for a cancelled payment goes back by itself.
    private mutating func giveBackCancelled() {
        guard payment.cancelRequestedBy != nil, !payment.isFrozen, let currency = payment.currency else { return }
        let sums = payment.amounts
        if sums.held > 0, payment.hasNone(of: .void) {
            request(
                .void,
                Money(sums.held, currency),
                isFull: true,
                actor: "policy",
                reason: "cancelled before it was paid"
            )
        }
        guard payment.terms?.mode == .sale, payment.hasNone(of: .refund) else { return }
        if let sale = payment.captures.first, payment.refundable(sale) > 0 {
            let left = Money(payment.refundable(sale), currency)
            request(
                .refund,
                left,
                target: sale.id,
                isFull: true,
                actor: "policy",
                reason: "cancelled before it was paid"
            )
        }
    }
}

extension DispatchOutcome {
    /// Whether a later observation of the same message can't say more.
    var isDefinitive: Bool {
        switch self {
        case .accepted, .notExecuted, .duplicate, .answered: true
        case .notSent, .unknown: false
        }
    }
}

extension Payment {
    package func dispatch(_ ref: PaymentObservation.DispatchRef) -> Dispatch? {
        (queries + operations.flatMap(\.dispatches)).first {
            $0.license.effect == ref.effect && $0.license.ordinal == ref.ordinal
        }
    }

    func hasNone(of kind: OperationKind) -> Bool { !operations.contains { $0.kind == kind } }

    /// Finds the operation of ours that a sighting is about.
    ///
    /// 1. the one that was seen with this provider id before,
    /// 2. the one whose reference the provider echoes,
    /// 3. for a beginning: the payment's own, whose form may be tried several times,
    /// 4. the only open one of the kind and amount that was not seen yet, where the provider takes no reference.
    func match(_ sighted: ProviderOperation) -> Operation? {
        if let known = operations.first(where: { $0.sightings[sighted.providerId] != nil }) { return known }
        if let reference = sighted.ourReference {
            return operations.first { $0.reference == reference && $0.origin == .commanded }
        }
        if sighted.kind.isInitial { return initial.flatMap { $0.kind == sighted.kind ? $0 : nil } }
        let candidates = operations.filter { operation in
            operation.origin == .commanded && operation.kind == sighted.kind && operation.sightings.isEmpty
                && operation.ending == nil && !operation.dispatches.isEmpty
                && (operation.requested == sighted.amount || sighted.amount == nil)
        }
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// The capture that an adopted refund belongs to, where there is no choice.
    func adoptedTarget(_ kind: OperationKind) -> OperationId? {
        switch kind {
        case .refund, .refundReversal:
            let taken = operations.filter { $0.kind == .capture || $0.kind == .sale }
            return taken.count == 1 ? taken[0].id : nil
        case .sale, .authorize, .verify, .tokenize, .capture, .void: return nil
        }
    }
}

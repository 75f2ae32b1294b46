import Crypto
import Kernel

extension PaymentDraft {
    /// The attempt, its initial operation, and its first message: one that the payer's device carries, or one that we send.
    mutating func openAttempt(_ number: Int, _ terms: PaymentTerms, _ opening: Opening, actor: String) {
        let reference = Payment.reference(.version5(namespace: payment.id.uuid, name: "attempt:\(number)"))
        add(.attemptOpened(number: number, reference: reference, deadline: terms.expiresAt))
        let initial = payment.operationId(for: context.input, terms.mode.operation)
        let request = OperationRequest(
            id: initial,
            kind: terms.mode.operation,
            amount: terms.amount,
            target: nil,
            reference: Payment.reference(initial.uuid),
            actor: actor,
            reason: nil,
            at: context.now
        )
        add(.operationRequested(request))
        let isOurs = opening == .request
        let handover = EffectId(.version5(namespace: payment.id.uuid, name: "handover:\(number)"))
        ask(
            DispatchRequest(
                effect: isOurs ? Payment.effect(of: initial) : handover,
                planned: payment.planned(
                    isOurs ? .operation(request.kind) : .handover,
                    isOurs ? request : nil,
                    isFull: true,
                    attempt: number
                ),
                attempt: number,
                operation: isOurs ? initial : nil,
                ordinal: 1,
                ground: .first,
                notBefore: context.now,
                sendBefore: isOurs ? min(context.now.adding(Payment.sendWindow), terms.expiresAt) : terms.expiresAt
            )
        )
    }

    /// Tries the next account when it is proved that the attempt took nothing and never will.
    mutating func fallBack() {
        guard let routes = context.fallbackRoutes, let terms = payment.terms, let first = payment.routes.first,
            let (proof, decline) = payment.provenFailure(context.now)
        else { return }
        let number = payment.attemptNumber
        let decision = routes.routing.next(
            after: first,
            cause: .fallback(after: number, proof, decline),
            among: routes.accounts,
            tried: Set(payment.triedAccounts.map(\.id)),
            refusals: routes.refusals,
            at: context.now
        )
        if decision.chosen != nil, payment.attempt?.isOpen == true {
            add(.attemptClosed(.declined(decline), by: proof == .notExecuted ? .provider : .absence))
        }
        add(.routed(decision))
        guard let next = decision.chosen else { return }
        openAttempt(number + 1, terms, routes.openings[next.id] ?? .handover, actor: Payment.ruleActor)
    }
}

extension Payment {
    /// Whether a later event may still lead this payment to another account.
    ///
    /// One that a restore set back stays where it is: it may have gone on already, and nobody knows to whom.
    package var mayFallBack: Bool {
        guard let policy = routes.first?.fallback, attemptNumber < policy.attempts, routes.last?.chosen != nil,
            terms?.instrument == nil, terms?.occurrence == nil, cancelRequestedBy == nil, !expiryReached, !isSetBack
        else { return false }
        return amounts == PaymentAmounts()
    }

    /// The proof that the current attempt took nothing and never will, with the refusal that permits another one.
    ///
    /// Nothing of it may be alive: no link, no order, no message under way, no try, no money word. A saved instrument
    /// belongs to its account, and an end by a person or by time is final.
    func provenFailure(_ now: Timestamp) -> (RouteDecision.Proof, Decline)? {
        guard mayFallBack, !isFrozen, let attempt, let initial, let terms, now < terms.expiresAt,
            let policy = routes.first?.fallback
        else { return nil }
        let hasForeign = operations(of: attemptNumber).contains { $0.id != initial.id }
        let isQuiet = initial.transactions.values.allSatisfy { $0.latest.outcome.isFinal && !$0.succeeded }
        guard !hasForeign, isQuiet, !initial.isInFlight, initial.state != .succeeded else { return nil }
        if case .moneyWithoutOperation? = attempt.reading { return nil }
        guard let (proof, decline) = proof(attempt, initial), policy.classes.contains(decline.reason) else {
            return nil
        }
        return (proof, decline)
    }

    private func proof(_ attempt: Attempt, _ initial: Operation) -> (RouteDecision.Proof, Decline)? {
        let hasLink = !handovers.isEmpty || order != nil
        if !attempt.isOpen {
            guard !attempt.closedByUs, case .declined(let decline)? = attempt.strongestEnding else { return nil }
            let isRefusal = !hasLink && initial.transactions.isEmpty && initial.lostAt == nil
            return (isRefusal ? .notExecuted : .closed, decline)
        }
        guard !hasLink, initial.transactions.isEmpty else { return nil }
        switch initial.ending {
        case nil:
            guard initial.lostAt == nil, case .failed(let decline) = initial.state else { return nil }
            return (.notExecuted, decline)
        case .refused(let decline)?: return (.notExecuted, decline)
        case .notSent(let reason)?: return (.notSent, Self.decline(reason))
        case .absent?: return (.absent, Decline(reason: .providerDown, code: "absent", tableVersion: 0))
        case .bookedByOperator?, .failedByOperator?: return nil
        }
    }

    /// A message that never left, as a refusal by the account: it is out of reach, or it can't be asked so.
    private static func decline(_ reason: String) -> Decline {
        let kind: DeclineClass =
            switch DispatchReason(reason) {
            case .unreachable, .keptBack: .providerDown
            case .misconfigured: .configuration
            case .expired, .secretLost, .senderVanished, .cancelled, .stopped, .unreadable, .gap, .other: .unknown
            }
        return Decline(reason: kind, code: reason, tableVersion: 0)
    }
}

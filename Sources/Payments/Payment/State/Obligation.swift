package import Kernel

/// What must still happen for one unresolved thing: who owes it, what comes next, and until when.
package struct Obligation: Hashable, Sendable {
    /// What is unresolved.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The payment itself has no outcome.
        case outcome
        /// Somebody wants it cancelled, and the provider's link is alive.
        case cancellation
        /// An operation of ours or of the provider has no outcome.
        case operation
        /// Money moved and nobody knows how much.
        case amount
        /// A hold waits to be captured or given back.
        case hold
        /// A hold was captured in part, and the rest can't be captured any more.
        case remainder
        /// Two claims can't both be true.
        case contradiction
        /// Money arrived after the payment was told as failed, expired or cancelled.
        case lateSuccess
        /// The customer got back more than was taken.
        case overReturned
        case dispute
        /// A resolution waits for its second person.
        case proposal
    }

    package enum Owner: String, Hashable, Sendable, CaseIterable {
        case payer, provider, merchant
        case `operator`
    }

    package enum Step: String, Hashable, Sendable, CaseIterable {
        case payerActs, askProvider, awaitAnswer, captureOrVoid, awaitRelease, fulfilOrReturn, answerDispute, resolve,
            approve
    }

    package let kind: Kind
    package let owner: Owner
    package let step: Step
    /// A stable word for why, as in `answer_lost`.
    package let reason: String
    package let operation: OperationId?
    /// When the next step is due or its chance is over; `nil` where time decides nothing.
    package let deadline: Timestamp?
}

/// Everything of a payment that can be unresolved; what is owed follows from the case alone.
private enum Unresolved {
    case outcome(PaymentStatus)
    case cancellation
    case operation(Operation)
    case amount(Operation)
    case hold
    case remainder
    case contradiction(Contradiction)
    case lateSuccess(OperationId)
    case overReturned
    case dispute(Dispute)
    case proposal(Resolution)
}

extension Payment {
    /// What this payment still owes or is owed, in a stable order; empty when nothing is left to do.
    package func obligations(_ can: Capabilities, at now: Timestamp) -> [Obligation] {
        unresolved(can).map { obligation(for: $0, can, now) }
    }

    private func unresolved(_ can: Capabilities) -> [Unresolved] {
        guard isCreated else { return [] }
        var found: [Unresolved] = []
        if status.isOpen { found.append(cancelRequestedBy == nil ? .outcome(status) : .cancellation) }
        for operation in operations {
            if operation.hasUnknownAmount { found.append(.amount(operation)) }
            let isUnfinishedTry = !status.isOpen && operation.sightings.values.contains { !$0.latest.outcome.isFinal }
            if !operation.isClosed, !operation.kind.isInitial || isUnfinishedTry { found.append(.operation(operation)) }
        }
        if amounts.held > 0 {
            found.append(amounts.capturedFromHold > 0 && !can.multipleCaptures ? .remainder : .hold)
        }
        found += flags.openContradictions.map { .contradiction($0) }
        if !isEven {
            found += flags.openLateSuccesses.sorted { $0.uuid < $1.uuid }.map { .lateSuccess($0) }
        }
        if overReturned > flags.settledExcess { found.append(.overReturned) }
        found += disputes.values.filter { $0.stage == .opened }.sorted { $0.id.uuid < $1.id.uuid }.map { .dispute($0) }
        let waiting = proposals.values.filter { !approved.contains($0.id) && $0.seenVersion >= evidenceVersion }
        found += waiting.sorted { $0.id < $1.id }.map { .proposal($0) }
        return found
    }

    /// Whether no money is with the merchant and none on the way.
    private var isEven: Bool {
        let sums = amounts
        return sums.held == 0 && sums.returnedToCustomer >= sums.captured
            && !operations.contains(where: \.hasUnknownAmount)
    }

    private func obligation(for thing: Unresolved, _ can: Capabilities, _ now: Timestamp) -> Obligation {
        switch thing {
        case .outcome(let status): outcomeObligation(status, can, now)
        case .cancellation: owed(.cancellation, byProviderUntilQueryEnd: can, now, "link_alive")
        case .operation(let operation): operationObligation(operation, can, now)
        case .amount(let operation): owed(.amount, byProviderUntilQueryEnd: can, now, "amount_unknown", operation.id)
        case .hold: owed(.hold, .merchant, .captureOrVoid, "money_held", holdEnd(can))
        case .remainder: owed(.remainder, .provider, .awaitRelease, "captured_in_part", holdEnd(can))
        case .contradiction(let found): owed(.contradiction, .operator, .resolve, found.kind.rawValue)
        case .lateSuccess(let id): owed(.lateSuccess, .merchant, .fulfilOrReturn, "paid_after_the_end", nil, id)
        case .overReturned: owed(.overReturned, .operator, .resolve, "returned_more_than_captured")
        case .dispute(let dispute): owed(.dispute, .merchant, .answerDispute, "dispute_opened", nil, dispute.capture)
        case .proposal: owed(.proposal, .operator, .approve, "second_person_needed")
        }
    }

    private func outcomeObligation(_ status: PaymentStatus, _ can: Capabilities, _ now: Timestamp) -> Obligation {
        switch status {
        case .created, .requiresAction:
            if expiryReached { return owed(.outcome, byProviderUntilQueryEnd: can, now, "expiry_unproved") }
            return owed(.outcome, .payer, .payerActs, "waiting_for_payer", terms?.expiresAt)
        case .processing: return owed(.outcome, byProviderUntilQueryEnd: can, now, "provider_works")
        case .indeterminate: return owed(.outcome, byProviderUntilQueryEnd: can, now, "provider_unclear")
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .voided, .released, .verified, .tokenized, .failed, .expired:
            preconditionFailure("a closed status owes no outcome")
        }
    }

    private func operationObligation(_ operation: Operation, _ can: Capabilities, _ now: Timestamp) -> Obligation {
        let id = operation.id
        switch operation.state {
        case .requested:
            guard operation.isInFlight else { return owed(.operation, .operator, .resolve, "never_licensed", nil, id) }
            let last = operation.dispatches.last?.license.sendBefore
            return owed(.operation, .provider, .awaitAnswer, "message_on_its_way", last, id)
        case .pending: return owed(.operation, byProviderUntilQueryEnd: can, now, "provider_works", id)
        case .indeterminate:
            if operation.isInFlight {
                let last = operation.dispatches.last?.license.sendBefore
                return owed(.operation, .provider, .awaitAnswer, "message_on_its_way", last, id)
            }
            guard operation.sightings.isEmpty else {
                return owed(.operation, byProviderUntilQueryEnd: can, now, "provider_unclear", id)
            }
            switch can.recovery[operation.kind] ?? .none {
            case .sameKey(let lifetime):
                let end = operation.dispatches.first?.license.licensedAt.adding(lifetime)
                let isSpent = (operation.dispatches.last?.license.ordinal ?? 0) >= Payment.licencesPerOperation
                if isSpent || !mayRepeat(operation) || now >= end ?? now {
                    return owed(.operation, .operator, .resolve, "answer_lost", nil, id)
                }
                return owed(.operation, .provider, .askProvider, "answer_lost", end, id)
            case .query:
                if isUnexplained(operation) { return owed(.operation, .operator, .resolve, "unexplained", nil, id) }
                return owed(.operation, byProviderUntilQueryEnd: can, now, "answer_lost", id)
            case .none: return owed(.operation, .operator, .resolve, "answer_lost", nil, id)
            }
        case .succeeded, .failed, .notExecuted: preconditionFailure("a closed operation owes no outcome")
        }
    }

    /// The provider is asked as long as it can answer; then a person decides.
    private func owed(
        _ kind: Obligation.Kind,
        byProviderUntilQueryEnd can: Capabilities,
        _ now: Timestamp,
        _ reason: String,
        _ operation: OperationId? = nil
    ) -> Obligation {
        guard let end = queryEnd(can), now < end else {
            return owed(kind, .operator, .resolve, reason, nil, operation)
        }
        return owed(kind, .provider, .askProvider, reason, end, operation)
    }

    private func owed(
        _ kind: Obligation.Kind,
        _ owner: Obligation.Owner,
        _ step: Obligation.Step,
        _ reason: String,
        _ deadline: Timestamp? = nil,
        _ operation: OperationId? = nil
    ) -> Obligation {
        Obligation(kind: kind, owner: owner, step: step, reason: reason, operation: operation, deadline: deadline)
    }
}

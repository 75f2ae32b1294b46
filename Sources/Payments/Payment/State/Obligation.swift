import EventSourcing
package import Kernel

/// Something unresolved: who owes it, what comes next, and until when.
package struct Obligation: Hashable, Sendable, JsonWritable {
    /// The kind of thing that is unresolved.
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
        /// The provider debited what no occurrence of a schedule explains.
        case debit
        case dispute
        /// Nobody knows whether the provider did what it was asked for beside moving money, or it refused.
        case auxiliary = "errand"
        /// An app reported something that a person must know of.
        case report
        /// A resolution waits for its second person.
        case proposal
        /// The log may lack its newest part, and the provider has not been asked since how the payment stands.
        case reconciliation
        /// The provider was asked how the payment stands and does not say so in words that we know.
        case inquiry
    }

    package enum Owner: String, Hashable, Sendable, CaseIterable {
        case payer, provider, merchant
        case `operator`
    }

    package enum Step: String, Hashable, Sendable, CaseIterable {
        case payerActs, askProvider, awaitAnswer, captureOrVoid, awaitRelease, fulfilOrReturn, answerDispute, askAgain,
            resolve, approve
    }

    package let kind: Kind
    package let owner: Owner
    package let step: Step
    /// A stable word for why, as in `answer_lost`.
    package let reason: String
    package let operation: OperationId?
    /// When the next step is due or its chance is over; `nil` where time decides nothing or nobody knows.
    package let deadline: Timestamp?

    package func write(into out: inout JsonText) {
        out.member("deadline", deadline)
        out.member("kind", kind)
        out.member("nextStep", step)
        out.member("operation", operation)
        out.member("owner", owner)
        out.member("reason", reason)
    }
}

/// Everything of a payment that can be unresolved; what is owed follows from the case and where the payment stands.
private enum Unresolved {
    case outcome
    case cancellation
    case operation(Operation)
    case amount(Operation)
    case hold
    case remainder
    case contradiction(Contradiction)
    case lateSuccess(OperationId)
    case overReturned
    case debit
    case dispute(Dispute)
    case auxiliary(AuxiliaryRequest)
    case report(ReportedConcern)
    case proposal(Resolution)
    case reconciliation
    case inquiry
}

extension Payment {
    /// After so many fruitless questions a person looks at what the provider leaves open.
    package static let questionsBeforePerson = 12

    /// The obligations of this payment and to it, in a stable order; empty when nothing is left to do.
    ///
    /// They are a function of the stream alone; `obligations(_:at:)` adds the deadlines that the account's lifetimes
    /// give.
    package var obligations: [Obligation] { Debts(self).obligations }

    package func obligations(_ can: Capabilities, at now: Timestamp) -> [Obligation] {
        Debts(self).obligations(can, at: now)
    }

    /// The last auxiliary request of each kind, unless it is done.
    fileprivate var openAuxiliaryRequests: [AuxiliaryRequest] {
        guard !auxiliaryRequests.isEmpty else { return [] }
        return AuxiliaryKind.allCases.compactMap { kind in
            // That an order is given up is owed by whoever wants it, however often the provider was told.
            guard kind != .cancelOrder else { return nil }
            return auxiliaryRequests.last { $0.request.kind == kind }.flatMap { $0.state == .done ? nil : $0 }
        }
    }

    package var needsOperator: Bool { obligations.contains { $0.owner == .operator } }
}

/// What of a payment is unresolved, found once; names for each thing who owes what.
package struct Debts: Sendable {
    private let payment: Payment
    package let status: PaymentStatus
    private let unresolved: [Unresolved]
    private var known: (can: Capabilities, now: Timestamp)?

    package init(_ payment: Payment) {
        self.payment = payment
        let sums = payment.standing
        status = payment.status(sums)
        unresolved = payment.isCreated ? payment.unresolved(status, sums) : []
    }

    /// Whether nothing can be owed, whatever the account's lifetimes are and the time is.
    package var isEmpty: Bool { unresolved.isEmpty }

    /// As far as the stream alone tells.
    package var obligations: [Obligation] { unresolved.compactMap(obligation) }

    /// With the deadlines that the account's lifetimes give.
    package func obligations(_ can: Capabilities, at now: Timestamp) -> [Obligation] {
        var debts = self
        debts.known = (can, now)
        return debts.obligations
    }

    private func obligation(_ thing: Unresolved) -> Obligation? {
        let holdEnd = known.flatMap { payment.holdEnd($0.can) }
        switch thing {
        case .outcome: return outcome
        case .cancellation: return asked(.cancellation, "link_alive")
        case .operation(let operation): return outcome(operation)
        case .amount(let operation): return asked(.amount, "amount_unknown", operation.id)
        case .hold: return owed(.hold, .merchant, .captureOrVoid, "money_held", holdEnd)
        case .remainder:
            if known?.can.multipleCaptures == true {
                return owed(.remainder, .merchant, .captureOrVoid, "captured_in_part", holdEnd)
            }
            return owed(.remainder, .provider, .awaitRelease, "captured_in_part", holdEnd)
        case .contradiction(let found): return owed(.contradiction, .operator, .resolve, found.kind.rawValue)
        case .lateSuccess(let id):
            return owed(.lateSuccess, .merchant, .fulfilOrReturn, "paid_after_the_end", nil, id)
        case .overReturned: return owed(.overReturned, .operator, .resolve, "returned_more_than_captured")
        case .debit: return owed(.debit, .operator, .resolve, "debit_unmatched")
        case .dispute(let dispute):
            let isLate = known.map { known in dispute.answerBy.map { known.now >= $0 } ?? false } ?? false
            let reason = isLate ? "answer_overdue" : "dispute_opened"
            return owed(.dispute, .merchant, .answerDispute, reason, dispute.answerBy, dispute.capture)
        case .auxiliary(let auxiliary):
            if auxiliary.state == .underWay { return onItsWay(.auxiliary, auxiliary.dispatch, nil) }
            return owed(
                .auxiliary,
                .merchant,
                .askAgain,
                "\(auxiliary.request.kind.rawValue)_\(auxiliary.state.rawValue)"
            )
        case .report(let report): return owed(.report, .operator, .resolve, report.concern.rawValue)
        case .proposal: return owed(.proposal, .operator, .approve, "second_person_needed")
        case .reconciliation:
            let isOwed = known.map { payment.owesLook($0.can) } ?? payment.isUnasked
            return isOwed ? asked(.reconciliation, "log_restored") : nil
        case .inquiry:
            if let gap = payment.gap(of: payment.attemptNumber) { return asked(.inquiry, gap.kind.rawValue) }
            guard payment.unansweredQuestions < Payment.questionsBeforePerson else {
                return owed(.inquiry, .operator, .resolve, "no_answer")
            }
            return asked(.inquiry, "status_unknown")
        }
    }

    private var outcome: Obligation {
        switch status {
        case .created, .requiresAction:
            if payment.expiryReached { return asked(.outcome, "expiry_unproved") }
            guard let action = payment.payerAction(status) else { return opening }
            if action == .approval { return asked(.outcome, "approval") }
            return owed(.outcome, .payer, .payerActs, "waiting_for_payer", payment.terms?.expiresAt)
        case .processing: return asked(.outcome, "provider_works")
        case .indeterminate:
            let gap = payment.gap(of: payment.attemptNumber)?.kind.rawValue
            return asked(.outcome, payment.isUnreadable ? "status_unknown" : gap ?? "provider_unclear")
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .voided, .released, .verified, .tokenized, .transferred, .failed, .expired:
            preconditionFailure("a closed status owes no outcome")
        }
    }

    /// As long as nobody can tell the payer where to go on, it is not the payer's.
    private var opening: Obligation {
        if payment.isMisdirected(status) { return owed(.outcome, .operator, .resolve, "contradicted") }
        if let sent = payment.initial?.dispatches.last(where: \.isInFlight) { return onItsWay(.outcome, sent) }
        return asked(.outcome, payment.isStranded ? "address_lost" : "not_opened")
    }

    private func outcome(_ operation: Operation) -> Obligation {
        if let sent = operation.dispatches.last(where: \.isInFlight) {
            return onItsWay(.operation, sent, operation.id)
        }
        if operation.awaitsBaseline { return asked(.operation, "baseline", operation.id) }
        switch operation.state {
        case .requested: return owed(.operation, .operator, .resolve, "never_sent", nil, operation.id)
        case .pending: return asked(.operation, "provider_works", operation.id)
        case .indeterminate:
            return operation.transactions.isEmpty
                ? lostAnswer(operation) : asked(.operation, "provider_unclear", operation.id)
        case .succeeded, .failed, .notExecuted: preconditionFailure("a closed operation owes no outcome")
        }
    }

    /// An outcome that is overdue can't be had without a person: it came and could not be decided, or its row is gone.
    private func onItsWay(_ kind: Obligation.Kind, _ sent: Dispatch?, _ operation: OperationId? = nil) -> Obligation {
        if let known, sent?.isStuck(at: known.now) == true {
            return owed(kind, .operator, .resolve, "answer_stuck", nil, operation)
        }
        return owed(kind, .provider, .awaitAnswer, "message_on_its_way", sent?.license.sendBefore, operation)
    }

    private func lostAnswer(_ operation: Operation) -> Obligation {
        if payment.isUnexplained(operation) {
            return owed(.operation, .operator, .resolve, "unexplained", nil, operation.id)
        }
        if operation.unseenRefusal != nil { return asked(.operation, "refusal_unproved", operation.id) }
        let person = owed(.operation, .operator, .resolve, "answer_lost", nil, operation.id)
        guard let known else { return asked(.operation, "answer_lost", operation.id) }
        switch known.can.recovery[operation.kind, by: payment.terms?.method] {
        case .sameKey(let lifetime):
            let end = operation.dispatches.first?.license.licensedAt.adding(lifetime).adding(.zero - Payment.clockSkew)
            let isSpent = (operation.dispatches.last?.license.ordinal ?? 0) >= Payment.licensesPerOperation
            guard let end, known.now < end, !isSpent, payment.mayRepeat(operation) else { return person }
            return owed(.operation, .provider, .askProvider, "answer_lost", end, operation.id)
        case .query, .baselineDiff: return asked(.operation, "answer_lost", operation.id)
        case .none: return person
        }
    }

    /// The provider is asked as long as that is of use; then a person decides.
    private func asked(_ kind: Obligation.Kind, _ reason: String, _ operation: OperationId? = nil) -> Obligation {
        let end = known.flatMap { payment.queryEnd($0.can) }
        let isTooLate: Bool
        if let known, let end { isTooLate = known.now >= end } else { isTooLate = false }
        if isTooLate || payment.polls >= Payment.questionsBeforePerson {
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

extension Payment {
    /// Everything that may be unresolved where it stands so, in a stable order.
    fileprivate func unresolved(_ status: PaymentStatus, _ sums: PaymentAmounts) -> [Unresolved] {
        var found: [Unresolved] = []
        if status.isOpen { found.append(cancelRequestedBy == nil ? .outcome : .cancellation) }
        for operation in operations {
            if operation.hasUnknownAmount { found.append(.amount(operation)) }
            let isUnfinishedTry =
                !status.isOpen && operation.transactions.values.contains { !$0.latest.outcome.isFinal }
            if !operation.isClosed, !operation.kind.isInitial || isUnfinishedTry { found.append(.operation(operation)) }
        }
        if sums.held > 0 { found.append(sums.capturedFromHold > 0 ? .remainder : .hold) }
        found += openContradictions.map { .contradiction($0) }
        let late = openLateSuccesses
        if !late.isEmpty, !isEven { found += late.sorted { $0.uuid < $1.uuid }.map { .lateSuccess($0) } }
        if overReturned > flags.settledExcess { found.append(.overReturned) }
        if !openDebits.isEmpty { found.append(.debit) }
        let open = disputes.values.filter { $0.stage == .opened }
        found += open.sorted { $0.id.uuid < $1.id.uuid }.map { .dispute($0) }
        found += openAuxiliaryRequests.map { .auxiliary($0) }
        found += openConcerns.map { .report($0) }
        let openProposals = proposals.values.filter { proposal in
            !approved.contains(proposal.id) && proposal.seenVersion >= evidenceVersion && isNeeded(proposal.verdict)
        }
        found += openProposals.sorted { $0.id < $1.id }.map { .proposal($0) }
        if isSetBack { found.append(.reconciliation) }
        if owesAnswer(status) { found.append(.inquiry) }
        return found
    }

    /// Whether looks leave open how the payment stands, and nothing else says so.
    private func owesAnswer(_ status: PaymentStatus) -> Bool {
        let isLong = unansweredQuestions >= Self.questionsBeforePerson
        guard let gap = gap(of: attemptNumber) else { return isUnreadable && !status.isOpen || isLong }
        // What looks repeat for so long is a contradiction of its own.
        let isTold = lastingGaps.contains(gap) || flags.settledContradictions.contains(gap)
        return !isTold && !status.isOpen
    }

    /// Whether no money is with the merchant and none on the way.
    private var isEven: Bool {
        guard !operations.contains(where: \.hasUnknownAmount) else { return false }
        let sums = amounts
        return sums.held == 0 && sums.returnedToCustomer >= sums.collected
    }
}

import Kernel

/// Where a payment stands: a function of its amounts, its attempt and its open operations, stored nowhere by hand.
///
/// Each case names the cases that it goes to in the ordinary course, and by what. Money decides first: verified evidence of
/// it (`operationReported`, `totalReported`) or two persons (`operationEnded`) lead from every case to the one that the sums
/// give, however late they come.
package enum PaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// Accepted; nothing was given to the payer yet.
    ///
    /// Goes to `requiresAction` with the licence of a handover or the provider's word that it waits for the payer, to
    /// `processing` when the provider takes the message, and to `indeterminate` when the answer is lost. A message that had
    /// no effect ends it as `failed`, the end of the attempt as `failed`, `expired` or `voided`.
    case created
    /// The payer has something to do: open the page, pass 3-D Secure, answer a question, try again.
    ///
    /// Goes to `processing` when the provider works on it, to `indeterminate` when nobody knows, and to `failed`, `expired`
    /// or `voided` when the attempt ends (`attemptReported`, `attemptClosed`). A declined try alone leaves it here: the form
    /// is open until the attempt ends.
    case requiresAction
    /// The provider works on it.
    ///
    /// Goes to `requiresAction` when the provider asks the payer or declines a try, to `indeterminate` when its word is
    /// ambiguous, and to `failed`, `expired` or `voided` when the attempt ends.
    case processing
    /// The provider does not know or an answer was lost; evidence or an operator decides, time never does.
    ///
    /// Goes to `requiresAction` or `processing` when the provider says so, back to `created` with another licence once the
    /// absence is proved, and to `failed`, `expired` or `voided` by proof or by two persons.
    case indeterminate
    /// Money is held.
    ///
    /// Goes to `partiallyCaptured` or `captured` by a capture, to `voided` when a void of ours gave all of it back, and to
    /// `released` when the provider did or `holdExpired` wrote it off.
    case authorized
    /// A part was captured, and the rest is held.
    ///
    /// Goes to `captured` when nothing is held any more, and on as `captured` does.
    case partiallyCaptured
    /// All that was held or asked for was captured, or what was left of the hold is gone.
    ///
    /// Goes to `partiallyRefunded` or `refunded` by refunds, to `disputed` and `chargedBack` by `disputeRecorded`.
    case captured
    /// A part went back.
    ///
    /// Goes to `refunded` with the rest, to `disputed` and `chargedBack` by `disputeRecorded`, and back to where it was when
    /// the provider reverses the refund.
    case partiallyRefunded
    /// All went back.
    ///
    /// Goes to `partiallyRefunded` or back to where it was when a refund is reversed or more is captured, and to
    /// `chargedBack` when a dispute is lost.
    case refunded
    /// The payer's bank took money back for now.
    ///
    /// Goes back to where it was when the dispute is won, to `chargedBack` when it is lost, and to `refunded` when all goes
    /// back beside it.
    case disputed
    /// A dispute ended against the merchant, for all of the money or a part of it.
    ///
    /// Goes to `disputed` by another dispute while a part of the money is left.
    case chargedBack
    /// The hold was given back on command, or the unpaid payment was cancelled.
    ///
    /// An unpaid one goes to `failed` when the provider tells a refusal, too; any goes on by late money alone.
    case voided
    /// The hold ended without a command: the provider or its lifetime released it.
    ///
    /// Goes to `voided` when a void of ours turns out to have released it; else on by late money alone.
    case released
    /// The instrument was checked. Goes on by unexpected money alone.
    case verified
    /// The instrument was saved. Goes on by unexpected money alone.
    case tokenized
    /// The money went on to its recipient.
    ///
    /// No command leads on; evidence of refunds and `disputeRecorded` do, as from `captured`.
    case transferred
    /// The attempt ended with a refusal, or its message had no effect.
    ///
    /// Goes to `created` where the rules try another account (`routed`); else on by late money alone.
    case failed
    /// The payer's time ended, and the attempt with it.
    ///
    /// Goes to `voided` or `failed` when the provider tells a cancellation or a refusal, too; else on by late money alone.
    case expired

    /// Whether the status can still change without a command or unexpected evidence.
    package var isOpen: Bool {
        switch self {
        case .created, .requiresAction, .processing, .indeterminate: true
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .voided, .released, .verified, .tokenized, .transferred, .failed, .expired:
            false
        }
    }
}

extension Payment {
    package var status: PaymentStatus { status(standing) }

    /// Where it stands with these sums of its attempt.
    func status(_ sums: PaymentAmounts) -> PaymentStatus {
        if sums.collected > 0 { return statusAfterTaking(sums) }
        if sums.authorized > 0 {
            if sums.held > 0 { return .authorized }
            if sums.holdExpired > 0 { return .released }
            let ours = operations.contains { operation in
                operation.kind == .void && operation.origin == .commanded && operation.state == .succeeded
                    && operation.attempt == attemptNumber
            }
            return ours ? .voided : .released
        }
        if hasSucceeded(.verify) { return .verified }
        if hasSucceeded(.tokenize) { return .tokenized }
        return statusBeforeMoney
    }

    /// Whether evidence or an operator shows a check or a saved instrument.
    private func hasSucceeded(_ kind: OperationKind) -> Bool {
        operations.contains { operation in
            guard operation.attempt == attemptNumber else { return false }
            if operation.transactions.values.contains(where: { $0.succeeded && $0.kind == kind }) { return true }
            return operation.kind == kind && operation.transactions.isEmpty && operation.state == .succeeded
        }
    }

    private func statusAfterTaking(_ sums: PaymentAmounts) -> PaymentStatus {
        if sums.chargedBack > 0, sums.returnedToCustomer >= sums.collected { return .chargedBack }
        if sums.refunded >= sums.collected { return .refunded }
        if sums.disputed > 0 { return .disputed }
        if sums.chargedBack > 0 { return .chargedBack }
        if sums.returnedToCustomer > 0 { return .partiallyRefunded }
        if sums.transferred > 0 { return .transferred }
        return sums.held > 0 ? .partiallyCaptured : .captured
    }

    private var statusBeforeMoney: PaymentStatus {
        guard let attempt, let initial else { return .created }
        if initial.state == .succeeded { return .indeterminate }  // A success that no amount explains.
        if let ending = attempt.strongestEnding {
            switch ending {
            case .declined: return .failed
            case .expired: return .expired
            case .cancelled: return .voided
            }
        }
        if case .moneyWithoutOperation? = attempt.reading { return .indeterminate }
        if isUnreadable { return .indeterminate }
        switch initial.state {
        // The form is open until the provider closes the attempt; what a provider does by itself has none.
        case .failed: return terms?.adopted == nil ? .requiresAction : .failed
        case .notExecuted: return .failed
        case .indeterminate, .succeeded: return .indeterminate
        case .pending:
            if initial.openAction != nil { return .requiresAction }
            return initial.transactions.isEmpty && order != nil ? .requiresAction : .processing
        case .requested:
            switch attempt.reading {
            case .ambiguous?, .moneyWithoutOperation?: return .indeterminate
            case .processing?: return .processing
            case .waiting?: return .requiresAction
            case nil: return handovers.isEmpty ? .created : .requiresAction
            }
        }
    }

    /// Whether nobody can go where the payer is awaited: the answer that says where is lost, on its way or not kept whole.
    var isStranded: Bool {
        guard let initial else { return false }
        if let order, order.isCut { return true }
        guard initial.isInFlight || initial.lostAt != nil, !initial.wasAccepted else { return false }
        if let order { return order.isWithoutHandover }
        switch terms?.method {
        case .hosted?, nil: return false
        case .sdk?, .wallet?, .instrument?: break
        }
        switch initial.openAction {
        case .threeDSecure?, .redirect?: return true
        case .handover?, .clarify?, .retryInForm?, .customerAction?, .approval?, nil: return false
        }
    }

    /// Nobody is sent to pay when the provider reports another amount or order, or a refund, until two persons settle it.
    package var isMisdirected: Bool { isMisdirected(status) }

    /// The same where the status is known.
    func isMisdirected(_ status: PaymentStatus) -> Bool {
        guard status.isOpen else { return false }
        return overReturned > flags.settledExcess
            || openContradictions.contains { found in
                switch found.kind {
                case .amount, .currency, .identity: true
                case .outcome, .excess, .unasked, .vanished, .moneyWithoutOperation: false
                }
            }
    }

    /// The step that the payer is asked for now; none once the payment's time is over or somebody wants it cancelled.
    package var payerAction: PayerAction? { payerAction(status) }

    /// The same where the status is known.
    package func payerAction(_ status: PaymentStatus) -> PayerAction? {
        guard status == .requiresAction, cancelRequestedBy == nil, !expiryReached, !isStranded,
            !isMisdirected(status), let attempt, let initial
        else { return nil }
        if let action = initial.openAction { return action }
        if case .waiting(let action)? = attempt.reading { return action }
        if initial.lastDecline != nil { return .retryInForm(attemptsLeft: nil, seconds: nil) }
        return .handover
    }
}

extension Operation {
    /// The step that the latest unfinished try waits for.
    package var openAction: PayerAction? {
        let open = transactions.values.lazy.map(\.latest).filter { !$0.outcome.isFinal }
        let latest = open.max {
            ($0.changedAt ?? .epoch, $0.providerId) < ($1.changedAt ?? .epoch, $1.providerId)
        }
        guard case .waiting(let action)? = latest?.outcome else { return nil }
        return action
    }
}

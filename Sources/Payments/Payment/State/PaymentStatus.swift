import Kernel

/// Where a payment stands: a function of its amounts, its attempt and its open operations, stored nowhere by hand.
package enum PaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// Accepted; nothing was given to the payer yet.
    case created
    /// The payer has something to do: open the page, pass 3-D Secure, answer a question, try again.
    case requiresAction
    /// The provider works on it.
    case processing
    /// The provider does not know or an answer was lost; evidence or an operator decides, time never does.
    case indeterminate
    /// Money is held.
    case authorized
    case partiallyCaptured
    case captured
    case partiallyRefunded
    case refunded
    /// The payer's bank took money back for now.
    case disputed
    /// A dispute ended against the merchant, for all of the money or a part of it.
    case chargedBack
    /// The hold was given back on command, or the unpaid payment was cancelled.
    case voided
    /// The hold ended without a command: the provider or its lifetime released it.
    case released
    /// The instrument was checked.
    case verified
    /// The instrument was saved.
    case tokenized
    /// The money went on to its recipient.
    case transferred
    case failed
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
    package var status: PaymentStatus {
        let sums = standing
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

    /// Whether what waits to be paid is by the provider's word another amount or another order than ours, or has gone back
    /// already, and two persons have not dealt with it: nobody is sent there.
    package var isMisdirected: Bool {
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
    package var payerAction: PayerAction? {
        guard status == .requiresAction, cancelRequestedBy == nil, !expiryReached, !isStranded, !isMisdirected,
            let attempt, let initial
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
        let open = transactions.values.map(\.latest).filter { !$0.outcome.isFinal }
        let latest = open.max {
            ($0.changedAt ?? .epoch, $0.providerId) < ($1.changedAt ?? .epoch, $1.providerId)
        }
        guard case .waiting(let action)? = latest?.outcome else { return nil }
        return action
    }
}

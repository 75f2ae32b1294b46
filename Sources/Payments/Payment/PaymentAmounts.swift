package import Kernel

/// The sums of a payment in minor units of its currency, each a function of evidence.
package struct PaymentAmounts: Hashable, Sendable {
    /// Held in total by successful authorizations.
    package var authorized: Int64 = 0
    /// Taken in total, refunds not subtracted.
    package var captured: Int64 = 0
    /// Given back of the hold by voids.
    package var released: Int64 = 0
    /// Of the hold, gone by its lifetime.
    package var holdExpired: Int64 = 0
    /// Given back after capture, refund reversals subtracted.
    package var refunded: Int64 = 0
    /// In open disputes.
    package var disputed: Int64 = 0
    /// Lost in disputes.
    package var chargedBack: Int64 = 0

    package init() {}

    /// What can still be captured or voided.
    package var held: Int64 {
        max(0, authorized.addingClamped(-captured).addingClamped(-released).addingClamped(-holdExpired))
    }

    /// What left the merchant again, by refund or lost dispute.
    package var returnedToCustomer: Int64 { refunded.addingClamped(chargedBack) }
}

extension Payment {
    package var amounts: PaymentAmounts {
        var sums = PaymentAmounts()
        guard let currency else { return sums }
        for operation in operations {
            let booked = operation.booked(in: currency)
            switch operation.kind {
            case .sale, .capture: sums.captured = sums.captured.addingClamped(booked)
            case .authorize: sums.authorized = sums.authorized.addingClamped(booked)
            case .void: sums.released = sums.released.addingClamped(booked)
            case .refund: sums.refunded = sums.refunded.addingClamped(booked)
            case .refundReversal: sums.refunded = sums.refunded.addingClamped(-booked)
            case .verify, .tokenize: break
            }
        }
        sums.holdExpired = min(expiredHold, max(0, sums.authorized - sums.captured - sums.released))
        for dispute in disputes.values where dispute.amount.currency == currency {
            switch dispute.stage {
            case .opened: sums.disputed = sums.disputed.addingClamped(dispute.amount.minor)
            case .lost: sums.chargedBack = sums.chargedBack.addingClamped(dispute.amount.minor)
            case .won: break
            }
        }
        return sums
    }

    /// What open operations of a kind have asked for.
    package func pending(_ kind: OperationKind, of target: OperationId? = nil) -> Int64 {
        operations.reduce(0) { sum, operation in
            guard operation.kind == kind, !operation.isClosed, target == nil || operation.target == target else {
                return sum
            }
            return sum.addingClamped(operation.requested?.minor ?? 0)
        }
    }

    /// What can still be given back of one capture or sale.
    package func refundable(_ capture: Operation) -> Int64 {
        guard let currency else { return 0 }
        var left = capture.booked(in: currency)
        for operation in operations where operation.target == capture.id {
            if operation.kind == .refund { left -= operation.booked(in: currency) }
            if operation.kind == .refundReversal { left += operation.booked(in: currency) }
        }
        left -= pending(.refund, of: capture.id)
        for dispute in disputes.values where dispute.capture == capture.id && dispute.stage != .won {
            left -= dispute.amount.minor
        }
        return max(0, left)
    }

    /// Successful captures and sales in the order of the stream.
    package var captures: [Operation] {
        operations.filter { ($0.kind == .capture || $0.kind == .sale) && $0.state == .succeeded }
    }
}

extension Payment {
    package var status: PaymentStatus {
        let sums = amounts
        if sums.captured > 0 { return statusAfterCapture(sums) }
        if sums.authorized > 0 {
            if sums.held > 0 { return .authorized }
            if sums.holdExpired > 0 { return .released }
            let ours = operations.contains { $0.kind == .void && $0.origin == .commanded && $0.state == .succeeded }
            return ours ? .voided : .released
        }
        if operations.contains(where: { $0.kind == .verify && $0.state == .succeeded }) { return .verified }
        if operations.contains(where: { $0.kind == .tokenize && $0.state == .succeeded }) { return .tokenized }
        return statusBeforeMoney
    }

    private func statusAfterCapture(_ sums: PaymentAmounts) -> PaymentStatus {
        if sums.chargedBack > 0, sums.chargedBack.addingClamped(sums.refunded) >= sums.captured { return .chargedBack }
        if sums.refunded >= sums.captured { return .refunded }
        if sums.disputed > 0 { return .disputed }
        if sums.refunded > 0 || sums.chargedBack > 0 { return .partiallyRefunded }
        return sums.held > 0 ? .partiallyCaptured : .captured
    }

    private var statusBeforeMoney: PaymentStatus {
        guard let attempt else { return .created }
        if let ending = attempt.strongestEnding {
            switch ending {
            case .declined: return .failed
            case .expired: return .expired
            case .cancelled: return .voided
            }
        }
        guard let initial else { return .created }
        switch initial.state {
        case .failed: return attempt.isRetryOpen(initial) ? .requiresAction : .failed
        case .notExecuted: return .failed
        case .indeterminate: return .indeterminate
        case .succeeded: return .indeterminate
        case .pending:
            return initial.openAction == nil ? .processing : .requiresAction
        case .requested:
            switch attempt.reading {
            case .ambiguous?, .moneyWithoutOperation?: return .indeterminate
            case .processing?: return .processing
            case .waiting?: return .requiresAction
            case nil: return handovers.isEmpty ? .created : .requiresAction
            }
        }
    }

    /// What the payer is asked for now.
    package var payerAction: PayerAction? {
        guard status == .requiresAction, let attempt, let initial else { return nil }
        if let action = initial.openAction { return action }
        if case .waiting(let action)? = attempt.reading { return action }
        return .handover
    }
}

extension Operation {
    /// What the latest unfinished try waits for.
    package var openAction: PayerAction? {
        let open = sightings.values.filter { !$0.latest.outcome.isFinal }
        let latest = open.max {
            ($0.latest.changedAt ?? .epoch, $0.latest.providerId) < (
                $1.latest.changedAt ?? .epoch, $1.latest.providerId
            )
        }
        guard case .waiting(let action)? = latest?.latest.outcome else { return nil }
        return action
    }
}

extension Attempt {
    /// The ending that counts where several were seen: refusal, then cancellation, then expiry.
    package var strongestEnding: AttemptEnding? {
        func rank(_ ending: AttemptEnding) -> (Int, String) {
            switch ending {
            case .declined(let decline): (2, decline.code ?? "")
            case .cancelled: (1, "")
            case .expired: (0, "")
            }
        }
        return endings.max { rank($0) < rank($1) }
    }

    /// Whether a declined try leaves the form open for another.
    func isRetryOpen(_ initial: Operation) -> Bool {
        guard isOpen, case .waiting? = reading else { return false }
        return !initial.sightings.isEmpty
    }
}

import Kernel

extension Payment {
    /// The money that evidence shows to have moved, by attempt and by what moved it; each sum is a function of the fold.
    ///
    /// Their sums are those of `PaymentAmounts`: captured, transferred and disputed are equal, `refunded` is what was refunded
    /// without what was reversed, and `held` is what was authorised without what was captured of it, given back or expired.
    package var moneyFlows: [MoneyFlow] {
        guard let currency else { return [] }
        var flows: [MoneyFlow] = []
        for operation in operations { operation.addFlows(in: currency, to: &flows) }
        for number in Set(operations.map(\.attempt)) { addExpiry(of: number, to: &flows) }
        for dispute in disputes.values where dispute.amount.currency == currency {
            dispute.addFlows(attempt: operation(dispute.capture)?.attempt ?? attemptNumber, to: &flows)
        }
        for (kind, sums) in [(MovementKind.fee, fees), (.payerCommission, commissions)] {
            for (number, sum) in sums.sorted(by: { $0.key < $1.key }) where sum.currency == currency {
                let key = MoneyFlow.Key(kind: kind, attempt: number, part: nil, providerId: nil)
                flows.append(MoneyFlow(key, sum.minor, .provider, isCommanded: false))
            }
        }
        return flows
    }

    /// What of an attempt's hold is held no longer, beyond what its captures and voids explain.
    ///
    /// Its lifetime took it; or less than nothing, where evidence shows more to have been captured than was ever held.
    private func addExpiry(of number: Int, to flows: inout [MoneyFlow]) {
        let sums = sums(of: number)
        let explained = sums.capturedFromHold.addingClamped(sums.released)
        let rest = sums.authorized.subtractingClamped(sums.held).subtractingClamped(explained)
        guard rest != 0 else { return }
        let key = MoneyFlow.Key(kind: .holdExpired, attempt: number, part: nil, providerId: nil)
        flows.append(MoneyFlow(key, rest, rest > 0 ? .expiry : .provider, isCommanded: false))
    }
}

extension Operation {
    fileprivate func addFlows(in currency: Currency, to flows: inout [MoneyFlow]) {
        eachBooked(in: currency) { kind, amount, transaction in
            guard amount != 0 else { return }
            let seen = transaction?.latest
            let evidence: MovementEvidence = seen != nil ? .provider : share != nil ? .total : .operator
            flows += kind.movements.map { moved in
                MoneyFlow(
                    MoneyFlow.Key(kind: moved, attempt: attempt, part: "\(id)", providerId: seen?.providerId),
                    amount,
                    evidence,
                    isCommanded: origin == .commanded,
                    statedAt: seen?.changedAt ?? seen?.createdAt,
                    reference: reference
                )
            }
        }
    }
}

extension OperationKind {
    fileprivate var movements: [MovementKind] {
        switch self {
        case .authorize: [.authorised]
        case .sale: [.captured]
        case .capture: [.captured, .holdCaptured]
        case .void: [.holdReleased]
        case .refund: [.refunded]
        case .refundReversal: [.refundReversed]
        case .transfer: [.transferred]
        case .verify, .tokenize: []
        }
    }
}

extension Dispute {
    fileprivate func addFlows(attempt: Int, to flows: inout [MoneyFlow]) {
        let ended: [MovementKind] =
            switch stage {
            case .opened: []
            case .won: [.disputeWon]
            case .lost: [.disputeLost]
            }
        for kind in [.disputed] + ended {
            let key = MoneyFlow.Key(kind: kind, attempt: attempt, part: "\(id)", providerId: nil)
            flows.append(MoneyFlow(key, max(0, amount.minor), .dispute, isCommanded: false, statedAt: at))
        }
    }
}

extension PaymentEventName {
    /// Whether an event of the name may change a payment's money flows, its provider's totals apart.
    package var mayMoveMoney: Bool {
        switch self {
        case .operationReported, .operationEnded, .totalReported, .holdExpired, .disputeRecorded, .feeReported,
            .commissionReported:
            true
        case .created, .routed, .attemptOpened, .dispatchLicensed, .dispatchObserved, .dispatchRevoked,
            .operationRequested,
            .operationAdopted, .attemptReported, .attemptClosed, .orderOpened, .cancelRequested, .expiryReached,
            .claimRecorded, .contradictionFound, .lateSuccess, .overReturned, .instrumentSaved, .instrumentReported,
            .receiptReported, .methodReported, .seriesReported, .seriesDebitReported, .unrecognisedReported,
            .auxiliaryRequested, .evidenceAdded, .resolutionProposed, .resolutionApproved, .recoveryBegan:
            false
        }
    }
}

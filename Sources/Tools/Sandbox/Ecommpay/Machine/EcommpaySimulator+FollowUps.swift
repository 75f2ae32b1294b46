import Kernel

/// Follow-ups of a payment: capture, cancel and refund, asked for by the merchant or by nobody.
extension EcommpaySimulator {
    /// Accepts a follow-up; its outcome comes after the execution time.
    @discardableResult
    mutating func followUpStarted(
        _ key: EcommpayPaymentKey,
        _ type: EcommpayOperationType,
        amount: Money,
        merchantRefundId: String? = nil,
        isCommanded: Bool,
        isDeclined: Bool = false
    ) -> EcommpayOperation {
        let operation = EcommpayOperation(
            id: nextOperationId(),
            type: type,
            status: .processing,
            createdAt: now,
            changedAt: now,
            requestId: nextRequestId(),
            amount: amount,
            code: isDeclined ? EcommpayCode.refundUnavailable.text : EcommpayCode.awaiting.text,
            merchantRefundId: merchantRefundId,
            isCommanded: isCommanded
        )
        paymentOfRequest[operation.requestId] = key
        payments[key]?.operations.append(operation)
        if projects[key.project]?.announcesProcessing == true { announce(key, operation: operation.id) }
        add(.finishFollowUp(key, operation: operation.id), after: timings.execution)
        return operation
    }

    /// The platform has the outcome of a follow-up.
    mutating func followUpFinished(_ key: EcommpayPaymentKey, operation id: Int64) {
        guard let payment = payments[key], let project = projects[key.project],
            let index = payment.operations.firstIndex(where: { $0.id == id })
        else { return }
        let operation = payment.operations[index]
        guard operation.status == .processing else { return }
        let isDeclined = operation.code == EcommpayCode.refundUnavailable.text
        var rest = payment.rest
        if !isDeclined { rest = moved(operation, of: payment, in: project) }
        // A manual change says the state that staff gave the payment; here that is declined.
        let saysDecline = isDeclined || operation.type == .manualChange
        let code: EcommpayCode = operation.type == .manualChange ? .generalDecline : .success
        let time = now
        change(key) { payment in
            payment.rest = rest
            payment.operations[index].status = saysDecline ? .decline : .success
            payment.operations[index].code = isDeclined ? operation.code : code.text
            payment.operations[index].changedAt = time
        }
        announce(key, operation: id)
        armScript(key)
    }

    /// Moves the money of a successful follow-up and says where the payment rests then.
    private mutating func moved(
        _ operation: EcommpayOperation,
        of payment: EcommpayPayment,
        in project: EcommpayProject
    ) -> EcommpayPaymentStatus {
        let key = payment.key
        let owner = owner(key)
        let reference = String(operation.id)
        func record(_ kind: SandboxLedger.Kind, _ amount: Money) {
            core.ledger.record(kind, amount, owner: owner, operation: reference, at: now)
        }
        switch operation.type {
        case .capture:
            record(.capture, operation.amount)
            let left = ledger.totals(of: owner).reserved
            switch project.captures {
            case .single: if left > 0 { record(.release, Money(left, operation.amount.currency)) }
            case .several: break
            }
            return .success
        case .cancel:
            record(.release, operation.amount)
            let totals = ledger.totals(of: owner)
            if totals.captured > 0 { return payment.rest }
            return totals.reserved > 0 ? .awaitingCapture : project.cancelWord
        case .refund, .reversal:
            record(.refund, operation.amount)
            let inFull = ledger.totals(of: owner).kept == 0
            if operation.type == .reversal { return inFull ? .reversed : .partiallyReversed }
            return inFull ? .refunded : .partiallyRefunded
        case .refundReverse:
            record(.refundReverse, operation.amount)
            return ledger.totals(of: owner).refunded == 0 ? .success : .partiallyRefunded
        case .manualChange:
            let totals = ledger.totals(of: owner)
            let currency = operation.amount.currency
            if totals.reserved > 0 { record(.release, Money(totals.reserved, currency)) }
            if totals.kept > 0 { record(.refund, Money(totals.kept, currency)) }
            return .decline
        case .sale, .auth, .recurring, .verification:
            preconditionFailure("a try is finished elsewhere")
        }
    }

    // MARK: What can be asked for

    /// Why a follow-up is refused at the door.
    enum FollowUpRefusal: Error, Hashable, Sendable {
        case wrongState, tooLarge, wrongCurrency, amountRequired
    }

    /// The amount of a capture that the state allows; without one asked for, everything that is reserved.
    func capturable(_ key: EcommpayPaymentKey, _ asked: Int64?) throws(FollowUpRefusal) -> Money {
        guard let payment = payments[key], let project = projects[key.project] else { throw .wrongState }
        let totals = ledger.totals(of: owner(key))
        let isOpen = payment.rest == .awaitingCapture || (project.captures == .several && totals.reserved > 0)
        guard isOpen, !payment.isFollowedUp, totals.reserved > 0 else { throw .wrongState }
        let amount = asked ?? totals.reserved
        guard amount > 0 else { throw .amountRequired }
        guard amount <= totals.reserved else { throw .tooLarge }
        return Money(amount, payment.order.amount.currency)
    }

    /// The amount of a release that the state allows; without one asked for, everything that is reserved.
    func cancellable(_ key: EcommpayPaymentKey, _ asked: Int64?) throws(FollowUpRefusal) -> Money {
        try capturable(key, asked)
    }

    /// The amount of a refund that the state allows; without one asked for, everything the merchant has.
    func refundable(_ key: EcommpayPaymentKey, _ asked: Int64?) throws(FollowUpRefusal) -> Money {
        guard let payment = payments[key] else { throw .wrongState }
        let totals = ledger.totals(of: owner(key))
        guard totals.captured > 0, totals.kept > 0 || asked != nil, payment.rest != .decline else { throw .wrongState }
        // Refunds may run side by side, within what is left; beside anything else they may not.
        let running = payment.operations.filter { $0.isFollowUp && $0.status == .processing }
        guard running.allSatisfy({ $0.type == .refund || $0.type == .reversal }) else { throw .wrongState }
        let left = totals.kept - running.reduce(0) { $0 + $1.amount.minor }
        let amount = asked ?? left
        guard amount > 0 else { throw asked == nil ? .wrongState : .amountRequired }
        guard amount <= left else { throw .tooLarge }
        return Money(amount, payment.order.amount.currency)
    }

    /// Whether the platform books a refund as a reversal.
    func refundType(_ key: EcommpayPaymentKey, amount: Money) -> EcommpayOperationType {
        guard let payment = payments[key], let project = projects[key.project] else { return .refund }
        switch project.reversals {
        case .never: return .refund
        case .always: return .reversal
        case .sameDayInFull:
            let totals = ledger.totals(of: owner(key))
            let sameDay = payment.createdAt.seconds / 86_400 == now.seconds / 86_400
            return sameDay && totals.refunded == 0 && amount.minor == totals.captured ? .reversal : .refund
        }
    }

    // MARK: What nobody asked for

    mutating func staffCaptured(_ key: EcommpayPaymentKey, amount: Int64?) throws(EcommpayStepRefusal) {
        guard let money = try? capturable(key, amount) else { throw .wrongState }
        followUpStarted(key, .capture, amount: money, isCommanded: false)
    }

    mutating func staffRefunded(_ key: EcommpayPaymentKey, amount: Int64?) throws(EcommpayStepRefusal) {
        guard let money = try? refundable(key, amount) else { throw .wrongState }
        followUpStarted(key, refundType(key, amount: money), amount: money, isCommanded: false)
    }

    mutating func staffUndidRefund(_ key: EcommpayPaymentKey) throws(EcommpayStepRefusal) {
        guard let payment = payments[key], !payment.isFollowedUp,
            let refund = payment.operations.last(where: {
                ($0.type == .refund || $0.type == .reversal) && $0.status == .success
            }),
            ledger.totals(of: owner(key)).refunded >= refund.amount.minor
        else { throw .wrongState }
        followUpStarted(key, .refundReverse, amount: refund.amount, isCommanded: false)
    }

    mutating func holdReleased(_ key: EcommpayPaymentKey) throws(EcommpayStepRefusal) {
        guard let money = try? cancellable(key, nil) else { throw .wrongState }
        followUpStarted(key, .cancel, amount: money, isCommanded: false)
    }

    mutating func staffDeclined(_ key: EcommpayPaymentKey) throws(EcommpayStepRefusal) {
        guard let payment = payments[key], !payment.isFollowedUp, payment.rest != .processing, payment.rest != .decline
        else { throw .wrongState }
        followUpStarted(key, .manualChange, amount: payment.order.amount, isCommanded: false)
    }

    mutating func autoCaptureDue(_ key: EcommpayPaymentKey) {
        // A hold that is gone by then needs no capture.
        try? staffCaptured(key, amount: nil)
    }

    mutating func autoReleaseDue(_ key: EcommpayPaymentKey) {
        // A hold that is gone by then needs no release.
        try? holdReleased(key)
    }
}

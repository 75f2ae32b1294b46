import Kernel

/// Why a step can't be played.
package enum EcommpayStepRefusal: String, Error, Hashable, Sendable {
    case unknownPayment = "unknown_payment"
    /// The payment's state does not allow the step.
    case wrongState = "wrong_state"
    /// The form's deadline has passed.
    case formExpired = "form_expired"
    case noAttemptsLeft = "no_attempts_left"
}

/// The tries of a payment: from the payer's click to the platform's outcome.
extension EcommpaySimulator {
    /// Starts a try of an order; the payment is made with the first one.
    mutating func attemptStarted(_ order: EcommpayOrder, plan: EcommpayPlan, card: EcommpayTestCard) {
        guard let step = plan.steps.first else { return }
        let key = order.key
        if payments[key] == nil {
            payments[key] = EcommpayPayment(
                order: order,
                createdAt: now,
                card: card,
                rest: .processing,
                changedAt: now,
                seriesId: order.seriesId,
                scriptCode: plan.code
            )
            paymentOrder.append(key)
            let end = now.adding(timings.lived(EcommpayLimits.attemptsWindow))
            payments[key]?.attemptsEnd = end
            if let magic = EcommpayMagicAmount(order.amount) { installFaults(of: magic, for: key) }
        }
        addAttemptOperation(key, type: order.firstOperation, amount: order.amount)
        change(key) { payment in
            payment.card = card
            payment.rest = .processing
            payment.attemptsUsed += 1
            payment.script = Array(plan.steps.dropFirst())
            payment.scriptCode = plan.code
        }
        firstStep(key, step, code: plan.code)
    }

    private mutating func firstStep(_ key: EcommpayPaymentKey, _ step: EcommpayStep, code: String) {
        switch step {
        case .threeDS: awaitPayer(key, .awaiting3ds, .awaiting3ds, within: EcommpayLimits.challengeWindow)
        case .redirect: awaitPayer(key, .awaitingRedirect, .awaitingRedirect, within: EcommpayLimits.challengeWindow)
        case .clarification:
            awaitPayer(
                key,
                .awaitingClarification,
                .awaitingClarification,
                within: EcommpayLimits.clarificationWindow
            )
        case .customerAction:
            awaitPayer(
                key,
                .awaitingCustomerAction,
                .awaitingCustomerAction,
                within: EcommpayLimits.clarificationWindow
            )
        case .externalProcessing: awaitPayer(key, .externalProcessing, .externalProcessing, within: nil)
        case .approve, .decline, .declineRetry, .internalError, .externalError, .unknownStatus, .formError, .expire:
            armFinish(key, step, code: code)
        case .abandon, .pass, .fail, .dashboardCapture, .dashboardRefund, .dashboardHalfRefund, .autoRelease,
            .manualDecline:
            armFinish(key, .approve, code: code)
        }
    }

    private mutating func addAttemptOperation(
        _ key: EcommpayPaymentKey,
        type: EcommpayOperationType,
        amount: Money
    ) {
        let operation = EcommpayOperation(
            id: nextOperationId(),
            type: type,
            status: .processing,
            createdAt: now,
            changedAt: now,
            requestId: nextRequestId(),
            amount: amount,
            code: EcommpayCode.awaiting.text,
            merchantRefundId: nil,
            isCommanded: true
        )
        paymentOfRequest[operation.requestId] = key
        payments[key]?.operations.append(operation)
    }

    private mutating func armFinish(_ key: EcommpayPaymentKey, _ step: EcommpayStep, code: String) {
        guard let epoch = payments[key]?.epoch else { return }
        add(.finishAttempt(key, epoch: epoch, step: step, code: code), after: timings.execution)
    }

    /// Waits for the payer, tells the merchant, and sets a deadline.
    private mutating func awaitPayer(
        _ key: EcommpayPaymentKey,
        _ status: EcommpayPaymentStatus,
        _ operationStatus: EcommpayOperationStatus,
        within window: Duration?
    ) {
        let code: EcommpayCode = status == .externalProcessing ? .providerProcessing : .awaiting
        rest(key, status, operationStatus, code: code.text)
        if let window, let epoch = payments[key]?.epoch {
            add(.deadline(key, epoch: epoch), after: timings.lived(window))
        }
    }

    /// Brings the current try to a status, tells the merchant and lets the script go on.
    private mutating func rest(
        _ key: EcommpayPaymentKey,
        _ status: EcommpayPaymentStatus,
        _ operationStatus: EcommpayOperationStatus,
        code: String
    ) {
        let time = now
        change(key) { payment in
            payment.rest = status
            guard let index = payment.attemptIndex else { return }
            payment.operations[index].status = operationStatus
            payment.operations[index].code = code
            payment.operations[index].changedAt = time
        }
        if let payment = payments[key], let index = payment.attemptIndex {
            announce(key, operation: payment.operations[index].id)
        }
        armScript(key)
    }

    mutating func armScript(_ key: EcommpayPaymentKey) {
        guard let payment = payments[key], !payment.script.isEmpty else { return }
        add(.nextStep(key, epoch: payment.epoch), after: timings.execution)
    }

    mutating func change(_ key: EcommpayPaymentKey, _ body: (inout EcommpayPayment) -> Void) {
        guard let index = payments.index(forKey: key) else { return }
        payments.values[index].epoch += 1
        payments.values[index].changedAt = now
        body(&payments.values[index])
    }

    /// The platform has the outcome of a try.
    mutating func attemptFinished(_ key: EcommpayPaymentKey, _ step: EcommpayStep, code: String) {
        guard let payment = payments[key] else { return }
        switch step {
        case .approve, .pass:
            if takeFault(at: .payment, of: key, where: { $0.kind == .unknownCode }) != nil {
                rest(key, .decline, .decline, code: EcommpayCode.unheardOf.text)
            } else {
                approved(key)
            }
        case .decline, .fail: rest(key, .decline, .decline, code: code)
        case .declineRetry:
            if payment.mayTryAgain(at: now) && projects[key.project]?.offersRetries == true {
                rest(key, .awaitingCustomer, .decline, code: code)
                if let epoch = payments[key]?.epoch, let end = payment.attemptsEnd {
                    add(.deadline(key, epoch: epoch), due: end)
                }
            } else {
                rest(key, .decline, .decline, code: code)
            }
        case .internalError: rest(key, .internalError, .internalError, code: EcommpayCode.internalError.text)
        case .externalError: rest(key, .externalError, .externalError, code: EcommpayCode.internalError.text)
        case .unknownStatus: rest(key, .unheardOf, .unheardOf, code: EcommpayCode.awaiting.text)
        case .formError: rest(key, .error, .error, code: EcommpayCode.fieldMissing.text)
        case .expire: rest(key, .expired, .expired, code: EcommpayCode.success.text)
        case .threeDS, .redirect, .clarification, .customerAction, .externalProcessing, .abandon, .dashboardCapture,
            .dashboardRefund, .dashboardHalfRefund, .autoRelease, .manualDecline:
            preconditionFailure("only an outcome finishes a try")
        }
    }

    private mutating func approved(_ key: EcommpayPaymentKey) {
        guard let payment = payments[key], let index = payment.attemptIndex,
            let project = projects[key.project]
        else { return }
        let operation = payment.operations[index]
        if payment.order.registersSeries, payment.seriesId == nil, isTaken(payment.order.seriesTerms, key.project) {
            return rest(key, .decline, .decline, code: EcommpayCode.scheduledNameTaken.text)
        }
        if payment.order.registersSeries, payment.seriesId == nil { registerSeries(key) }
        func record(_ kind: SandboxLedger.Kind) {
            core.ledger.record(kind, operation.amount, owner: owner(key), operation: String(operation.id), at: now)
        }
        switch operation.type {
        case .auth:
            record(.hold)
            rest(key, .awaitingCapture, .success, code: EcommpayCode.success.text)
            if let wait = project.capturesAfter { add(.autoCapture(key), after: timings.lived(wait)) }
            if let wait = project.releasesAfter { add(.autoRelease(key), after: timings.lived(wait)) }
        case .verification:
            if operation.amount.minor > 0 {
                record(.hold)
                record(.release)
            }
            rest(key, .success, .success, code: EcommpayCode.success.text)
        case .sale, .recurring:
            record(.charge)
            rest(key, .success, .success, code: EcommpayCode.success.text)
        case .capture, .cancel, .refund, .reversal, .refundReverse, .manualChange:
            preconditionFailure("a try is a sale, a hold, a debit or a verification")
        }
    }

    /// Whether another series of the project has the name already that this one would give to its debits.
    private func isTaken(_ terms: Json, _ project: Int64) -> Bool {
        guard let name = terms["scheduled_payment_id"]?.text else { return false }
        return series.values.contains { $0.project == project && $0.terms["scheduled_payment_id"]?.text == name }
    }

    private mutating func registerSeries(_ key: EcommpayPaymentKey) {
        guard let payment = payments[key] else { return }
        let id = 1_640_000_000 + core.count()
        series[id] = EcommpaySeries(
            id: id,
            project: key.project,
            registeredBy: key.id,
            customerId: payment.order.customerId,
            card: payment.card,
            currency: payment.order.amount.currency,
            terms: payment.order.seriesTerms
        )
        payments[key]?.seriesId = id
        armSeries(id)
    }

    /// Plays a step on a payment that exists.
    mutating func stepPlayed(
        _ step: EcommpayStep,
        on key: EcommpayPaymentKey,
        code: String?,
        card: EcommpayTestCard?
    ) throws(EcommpayStepRefusal) {
        guard let payment = payments[key] else { throw .unknownPayment }
        switch step {
        case .approve, .decline, .declineRetry, .threeDS, .redirect, .clarification, .customerAction,
            .externalProcessing, .internalError, .externalError, .unknownStatus, .formError, .expire:
            try tryAgain(payment, step, code: code, card: card)
        case .pass, .fail: try ending(payment, passes: step == .pass, code: code)
        case .abandon:
            guard payment.status.isOpen else { throw .wrongState }
        case .dashboardCapture: try staffCaptured(key, amount: nil)
        case .dashboardRefund: try staffRefunded(key, amount: nil)
        case .dashboardHalfRefund: try staffRefunded(key, amount: ledger.totals(of: owner(key)).kept / 2)
        case .autoRelease: try holdReleased(key)
        case .manualDecline: try staffDeclined(key)
        }
    }

    private mutating func tryAgain(
        _ payment: EcommpayPayment,
        _ step: EcommpayStep,
        code: String?,
        card: EcommpayTestCard?
    ) throws(EcommpayStepRefusal) {
        guard payment.rest == .awaitingCustomer || payment.rest == .error else { throw .wrongState }
        guard payment.mayTryAgain(at: now) || payment.rest == .error else { throw .noAttemptsLeft }
        let plan = EcommpayPlan([step] + payment.script, codeText: code ?? payment.scriptCode)
        attemptStarted(payment.order, plan: plan, card: card ?? payment.card)
    }

    private mutating func ending(
        _ payment: EcommpayPayment,
        passes: Bool,
        code: String?
    ) throws(EcommpayStepRefusal) {
        let key = payment.key
        let declineCode: String
        switch payment.rest {
        case .awaiting3ds: declineCode = EcommpayCode.wrong3dsPassword.text
        case .awaitingClarification: declineCode = EcommpayCode.autoDecline.text
        case .awaitingRedirect, .awaitingCustomerAction, .externalProcessing, .internalError, .externalError,
            .unheardOf:
            declineCode = EcommpayCode.generalDecline.text
        case .decline:
            guard passes, !payment.isFollowedUp else { throw .wrongState }
            // A declined operation stays declined: the late success is an operation of its own.
            addAttemptOperation(key, type: payment.order.firstOperation, amount: payment.order.amount)
            declineCode = payment.scriptCode
        case .processing, .awaitingCustomer, .awaitingCapture, .success, .error, .cancelled, .canceled, .reversed,
            .partiallyReversed, .refunded, .partiallyRefunded, .expired:
            throw .wrongState
        }
        let time = now
        change(key) { payment in
            payment.rest = .processing
            guard let index = payment.attemptIndex else { return }
            payment.operations[index].status = .processing
            payment.operations[index].changedAt = time
        }
        let issuerDeclines = payment.rest == .awaiting3ds && payment.card.declinesAfterChallenge
        if passes, !issuerDeclines {
            armFinish(key, .approve, code: EcommpayCode.success.text)
        } else {
            armFinish(key, .decline, code: code ?? (passes ? EcommpayCode.generalDecline.text : declineCode))
        }
    }

    mutating func nextStepDue(_ key: EcommpayPaymentKey) {
        guard let step = payments[key]?.script.first else { return }
        payments[key]?.script.removeFirst()
        // A step that the state does not allow is left out: the script was written for another course of things.
        do throws(EcommpayStepRefusal) { try stepPlayed(step, on: key, code: nil, card: nil) } catch { armScript(key) }
    }

    /// The payer did not come back in time.
    mutating func deadlinePassed(_ key: EcommpayPaymentKey) {
        guard let payment = payments[key], let index = payment.attemptIndex else { return }
        switch payment.rest {
        case .awaiting3ds, .awaitingRedirect: rest(key, .decline, .decline, code: EcommpayCode.notReturned.text)
        case .awaitingClarification, .awaitingCustomerAction:
            rest(key, .decline, .decline, code: EcommpayCode.autoDecline.text)
        case .awaitingCustomer: rest(key, .decline, .decline, code: payment.operations[index].code)
        case .processing, .externalProcessing, .awaitingCapture, .success, .decline, .error, .internalError,
            .externalError, .cancelled, .canceled, .reversed, .partiallyReversed, .refunded, .partiallyRefunded,
            .expired, .unheardOf:
            break
        }
    }

    private mutating func installFaults(of magic: EcommpayMagicAmount, for key: EcommpayPaymentKey) {
        for fault in magic.faults {
            addFault(
                fault.kind,
                at: fault.point,
                project: key.project,
                paymentId: key.id,
                times: fault.times
            )
        }
    }
}

extension EcommpayPayment {
    /// Whether the form may offer another try.
    func mayTryAgain(at time: Timestamp) -> Bool {
        guard let attemptsEnd else { return false }
        return order.allowsRetries && attemptsUsed < EcommpayLimits.attempts && time < attemptsEnd
    }
}

import Crypto
package import Kernel

extension Payment {
    /// Decides a command: events and messages, or a refusal that leaves the books as they were.
    package func decide(_ command: PaymentCommand, _ context: PaymentContext) throws(Rejection) -> PaymentDecision {
        var draft = PaymentDraft(self, context)
        if case .create(let terms) = command {
            guard !isCreated else { throw Rejection(.paymentExists, "This payment was created before.") }
            try create(terms, &draft)
            draft.enterEpoch()
            return draft.decision
        }
        if case .adopt(let terms, let debit) = command {
            guard !isCreated || self.terms?.adopted?.name == debit.payment else {
                throw Rejection(.paymentExists, "This payment was created before.")
            }
            draft.enterEpoch()
            draft.adopt(terms, debit)
            draft.settle()
            return draft.decision
        }
        guard isCreated else { throw Rejection(.paymentUnknown, "There is no such payment.") }
        try refuseAfterTransfer(command)
        draft.enterEpoch()
        switch command {
        case .create, .adopt: break
        case .confirm(let meaning, let code, let concern, let receipt, let completion):
            // What an app says of a payment that is decided changes nothing; what a person must know of is kept.
            if status.isOpen || isNews(concern, code) {
                draft.add(.claimRecorded(meaning: meaning, code: code, concern: concern, at: context.now))
            }
            if let receipt { draft.book(receipt, isClaimed: true) }
            if let completion { try draft.complete(completion) } else { draft.queryAboutNews() }
        case .capture(let amount, let reason, let details): try capture(amount, reason, details, &draft)
        case .void(let amount, let reason): try void(amount, reason, &draft)
        case .refund(let amount, let capture, let reason, let details):
            try refund(amount, capture, reason, details, &draft)
        case .completeDelivery(let details): try auxiliary(.completeDelivery, details, &draft)
        case .sync: draft.queryWhenAllowed()
        case .recordDispute(let id, let capture, let amount, let stage, let reason, let answerBy):
            try dispute(id, capture, amount, stage, reason, answerBy, &draft)
        case .addEvidence(let text):
            draft.add(.evidenceAdded(AddedEvidence(text: text, by: context.actor.id, at: context.now)))
        case .propose(let verdict, let evidence, let seen): try propose(verdict, evidence, seen, &draft)
        case .approve(let proposal, let seen): try approve(proposal, seen, &draft)
        }
        draft.settle()
        return draft.decision
    }

    /// Asks once: what was done is done, and what may have been done is asked about by a person.
    private func auxiliary(_ kind: AuxiliaryKind, _ details: Json?, _ draft: inout PaymentDraft) throws(Rejection) {
        guard draft.context.capabilities.auxiliaryRequests.contains(kind) else {
            throw Rejection(.auxiliaryNotSupported, "This account's provider takes no such request.")
        }
        guard amounts.captured > 0 else { throw Rejection(.nothingDelivered, "Nothing was captured.") }
        try refuseFrozen()
        switch auxiliaryRequests.last(where: { $0.request.kind == kind })?.state {
        case .done?: return
        case .underWay?: throw Rejection(.operationInProgress, "A \(kind.rawValue) is under way.")
        case .refused?, .notSent?, .unknown?, nil: draft.auxiliary(kind, details)
        }
    }

    private func isNews(_ concern: ClaimConcern?, _ code: String) -> Bool {
        concern.map { !flags.concerns.contains(ReportedConcern($0, code: code)) } ?? false
    }

    private func create(_ terms: PaymentTerms, _ draft: inout PaymentDraft) throws(Rejection) {
        let context = draft.context
        try check(terms, context.now)
        try checkTransfer(terms, context)
        draft.add(.created(terms, account: context.account))
        if let route = context.route { draft.add(.routed(route)) }
        draft.openAttempt(1, terms, context.opening, actor: context.actor.id)
    }

    private func check(_ terms: PaymentTerms, _ now: Timestamp) throws(Rejection) {
        try terms.mode.check(terms.amount)
        switch (terms.method, terms.instrument) {
        case (.instrument, nil) where terms.occurrence?.series != nil: break
        case (.instrument, nil): throw Rejection(.instrumentUnknown, "Name a saved instrument.", path: "instrument")
        case (.instrument, .some), (.hosted, _), (.sdk, _), (.wallet, _): break
        }
        try terms.recurring?.check(with: terms, on: CivilDate(now))
        guard terms.expiresAt > now else {
            throw Rejection(.alreadyExpired, "The payment's expiry lies in the past.", path: "expiresAt")
        }
    }

    private func capture(
        _ amount: Money?,
        _ reason: String?,
        _ details: Json?,
        _ draft: inout PaymentDraft
    ) throws(Rejection) {
        if draft.reclaim(.capture, reason: reason, details: details) { return }
        let can = draft.context.capabilities
        let held = standing.held
        let free = try capturable(can)
        let wanted = try part(amount, of: free.minor, free.currency, .nothingToCapture, mayExceed: can.overCapture)
        if wanted.minor < held, !can.partialCapture {
            throw Rejection(.partialNotSupported, "This account captures holds whole.", path: "amount")
        }
        draft.request(.capture, wanted, isFull: wanted.minor == held, reason: reason, details: details)
    }

    /// What is left of the hold for a capture, or why none is taken now.
    func capturable(_ can: Capabilities) throws(Rejection) -> Money {
        let held = standing.held
        guard held > 0, let currency else { throw Rejection(.nothingToCapture, "Nothing is held.") }
        try refuseFrozen()
        try refuseUnknownAmounts()
        try refuseInProgress(.void)
        try refuseInProgress(.capture, unless: can.multipleCaptures ? can : nil)
        if !can.multipleCaptures, standing.capturedFromHold > 0 {
            throw Rejection(.partialNotSupported, "This account captures a hold once; the remainder can be voided.")
        }
        return Money(held.subtractingClamped(pendingOnHold), currency)
    }

    private func void(_ amount: Money?, _ reason: String?, _ draft: inout PaymentDraft) throws(Rejection) {
        if draft.reclaim(.void, reason: reason, details: nil) { return }
        switch status {
        case .voided, .released: return  // Giving back twice is a success with nothing to record.
        case .created, .requiresAction, .processing, .indeterminate:
            guard amount == nil else {
                throw Rejection(.amountNotAllowed, "An unpaid payment is cancelled whole.", path: "amount")
            }
            if cancelRequestedBy == nil { draft.add(.cancelRequested(actor: draft.context.actor.id)) }
            draft.queryWhenAllowed()
        case .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack, .authorized, .partiallyCaptured:
            try release(amount, reason, &draft)
        case .verified, .tokenized, .failed, .expired, .transferred:
            throw Rejection(.nothingToVoid, "Nothing is held.")
        }
    }

    private func release(_ amount: Money?, _ reason: String?, _ draft: inout PaymentDraft) throws(Rejection) {
        let can = draft.context.capabilities
        let held = standing.held
        let leaving = pending(.void, attempt: attemptNumber)
        guard held > 0, let currency else {
            throw Rejection(.nothingToVoid, "Nothing is held; captured money is refunded.")
        }
        if amount == nil, leaving >= held { return }  // The whole hold is on its way back already.
        try refuseFrozen()
        try refuseUnknownAmounts()
        try refuseInProgress(.capture)
        try refuseInProgress(.void, unless: can)
        let free = held.subtractingClamped(leaving)
        let wanted = try part(amount, of: free, currency, .nothingToVoid, mayExceed: false)
        if wanted.minor < held, !can.partialVoid {
            throw Rejection(.partialNotSupported, "This account gives holds back whole.", path: "amount")
        }
        draft.request(.void, wanted, isFull: wanted.minor == held, reason: reason)
    }
}

extension Payment {
    private func refund(
        _ amount: Money?,
        _ capture: OperationId?,
        _ reason: String?,
        _ details: Json?,
        _ draft: inout PaymentDraft
    ) throws(Rejection) {
        if draft.reclaim(.refund, target: capture ?? captures.first?.id, reason: reason, details: details) { return }
        let can = draft.context.capabilities
        guard let currency, !captures.isEmpty else { throw Rejection(.nothingToRefund, "Nothing was captured.") }
        if !draft.context.actor.isOperator { try refuseFrozen() }
        try refuseUnknownAmounts()
        try refuseInProgress(.refund, unless: can)
        let target = try refundTarget(capture, amount)
        let wanted = try part(amount, of: refundable(target), currency, .nothingToRefund, mayExceed: false)
        let isWhole = wanted.minor == target.collected(in: currency)
        if !isWhole, !can.partialRefund {
            throw Rejection(.partialNotSupported, "This account refunds whole captures.", path: "amount")
        }
        let hasEarlier = operations.contains { operation in
            guard operation.target == target.id || operation.target == nil else { return false }
            return operation.kind == .refund && (operation.state == .succeeded || !operation.isClosed)
        }
        if hasEarlier, !can.multipleRefunds {
            throw Rejection(.partialNotSupported, "This account refunds a capture once.")
        }
        draft.request(.refund, wanted, target: target.id, isFull: isWhole, reason: reason, details: details)
    }

    /// The capture that was named, or the first with room for the amount.
    private func refundTarget(_ capture: OperationId?, _ amount: Money?) throws(Rejection) -> Operation {
        let captures = captures
        guard let capture else {
            let wanted = max(1, amount?.minor ?? 1)
            guard let target = captures.first(where: { refundable($0) >= wanted }) ?? captures.first else {
                throw Rejection(.nothingToRefund, "Nothing was captured.")
            }
            return target
        }
        guard let named = captures.first(where: { $0.id == capture }) else {
            throw Rejection(.captureUnknown, "There is no such capture.", path: "capture")
        }
        return named
    }

    /// Checks a wanted part, or takes all that is free.
    private func part(
        _ amount: Money?,
        of free: Int64,
        _ currency: Currency,
        _ nothing: Rejection.Code,
        mayExceed: Bool
    ) throws(Rejection) -> Money {
        guard let amount else {
            guard free > 0 else { throw Rejection(nothing, "Nothing is left, operations under way included.") }
            return Money(free, currency)
        }
        guard amount.currency == currency else {
            throw Rejection(.currencyMismatch, "The payment is in \(currency.code).", path: "amount.currency")
        }
        guard amount.minor > 0 else {
            throw Rejection(.amountNotPositive, "The amount must be more than zero.", path: "amount.value")
        }
        guard mayExceed || amount.minor <= free else {
            throw Rejection(.amountExceeds, "Available are \(Money(max(0, free), currency)).", path: "amount.value")
        }
        return amount
    }

    private func refuseFrozen() throws(Rejection) {
        if isFrozen { throw Rejection(.frozen, "Contradicting evidence waits for an operator.") }
    }

    /// Money moved and nobody knows how much: what is left can't be told until the provider says.
    private func refuseUnknownAmounts() throws(Rejection) {
        guard operations.contains(where: \.hasUnknownAmount) else { return }
        throw Rejection(.operationInProgress, "The provider has not told the amount of an operation yet.")
    }

    /// Two open operations of a kind are allowed only where the provider can tell them apart by our key.
    private func refuseInProgress(_ kind: OperationKind, unless can: Capabilities? = nil) throws(Rejection) {
        if case .sameKey? = can?.recovery[kind, by: terms?.method] { return }
        guard operations.contains(where: { $0.kind == kind && !$0.isClosed }) else { return }
        throw Rejection(.operationInProgress, "A \(kind.rawValue) is under way.")
    }

    private func dispute(
        _ dispute: DisputeId,
        _ capture: OperationId?,
        _ amount: Money,
        _ stage: Dispute.Stage,
        _ reason: String?,
        _ answerBy: Timestamp?,
        _ draft: inout PaymentDraft
    ) throws(Rejection) {
        guard amount.currency == currency ?? amount.currency else {
            throw Rejection(.currencyMismatch, "The payment is in another currency.", path: "amount.currency")
        }
        guard amount.minor > 0 else {
            throw Rejection(.amountNotPositive, "The amount must be more than zero.", path: "amount.value")
        }
        let target: OperationId
        switch (disputes[dispute], stage) {
        case (nil, .opened):
            let charges = charges
            let found = capture == nil ? charges.first : charges.first { $0.id == capture }
            guard let found else {
                throw Rejection(.captureUnknown, "There is no capture to dispute.", path: "capture")
            }
            target = found.id
        case (nil, .won), (nil, .lost): throw Rejection(.disputeUnknown, "There is no such dispute.")
        case (let known?, .opened), (let known?, .won), (let known?, .lost):
            if known.stage == stage, known.amount == amount, answerBy == nil || answerBy == known.answerBy { return }
            guard known.stage == .opened else { throw Rejection(.disputeClosed, "The dispute has ended.") }
            guard stage == .opened || amount.minor <= known.amount.minor else {
                throw Rejection(.amountExceeds, "In dispute are \(known.amount).", path: "amount.value")
            }
            target = known.capture
        }
        draft.add(
            .disputeRecorded(
                Dispute(
                    id: dispute,
                    capture: target,
                    amount: amount,
                    stage: stage,
                    reason: reason,
                    at: draft.context.now,
                    answerBy: answerBy ?? disputes[dispute]?.answerBy
                )
            )
        )
    }
}

extension PaymentMode {
    /// Refuses an amount that does not fit: none goes with tokenize, zero with verify, more with the others.
    ///
    /// `path` names the amount, and `value` its number.
    package func check(_ amount: Money?, at path: String = "amount", value: String = "amount") throws(Rejection) {
        switch (self, amount) {
        case (.tokenize, nil): return
        case (.tokenize, .some): throw Rejection(.amountNotAllowed, "Tokenize takes no amount.", path: path)
        case (.verify, nil), (.sale, nil), (.authorize, nil), (.transfer, nil):
            throw Rejection(.amountMissing, "An amount is needed.", path: path)
        case (.verify, let amount?):
            guard amount.minor == 0 else {
                throw Rejection(.amountNotAllowed, "Verify takes an amount of zero.", path: value)
            }
        case (.sale, let amount?), (.authorize, let amount?), (.transfer, let amount?):
            guard amount.minor > 0 else {
                throw Rejection(.amountNotPositive, "The amount must be more than zero.", path: value)
            }
        }
    }
}

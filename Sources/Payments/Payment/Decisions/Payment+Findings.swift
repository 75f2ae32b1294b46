import Kernel

extension PaymentDraft {
    /// Rules that follow from the whole state, whatever brought it about and in whatever order.
    mutating func settle() {
        adoptRemainders()
        noteUnasked()
        noteChecks()
        for found in payment.findings() { contradict(found) }
        for operation in payment.lateSuccesses.subtracting(payment.flags.announcedLate).sorted(by: { $0.uuid < $1.uuid }
        ) {
            add(.lateSuccess(operation))
        }
        if let currency = payment.currency, payment.overReturned > payment.flags.announcedExcess {
            add(.overReturned(Money(payment.overReturned, currency)))
        }
        cancelWithoutInstrument()
        cancelOrder()
        if payment.cancelRequestedBy != nil {
            giveBack(payment.attemptNumber, rule: "cancelled", reason: "cancelled before it was paid")
        }
        for past in payment.pastAttempts {
            let number = past.attempt.number
            giveBack(number, rule: "superseded:\(number)", reason: "paid after another attempt took over")
        }
        fallBack()
    }

    /// A payer who would pay with a credential that was removed is sent nowhere any more: the payment is cancelled.
    private mutating func cancelWithoutInstrument() {
        guard context.isInstrumentRemoved, let action = payment.payerAction, action != .approval else { return }
        add(.cancelRequested(actor: Payment.ruleActor))
    }

    /// Ends the order of a payment that nobody wants, where the provider takes such a request: its link dies, once.
    private mutating func cancelOrder() {
        guard payment.cancelRequestedBy != nil, context.capabilities.auxiliaryRequests.contains(.cancelOrder),
            payment.status.isOpen, payment.attempt?.isOpen == true, payment.order != nil, !payment.isFrozen,
            !payment.auxiliaryRequests.contains(where: { $0.request.kind == .cancelOrder }), !payment.isPast(focus)
        else { return }
        auxiliary(.cancelOrder, nil)
    }

    /// Announces a contradiction once.
    mutating func contradict(_ found: Contradiction) {
        let known = payment.flags.announced
        guard !known.contains(found), known.count < PaymentFlags.contradictionsKept else { return }
        add(.contradictionFound(found))
    }

    /// A hold that the provider gives back before its time, and nobody asked for it.
    private mutating func noteUnasked() {
        if isBeforeHoldEnd, let found = payment.unaskedRelease { contradict(found) }
    }

    /// A check, or the saving of a card, that took more than the provider takes hold of for it: it is nobody's sum here.
    private mutating func noteChecks() {
        guard let most = context.capabilities.checkHold else { return }
        for operation in payment.operations {
            for transaction in operation.orderedTransactions where transaction.succeeded && !transaction.kind.movesMoney
            {
                guard let amount = transaction.finalAmount, amount.minor > most else { continue }
                let detail = "operation \(transaction.providerId): \(amount) for a check"
                contradict(Contradiction(kind: .amount, detail: detail, basis: .message))
            }
        }
    }

    /// Whether the provider has no reason of its own to give the hold back.
    private var isBeforeHoldEnd: Bool {
        guard payment.cancelRequestedBy == nil, context.capabilities.lifetimes.reversal == nil else { return false }
        return payment.holdEnd(context.capabilities).map { context.now < $0 } ?? true
    }

    /// Money that arrives for a cancelled payment or a superseded attempt goes back by itself, once; what fails then is an
    /// obligation.
    private mutating func giveBack(_ number: Int, rule: String, reason: String) {
        guard !payment.isFrozen, let currency = payment.currency else { return }
        let held = payment.sums(of: number).held
        let hasFollowUp = payment.operations(of: number).contains { $0.kind == .void || $0.kind == .capture }
        if held > 0, !hasFollowUp {
            request(.void, Money(held, currency), isFull: true, reason: reason, rule: rule, attempt: number)
        }
        for capture in payment.captures where capture.attempt == number {
            let left = payment.refundable(capture)
            let isTried = payment.operations.contains { $0.kind == .refund && $0.target == capture.id }
            guard left > 0, !isTried else { continue }
            request(
                .refund,
                Money(left, currency),
                target: capture.id,
                isFull: left == capture.collected(in: currency),
                reason: reason,
                rule: "\(rule):\(capture.id)"
            )
        }
    }
}

extension Payment {
    /// Contradictions that the books show.
    ///
    /// They are a function of what is known, not of the order in which it came.
    func findings() -> [Contradiction] {
        var found: [Contradiction] = []
        func add(_ kind: ContradictionKind, _ detail: String) {
            found.append(Contradiction(kind: kind, detail: detail, basis: .books))
        }
        for operation in operations {
            for transaction in operation.orderedTransactions {
                let kinds = transaction.conflicts.union(echoFindings(operation, transaction))
                for kind in kinds.sorted(by: { $0.rawValue < $1.rawValue }) {
                    add(kind, "operation \(transaction.providerId)")
                }
                if transaction.succeeded, let text = transaction.unreadableAmount {
                    add(.amount, "operation \(transaction.providerId): the amount \"\(text)\" can't be read")
                }
            }
            if isPaidTwice(operation) {
                add(.amount, "operation \(operation.id): more than was asked for")
            }
            if isTakenBack(operation) {
                add(.outcome, "operation \(operation.id): declined after it was paid")
            }
            if isLostTwin(operation) {
                if operation.isRemainder {
                    add(.outcome, "operation \(operation.reference): perhaps ours, and lost with the end of the log")
                }
                for transaction in operation.orderedTransactions {
                    add(.outcome, "operation \(transaction.providerId): perhaps ours, and lost with the end of the log")
                }
            }
            if operation.isEndDisproved {
                add(.outcome, "operation \(operation.id): ended otherwise before")
            }
        }
        for number in attemptNumbers {
            if let excess = excess(in: number) { add(.excess, excess) }
            for capture in unaskedCaptures(in: number) {
                add(.unasked, "operation \(capture): captured though it was to be given back")
            }
        }
        for key in totals.filter(\.value.disagrees).keys.sorted() {
            add(.amount, "\(key.kind.rawValue): a list and its total differ")
        }
        return found + lastingGaps
    }

    /// The text of an excess: an attempt shows more taken and given back than was held.
    ///
    /// Commanded captures are no excess: a provider may let more be captured than is held.
    private func excess(in number: Int) -> String? {
        guard let currency else { return nil }
        let (sums, all) = (sums(of: number), operations(of: number))
        guard sums.authorized > 0, !all.contains(where: { $0.kind == .authorize && $0.hasUnknownAmount }) else {
            return nil
        }
        let asked = all.filter { $0.kind == .capture && $0.origin == .commanded && $0.state == .succeeded }
            .reduce(Int64(0)) { $0.addingClamped($1.requested?.minor ?? 0) }
        let gone = sums.capturedFromHold.addingClamped(sums.released)
        guard gone > max(sums.authorized, asked) else { return nil }
        let (captured, released) = (Money(sums.capturedFromHold, currency), Money(sums.released, currency))
        return "captured \(captured) and released \(released) of \(Money(sums.authorized, currency)) held"
    }

    /// Captures that the provider made by itself of a hold that somebody here had asked it to give back.
    private func unaskedCaptures(in number: Int) -> [OperationId] {
        let all = operations(of: number)
        let asked = all.filter { $0.origin == .commanded && $0.kind == .void && $0.state != .succeeded }
            .compactMap(\.dispatches.first).min { $0.version < $1.version }
        guard let asked else { return [] }
        return all.filter { operation in
            operation.origin == .provider && operation.kind == .capture && operation.state == .succeeded
                && operation.transactions.values.allSatisfy { seen in
                    firstSeen[seen.providerId] ?? 0 > asked.version
                        && (seen.latest.createdAt ?? .distantFuture) >= asked.license.licensedAt
                }
        }
        .map(\.id)
    }

    /// All of the current hold went back, none of it by our asking; whether it was before its time is the account's to say.
    var unaskedRelease: Contradiction? {
        let (sums, all) = (sums(of: attemptNumber), operations(of: attemptNumber))
        let isWhole = sums.authorized > 0 && sums.capturedFromHold == 0 && sums.released >= sums.authorized
        let voids = all.filter { $0.kind == .void && !$0.endedUnexecuted }
        guard isWhole, voids.allSatisfy({ $0.origin == .provider }) else { return nil }
        let detail = "the hold was given back and nobody asked for it"
        return Contradiction(kind: .unasked, detail: detail, basis: .message)
    }

    /// Holds what a success echoes against what was asked for: kind, currency and amount.
    private func echoFindings(_ operation: Operation, _ transaction: ProviderTransaction) -> Set<ContradictionKind> {
        guard transaction.succeeded else { return [] }
        var found: Set<ContradictionKind> = []
        if operation.origin == .commanded, transaction.kind != operation.kind { found.insert(.identity) }
        guard let amount = transaction.finalAmount else { return found }
        if amount.minor < 0 { found.insert(.amount) }
        if let asked = terms?.amount?.currency, amount.currency != asked { found.insert(.currency) }
        guard operation.origin == .commanded else { return found }
        switch operation.kind {
        case .verify, .tokenize: break  // A provider may check with a small sum that it gives back.
        case .sale, .authorize, .transfer, .capture, .void, .refund, .refundReversal:
            if let requested = operation.requested, requested.currency == amount.currency,
                requested.minor != amount.minor
            {
                found.insert(.amount)
            }
        }
        return found
    }

    /// Paid by the provider's word, and declined for good by a later one: no try of a payer ends like that.
    private func isTakenBack(_ operation: Operation) -> Bool {
        guard operation.kind.isInitial, let attempt = attempt(operation.attempt), !attempt.closedByUs else {
            return false
        }
        let isDeclined = attempt.endings.contains { if case .declined = $0 { true } else { false } }
        let tries = operation.transactions.values
        guard isDeclined, let paid = tries.filter(\.succeeded).compactMap(\.latest.changedAt).max(),
            let refused = tries.filter({ $0.latest.outcome.isFinal && !$0.succeeded }).compactMap(\.latest.changedAt)
                .max()
        else { return false }
        return refused > paid
    }

    /// Two tries of one form that both took the money.
    private func isPaidTwice(_ operation: Operation) -> Bool {
        guard operation.origin == .commanded, let requested = operation.requested, requested.minor > 0 else {
            return false
        }
        let taken = operation.transactions.values.count { $0.succeeded && $0.kind != .refundReversal }
        return taken > 1 && operation.booked(in: requested.currency) > requested.minor
    }
}

extension Operation {
    /// Whether evidence contradicts an end that was decided without it.
    fileprivate var isEndDisproved: Bool {
        switch ending {
        case nil: false
        case .refused?, .notSent?, .absent?, .failedByOperator?: transactions.values.contains(where: \.succeeded)
        case .bookedByOperator?: !kind.isInitial && transactions.values.contains { $0.conflictsWithSuccess }
        }
    }
}

extension ProviderTransaction {
    fileprivate var conflictsWithSuccess: Bool { latest.outcome.isFinal && !succeeded || conflicts.contains(.outcome) }
}

import Kernel

extension PaymentDraft {
    /// Decides what follows when a message of ours got its outcome and evidence about money did not come with it.
    mutating func recover(_ license: DispatchLicense) {
        guard let id = license.operation, let operation = payment.operation(id) else { return }
        guard !operation.isClosed else {
            // Of several messages more than one may have had its effect. No timer asks about what is closed: the wish is
            // kept until it is answered, and a look that is too early is followed by another one.
            let mayHaveActed = operation.dispatches.contains { $0.license == license && !$0.hadNoEffect }
            if operation.endedUnexecuted || operation.dispatches.count > 1, mayHaveActed { queryAboutNews() }
            return
        }
        guard let outcome = operation.dispatches.first(where: { $0.license == license })?.outcome else { return }
        switch outcome {
        case .unknown, .duplicate: if payment.awaitsProvider { query() } else { queryAboutNews() }
        case .accepted, .answered: break  // The schedule asks when it is time.
        case .notExecuted: if operation.lostAt != nil { query() }
        case .refused: queryAboutNews()
        case .notSent(let reason):
            guard operation.lostAt == nil, !operation.isInFlight, operation.dispatches.last?.license == license else {
                return query()
            }
            guard operation.standingDispatches.allSatisfy(\.hadNoEffect) else { return }
            let isWorthIt = DispatchReason(reason).passes && license.ordinal < Payment.licensesPerOperation
            if isWorthIt, payment.mayRepeat(operation) {
                resend(operation, .notExecuted, after: .seconds(5 << Int64(license.ordinal)))
            } else if !license.isCompletion {
                // What the payer's bank gave is lost, and the order waits for its next answer.
                add(.operationEnded(id, .notSent(reason: reason)))
                endUnwanted(operation)
            }
        }
    }

    /// Ends the attempt of a beginning that never left, where somebody gave it up or its time is over.
    private mutating func endUnwanted(_ operation: Operation) {
        guard operation.kind.isInitial, payment.attempt?.isOpen == true, operation.attempt == payment.attemptNumber
        else { return }
        if payment.cancelRequestedBy != nil {
            add(.attemptClosed(.cancelled, by: .absence))
        } else if payment.expiryReached {
            add(.attemptClosed(.expired, by: .absence))
        }
    }

    /// Draws conclusions from an answered query.
    ///
    /// After the proof time, what a query does not show is absent. A partly unreadable answer proves no absence. Nor does a
    /// contradicting one, until two persons settle it; it starts only what an operator asked for knowingly.
    mutating func afterQuery(_ asked: DispatchLicense, _ facts: [Fact]) {
        let isContradicted = facts.contains { payment.isOpenContradiction($0) }
        let canTell = facts.canTell
        let isKnown = !facts.contains(.attempt(.notRegistered))
        let isInTime = payment.queryEnd(context.capabilities).map { asked.licensedAt < $0 } ?? true
        // A reference that the provider does not know is news about the message that should have opened it.
        if isInTime, !isContradicted {
            for operation in payment.operations(of: focus) where isKnown || operation.kind.isInitial {
                clearUp(operation, asked, canTell: canTell && facts.saysHowMuch(of: operation.kind))
            }
        }
        // What an answer that came too soon after a restore does not show may be there.
        guard payment.isConclusive(asked, context.capabilities) else { return }
        if isInTime, isKnown {
            for operation in payment.operations(of: focus)
            where operation.awaitsBaseline && asked.sentAfter(operation) && (!isContradicted || operation.byOperator) {
                begin(operation)
            }
        }
        guard !isContradicted else { return }
        if isInTime, isKnown, canTell { confirmRefusals(asked, facts) }
        // An earlier attempt has ended before; what its query shows was booked.
        guard !payment.isPast(focus) else { return }
        // Behind an answer that tells something in words that nobody knows, anything may be alive.
        guard canTell else { return }
        if isInTime { closeUnpaid(asked, isKnown: isKnown) }
        if facts.saysHowMuch(of: .capture), facts.saysHowMuch(of: .void) { writeOffHold(asked) }
    }

    /// Ends what was refused and what a question doesn't show that could leave after the proof time.
    ///
    /// No timer runs for an earlier attempt: the one look that follows the refusal counts there.
    private mutating func confirmRefusals(_ asked: DispatchLicense, _ facts: [Fact]) {
        for operation in payment.operations(of: focus) where facts.saysHowMuch(of: operation.kind) {
            guard let refusal = operation.unseenRefusal, !payment.isUnexplained(operation) else { continue }
            let proof = context.capabilities.proof(of: refusal.at, operation)
            guard asked.leavesAt >= (payment.isPast(focus) ? refusal.at : proof) else { continue }
            add(.operationEnded(operation.id, .refused(refusal.decline)))
        }
    }

    /// Contradicts what an answer that is whole does not show any more: the provider has taken it back.
    ///
    /// An answer may show late what was done just now: only a question that could leave after the proof time of what is
    /// missing counts.
    mutating func missVanished(_ asked: DispatchLicense, _ facts: [Fact]) {
        var kinds: Set<OperationKind> = []
        var shown: Set<String> = []
        for fact in facts {
            if case .complete(let told) = fact { kinds.formUnion(told) }
            if case .operation(let told) = fact { shown.insert(told.providerId) }
            if case .statement(let told) = fact {
                shown.formUnion(told.operations.map(\.providerId))
                missFallen(told, asked)
                if facts.canTell { missBooked(told, asked) }
            }
        }
        guard !kinds.isEmpty, payment.isConclusive(asked, context.capabilities) else { return }
        for operation in payment.operations(of: focus) where !operation.standsForTotal {
            for transaction in operation.orderedTransactions where kinds.contains(transaction.kind) {
                let isAlive =
                    transaction.succeeded || !transaction.kind.isInitial && !transaction.latest.outcome.isFinal
                let seen = transaction.seenAt?.adding(context.capabilities.patience(transaction.kind)) ?? .epoch
                guard isAlive, !shown.contains(transaction.providerId), asked.leavesAt >= seen else { continue }
                let detail = "operation \(transaction.providerId): \(transaction.kind.rawValue) is not shown any more"
                contradict(Contradiction(kind: .vanished, detail: detail, basis: .message))
            }
        }
    }

    /// A running total that is less than it was before, list included, takes something back.
    private mutating func missFallen(_ told: Statement, _ asked: DispatchLicense) {
        guard told.saysHowMuch, let currency = payment.currency,
            let known = payment.totals[Totals.Key(kind: told.kind, attempt: focus)],
            max(told.booked, told.listed(in: currency)) < known.highest,
            let since = known.highestAt, asked.leavesAt >= since.adding(context.capabilities.patience(told.kind)),
            payment.isConclusive(asked, context.capabilities)
        else { return }
        let detail = "\(told.kind.rawValue): less in total than before"
        contradict(Contradiction(kind: .vanished, detail: detail, basis: .message))
    }

    /// More is booked than the provider tells in all: the same money is known by two names, or was never moved.
    private mutating func missBooked(_ told: Statement, _ asked: DispatchLicense) {
        let key = Totals.Key(kind: told.kind, attempt: focus)
        guard told.saysHowMuch, told.total != nil || !told.entries.isEmpty, let currency = payment.currency else {
            return
        }
        let highest = max(told.booked, told.listed(in: currency), payment.totals[key]?.highest ?? 0)
        guard let found = payment.booked(key, beyond: highest), payment.isConclusive(asked, context.capabilities),
            asked.leavesAt >= found.since.adding(context.capabilities.patience(told.kind))
        else { return }
        let (booked, total) = (Money(found.minor, currency), Money(highest, currency))
        let detail = "\(told.kind.rawValue): \(booked) is booked, and the provider tells \(total) in all"
        contradict(Contradiction(kind: .amount, detail: detail, basis: .message))
    }

    /// Repeats or ends an operation whose answer was lost, on the ground that the declaration gives.
    private mutating func clearUp(_ operation: Operation, _ asked: DispatchLicense, canTell: Bool) {
        // An opened order proves that the opening arrived, whichever of its messages it answers; but only that answer says
        // where the payer is awaited.
        let isStranded = payment.isStranded && operation.id == payment.initial?.id
        guard !operation.isClosed, !operation.isInFlight, let last = operation.dispatches.last?.license,
            let unprovedAt = operation.unprovedAt ?? (isStranded ? last.licensedAt : nil)
        else { return }
        let isKnown = operation.kind.isInitial && payment.order(of: operation.attempt) != nil
        guard isStranded || operation.transactions.isEmpty && !isKnown else { return }
        let mayRepeat =
            last.ordinal < Payment.licensesPerOperation && !operation.secretIsLost && payment.mayRepeat(operation)
        switch context.capabilities.recovery[operation.kind, by: payment.terms?.method] {
        case .sameKey(let lifetime):
            let pause = Duration.seconds(1 << Int64(last.ordinal))
            // The send itself lies in the key's lifetime, whatever the clocks say: a forgotten key is a second charge.
            let forgotten = operation.dispatches[0].license.licensedAt.adding(lifetime).adding(
                .zero - Payment.clockSkew
            )
            let end = operation.kind.isInitial ? min(forgotten, payment.terms?.expiresAt ?? forgotten) : forgotten
            guard mayRepeat, isStranded || operation.lostAt != nil, context.now.adding(pause) < end else { return }
            resend(operation, .sameKey, after: pause, until: end)
        case .query(let absenceAfter), .baselineDiff(let absenceAfter):
            guard canTell, !isStranded, asked.licensedAt >= unprovedAt.adding(absenceAfter),
                payment.isConclusive(asked, context.capabilities), !payment.isUnexplained(operation)
            else { return }
            if mayRepeat {
                let end = operation.kind.isInitial ? payment.terms?.expiresAt : nil
                resend(operation, .absent, after: .zero, until: end ?? .distantFuture)
            } else {
                add(.operationEnded(operation.id, .absent))
            }
        case .none: return
        }
    }

    /// Closes an attempt on proof: the link is dead, the payer's window is over, and no try is alive or succeeded.
    private mutating func closeUnpaid(_ asked: DispatchLicense, isKnown: Bool) {
        guard payment.expiryReached, let attempt = payment.attempt, attempt.isOpen, let initial = payment.initial,
            !initial.isInFlight, asked.licensedAt >= attempt.deadline.adding(context.capabilities.lifetimes.payerWindow)
        else { return }
        let tries = initial.transactions.values
        let isDead = tries.allSatisfy { $0.latest.outcome.isFinal && !$0.succeeded }
        guard isDead, !isKnown || !tries.isEmpty else { return }
        if case .moneyWithoutOperation? = attempt.reading { return }
        if payment.cancelRequestedBy != nil {
            add(.attemptClosed(.cancelled, by: .absence))
        } else if let decline = initial.lastDecline {
            add(.attemptClosed(.declined(decline), by: .absence))
        } else {
            add(.attemptClosed(.expired, by: .absence))
        }
    }

    /// Writes a hold off whose lifetime has ended and of which the provider shows neither capture nor release.
    private mutating func writeOffHold(_ asked: DispatchLicense) {
        guard let end = payment.holdEnd(context.capabilities), asked.licensedAt >= end else { return }
        expireHold()
    }

    mutating func expireHold() {
        let held = payment.standing.held
        guard held > 0, let currency = payment.currency, payment.pendingOnHold == 0 else { return }
        add(.holdExpired(Money(held, currency), at: context.now))
    }
}

extension DispatchLicense {
    /// Whether the answer to this question can't be older than the wish for the operation.
    fileprivate func sentAfter(_ operation: Operation) -> Bool { max(licensedAt, notBefore) >= operation.requestedAt }
}

extension Operation {
    /// Whether what its message carries was in the memory of a process that is gone: it can't be sent again.
    fileprivate var secretIsLost: Bool {
        guard case .notSent(let reason)? = dispatches.last?.outcome else { return false }
        return DispatchReason(reason) == .secretLost
    }

    var endedUnexecuted: Bool { if case .notExecuted = state { true } else { false } }
}

extension Dispatch {
    /// Whether it is certain that nothing came of it.
    var hadNoEffect: Bool {
        switch outcome {
        case .notSent?, .notExecuted?, .refused?: true
        case nil: revoked
        case .unknown?, .accepted?, .duplicate?, .answered?: false
        }
    }
}

extension Payment {
    /// Whether an operation still fits what is left, itself not counted, and nothing freezes new licences.
    ///
    /// An operator's refund is never frozen. What begins a payment that was given up, or whose time is over, is not sent
    /// again by any rule.
    func mayRepeat(_ operation: Operation) -> Bool {
        guard !operation.kind.isInitial || isWanted else { return false }
        return (!isFrozen || operation.byOperator && operation.kind == .refund) && fits(operation)
    }

    /// Whether nobody gave the payment up, and its time is not over.
    package var isWanted: Bool { cancelRequestedBy == nil && !expiryReached }

    /// Whether a message contradicts what is known and two persons have not dealt with it.
    fileprivate func isOpenContradiction(_ fact: Fact) -> Bool {
        guard case .contradiction(let kind, let detail) = fact else { return false }
        return !flags.settledContradictions.contains(Contradiction(kind: kind, detail: detail, basis: .message))
    }

    /// Whether the guards would let the operation in now.
    func fits(_ operation: Operation) -> Bool {
        guard let wanted = operation.requested?.minor else { return operation.kind.isInitial }
        switch operation.kind {
        case .sale, .authorize, .verify, .tokenize, .transfer:
            return operation.attempt == attemptNumber && attempt?.isOpen == true
        case .capture, .void:
            let number = operation.attempt
            let taken = pending(.capture, attempt: number, except: operation.id)
                .addingClamped(pending(.void, attempt: number, except: operation.id))
            return wanted <= sums(of: number).held.subtractingClamped(taken)
        case .refund:
            guard let target = operation.target.flatMap({ self.operation($0) }) else {
                return wanted <= refundableInTotal(except: operation.id)
            }
            return wanted <= refundable(target, except: operation.id)
        case .refundReversal: return false
        }
    }
}

extension Capabilities {
    /// From when on a question shows what a message did whose refusal came at `time`.
    func proof(of time: Timestamp, _ operation: Operation) -> Timestamp { time.adding(patience(operation.kind)) }

    /// So long a question may not show yet what was done before it.
    ///
    /// A kind that is cleared up without a look, as under its key, declares no time of its own: the provider shows it as
    /// soon as what it shows soonest, and where it declares no time at all, after a time that no list is known to exceed.
    package func patience(_ kind: OperationKind) -> Duration {
        recovery.absenceProof(of: kind) ?? recovery.absenceProofs.min() ?? Payment.undeclaredPatience
    }
}

package import Kernel

extension PaymentDraft {
    /// Does what was due: the expiry, the next question, the end of a hold that nobody can ask about.
    mutating func timer() {
        if let business = payment.nextBusinessTime, business <= context.now {
            add(.expiryReached(at: context.now))
            query()
        }
        switch payment.nextMachineTimer(context.capabilities) {
        case .question(let time)? where time <= context.now: query()
        case .holdEnd(let time)? where time <= context.now: expireHold()
        case .question?, .holdEnd?, nil: break
        }
    }
}

/// The next step that waits for machine time.
private enum MachineTimer {
    case question(Timestamp)
    /// Past the provider's query window a hold can only be written off.
    case holdEnd(Timestamp)

    var time: Timestamp {
        switch self {
        case .question(let time), .holdEnd(let time): time
        }
    }
}

extension Payment {
    /// When this payment wants to be woken: machine time for questions and holds, business time for the expiry.
    ///
    /// A timer that is due always leads to an event or a question, so a timer never fires without progress.
    package func timers(_ can: Capabilities) -> (machine: Timestamp?, business: Timestamp?) {
        (machine: nextMachineTimer(can)?.time, business: nextBusinessTime)
    }

    fileprivate var nextBusinessTime: Timestamp? {
        guard status.isOpen, !expiryReached, attempt?.isOpen == true else { return nil }
        return terms?.expiresAt
    }

    fileprivate func nextMachineTimer(_ can: Capabilities) -> MachineTimer? {
        guard let end = queryEnd(can) else { return nil }
        // Nothing is asked beside a question under way, and an answer that never comes stops no other.
        let silence = queries.lazy.filter(\.isInFlight).map(\.license.outcomeDue).max() ?? .epoch
        let question = [
            nextQuestion(can), nextQuestionAboutHold(can), nextQuestionAboutReversal(can),
            nextQuestionAboutReturns(can), nextQuestionAboutTotals(can), nextQuestionAboutNews(can),
        ].compactMap(\.self).min().map { max($0, silence) }
        if let question, question < end { return .question(question) }
        guard standing.held > 0, pendingOnHold == 0 else { return nil }
        return holdEnd(can).map { .holdEnd(max($0, end, silence)) }
    }

    /// Whether only the provider can say what comes next.
    package var awaitsProvider: Bool {
        if status.isOpen, attempt?.isOpen == true || initial?.state == .succeeded { return true }
        return operations.contains { operation in
            if operation.hasUnknownAmount || operation.awaitsBaseline { return true }
            guard !operation.isClosed else { return false }
            if operation.kind.isInitial { return operation.transactions.values.contains { !$0.latest.outcome.isFinal } }
            switch operation.state {
            case .pending, .indeterminate: return true
            case .requested, .succeeded, .failed, .notExecuted: return false
            }
        }
    }

    /// The money that open captures and voids may still take out of the current attempt's hold.
    var pendingOnHold: Int64 {
        pending(.capture, attempt: attemptNumber).addingClamped(pending(.void, attempt: attemptNumber))
    }

    /// Whether the last question was asked for a reason and brought no answer: it is asked again.
    private var isUnanswered: Bool {
        switch queries.last?.outcome {
        case .notSent?, .unknown?, .notExecuted?, .refused?, .duplicate?, .accepted?: true
        case nil: queries.last?.isInFlight == true
        case .answered?: false
        }
    }

    /// Questions since the last one that was answered: refused, lost, or answered in words that nobody knows.
    var unansweredQuestions: Int {
        var count = 0
        for query in queries.reversed() {
            switch query.outcome {
            case nil, .notSent?: continue
            case .answered?: return count
            case .unknown?, .notExecuted?, .refused?, .duplicate?, .accepted?: count += 1
            }
        }
        return count
    }

    /// Whether the newest answer about how the payment stands was in words that nobody knows.
    var isUnreadable: Bool {
        for query in queries.reversed() {
            switch query.outcome {
            case nil, .notSent?: continue
            case .unknown(let reason)?:
                guard case .unreadable = DispatchReason(reason) else { return false }
                return true
            case .answered?, .notExecuted?, .refused?, .duplicate?, .accepted?: return false
            }
        }
        return false
    }

    private func nextQuestion(_ can: Capabilities) -> Timestamp? {
        let owesLook = owesLook(can)
        guard awaitsProvider || isUnanswered || owesLook else { return nil }
        let last = max(lastActivityAt, lastQueryAt ?? .epoch)
        var next = last.adding(can.polling.delay(after: polls, seed: id.uuid.low))
        if let from = conclusiveFrom(can), lastQueryAt ?? .epoch < from {
            // Before it a question proves nothing, and what waits for a look goes on right behind it.
            if owesLook { next = from } else if operations.contains(where: \.awaitsBaseline) { next = min(next, from) }
        }
        if expiryReached, let attempt, attempt.isOpen {
            let proof = attempt.deadline.adding(can.lifetimes.payerWindow)
            if last < proof { next = min(next, proof) }
        }
        for operation in operations(of: attemptNumber) {
            guard let refusal = operation.unseenRefusal else { continue }
            let proof = can.proof(of: refusal.at, operation)
            if last < proof { next = min(next, proof) }
        }
        return notTooSoon(next, can)
    }

    /// A hold whose lifetime has ended is asked about once before it is written off.
    private func nextQuestionAboutHold(_ can: Capabilities) -> Timestamp? {
        guard standing.held > 0, let end = holdEnd(can) else { return nil }
        guard let asked = queries.last?.license.licensedAt, asked >= end else { return notTooSoon(end, can) }
        return notTooSoon(asked.adding(can.polling.delay(after: polls, seed: id.uuid.low)), can)
    }

    /// A charge that the provider gives back by itself is asked about once it should be gone, until an answer says so.
    private func nextQuestionAboutReversal(_ can: Capabilities) -> Timestamp? {
        guard let window = can.lifetimes.reversal, amounts.refunded < amounts.captured,
            let seen = captures.flatMap(\.transactions.values).compactMap(\.seenAt).max()
        else { return nil }
        return nextQuestion(answeredFrom: seen.adding(window), can)
    }

    /// A void or refund that something else than a look told first is looked at once it must show: the payer's money may
    /// not be back.
    private func nextQuestionAboutReturns(_ can: Capabilities) -> Timestamp? {
        let times = operations(of: attemptNumber).flatMap { operation -> [Timestamp] in
            guard operation.kind == .void || operation.kind == .refund, operation.origin == .commanded else {
                return []
            }
            return operation.transactions.values.filter(\.succeeded).compactMap(\.seenAt)
                .filter { seen in !queries.contains { $0.outcome == .answered && $0.observedAt == seen } }
                .map { $0.adding(can.patience(operation.kind)) }
        }
        return times.max().flatMap { nextQuestion(answeredFrom: $0, can) }
    }

    /// News of which a look showed nothing is looked for once more when it must show.
    private func nextQuestionAboutNews(_ can: Capabilities) -> Timestamp? {
        guard let news = queries.last(where: { $0.license.ground == .news }),
            attemptNumber(at: news.license.account) == attemptNumber,
            let look = queries.first(where: { query in
                query.version >= news.version && query.outcome == .answered
                    && attemptNumber(at: query.license.account) == attemptNumber
            }),
            evidenceVersion <= look.observedVersion
        else { return nil }
        let kinds: [OperationKind] =
            initial?.state == .succeeded ? [.capture, .void, .refund] : [initial?.kind ?? .sale]
        let patience = kinds.map { can.patience($0) }.max() ?? .zero
        return nextQuestion(answeredFrom: news.license.leavesAt.adding(patience), can)
    }

    /// The next look for the sake of money booked beyond the provider's own total: it is due once the total must show
    /// it.
    private func nextQuestionAboutTotals(_ can: Capabilities) -> Timestamp? {
        totals.compactMap { key, told in
            guard key.attempt == attemptNumber, let found = booked(key, beyond: told.highest) else { return nil }
            return nextQuestion(answeredFrom: found.since.adding(can.patience(key.kind)), can)
        }
        .min()
    }

    /// When the next question is due of which one has to be answered that was asked from `begin` on.
    private func nextQuestion(answeredFrom begin: Timestamp, _ can: Capabilities) -> Timestamp? {
        let later = queries.filter { $0.license.leavesAt >= begin }
        guard let last = later.last else { return notTooSoon(begin, can) }
        guard !later.contains(where: { $0.outcome == .answered }) else { return nil }
        return notTooSoon(last.license.leavesAt.adding(can.polling.delay(after: polls, seed: id.uuid.low)), can)
    }

    private func notTooSoon(_ time: Timestamp, _ can: Capabilities) -> Timestamp {
        lastQueryAt.map { max(time, $0.adding(can.polling.atLeast)) } ?? time
    }

    var lastQueryAt: Timestamp? {
        queries.map { max($0.license.licensedAt, $0.license.notBefore, $0.observedAt ?? .epoch) }.max()
    }

    /// From here on a query finds nothing any more and proves nothing.
    package func queryEnd(_ can: Capabilities) -> Timestamp? {
        initial.map { $0.requestedAt.adding(can.lifetimes.query) }
    }

    /// When a hold that nobody captured ends: counted from the provider's own time where that is credible.
    package func holdEnd(_ can: Capabilities) -> Timestamp? {
        let hold = currency.flatMap { currency in
            operations.first { $0.attempt == attemptNumber && $0.booked([.authorize], in: currency) > 0 }
        }
        guard let hold else { return nil }
        let seen = hold.transactions.values.filter(\.succeeded).compactMap {
            $0.latest.changedAt ?? $0.latest.createdAt
        }
        let latest = (attempt?.deadline ?? hold.requestedAt).adding(can.lifetimes.payerWindow)
        let start = min(max(seen.min() ?? hold.requestedAt, hold.requestedAt), max(latest, hold.requestedAt))
        return start.adding(can.lifetimes.hold)
    }
}

extension PollSchedule {
    /// The pause before the next question, spread by up to a tenth so that many payments don't ask at once.
    package func delay(after polls: Int, seed: UInt64) -> Duration {
        let doubled = first * (1 << min(max(polls, 0), 20))
        var random = SplitMix64(seed: seed &+ UInt64(max(polls, 0)))
        let spread = Int64(random.next() % 100)
        return min(doubled, cap) * Int(1000 + spread) / 1000
    }
}

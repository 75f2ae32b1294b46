import Crypto
package import Kernel

extension PaymentDraft {
    /// Decides what follows when a message of ours ended without evidence about money.
    mutating func recover(_ question: Dispatch?) {
        guard let license = question?.license, let id = license.operation, let operation = payment.operation(id),
            !operation.isClosed, operation.dispatches.last?.license == license
        else { return }
        switch operation.dispatches.last?.outcome {
        case .notSent(let reason)?:
            let mayRetry = license.ordinal < Payment.licencesPerOperation && reason.hasPrefix("unreachable")
            if mayRetry, !payment.isFrozen {
                resend(operation, .notExecuted, after: .seconds(5 << Int64(license.ordinal)))
            } else {
                add(.operationEnded(id, .notSent(reason: reason)))
            }
        case .unknown?, .duplicate?: query()
        case .accepted?, .notExecuted?, .answered?, nil: break
        }
    }

    /// Draws conclusions from an answered query: what it does not show, after the proof time, is not there.
    mutating func afterQuery(_ asked: DispatchLicense) {
        for operation in payment.operations where !operation.isClosed && operation.sightings.isEmpty {
            guard let last = operation.dispatches.last, case .unknown? = last.outcome, let lostAt = last.observedAt
            else {
                continue
            }
            let mayRepeat = last.license.ordinal < Payment.licencesPerOperation && !payment.isFrozen
            switch context.capabilities.recovery[operation.kind] ?? .none {
            case .sameKey(let lifetime):
                let first = operation.dispatches[0].license.licensedAt
                guard mayRepeat, context.now < first.adding(lifetime) else { continue }
                resend(operation, .sameKey, after: .seconds(1 << Int64(last.license.ordinal)))
            case .query(let absenceAfter):
                guard asked.licensedAt >= lostAt.adding(absenceAfter) else { continue }
                if mayRepeat {
                    resend(operation, .absent, after: .zero)
                } else {
                    add(.operationEnded(operation.id, .absent))
                }
            case .none: continue
            }
        }
        closeExpired(asked)
    }

    /// Expires an attempt on proof: the link is dead, the payer's window is over, and the provider knows nothing.
    private mutating func closeExpired(_ asked: DispatchLicense) {
        guard payment.expiryReached, let attempt = payment.attempt, attempt.isOpen,
            attempt.notRegisteredAt == context.now
        else { return }
        if asked.licensedAt >= attempt.deadline.adding(context.capabilities.lifetimes.payerWindow) {
            add(.attemptClosed(.expired, by: .absence))
        }
    }

    /// Does what was due: the expiry, the end of a hold, the next question.
    mutating func timer() {
        let wakes = payment.wakes(context.capabilities)
        if let business = wakes.business, business <= context.now { reachBusinessTime() }
        if let machine = wakes.machine, machine <= context.now { query() }
    }

    private mutating func reachBusinessTime() {
        if let terms = payment.terms, payment.status.isOpen, !payment.expiryReached, terms.expiresAt <= context.now {
            add(.expiryReached(at: context.now))
            query()
        }
        let held = payment.amounts.held
        if held > 0, let end = payment.holdEnd(context.capabilities), end <= context.now,
            let currency = payment.currency
        {
            add(.holdExpired(Money(held, currency), at: context.now))
        }
    }
}

extension Payment {
    /// When this payment wants to be woken: machine time for questions, business time for expiry and the end of a hold.
    package func wakes(_ can: Capabilities) -> (machine: Timestamp?, business: Timestamp?) {
        (machine: nextQueryAt(can), business: nextBusinessTime(can))
    }

    private func nextBusinessTime(_ can: Capabilities) -> Timestamp? {
        if status.isOpen, !expiryReached, attempt?.isOpen == true { return terms?.expiresAt }
        return amounts.held > 0 ? holdEnd(can) : nil
    }

    /// Whether only the provider can say what comes next.
    package var awaitsProvider: Bool {
        let isUndecided = status.isOpen && attempt?.isOpen == true
        return isUndecided
            || operations.contains { operation in
                guard !operation.isClosed, !operation.kind.isInitial else { return false }
                switch operation.state {
                case .pending, .indeterminate: return true
                case .requested, .succeeded, .failed, .notExecuted: return false
                }
            }
    }

    private func nextQueryAt(_ can: Capabilities) -> Timestamp? {
        guard awaitsProvider, !queries.contains(where: \.isInFlight) else { return nil }
        let last = max(lastActivityAt, lastQueryAt ?? .epoch)
        let next = last.adding(can.polling.delay(after: polls, seed: id.uuid.low))
        guard expiryReached, let attempt, attempt.isOpen else { return next }
        let proof = attempt.deadline.adding(can.lifetimes.payerWindow)
        return last < proof ? min(next, max(proof, last.adding(can.polling.atLeast))) : next
    }

    func holdEnd(_ can: Capabilities) -> Timestamp? {
        guard let hold = operations.first(where: { $0.kind == .authorize && $0.state == .succeeded }) else {
            return nil
        }
        let seen = hold.sightings.values.filter(\.succeeded).compactMap { $0.latest.changedAt ?? $0.latest.createdAt }
        return (seen.min() ?? hold.requestedAt).adding(can.lifetimes.hold)
    }

    /// The same card saved by two payers is two instruments.
    func instrumentId(_ instrument: InstrumentFact, _ account: AccountFacts) -> InstrumentId {
        let payer = terms?.customer.map { Hex.encode(Array($0.utf8)) } ?? ""
        return InstrumentId(.version5(namespace: account.id, name: "instrument:\(payer):\(instrument.fingerprint)"))
    }
}

extension PollSchedule {
    /// The pause before the next question, spread by up to a tenth so that many payments don't ask at once.
    package func delay(after polls: Int, seed: UInt64) -> Duration {
        let doubled = first * (1 << min(polls, 20))
        var random = SplitMix64(seed: seed &+ UInt64(polls))
        let spread = Int64(random.next() % 100)
        return min(doubled, cap) * Int(1000 + spread) / 1000
    }
}

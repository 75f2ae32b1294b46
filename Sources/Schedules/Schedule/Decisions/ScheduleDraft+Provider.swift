import Kernel

/// Series that the provider runs: nothing is started and nothing dunned, its debits are matched by series and day.
extension ScheduleDraft {
    /// Closes what the provider never debited once the next one is due, and keeps the next one planned.
    mutating func followProvider() {
        guard let rule = schedule.terms?.rule, let calendar = context.calendar else { return }
        let limit = context.now.adding(.zero - Self.debitTolerance)
        let last = schedule.base + rule.lastOrdinal(dueBy: limit, calendar)
        for ordinal in schedule.open.keys.sorted() where ordinal < last && !isFull { close(ordinal) }
        if schedule.next < last {
            add(.skipped(first: schedule.next, last: last - 1, .unobserved, at: context.now))
        }
        // The newest one that is due stays open for a late debit, and the one after it is waited for.
        while !isFull, schedule.next <= last + 1 || !schedule.open.values.contains(where: { $0.state == .planned }),
            case .occurrence(let found, let amount) = following(schedule.next)
        {
            let ordinal = schedule.next
            if found.reasons.contains(.coincides) {
                add(.skipped(first: ordinal, last: ordinal, .coincides, at: context.now))
            } else {
                let isLast = rule.occurrence(schedule.ruleOrdinal(ordinal) + 1, calendar) == nil
                let wait = isLast ? Self.lastDebitWait : Self.debitTolerance
                plan(ordinal, found, amount, startAt: found.at.adding(wait), isLate: false)
            }
        }
        guard let newest = schedule.open.max(by: { $0.key < $1.key })?.value, newest.payment == nil,
            newest.startAt <= context.now
        else { return }
        close(newest.plan.ordinal)
    }

    /// Ends the wait for a debit: it was declined, or nothing was seen of it.
    private mutating func close(_ ordinal: Int) {
        switch schedule.open[ordinal]?.state {
        case .planned?: add(.skipped(first: ordinal, last: ordinal, .unobserved, at: context.now))
        case .declined?, .waiting?, .stepUp?:
            add(.gaveUp(ordinal: ordinal, .mark, policy: policyVersion, at: context.now))
        case .inFlight?, nil: break
        }
    }

    /// A debit of the provider's own.
    mutating func debit(
        _ payment: PaymentId,
        _ series: String,
        _ amount: Money,
        _ outcome: ScheduleObservation.PaymentResult,
        at moment: Timestamp
    ) {
        if schedule.tries[payment] != nil { return result(payment, outcome) }
        guard let terms = schedule.terms, terms.runner == .provider, series == schedule.activation?.series,
            schedule.status != .cancelled, !isPastMandate(moment), let ordinal = ordinal(of: moment),
            schedule.paid[ordinal] == nil, schedule.due(ordinal).map({ $0.currency == amount.currency }) ?? true
        else {
            guard !schedule.unmatched.contains(payment) else { return }
            add(.debitUnmatched(payment: payment, series: series, amount: amount, at: context.now))
            return
        }
        if ordinal > schedule.next {
            add(.skipped(first: schedule.next, last: ordinal - 1, .unobserved, at: context.now))
        }
        if ordinal == schedule.next, case .occurrence(let found, let planned) = following(ordinal) {
            plan(ordinal, found, planned, startAt: found.at.adding(Self.debitTolerance), isLate: false)
        }
        add(
            .started(
                OccurrenceTry(
                    ordinal: ordinal,
                    attempt: (schedule.open[ordinal]?.attempts ?? 0) + 1,
                    payment: payment,
                    amount: amount,
                    instrument: terms.instrument,
                    presence: .unattended,
                    origin: .provider,
                    at: moment
                )
            )
        )
        result(payment, outcome)
    }

    /// The occurrence that was due last when the provider debited; each debit is one where there is no calendar.
    private func ordinal(of moment: Timestamp) -> Int? {
        guard let rule = schedule.terms?.rule else { return schedule.next }
        guard let calendar = context.calendar else { return nil }
        // Of two neighbouring days the debit is the nearer one's.
        let early = rule.shortestStep > 1 ? Self.debitTolerance : Self.debitTolerance / 2
        let own = rule.lastOrdinal(dueBy: moment.adding(early), calendar)
        return own >= 1 ? schedule.base + own : nil
    }
}

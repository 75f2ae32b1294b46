import Kernel

extension ScheduleDraft {
    /// Starts what is due, the oldest first.
    mutating func start() {
        for ordinal in schedule.open.keys.sorted() {
            guard !isFull, schedule.status == .active else { return }
            guard let one = schedule.open[ordinal], one.isStartable, one.startAt <= context.now else { continue }
            guard !isPastMandate(context.now) else {
                skipForMandate(ordinal)
                continue
            }
            guard one.state != .waiting || isRetriedNow(ordinal) || !isTooLate(context.now, ordinal) else {
                markOnly(ordinal)
                continue
            }
            guard !isWaitingForOutcome else { return }
            if let earliest = earliest(one), earliest > context.now {
                postpone(one, to: usual(earliest))
            } else if let later = unhurried(one), later > context.now {
                postpone(one, to: later)
            } else {
                begin(ordinal, presence: nil)
            }
        }
    }

    /// Whether this very decision asked for the try, as with a fallback that is charged at once.
    private func isRetriedNow(_ ordinal: Int) -> Bool {
        decision.events.contains { if case .retried(let retry) = $0 { retry.ordinal == ordinal } else { false } }
    }

    /// When what is not on time may begin: spread once where it was held up, and never in the quiet hours.
    private func unhurried(_ one: OpenOccurrence) -> Timestamp? {
        let lateness = context.now.since(one.startAt)
        if lateness >= Self.overdue, !one.isPostponed, let policy = schedule.terms?.policy.catchUp {
            return spread(one.plan.ordinal, 0, policy, lateness)
        }
        return one.state == .waiting || one.isPostponed ? quiet(context.now) : nil
    }

    /// A mandate with a least distance can't tell how far the next charge is while one has no outcome.
    var isWaitingForOutcome: Bool { schedule.terms?.mandate.minimumDays != nil && schedule.hasTryInFlight }

    /// When both the series' mandate and the one that stands with the card let an occurrence be charged.
    private func earliest(_ one: OpenOccurrence) -> Timestamp? {
        [earliestByMandate, earliestByCard(one.instrument)].compactMap(\.self).max()
    }

    /// Others may charge the same card, too.
    func earliestByCard(_ instrument: InstrumentId?) -> Timestamp? {
        guard schedule.terms?.presence == .unattended, let card = instrument ?? schedule.terms?.instrument else {
            return nil
        }
        return context.cards[card]?.chargeableFrom
    }

    /// The first moment of the first day on which the mandate lets the series be charged again.
    var earliestByMandate: Timestamp? {
        guard let days = schedule.terms?.mandate.minimumDays, let last = schedule.lastChargeAt else { return nil }
        let today = localDate(last)
        guard let date = today.adding(days: Int64(days)) else { return nil }
        guard let zone = context.calendar?.zone else { return Timestamp(seconds: date.daysSinceEpoch * 86_400) }
        return zone.instant(of: date, .midnight, skipped: .gapEnd, doubled: .first).at
    }

    /// The day in the rule's zone; in UTC where there is no rule.
    func localDate(_ moment: Timestamp) -> CivilDate {
        context.calendar?.zone.local(at: moment).date ?? CivilDate(moment)
    }

    func isPastMandate(_ moment: Timestamp) -> Bool {
        guard let last = schedule.terms?.mandate.expiresOn else { return false }
        return localDate(moment) > last
    }

    private mutating func skipForMandate(_ ordinal: Int) {
        add(.skipped(first: ordinal, last: ordinal, .mandate, at: context.now))
    }

    /// The time of day of the series on the first day that is allowed.
    func usual(_ earliest: Timestamp) -> Timestamp {
        guard let rule = schedule.terms?.rule, let zone = context.calendar?.zone else { return earliest }
        let date = zone.local(at: earliest).date
        let usual = zone.instant(of: date, rule.time, skipped: rule.skippedHour, doubled: rule.doubledHour).at
        return max(usual, earliest)
    }

    /// Lets the next try of an occurrence begin later.
    private mutating func postpone(_ one: OpenOccurrence, to start: Timestamp) {
        let ordinal = one.plan.ordinal
        guard !isPastMandate(start) else { return skipForMandate(ordinal) }
        switch one.state {
        case .planned: replan(one.plan, startAt: start, isLate: true)
        case .waiting:
            guard !isTooLate(start, ordinal) else { return markOnly(ordinal) }
            retry(ordinal, at: start, instrument: one.instrument, after: .unknown)
        case .inFlight, .declined, .stepUp: break
        }
    }

    mutating func replan(_ old: OccurrencePlan, startAt: Timestamp, isLate: Bool) {
        add(
            .planned(
                OccurrencePlan(
                    ordinal: old.ordinal,
                    date: old.date,
                    dueAt: old.dueAt,
                    startAt: startAt,
                    amount: old.amount,
                    zoneDigest: old.zoneDigest,
                    reasons: old.reasons,
                    isLate: isLate
                )
            )
        )
    }

    /// Asks for the payment of an occurrence's next try.
    mutating func begin(_ ordinal: Int, presence: Presence?) {
        guard let terms = schedule.terms, let one = schedule.open[ordinal] else { return }
        let attempt = one.attempts + 1
        let instrument = usable(one.instrument ?? terms.instrument) ?? usable(terms.fallback)
        let isDebit = (one.instrument ?? terms.instrument) == nil && schedule.activation?.series != nil
        let isCharged = instrument != nil || isDebit
        guard isCharged || terms.presence == .customerPresent || presence == .customerPresent else {
            let failure = ScheduleEvent.Failure(kind: .instrumentInvalid, code: nil)
            add(.failed(ordinal: ordinal, payment: nil, failure, at: context.now))
            return giveUp(ordinal)
        }
        let started = OccurrenceTry(
            ordinal: ordinal,
            attempt: attempt,
            payment: schedule.payment(ordinal, attempt: attempt),
            amount: one.plan.amount,
            instrument: instrument,
            presence: presence ?? terms.presence,
            origin: .paystream,
            at: context.now
        )
        add(.started(started))
        order(started, terms)
    }

    private mutating func order(_ started: OccurrenceTry, _ terms: ScheduleTerms) {
        ask(
            PaymentOrder(
                input: schedule.input(started.ordinal, attempt: started.attempt),
                started: started,
                asksSeconds: started.presence == .customerPresent ? stepUpSeconds : nil,
                account: terms.account,
                customer: terms.customer,
                reference: terms.reference,
                description: terms.description,
                details: terms.details,
                metadata: terms.metadata
            )
        )
    }

    /// An instrument whose last month is not over.
    private func usable(_ instrument: InstrumentId?) -> InstrumentId? {
        guard let instrument else { return nil }
        let card = context.cards[instrument]
        let ends = [card?.expiry?.end, card?.mandateEndsAt].compactMap(\.self)
        return ends.allSatisfy { context.now < $0 } ? instrument : nil
    }
}

// MARK: outcomes

extension ScheduleDraft {
    /// Takes in the result of one of our payments.
    mutating func result(_ payment: PaymentId, _ result: ScheduleObservation.PaymentResult) {
        guard let ordinal = schedule.tries[payment]?.ordinal else { return }
        switch result {
        case .succeeded(let amount): succeed(ordinal, payment, amount)
        case .failed(let failure):
            guard schedule.isInFlight(payment) else { return }
            let one = schedule.open[ordinal]
            add(.failed(ordinal: ordinal, payment: payment, failure, at: context.now))
            guard let one, one.payment == payment, schedule.terms?.runner == .paystream else { return }
            if case .stepUp = one.state, failure.isExpiry, !schedule.status.isOver { return askOn(one, payment) }
            dun(ordinal, failure.kind)
        case .waitsForCustomer:
            guard let one = schedule.open[ordinal], one.state == .inFlight(payment) else { return }
            askCustomer(ordinal, payment, until: context.now.adding(.seconds(stepUpSeconds)))
        case .voided:
            guard schedule.isInFlight(payment) else { return }
            let isCurrent = schedule.open[ordinal]?.payment == payment
            let failure = ScheduleEvent.Failure(kind: .hard, code: "voided")
            add(.failed(ordinal: ordinal, payment: payment, failure, at: context.now))
            if isCurrent, schedule.terms?.runner == .paystream { markOnly(ordinal) }
        }
    }

    private mutating func succeed(_ ordinal: Int, _ payment: PaymentId, _ amount: Money) {
        guard schedule.tries[payment]?.outcome != .succeeded else { return }
        if schedule.paid[ordinal] != nil {
            add(.paidTwice(ordinal: ordinal, payment: payment, amount: amount, at: context.now))
        } else {
            add(.succeeded(ordinal: ordinal, payment: payment, amount: amount, at: context.now))
        }
    }

    var policyVersion: ScheduleEvent.PolicyVersion {
        let policy = schedule.terms?.policy.dunning ?? .standard
        return ScheduleEvent.PolicyVersion(name: policy.name, version: policy.version)
    }

    private var stepUpSeconds: Int64 {
        switch schedule.terms?.policy.dunning.steps[.stepUpRequired] {
        case .stepUp(let seconds)?: seconds
        case .retry?, .replaceInstrument?, .giveUp?, nil: Self.standardStepUpSeconds
        }
    }

    private static let standardStepUpSeconds: Int64 = 3 * 86_400

    /// Decides what follows a decline.
    private mutating func dun(_ ordinal: Int, _ kind: DeclineKind) {
        guard let policy = schedule.terms?.policy.dunning, let one = schedule.open[ordinal],
            !schedule.status.isOver
        else {
            if schedule.open[ordinal] != nil { markOnly(ordinal) }
            return
        }
        switch policy.steps[kind] ?? .giveUp {
        case .retry(let delays):
            let instrument = one.instrument ?? schedule.terms?.instrument
            guard one.attempts >= 1, one.attempts <= delays.count, !isCapped(policy, instrument) else {
                return giveUp(ordinal)
            }
            let start = quiet(context.now.adding(.seconds(delays[one.attempts - 1])))
            guard !isTooLate(start, ordinal) else { return giveUp(ordinal) }
            retry(ordinal, at: start, instrument: nil, after: kind)
        case .stepUp(let seconds):
            guard let payment = lastPayment(ordinal, one.attempts) else { return giveUp(ordinal) }
            askCustomer(ordinal, payment, until: context.now.adding(.seconds(seconds)))
        case .replaceInstrument:
            guard let fallback = schedule.terms?.fallback, fallback != one.instrument, !isCapped(policy, fallback)
            else {
                return giveUp(ordinal)
            }
            let start = quiet(context.now)
            guard start == context.now || !isTooLate(start, ordinal) else { return giveUp(ordinal) }
            retry(ordinal, at: start, instrument: fallback, after: kind)
        case .giveUp: giveUp(ordinal)
        }
    }

    private func lastPayment(_ ordinal: Int, _ attempt: Int) -> PaymentId? {
        let payment = schedule.payment(ordinal, attempt: attempt)
        return schedule.tries[payment] == nil ? nil : payment
    }

    private mutating func retry(_ ordinal: Int, at start: Timestamp, instrument: InstrumentId?, after kind: DeclineKind)
    {
        add(
            .retried(
                OccurrenceRetry(
                    ordinal: ordinal,
                    startAt: start,
                    instrument: instrument,
                    after: kind,
                    policy: policyVersion
                )
            )
        )
    }

    /// A page that nobody used has ended: the customer is asked until the same deadline, and never charged without them.
    private mutating func askOn(_ one: OpenOccurrence, _ payment: PaymentId) {
        guard context.now < one.startAt else { return giveUp(one.plan.ordinal) }
        askCustomer(one.plan.ordinal, payment, until: one.startAt)
    }

    private mutating func askCustomer(_ ordinal: Int, _ payment: PaymentId, until deadline: Timestamp) {
        add(
            .stepUpRequested(
                ordinal: ordinal,
                payment: payment,
                deadline: deadline,
                policy: policyVersion
            )
        )
    }

    /// Whether a card scheme forbids another try of an instrument now: declines count, what succeeded does not.
    private func isCapped(_ policy: DunningPolicy, _ instrument: InstrumentId?) -> Bool {
        let scheme = instrument.flatMap { context.cards[$0]?.scheme }
        return policy.caps.contains { cap in
            guard cap.scheme == nil || cap.scheme == scheme else { return false }
            let since = context.now.adding(.seconds(-Int64(cap.days) * 86_400))
            let declined = schedule.tries.values.count {
                $0.outcome == .failed && $0.instrument == instrument && $0.at > since
            }
            return declined >= cap.attempts
        }
    }

    /// Whether a try would come past the mandate, or so late that the next occurrence is due.
    private func isTooLate(_ start: Timestamp, _ ordinal: Int) -> Bool {
        if isPastMandate(start) { return true }
        guard schedule.terms?.policy.dunning.endsAtNext == true, let next = dueAfter(ordinal) else { return false }
        return start >= next
    }

    /// When the occurrence after this one falls due, or fell; without a calendar each stands for itself.
    private func dueAfter(_ ordinal: Int) -> Timestamp? {
        guard let rule = schedule.terms?.rule, let calendar = context.calendar else { return nil }
        let first = max(ordinal, schedule.base) + 1
        if let old = schedule.open.keys.filter({ $0 > ordinal && $0 < first }).min() {
            return schedule.open[old]?.plan.dueAt
        }
        // Neighbours on one day are charged once; no shift is longer than a month.
        for next in first..<first + 31 {
            if let plan = schedule.open[next]?.plan { return plan.dueAt }
            guard let found = rule.occurrence(schedule.ruleOrdinal(next), calendar) else { return nil }
            guard !found.reasons.contains(.coincides) else { continue }
            guard next >= schedule.next else { return found.at }
            if case .occurrence = following(next) { return found.at }
            return nil
        }
        return nil
    }

    /// Gives up what the customer did not take part in.
    mutating func endStepUps(_ end: (inout ScheduleDraft, Int) -> Void) {
        for ordinal in schedule.open.keys.sorted() {
            guard let one = schedule.open[ordinal], case .stepUp = one.state, one.startAt <= context.now else {
                continue
            }
            end(&self, ordinal)
        }
    }

    /// Ends an occurrence without any consequence for the series.
    mutating func markOnly(_ ordinal: Int) {
        add(.gaveUp(ordinal: ordinal, .mark, policy: policyVersion, at: context.now))
    }

    mutating func giveUp(_ ordinal: Int) {
        let action = schedule.terms?.policy.dunning.giveUp ?? .mark
        add(.gaveUp(ordinal: ordinal, action, policy: policyVersion, at: context.now))
        guard schedule.status == .active else { return }
        switch action {
        case .pause: add(.paused(reason: "dunning", by: "policy", at: context.now))
        case .cancel: add(.cancelled(reason: "dunning", by: "policy", at: context.now))
        case .mark: break
        }
    }
}

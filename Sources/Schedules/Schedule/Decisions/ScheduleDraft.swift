import Kernel

/// A decision in the making: every event is folded at once, so that later rules see what earlier ones decided.
struct ScheduleDraft {
    private(set) var schedule: Schedule
    private(set) var decision = ScheduleDecision()
    let context: ScheduleContext

    /// So much one decision starts and plans; what is left is due at once.
    static let stepsPerDecision = 40
    /// A provider's own debit may come so much before it is due, and is missed so long after.
    static let debitTolerance = Duration.seconds(86_400)
    /// An occurrence that begins so long after its moment was held up, by an outage or by others: it is spread.
    static let overdue = Duration.seconds(120)
    /// The last debit of a series is waited for so long.
    static let lastDebitWait = Duration.seconds(7 * 86_400)

    init(_ schedule: Schedule, _ context: ScheduleContext) {
        self.schedule = schedule
        self.context = context
    }

    mutating func add(_ event: ScheduleEvent) {
        decision.events.append(event)
        schedule.evolve(event)
    }

    mutating func ask(_ order: PaymentOrder) { decision.starts.append(order) }

    var isFull: Bool { decision.events.count >= Self.stepsPerDecision }

    /// Does all that is due: plans, starts, gives up, ends.
    mutating func advance() {
        guard schedule.status == .active, let terms = schedule.terms else { return }
        switch terms.runner {
        case .paystream:
            endStepUps { $0.giveUp($1) }
            planLate()
            planNext()
            start()
            planNext()
        case .provider: followProvider()
        }
        settle()
    }

    /// Ends a series with nothing open and nothing to come.
    private mutating func settle() {
        guard schedule.status == .active, schedule.open.isEmpty, let terms = schedule.terms, terms.rule != nil,
            !isFull
        else { return }
        switch following(schedule.next) {
        case .occurrence, .unknown: break
        case .none: add(.completed(at: context.now))
        case .mandateOver: add(.expired(.mandate, at: context.now))
        }
    }

    // MARK: what comes next

    /// The answer of the rule about an ordinal.
    enum Following {
        case occurrence(RuleOccurrence, Money)
        /// The series is over by its rule or its total.
        case none
        case mandateOver
        /// The zone's data was not passed in.
        case unknown
    }

    func following(_ ordinal: Int) -> Following {
        guard let terms = schedule.terms, let rule = terms.rule else { return .none }
        guard let calendar = context.calendar else { return .unknown }
        let own = schedule.ruleOrdinal(ordinal)
        guard let found = rule.occurrence(own, calendar), let amount = rule.listedAmount(own) ?? terms.amount else {
            return .none
        }
        guard isWithinTotal(amount) else { return .none }
        if let last = terms.mandate.expiresOn, found.date > last { return .mandateOver }
        return .occurrence(found, amount)
    }

    /// Whether another amount stays within the total, with all that is under way.
    private func isWithinTotal(_ amount: Money) -> Bool {
        guard let total = schedule.terms?.rule?.end.total else { return true }
        let underWay = schedule.tries.values.filter { $0.outcome == nil }.map(\.amount)
        let planned = schedule.open.values.filter { one in !(one.payment.map(schedule.isInFlight) ?? false) }
            .map(\.plan.amount.minor)
        var sum = schedule.collected
        for minor in underWay + planned {
            let (next, overflow) = sum.addingReportingOverflow(minor)
            if overflow { return false }
            sum = next
        }
        let (next, overflow) = sum.addingReportingOverflow(amount.minor)
        return !overflow && next <= total.minor
    }

    // MARK: planning

    /// Plans an occurrence; one that is late starts later than it was due.
    mutating func plan(_ ordinal: Int, _ found: RuleOccurrence, _ amount: Money, startAt: Timestamp, isLate: Bool) {
        add(
            .planned(
                OccurrencePlan(
                    ordinal: ordinal,
                    date: found.date,
                    dueAt: found.at,
                    startAt: max(startAt, found.at),
                    amount: amount,
                    zoneDigest: found.zoneDigest,
                    reasons: found.reasons,
                    isLate: isLate
                )
            )
        )
        noticeExpiry(ordinal, found.at)
    }

    /// Keeps one occurrence planned ahead.
    mutating func planNext() {
        while schedule.status == .active, !isFull, !schedule.open.values.contains(where: { $0.state == .planned }) {
            let ordinal = schedule.next
            guard case .occurrence(let found, let amount) = following(ordinal) else { return }
            if found.reasons.contains(.coincides) {
                add(.skipped(first: ordinal, last: ordinal, .coincides, at: context.now))
            } else {
                plan(ordinal, found, amount, startAt: found.at, isLate: false)
            }
        }
    }

    /// Sorts out what could not be started in time, by the catch-up policy.
    private mutating func planLate() {
        guard let terms = schedule.terms, let rule = terms.rule, let calendar = context.calendar else { return }
        let policy = terms.policy.catchUp
        let limit = context.now.adding(.seconds(-policy.graceSeconds))
        let planned = schedule.open.values.filter { $0.state == .planned }
        let waiting = planned.filter { !$0.plan.isLate && $0.plan.startAt < limit }.map(\.plan.ordinal).sorted()
        let last = max(schedule.next - 1, schedule.base + rule.lastOrdinal(dueBy: limit, calendar))
        let fresh = last - schedule.next + 1
        guard !waiting.isEmpty || fresh > 0 else { return }
        // What an earlier outage left is older than all of this and gives way first.
        let earlier = planned.filter(\.plan.isLate).map(\.plan.ordinal).sorted()
        let known = (policy.mode == .none ? [] : earlier) + waiting
        let skipped = max(0, known.count + fresh - policy.kept)
        skip(Array(known.prefix(skipped)), .late)
        let skippedFresh = skipped - min(skipped, known.count)
        if skippedFresh > 0 {
            add(.skipped(first: schedule.next, last: schedule.next + skippedFresh - 1, .late, at: context.now))
        }
        let again = known.dropFirst(skipped).filter(waiting.contains)
        let kept = again + (fresh > skippedFresh ? Array(schedule.next...last) : [])
        for (index, ordinal) in kept.enumerated() where !isFull {
            // A day that somebody chose stays chosen.
            if let plan = schedule.open[ordinal]?.plan {
                replan(plan, startAt: spread(ordinal, index, policy, context.now.since(plan.dueAt)), isLate: true)
                continue
            }
            switch following(ordinal) {
            case .occurrence(let found, _) where found.reasons.contains(.coincides):
                add(.skipped(first: ordinal, last: ordinal, .coincides, at: context.now))
            case .occurrence(let found, let amount):
                let start = spread(ordinal, index, policy, context.now.since(found.at))
                plan(ordinal, found, amount, startAt: start, isLate: true)
            case .none, .mandateOver, .unknown: return
            }
        }
    }

    /// Leaves ordinals out, neighbours in one event.
    mutating func skip(_ ordinals: [Int], _ reason: ScheduleEvent.SkipReason) {
        var rest = ordinals[...]
        while let first = rest.first {
            let run = zip(rest, first...).prefix { $0 == $1 }.count
            add(.skipped(first: first, last: first + run - 1, reason, at: context.now))
            rest = rest.dropFirst(run)
        }
    }

    /// The answer of the rule about an ordinal that may be planned already, which then does not count twice.
    func following(_ ordinal: Int, replacing old: Int) -> Following {
        guard schedule.open[old] != nil else { return following(ordinal) }
        var without = self
        without.schedule.evolve(.skipped(first: old, last: old, .changed, at: context.now))
        return without.following(ordinal)
    }

    /// One window after the other for the late ones of a schedule, and a place in it that its id gives: what was held
    /// up for a short while is spread over no more than that.
    func spread(_ ordinal: Int, _ index: Int, _ policy: CatchUp, _ lateness: Duration) -> Timestamp {
        let window = min(policy.spreadSeconds, lateness.components.seconds)
        guard window > 0 else { return quiet(context.now) }
        var random = SplitMix64(seed: schedule.id.uuid.low &+ UInt64(truncatingIfNeeded: ordinal))
        let place = Int64(random.next() % UInt64(window))
        return quiet(context.now.adding(.seconds(Int64(index) * policy.spreadSeconds + place)))
    }

    /// Moves what nobody waits for out of the customer's quiet hours.
    func quiet(_ moment: Timestamp) -> Timestamp {
        guard let hours = schedule.terms?.policy.quiet, let zone = context.quietZone else { return moment }
        return hours.next(moment, in: zone)
    }

    /// Tells ahead of an occurrence that a card of the series ends before it.
    mutating func noticeExpiry(_ ordinal: Int, _ due: Timestamp) {
        for instrument in [schedule.terms?.instrument, schedule.terms?.fallback].compactMap(\.self) {
            guard !schedule.noticed.contains(instrument), let expiry = context.cards[instrument]?.expiry,
                let end = expiry.end, due >= end
            else { continue }
            add(.expiryNoticed(instrument, expiry, ordinal: ordinal, at: context.now))
        }
    }
}

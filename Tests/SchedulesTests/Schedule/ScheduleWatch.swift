import EventSourcing
import Kernel
import Schedules
import Testing

/// Follows a schedule's events from beside it and holds each try against what was known when it began.
struct ScheduleWatch {
    private var seen = 0
    private var isStopped = false
    private var activatedAt = Timestamp.epoch
    private var flying: [Int: PaymentId] = [:]
    private var plans: [Int: OccurrencePlan] = [:]
    private var declinedAt: [Int: Timestamp] = [:]
    private var tries: [PaymentId: Try] = [:]
    /// The terms that hold, as far as commands change them.
    private var terms: ScheduleTerms?
    private var base = 0
    /// What succeeded after it had been told as declined: nobody could know of it.
    private var late: Int64 = 0

    private struct Try {
        let started: OccurrenceTry
        var outcome: Bool?
        var amount: Int64
    }

    /// Takes in what a step has decided; what somebody charged by hand is bound by the mandate alone.
    mutating func take(_ story: ScheduleStory, isByHand: Bool) throws {
        for event in story.events.dropFirst(seen) { try take(event, story, isByHand) }
        seen = story.events.count
        try #require(story.schedule == Schedule.fold(story.schedule.id, story.events))
        try #require(story.schedule.collected == collected)
    }

    private var collected: Int64 { tries.values.filter { $0.outcome == true }.map(\.amount).reduce(0, +) }

    private mutating func take(_ event: ScheduleEvent, _ story: ScheduleStory, _ isByHand: Bool) throws {
        switch event {
        case .registered(let terms, _, _): self.terms = terms
        case .activated(let activation, let at):
            activatedAt = at
            terms?.instrument = activation.instrument
        case .planned(let plan): plans[plan.ordinal] = plan
        case .started(let one):
            try check(one, story)
            if !isByHand { try checkUnattended(one, story) }
            flying[one.ordinal] = one.payment
            tries[one.payment] = Try(started: one, outcome: nil, amount: 0)
        case .succeeded(let ordinal, let payment, let amount, _), .paidTwice(let ordinal, let payment, let amount, _):
            if tries[payment]?.outcome == false { late += amount.minor }
            tries[payment]?.outcome = true
            tries[payment]?.amount = amount.minor
            if flying[ordinal] == payment { flying[ordinal] = nil }
        case .failed(let ordinal, let payment?, _, let at):
            declinedAt[ordinal] = at
            tries[payment]?.outcome = false
            if flying[ordinal] == payment { flying[ordinal] = nil }
        case .skipped(let first, let last, let reason, _):
            try #require(first <= last)
            if reason == .changed || reason == .coincides { for ordinal in first...last { plans[ordinal] = nil } }
        case .changed(let change, _, _):
            if let rule = change.rule {
                terms?.rule = rule
                base = story.schedule.base
            }
        case .paused, .cancelled, .completed, .expired: isStopped = true
        case .resumed: isStopped = false
        case .failed, .registrationUnwanted, .retried, .stepUpRequested, .gaveUp, .debitUnmatched, .expiryNoticed,
            .requestLicensed, .requestObserved, .requestEnded:
            break
        }
    }

    /// What binds every try.
    private func check(_ one: OccurrenceTry, _ story: ScheduleStory) throws {
        guard let terms, let zone = story.calendar?.zone else { return }
        try #require(!isStopped, "charged while it was paused or over")
        try #require(flying[one.ordinal] == nil, "two tries of \(one.ordinal) at once")
        try #require(tries[one.payment] == nil, "a payment began twice")
        let earlier = tries.values.filter { $0.started.ordinal == one.ordinal }
        try #require(one.attempt == earlier.count + 1, "attempts of \(one.ordinal)")
        try #require(!earlier.contains { $0.outcome == true }, "an ordinal was charged that was paid")
        if let days = terms.mandate.minimumDays {
            for other in tries.values where other.outcome != false {
                let distance =
                    zone.local(at: one.at).date.daysSinceEpoch - zone.local(at: other.started.at).date.daysSinceEpoch
                try #require(distance >= Int64(days), "\(distance) days between two charges")
            }
        }
        if let last = terms.mandate.expiresOn { try #require(zone.local(at: one.at).date <= last) }
        if let card = one.instrument.flatMap({ story.cards[$0] }), let end = card.expiry?.end {
            try #require(one.at < end, "a card was charged that is over")
        }
        if let count = terms.rule?.end.count { try #require(one.ordinal - base <= count, "more than \(count)") }
        if let total = terms.rule?.end.total {
            let underWay = tries.values.filter { $0.outcome == nil }.map(\.started.amount.minor).reduce(0, +)
            try #require(collected - late + underWay + one.amount.minor <= total.minor, "the total is passed")
        }
        let plan = try #require(plans[one.ordinal], "charged without a plan")
        try #require(plan.amount == one.amount)
        // The zones that a story moves between lie an hour apart.
        let consented = activatedAt.adding(.seconds(-3600))
        try #require(plan.dueAt >= consented, "charged what fell due before the consent")
    }

    /// What binds a try that nobody asked for by hand.
    private func checkUnattended(_ one: OccurrenceTry, _ story: ScheduleStory) throws {
        guard let terms, let plan = plans[one.ordinal] else { return }
        try #require(one.attempt > 1 || one.at >= plan.startAt, "charged early")
        // A fallback is charged in the decision that the decline led to.
        let isAtOnce = declinedAt[one.ordinal] == one.at
        let isOnTime = one.attempt == 1 && !plan.isLate
        if !isOnTime, let quiet = terms.policy.quiet, let zone = story.quietZone {
            try #require(quiet.next(one.at, in: zone) == one.at, "charged in quiet hours")
        }
        if one.attempt > 1, !isAtOnce, terms.policy.dunning.endsAtNext, let next = next(one.ordinal, story) {
            try #require(one.at < next, "a retry with or after the next occurrence")
        }
    }

    private func next(_ ordinal: Int, _ story: ScheduleStory) -> Timestamp? {
        if let plan = plans[ordinal + 1] { return plan.dueAt }
        guard ordinal >= base, let calendar = story.calendar else { return nil }
        guard let found = terms?.rule?.occurrence(ordinal + 1 - base, calendar) else { return nil }
        return found.reasons.contains(.coincides) || ordinal + 1 >= story.schedule.next ? nil : found.at
    }
}

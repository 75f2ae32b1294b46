import Kernel

extension Schedule {
    /// Decides a command.
    package func decide(_ command: ScheduleCommand, _ context: ScheduleContext) throws(ScheduleRejection)
        -> ScheduleDecision
    {
        var draft = ScheduleDraft(self, context)
        switch command {
        case .create(let terms): try draft.create(terms)
        case .activate(let activation): try draft.activate(activation)
        case .pause(let reason): try draft.pause(reason)
        case .resume(let missed): try draft.resume(missed)
        case .change(let change): try draft.change(change)
        case .cancel(let reason): try draft.cancel(reason)
        case .run(let ordinal, let amount, let presence): try draft.run(ordinal, amount, presence)
        }
        return draft.decision
    }

    /// Refuses a first payment that could not make this series active.
    package func checkActivation(by mode: ActivationMode?) throws(ScheduleRejection) {
        switch mode {
        case .sale?, .authorize?, .verify?: break
        case .tokenize?, nil:
            throw ScheduleRejection(.cannotActivate, "Saving a credential is no consent to a series.", path: "mode")
        }
        switch status {
        case .unregistered, .registered, .active, .paused: return
        case .completed, .cancelled, .expired:
            throw ScheduleRejection(.scheduleOver, "The schedule is over.", path: "schedule")
        }
    }

    /// Decides what was observed; nothing is refused.
    package func decide(_ observation: ScheduleObservation, _ context: ScheduleContext) -> ScheduleDecision {
        var draft = ScheduleDraft(self, context)
        switch observation {
        case .timer: draft.timer()
        case .payment(let payment, let result):
            draft.result(payment, result)
            draft.advance()
        case .debit(let payment, let series, let amount, let result, let at):
            draft.debit(payment, series, amount, result, at: at)
            draft.advance()
        case .seriesEnded: draft.endSeries()
        case .calendarAdopted:
            draft.adoptCalendar()
            draft.advance()
        }
        return draft.decision
    }
}

extension ScheduleDraft {
    fileprivate mutating func timer() {
        switch schedule.status {
        case .registered:
            guard let limit = schedule.terms?.activateBy, limit <= context.now else { return }
            add(.expired(.notActivated, at: context.now))
        case .active: advance()
        case .unregistered, .paused, .completed, .cancelled, .expired: break
        }
    }

    fileprivate mutating func create(_ terms: ScheduleTerms) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered:
            try terms.check(context)
            guard terms.activateBy > context.now else {
                throw ScheduleRejection(.activateByInPast, "Nobody can activate it in time.", path: "activateBy")
            }
            add(.registered(terms, by: context.actor, at: context.now))
        case .registered, .active, .paused, .completed, .cancelled, .expired:
            guard schedule.registered == terms else {
                throw ScheduleRejection(.scheduleExists, "There is another schedule of this id.")
            }
        }
    }

    fileprivate mutating func activate(_ activation: Activation) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered: throw .scheduleUnknownHere
        case .registered:
            try schedule.checkActivation(by: activation.mode)
            let instrument = activation.instrument ?? schedule.terms?.instrument
            guard
                instrument != nil || activation.series != nil || schedule.terms?.runner == .provider
                    || schedule.terms?.presence == .customerPresent
            else { throw ScheduleRejection(.instrumentMissing, "Nothing was saved to charge.", path: "instrument") }
            add(.activated(activation, at: context.now))
            skipDue(before: context.now, .beforeActivation)
            advance()
        // Registering twice is a success with nothing to record, as a provider's "already registered" is …
        case .active, .paused, .completed:
            // … but a second series that the provider runs would be debited beside the first.
            guard schedule.terms?.runner == .provider, let series = activation.series,
                series != schedule.activation?.series
            else { return }
            doWithout(activation)
        case .cancelled, .expired: doWithout(activation)
        }
    }

    /// Keeps what was registered to no use, so that the provider can be told and somebody looks at the payment.
    private mutating func doWithout(_ activation: Activation) {
        guard activation.payment != schedule.activation?.payment, !schedule.unwanted.contains(activation.payment)
        else { return }
        add(.registrationUnwanted(activation, at: context.now))
    }

    fileprivate mutating func endSeries() {
        guard !schedule.status.isOver, schedule.status != .unregistered else { return }
        add(.cancelled(reason: "the provider ended the series", by: Schedule.provider, at: context.now))
    }

    fileprivate mutating func pause(_ reason: String) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered: throw .scheduleUnknownHere
        case .registered: throw ScheduleRejection(.notActive, "The schedule was not activated yet.")
        case .active: add(.paused(reason: reason, by: context.actor, at: context.now))
        case .paused: return
        case .completed, .cancelled, .expired: throw .over
        }
    }

    fileprivate mutating func resume(_ missed: ScheduleEvent.Missed) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered: throw .scheduleUnknownHere
        case .registered: throw ScheduleRejection(.notActive, "The schedule was not activated yet.")
        case .active: return
        case .paused:
            add(.resumed(missed, by: context.actor, at: context.now))
            // What nobody took part in during the pause is no reason for another one.
            endStepUps { $0.markOnly($1) }
            switch missed {
            case .skip: skipMissed()
            case .catchUp: break
            }
            advance()
        case .completed, .cancelled, .expired: throw .over
        }
    }

    /// Leaves out what fell due in the pause.
    mutating func skipMissed() {
        let planned = schedule.open.values.filter { $0.state == .planned && $0.plan.dueAt <= context.now }
        skip(planned.map(\.plan.ordinal).sorted(), .paused)
        let waiting = schedule.open.values.filter { $0.state == .waiting && $0.startAt <= context.now }
        for ordinal in waiting.map(\.plan.ordinal).sorted() { markOnly(ordinal) }
        skipDue(before: context.now.adding(.microseconds(1)), .paused)
    }

    /// Leaves out what nothing was decided about and fell due before a moment.
    mutating func skipDue(before moment: Timestamp, _ reason: ScheduleEvent.SkipReason) {
        guard let rule = schedule.terms?.rule, let calendar = context.calendar else { return }
        let last = schedule.base + rule.lastOrdinal(dueBy: moment.adding(.microseconds(-1)), calendar)
        if schedule.next <= last { add(.skipped(first: schedule.next, last: last, reason, at: context.now)) }
    }

    fileprivate mutating func cancel(_ reason: String?) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered: throw .scheduleUnknownHere
        case .registered, .active, .paused: add(.cancelled(reason: reason, by: context.actor, at: context.now))
        case .cancelled: return
        case .completed, .expired: throw .over
        }
    }

    fileprivate mutating func change(_ change: ScheduleChange) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered: throw .scheduleUnknownHere
        case .registered, .active, .paused: break
        case .completed, .cancelled, .expired: throw .over
        }
        guard change != ScheduleChange(), var terms = schedule.terms else {
            throw ScheduleRejection(.changeEmpty, "Nothing is to be different.")
        }
        guard change.rule == nil || change.nextDate == nil else {
            throw ScheduleRejection(.dateOutOfOrder, "A new rule has a start of its own.", path: "nextDate")
        }
        terms.amount = change.amount ?? terms.amount
        terms.rule = change.rule ?? terms.rule
        terms.details = change.details ?? terms.details
        terms.policy = change.policy ?? terms.policy
        if change.amount != nil || change.rule != nil || change.policy != nil {
            try terms.check(context, isNew: change.rule != nil)
        }
        let planned = schedule.open.values.filter { $0.state == .planned }.map(\.plan).sorted {
            $0.ordinal < $1.ordinal
        }
        let moved = try change.nextDate.map { (date) throws(ScheduleRejection) in try move(planned.first, to: date) }
        if change.rule != nil { skip(planned.map(\.ordinal), .changed) }
        add(.changed(change, by: context.actor, at: context.now))
        if change.rule == nil { replan(planned, moved, amount: change.amount) }
        if change.instrument != nil || change.fallback != nil {
            for plan in planned where schedule.open[plan.ordinal] != nil { noticeExpiry(plan.ordinal, plan.dueAt) }
        }
        advance()
    }

    private mutating func replan(_ plans: [OccurrencePlan], _ moved: OccurrencePlan?, amount: Money?) {
        for plan in plans where amount != nil || moved?.ordinal == plan.ordinal {
            // A greater amount may be more than the total leaves.
            if case .none = following(plan.ordinal, replacing: plan.ordinal) {
                skip([plan.ordinal], .changed)
                continue
            }
            let placed = moved.flatMap { $0.ordinal == plan.ordinal ? $0 : nil } ?? plan
            let listed = schedule.terms?.rule?.listedAmount(schedule.ruleOrdinal(plan.ordinal))
            add(
                .planned(
                    OccurrencePlan(
                        ordinal: plan.ordinal,
                        date: placed.date,
                        dueAt: placed.dueAt,
                        startAt: placed.startAt,
                        amount: listed ?? amount ?? plan.amount,
                        zoneDigest: placed.zoneDigest,
                        reasons: placed.reasons,
                        isLate: placed.isLate
                    )
                )
            )
        }
    }

    /// The next occurrence on another day, between now and the one after it.
    private func move(_ plan: OccurrencePlan?, to date: CivilDate) throws(ScheduleRejection) -> OccurrencePlan {
        guard let plan, let rule = schedule.terms?.rule, let calendar = context.calendar else {
            throw ScheduleRejection(.occurrenceUnknown, "There is no occurrence to move.", path: "nextDate")
        }
        let at = calendar.zone.instant(of: date, rule.time, skipped: rule.skippedHour, doubled: rule.doubledHour).at
        let after = rule.occurrence(schedule.ruleOrdinal(plan.ordinal) + 1, calendar)
        let isBefore = after.map { at < $0.at } ?? true
        let isInside = rule.end.lastDate.map { date <= $0 } ?? true
        guard at > context.now, isBefore, isInside, !isPastMandate(at) else {
            throw ScheduleRejection(.dateOutOfOrder, "The day lies outside the next period.", path: "nextDate")
        }
        return OccurrencePlan(
            ordinal: plan.ordinal,
            date: date,
            dueAt: at,
            startAt: at,
            amount: plan.amount,
            zoneDigest: calendar.zone.digest,
            reasons: [.moved],
            isLate: false
        )
    }

    /// Plans what was not started again, where the new data moves it.
    fileprivate mutating func adoptCalendar() {
        guard !schedule.status.isOver else { return }
        for plan in schedule.open.values.filter({ $0.state == .planned && !$0.plan.isLate }).map(\.plan) {
            guard !plan.reasons.contains(.moved) else {
                adoptMoved(plan)
                continue
            }
            guard case .occurrence(let found, let amount) = following(plan.ordinal, replacing: plan.ordinal),
                found.at != plan.dueAt || found.zoneDigest != plan.zoneDigest
            else { continue }
            guard !found.reasons.contains(.coincides) else {
                skip([plan.ordinal], .coincides)
                continue
            }
            self.plan(plan.ordinal, found, amount, startAt: found.at, isLate: false)
        }
    }
}

extension ScheduleDraft {
    /// A day that a person chose stays; the new data may move its instant.
    private mutating func adoptMoved(_ plan: OccurrencePlan) {
        guard let rule = schedule.terms?.rule, let zone = context.calendar?.zone, zone.digest != plan.zoneDigest
        else { return }
        let at = zone.instant(of: plan.date, rule.time, skipped: rule.skippedHour, doubled: rule.doubledHour).at
        add(
            .planned(
                OccurrencePlan(
                    ordinal: plan.ordinal,
                    date: plan.date,
                    dueAt: at,
                    startAt: at,
                    amount: plan.amount,
                    zoneDigest: zone.digest,
                    reasons: plan.reasons,
                    isLate: false
                )
            )
        )
    }
}

extension ScheduleRejection {
    static var scheduleUnknownHere: ScheduleRejection {
        ScheduleRejection(.scheduleUnknown, "There is no such schedule.")
    }
    static var over: ScheduleRejection { ScheduleRejection(.scheduleOver, "The schedule is over.") }
}

import Kernel

/// Occurrences that somebody asks for, instead of the calendar.
extension ScheduleDraft {
    mutating func run(_ ordinal: Int?, _ amount: Money?, _ presence: Presence) throws(ScheduleRejection) {
        switch schedule.status {
        case .unregistered: throw .scheduleUnknownHere
        case .registered, .paused: throw ScheduleRejection(.notActive, "The schedule is not active.")
        case .active: break
        case .completed, .cancelled, .expired: throw .over
        }
        guard let terms = schedule.terms, terms.runner == .paystream else {
            throw ScheduleRejection(.runnerIsProvider, "The provider debits this series by itself.")
        }
        try checkPresence(presence, terms)
        try checkMandate()
        var wanted = ordinal
        if terms.rule == nil {
            guard ordinal == nil else {
                throw ScheduleRejection(
                    .occurrenceUnknown,
                    "A series without a calendar counts by itself.",
                    path: "ordinal"
                )
            }
            wanted = schedule.next
            try demand(amount, terms)
        } else {
            guard amount == nil else {
                throw ScheduleRejection(.ruleNotAllowed, "The calendar's own amount is charged.", path: "amount")
            }
        }
        wanted = wanted ?? schedule.open.filter { !($0.value.payment.map(schedule.isInFlight) ?? false) }.keys.min()
        guard let wanted, let one = schedule.open[wanted] else {
            throw ScheduleRejection(.occurrenceUnknown, "There is no such open occurrence.", path: "ordinal")
        }
        switch one.state {
        case .planned, .waiting, .declined, .stepUp: break
        case .inFlight:
            throw ScheduleRejection(.occurrenceInFlight, "The last try has no outcome yet.", path: "ordinal")
        }
        if let payment = one.payment, schedule.isInFlight(payment) {
            throw ScheduleRejection(.occurrenceInFlight, "The last try waits for the customer.", path: "ordinal")
        }
        begin(wanted, presence: presence)
        advance()
    }

    /// Plans a new occurrence of a series without a calendar.
    private mutating func demand(_ amount: Money?, _ terms: ScheduleTerms) throws(ScheduleRejection) {
        guard let amount = amount ?? terms.amount else {
            throw ScheduleRejection(.amountMissing, "This series has no amount of its own.", path: "amount")
        }
        try amount.check(context.limits, "amount")
        if let own = terms.amount, own.currency != amount.currency {
            throw ScheduleRejection(.currencyMismatch, "The series is in \(own.currency).", path: "amount")
        }
        let zone = context.calendar?.zone
        add(
            .planned(
                OccurrencePlan(
                    ordinal: schedule.next,
                    date: localDate(context.now),
                    dueAt: context.now,
                    startAt: context.now,
                    amount: amount,
                    zoneDigest: zone?.digest,
                    reasons: [],
                    isLate: false
                )
            )
        )
    }

    private func checkPresence(_ presence: Presence, _ terms: ScheduleTerms) throws(ScheduleRejection) {
        switch presence {
        case .customerPresent: return
        case .unattended:
            guard terms.presence == .unattended, terms.kind != .oneClick else {
                throw ScheduleRejection(
                    .unattendedNotSupported,
                    "The customer confirms each payment.",
                    path: "presence"
                )
            }
        }
    }

    private func checkMandate() throws(ScheduleRejection) {
        guard !isPastMandate(context.now) else {
            throw ScheduleRejection(.scheduleOver, "The customer's mandate is over.")
        }
        guard !isWaitingForOutcome else {
            throw ScheduleRejection(.occurrenceInFlight, "The last charge has no outcome yet.")
        }
        let earliest = [earliestByMandate, earliestByCard(nil)].compactMap(\.self).max()
        if let earliest, earliest > context.now {
            throw ScheduleRejection(.tooClose, "The mandate allows the next charge at \(earliest).")
        }
    }

}

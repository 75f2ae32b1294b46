import Kernel

extension ScheduleTerms {
    /// Refuses terms that can't recur, by what is declared of the account and by the calendar.
    func check(_ context: ScheduleContext, isNew: Bool = true) throws(ScheduleRejection) {
        try checkKind(context.limits)
        try checkMandate(context)
        try checkAmounts(context.limits)
        try policy.check(context)
        guard let rule else { return }
        try rule.check(context.limits)
        guard let calendar = context.calendar else {
            throw ScheduleRejection(.zoneUnknown, "There is no such zone.", path: "rule.zone")
        }
        if let wanted = rule.businessDays?.calendar, calendar.business?.name != wanted {
            throw ScheduleRejection(.calendarUnknown, "There is no such calendar.", path: "rule.businessDays")
        }
        try checkDistances(rule)
        guard isNew else { return }
        let today = calendar.zone.local(at: context.now).date
        guard let first = rule.occurrence(1, calendar) else {
            throw ScheduleRejection(.seriesEmpty, "The series ends before it begins.", path: "rule.end")
        }
        guard first.date >= today else {
            throw ScheduleRejection(.startInPast, "The first occurrence lies in the past.", path: "rule.start")
        }
        if let last = mandate.expiresOn {
            guard last >= today else {
                throw ScheduleRejection(.expiryInPast, "The mandate is over already.", path: "mandate.expiresOn")
            }
            guard last >= first.date else {
                throw ScheduleRejection(
                    .expiryBeforeStart,
                    "The mandate ends before the start.",
                    path: "mandate.expiresOn"
                )
            }
        }
        let amount = rule.listedAmount(1) ?? amount
        if let total = rule.end.total, let amount, amount.minor > total.minor {
            throw ScheduleRejection(.seriesEmpty, "The total is less than the first amount.", path: "rule.end.total")
        }
    }

    /// Refuses a calendar that contradicts itself, its amounts or its mandate, whichever account would run it.
    package func checkCalendar() throws(ScheduleRejection) {
        guard let rule else { return }
        let limits = RecurrenceLimits()
        try rule.check(limits)
        if amount != nil || rule.listedAmount(1) != nil { try checkAmounts(limits) }
        try checkDistances(rule)
    }

    private func checkKind(_ limits: RecurrenceLimits) throws(ScheduleRejection) {
        guard limits.kinds.contains(kind) else {
            throw ScheduleRejection(.recurrenceNotSupported, "This account has no series of this kind.", path: "kind")
        }
        guard limits.runners.contains(runner) else {
            throw ScheduleRejection(.runnerNotSupported, "This account's series run otherwise.", path: "runner")
        }
        guard activation != .tokenize else {
            throw ScheduleRejection(
                .cannotActivate,
                "Saving a credential is no consent to a series.",
                path: "activation"
            )
        }
        switch kind {
        case .oneClick:
            guard rule == nil else {
                throw ScheduleRejection(.ruleNotAllowed, "One-click series have no calendar.", path: "rule")
            }
            guard presence == .customerPresent else {
                throw ScheduleRejection(.unattendedNotSupported, "The customer begins each payment.", path: "presence")
            }
        case .regular:
            guard rule != nil else {
                throw ScheduleRejection(.ruleMissing, "A regular series has a calendar.", path: "rule")
            }
        case .autopayment: break
        }
        guard presence == .customerPresent || limits.unattended else {
            throw ScheduleRejection(
                .unattendedNotSupported,
                "This account can't charge without the customer; choose customerPresent.",
                path: "presence"
            )
        }
    }

    private func checkMandate(_ context: ScheduleContext) throws(ScheduleRejection) {
        if let range = context.limits.minimumDays {
            guard let days = mandate.minimumDays, range.contains(days) else {
                throw ScheduleRejection(
                    .minimumDaysOutOfRange,
                    "The mandate names \(range.lowerBound) to \(range.upperBound) days.",
                    path: "mandate.minimumDays"
                )
            }
        } else if let days = mandate.minimumDays, !(1...366).contains(days) {
            throw ScheduleRejection(.minimumDaysOutOfRange, "1 to 366 days.", path: "mandate.minimumDays")
        }
        guard let last = mandate.expiresOn else {
            guard !context.limits.needsExpiry else {
                throw ScheduleRejection(.expiryMissing, "The mandate names its last day.", path: "mandate.expiresOn")
            }
            return
        }
        guard rule == nil, last < CivilDate(context.now) else { return }
        throw ScheduleRejection(.expiryInPast, "The mandate is over already.", path: "mandate.expiresOn")
    }

    private func checkAmounts(_ limits: RecurrenceLimits) throws(ScheduleRejection) {
        if let amount { try amount.check(limits, "amount") }
        guard let rule else { return }
        switch rule.cadence {
        case .every:
            guard let amount else { throw ScheduleRejection(.amountMissing, "A series has an amount.", path: "amount") }
            try amount.checkCurrency(of: rule.end.total, "rule.end.total")
        case .dates(let list):
            guard let first = list.first else {
                throw ScheduleRejection(.seriesEmpty, "The list is empty.", path: "rule.dates")
            }
            for line in list {
                try line.amount.check(limits, "rule.dates")
                try first.amount.checkCurrency(of: line.amount, "rule.dates")
            }
            try first.amount.checkCurrency(of: rule.end.total, "rule.end.total")
        }
    }

    /// No two occurrences of the rule may lie closer than the mandate allows.
    private func checkDistances(_ rule: ScheduleRule) throws(ScheduleRejection) {
        guard let days = mandate.minimumDays, rule.shortestStep < Int64(days) else { return }
        throw ScheduleRejection(.tooClose, "The mandate wants \(days) days between two charges.", path: "rule")
    }
}

extension Money {
    func check(_ limits: RecurrenceLimits, _ path: String) throws(ScheduleRejection) {
        guard minor > 0, limits.amounts.contains(minor) else {
            throw ScheduleRejection(.amountOutOfRange, "\(self) is outside the account's limits.", path: path)
        }
    }

    fileprivate func checkCurrency(of other: Money?, _ path: String) throws(ScheduleRejection) {
        guard let other, other.currency != currency else { return }
        throw ScheduleRejection(.currencyMismatch, "The series is in \(currency).", path: path)
    }
}

extension ScheduleRule {
    /// The least number of days between two occurrences, without shifts.
    var shortestStep: Int64 {
        switch cadence {
        case .every(let interval, let period):
            switch period.unit {
            case .days(let length): return length * Int64(interval)
            case .months(let length):
                let months = length * Int64(interval)
                // 28 days in a common February, and never less than 59 in two months, 365 in twelve.
                return months / 12 * 365 + [0, 28, 59, 89, 120, 150, 181, 212, 242, 273, 303, 334][Int(months % 12)]
            }
        case .dates(let list):
            return zip(list, list.dropFirst()).map { $1.date.daysSinceEpoch - $0.date.daysSinceEpoch }.min() ?? .max
        }
    }

    fileprivate func check(_ limits: RecurrenceLimits) throws(ScheduleRejection) {
        guard !zone.isEmpty, zone.utf8.count <= Self.zoneNameBytes else {
            throw ScheduleRejection(.zoneUnknown, "There is no such zone.", path: "rule.zone")
        }
        if let count = end.count, count < 1 {
            throw ScheduleRejection(.seriesEmpty, "1 or more.", path: "rule.end.count")
        }
        if let total = end.total, total.minor < 1 {
            throw ScheduleRejection(.seriesEmpty, "More than nothing.", path: "rule.end.total")
        }
        switch cadence {
        case .every(let interval, let period): try checkPeriod(interval, period, limits)
        case .dates(let list): try checkList(list, limits)
        }
    }

    private func checkPeriod(_ interval: Int, _ period: Period, _ limits: RecurrenceLimits) throws(ScheduleRejection) {
        guard limits.periods.contains(period) else {
            throw ScheduleRejection(.periodNotSupported, "The account has no such period.", path: "rule.period")
        }
        guard limits.intervals.contains(interval), (1...Self.interval).contains(interval) else {
            throw ScheduleRejection(
                .intervalOutOfRange,
                "\(limits.intervals.lowerBound) to \(limits.intervals.upperBound) periods.",
                path: "rule.interval"
            )
        }
        if let anchorDay {
            guard case .months = period.unit, (1...31).contains(anchorDay) else {
                throw ScheduleRejection(.ruleInvalid, "1 to 31, for months and longer.", path: "rule.anchorDay")
            }
        }
        if businessDays != nil, case .days(let length) = period.unit, length * Int64(interval) < 7 {
            throw ScheduleRejection(.ruleInvalid, "Steps below a week are not shifted.", path: "rule.businessDays")
        }
    }

    private func checkList(_ list: [DatedAmount], _ limits: RecurrenceLimits) throws(ScheduleRejection) {
        guard list.count <= min(limits.dates, Self.datesPerList) else {
            throw ScheduleRejection(
                .datesTooMany,
                "At most \(min(limits.dates, Self.datesPerList)).",
                path: "rule.dates"
            )
        }
        guard anchorDay == nil, list.first.map({ $0.date == start }) ?? true else {
            throw ScheduleRejection(.ruleInvalid, "A list begins with the start and has no anchor.", path: "rule.start")
        }
        for (one, next) in zip(list, list.dropFirst()) {
            guard one.date != next.date else {
                throw ScheduleRejection(.datesRepeated, "\(one.date.text) is named twice.", path: "rule.dates")
            }
            guard one.date < next.date else {
                throw ScheduleRejection(.datesUnsorted, "\(next.date.text) comes too late.", path: "rule.dates")
            }
        }
    }
}

extension FiringPolicy {
    fileprivate func check(_ context: ScheduleContext) throws(ScheduleRejection) {
        guard (0...CatchUp.mostLate).contains(catchUp.cap), (0...86_400).contains(catchUp.graceSeconds),
            (0...604_800).contains(catchUp.spreadSeconds)
        else { throw ScheduleRejection(.policyInvalid, "Catch-up is out of range.", path: "policy.catchUp") }
        for step in dunning.steps.values {
            let isValid =
                switch step {
                case .retry(let delays):
                    delays.count <= DunningPolicy.retriesPerOccurrence
                        && delays.allSatisfy(DunningPolicy.delaySeconds.contains)
                case .stepUp(let seconds): DunningPolicy.delaySeconds.contains(seconds)
                case .replaceInstrument, .giveUp: true
                }
            guard isValid else {
                throw ScheduleRejection(.policyInvalid, "A step is out of range.", path: "policy.dunning")
            }
        }
        guard dunning.caps.allSatisfy({ $0.attempts > 0 && (1...NetworkCap.longestDays).contains($0.days) }) else {
            throw ScheduleRejection(.policyInvalid, "A cap is out of range.", path: "policy.dunning.caps")
        }
        if let quiet, context.quietZone == nil || quiet.from == quiet.to {
            throw ScheduleRejection(.policyInvalid, "Quiet hours need a known zone and an end.", path: "policy.quiet")
        }
    }
}

package import Kernel

/// One planned run of a rule: when, found with which data, and what made it differ from the plain calendar.
package struct RuleOccurrence: Hashable, Sendable {
    /// 1 for the first.
    package let ordinal: Int
    /// The rule's own day, before any business-day shift.
    package let nominal: CivilDate
    package let date: CivilDate
    package let at: Timestamp
    /// Digest of the zone data that gave `at`.
    package let zoneDigest: String
    package let reasons: [Reason]

    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The month has no such day: its last one was taken.
        case shortMonth
        case businessDayShift
        /// The clocks jumped over the time of day.
        case skippedHour
        /// The clocks showed the time of day twice.
        case doubledHour
        /// The zone had no such day at all, as Samoa on 30 December 2011.
        case missingDay
        /// A shift or a missing day brought it to the day of a neighbour: it is not charged.
        case coincides
        /// Somebody chose the day for this occurrence alone; the rule itself never says so.
        case moved
    }

    package init(
        ordinal: Int,
        nominal: CivilDate,
        date: CivilDate,
        at: Timestamp,
        zoneDigest: String,
        reasons: [Reason]
    ) {
        self.ordinal = ordinal
        self.nominal = nominal
        self.date = date
        self.at = at
        self.zoneDigest = zoneDigest
        self.reasons = reasons
    }
}

/// The data that a rule needs beside itself, passed in as values.
package struct CalendarData: Hashable, Sendable {
    package let zone: ZoneData
    package let business: BusinessCalendar?

    package init(zone: ZoneData, business: BusinessCalendar? = nil) {
        self.zone = zone
        self.business = business
    }
}

extension ScheduleRule {
    /// The rule's own day of an occurrence, without end and shift; `nil` before the first and outside the calendar.
    package func nominalDate(_ ordinal: Int) -> CivilDate? {
        guard (1...Self.ordinals).contains(ordinal) else { return nil }
        switch cadence {
        case .dates(let list): return ordinal <= list.count ? list[ordinal - 1].date : nil
        case .every(let interval, let period):
            let (steps, overflow) = Int64(ordinal - 1).multipliedReportingOverflow(by: Int64(interval))
            guard !overflow, interval > 0 else { return nil }
            switch period.unit {
            case .days(let length):
                let (days, overflow) = steps.multipliedReportingOverflow(by: length)
                return overflow ? nil : start.adding(days: days)
            case .months(let length):
                let (months, overflow) = steps.multipliedReportingOverflow(by: length)
                guard !overflow, months < 120_000 else { return nil }
                return CivilDate(monthNumber: firstMonth + months, day: monthDay)
            }
        }
    }

    /// The amount of an occurrence of a list; a periodic series takes its own amount each time.
    package func listedAmount(_ ordinal: Int) -> Money? {
        switch cadence {
        case .dates(let list): list.indices.contains(ordinal - 1) ? list[ordinal - 1].amount : nil
        case .every: nil
        }
    }

    /// The n-th occurrence, in time that does not depend on n; `nil` where the series is over before it.
    ///
    /// An end by total amount is not known here: it counts what was taken and not what was planned.
    package func occurrence(_ ordinal: Int, _ data: CalendarData) -> RuleOccurrence? {
        guard let found = placed(ordinal, data) else { return nil }
        guard coincides(found, data) else { return found }
        return RuleOccurrence(
            ordinal: ordinal,
            nominal: found.nominal,
            date: found.date,
            at: found.at,
            zoneDigest: found.zoneDigest,
            reasons: found.reasons + [.coincides]
        )
    }

    /// Shifts and missing days alone can bring two occurrences to one day; one of them is charged then.
    private func coincides(_ found: RuleOccurrence, _ data: CalendarData) -> Bool {
        if found.reasons.contains(.missingDay) {
            let neighbours = [placed(found.ordinal + 1, data), placed(found.ordinal - 1, data)]
            return neighbours.contains { $0?.date == found.date }
        }
        guard businessDays != nil, let before = placed(found.ordinal - 1, data) else { return false }
        return before.date >= found.date
    }

    private func placed(_ ordinal: Int, _ data: CalendarData) -> RuleOccurrence? {
        if let count = end.count, ordinal > count { return nil }
        guard let nominal = nominalDate(ordinal), end.lastDate.map({ nominal <= $0 }) ?? true else { return nil }
        var reasons: [RuleOccurrence.Reason] = []
        if isMonthly, nominal.day < monthDay { reasons.append(.shortMonth) }
        var date = nominal
        if let businessDays, let calendar = data.business {
            date = calendar.shifted(nominal, businessDays.shift, from: start, to: end.lastDate)
            if date != nominal { reasons.append(.businessDayShift) }
        }
        let resolved = data.zone.instant(of: date, time, skipped: skippedHour, doubled: doubledHour)
        switch resolved.found {
        case .plain: break
        case .skipped: reasons.append(.skippedHour)
        case .skippedDay:
            reasons.append(.missingDay)
            date = data.zone.local(at: resolved.at).date
        case .doubled: reasons.append(.doubledHour)
        }
        return RuleOccurrence(
            ordinal: ordinal,
            nominal: nominal,
            date: date,
            at: resolved.at,
            zoneDigest: data.zone.digest,
            reasons: reasons
        )
    }

    private var isMonthly: Bool {
        switch cadence {
        case .every(_, let period):
            switch period.unit {
            case .days: false
            case .months: true
            }
        case .dates: false
        }
    }

    private var monthDay: Int64 { anchorDay.map { Int64($0) } ?? start.day }

    /// The first month whose anchored day is not before the start.
    private var firstMonth: Int64 {
        let own = CivilDate(monthNumber: start.monthNumber, day: monthDay)
        return own.map { $0 >= start } ?? true ? start.monthNumber : start.monthNumber + 1
    }
}

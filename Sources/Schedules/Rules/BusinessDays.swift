package import Kernel

/// Where an occurrence goes that falls on a day without business.
package enum BusinessDayShift: String, Hashable, Sendable, CaseIterable {
    /// To the next business day.
    case following
    /// To the one before.
    case preceding
    /// To the next one, unless that is in another month: then to the one before.
    case modifiedFollowing
    /// To the one before, unless that is in another month: then to the next.
    case modifiedPreceding
}

/// A shift and the name of the calendar that says which days have business.
package struct BusinessDayRule: Hashable, Sendable {
    package let shift: BusinessDayShift
    package let calendar: String

    package init(shift: BusinessDayShift, calendar: String) {
        self.shift = shift
        self.calendar = calendar
    }
}

/// Days without business, as data: a version is never changed, and an occurrence names the one that it was found with.
package struct BusinessCalendar: Hashable, Sendable {
    package let name: String
    package let version: Int
    /// Days of the week without business: Monday is 1, Sunday is 7.
    package let weekend: Set<Int>
    package let holidays: Set<CivilDate>
    /// Days with business although they fall on a weekend.
    package let workdays: Set<CivilDate>

    /// A run of days without business that is longer than this is not searched through: the occurrence stays.
    package static let searchedDays: Int64 = 31

    package init(
        name: String,
        version: Int,
        weekend: Set<Int>,
        holidays: Set<CivilDate>,
        workdays: Set<CivilDate> = []
    ) {
        self.name = name
        self.version = version
        self.weekend = weekend
        self.holidays = holidays
        self.workdays = workdays
    }

    package func hasBusiness(on date: CivilDate) -> Bool {
        if workdays.contains(date) { return true }
        return !weekend.contains(date.weekday) && !holidays.contains(date)
    }

    /// Moves a day without business inside the bounds; what finds no place there stays.
    package func shifted(_ date: CivilDate, _ shift: BusinessDayShift, from first: CivilDate, to last: CivilDate?)
        -> CivilDate
    {
        guard !hasBusiness(on: date) else { return date }
        let after = search(date, by: 1).flatMap { next in last.map { next <= $0 } ?? true ? next : nil }
        let before = search(date, by: -1).flatMap { $0 >= first ? $0 : nil }
        switch shift {
        case .following: return after ?? before ?? date
        case .preceding: return before ?? after ?? date
        case .modifiedFollowing: return Self.preferring(date, after, before)
        case .modifiedPreceding: return Self.preferring(date, before, after)
        }
    }

    private static func preferring(_ date: CivilDate, _ wanted: CivilDate?, _ other: CivilDate?) -> CivilDate {
        if let wanted, wanted.monthNumber == date.monthNumber { return wanted }
        if let other, other.monthNumber == date.monthNumber { return other }
        return wanted ?? other ?? date
    }

    private func search(_ date: CivilDate, by step: Int64) -> CivilDate? {
        for distance in 1...Self.searchedDays {
            guard let day = date.adding(days: step * distance) else { return nil }
            if hasBusiness(on: day) { return day }
        }
        return nil
    }
}

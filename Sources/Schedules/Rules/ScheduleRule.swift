package import Kernel

/// When a series falls due: a calendar rule whose n-th occurrence is a function of n alone.
///
/// Anchors never decay: each occurrence is counted from the start and not from the one before, so a series that began on
/// the 31st returns to the 31st after every shorter month, and one of 29 February to the 29th in every leap year.
package struct ScheduleRule: Hashable, Sendable {
    package let cadence: Cadence
    /// No occurrence is earlier; the first one falls on it unless `anchorDay` says later.
    package let start: CivilDate
    /// Day of the month where it is not that of `start`: 31 is the last day of every month.
    package let anchorDay: Int?
    package let time: TimeOfDay
    /// Name of the zone whose clocks count, as in `Europe/Moscow`.
    package let zone: String
    package let end: RuleEnd
    package let skippedHour: SkippedHour
    package let doubledHour: DoubledHour
    package let businessDays: BusinessDayRule?

    package init(
        cadence: Cadence,
        start: CivilDate,
        anchorDay: Int? = nil,
        time: TimeOfDay,
        zone: String,
        end: RuleEnd = RuleEnd(),
        skippedHour: SkippedHour = .later,
        doubledHour: DoubledHour = .first,
        businessDays: BusinessDayRule? = nil
    ) {
        self.cadence = cadence
        self.start = start
        self.anchorDay = anchorDay
        self.time = time
        self.zone = zone
        self.end = end
        self.skippedHour = skippedHour
        self.doubledHour = doubledHour
        self.businessDays = businessDays
    }

    /// An upper bound of every ordinal: days of the calendar that is known.
    package static let ordinals = 3_652_059
    package static let interval = 1000
    package static let datesPerList = 1000
    package static let zoneNameBytes = 64
}

/// How often.
package enum Cadence: Hashable, Sendable {
    /// Every so many periods, 1 or more.
    case every(Int, Period)
    /// On these days, in order, with an amount each.
    case dates([DatedAmount])
}

/// The length of a step.
package enum Period: String, Hashable, Sendable, CaseIterable {
    case day, week, month, quarter, halfYear, year

    enum Unit: Hashable, Sendable {
        case days(Int64)
        case months(Int64)
    }

    var unit: Unit {
        switch self {
        case .day: .days(1)
        case .week: .days(7)
        case .month: .months(1)
        case .quarter: .months(3)
        case .halfYear: .months(6)
        case .year: .months(12)
        }
    }
}

/// One line of an explicit list.
package struct DatedAmount: Hashable, Sendable {
    package let date: CivilDate
    package let amount: Money

    package init(_ date: CivilDate, _ amount: Money) {
        self.date = date
        self.amount = amount
    }
}

/// When a series is over: whichever comes first; nothing at all is for ever.
package struct RuleEnd: Hashable, Sendable {
    /// No occurrence is later than this day, shifted or not.
    package let lastDate: CivilDate?
    /// So many occurrences, whatever becomes of them.
    package let count: Int?
    /// No occurrence may take the sum above this.
    package let total: Money?

    package init(lastDate: CivilDate? = nil, count: Int? = nil, total: Money? = nil) {
        self.lastDate = lastDate
        self.count = count
        self.total = total
    }
}

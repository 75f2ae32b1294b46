package import Kernel

/// The proleptic Gregorian calendar: every operation is exact and none depends on a zone.
extension CivilDate {
    /// Monday is 1, Sunday is 7, as in ISO 8601.
    package var weekday: Int {
        let day = Int(Self.weekday(ofDay: daysSinceEpoch))
        return day == 0 ? 7 : day
    }

    package var lengthOfMonth: Int64 { Self.length(ofMonth: month, isLeap: Self.isLeap(year)) }

    /// Counts months from January of year 0.
    package var monthNumber: Int64 { year * 12 + month - 1 }

    /// The day so many days later; `nil` outside the years 1 to 9999.
    package func adding(days: Int64) -> CivilDate? {
        let (sum, overflow) = daysSinceEpoch.addingReportingOverflow(days)
        guard !overflow, Self.days.contains(sum) else { return nil }
        return CivilDate(daysSinceEpoch: sum)
    }

    /// The given day of a month, or the month's last day where it is shorter; `nil` outside the years 1 to 9999.
    package init?(monthNumber: Int64, day: Int64) {
        guard (12..<120_000).contains(monthNumber) else { return nil }
        let (year, month) = (monthNumber / 12, monthNumber % 12 + 1)
        let length = Self.length(ofMonth: month, isLeap: Self.isLeap(year))
        self.init(year: year, month: month, day: min(day, length))
    }

    private static let days: ClosedRange<Int64> = -719_162...2_932_896
}

extension CivilDate {
    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func length(ofMonth month: Int64, isLeap: Bool) -> Int64 {
        switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days of the year before the first of a month.
    static func daysBefore(month: Int64, isLeap: Bool) -> Int64 {
        (1..<max(month, 1)).reduce(0) { $0 + length(ofMonth: $1, isLeap: isLeap) }
    }

    /// Days from 1970-01-01 to the first of January.
    static func firstDay(of year: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past.floorDivided(by: 4).quotient - past.floorDivided(by: 100).quotient
            + past.floorDivided(by: 400).quotient - 719_162
    }

    /// Sunday is 0, as in TZ strings.
    static func weekday(ofDay days: Int64) -> Int64 { days + 4 - (days + 4).floorDivided(by: 7).quotient * 7 }
}

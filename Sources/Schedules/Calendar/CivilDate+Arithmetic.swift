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

    /// Parses `YYYY-MM-DD` exactly.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.digits(bytes[0..<4]), let month = Self.digits(bytes[5..<7]),
            let day = Self.digits(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// `YYYY-MM-DD`.
    package var text: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    private static let days: ClosedRange<Int64> = -719_162...2_932_896

    static func digits(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension CivilDate: Comparable {
    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
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
        return past * 365 + past.floored(by: 4) - past.floored(by: 100) + past.floored(by: 400) - 719_162
    }

    /// Sunday is 0, as in TZ strings.
    static func weekday(ofDay days: Int64) -> Int64 { days + 4 - (days + 4).floored(by: 7) * 7 }
}

extension Int64 {
    /// Divides rounding towards minus infinity.
    func floored(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

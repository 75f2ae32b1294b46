/// An instant in UTC, in microseconds since 1970-01-01T00:00:00Z; the resolution of PostgreSQL's `timestamptz`.
package struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    package init(seconds: Int64) { microseconds = seconds * 1_000_000 }

    package static let epoch = Timestamp(microseconds: 0)
    package static let distantFuture = Timestamp(seconds: 253_402_300_799)

    package var seconds: Int64 { microseconds.floorDivided(by: 1_000_000).quotient }

    package func adding(_ duration: Duration) -> Timestamp {
        let parts = duration.components
        return Timestamp(microseconds: microseconds + parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)
    }

    /// The time from `earlier` to `self`.
    package func since(_ earlier: Timestamp) -> Duration { .microseconds(microseconds - earlier.microseconds) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    /// RFC 3339 in UTC with six fraction digits: one text per instant of the years 0 to 9999.
    package var description: String { text(fraction: true) }

    /// RFC 3339 in UTC without a fraction, as providers expect deadlines.
    package var wholeSeconds: String { text(fraction: false) }

    private func text(fraction: Bool) -> String {
        let (seconds, micros) = microseconds.floorDivided(by: 1_000_000)
        let (days, inDay) = seconds.floorDivided(by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        var out: [UInt8] = []
        out.reserveCapacity(27)
        func put(_ value: Int64, _ width: Int, _ end: Unicode.Scalar) {
            var power = 1
            for _ in 1..<width { power *= 10 }
            var left = Int(value)
            while power > 0 {
                out.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: left / power % 10))
                left %= power
                power /= 10
            }
            out.append(UInt8(ascii: end))
        }
        put(date.year, 4, "-")
        put(date.month, 2, "-")
        put(date.day, 2, "T")
        put(inDay / 3600, 2, ":")
        put(inDay / 60 % 60, 2, ":")
        put(inDay % 60, 2, fraction ? "." : "Z")
        if fraction { put(micros, 6, "Z") }
        return String(decoding: out, as: UTF8.self)
    }

    /// Parses RFC 3339, and ISO 8601 with an offset without a colon as ecommpay sends it (`+0000`).
    ///
    /// Fractions beyond microseconds are cut. A leap second and a date that does not exist are `nil`.
    package init?(_ text: String) { self.init(bytes: Array(text.utf8)) }
    package init?(_ text: Substring) { self.init(bytes: Array(text.utf8)) }

    private init?(bytes: [UInt8]) {
        var reader = DigitReader(bytes)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
            let second = reader.number(2), hour < 24, minute < 60, second < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        var micros: Int64 = 0
        if reader.take(".") {
            guard let fraction = reader.fraction() else { return nil }
            micros = fraction
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(microseconds: seconds * 1_000_000 + micros)
    }
}

/// A date of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    /// Accepts dates that exist, years 1 to 9999.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Converts a day number; the year starts in March so that the leap day comes last (400-year eras).
    package init(daysSinceEpoch: Int64) {
        let (era, dayOfEra) = (daysSinceEpoch + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package var daysSinceEpoch: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.floorDivided(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Divides rounding towards minus infinity; the remainder is never negative.
    fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the fixed-width parts of a timestamp.
private struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    mutating func number(_ width: Int) -> Int64? {
        guard index + width <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[index..<index + width] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        index += width
        return value
    }

    /// Reads one or more digits as microseconds.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let digit = number(1) {
            if count < 6 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// Reads `Z` or an offset east of UTC, in seconds.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

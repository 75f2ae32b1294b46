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

    /// Appends `description`.
    func write(into out: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.length(fraction: true)) { buffer in
            fill(buffer, fraction: true)
            out.append(contentsOf: buffer)
        }
    }

    private static func length(fraction: Bool) -> Int { fraction ? 27 : 20 }

    private func text(fraction: Bool) -> String {
        String(ascii: Self.length(fraction: fraction)) { fill($0, fraction: fraction) }
    }

    private func fill(_ out: UnsafeMutableBufferPointer<UInt8>, fraction: Bool) {
        let (seconds, micros) = microseconds.floorDivided(by: 1_000_000)
        let (days, inDay) = seconds.floorDivided(by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        var end = 0
        func put(_ value: Int64, _ width: Int, _ mark: Unicode.Scalar) {
            var left = value
            for place in stride(from: end + width - 1, through: end, by: -1) {
                out[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: left % 10)
                left /= 10
            }
            end += width
            out[end] = UInt8(ascii: mark)
            end += 1
        }
        put(date.year, 4, "-")
        put(date.month, 2, "-")
        put(date.day, 2, "T")
        put(inDay / 3600, 2, ":")
        put(inDay / 60 % 60, 2, ":")
        put(inDay % 60, 2, fraction ? "." : "Z")
        if fraction { put(micros, 6, "Z") }
    }

    /// Parses RFC 3339, and ISO 8601 with an offset without a colon as ecommpay sends it (`+0000`).
    ///
    /// Fractions beyond microseconds are cut. A leap second and a date that does not exist are `nil`.
    package init?(_ text: String) {
        guard let parsed = text.withBytes({ Timestamp(text: $0) }) else { return nil }
        self = parsed
    }

    package init?(_ text: Substring) { self.init(String(text)) }

    init?(text bytes: UnsafeBufferPointer<UInt8>) {
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

/// Reads the fixed-width parts of a timestamp.
private struct DigitReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

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

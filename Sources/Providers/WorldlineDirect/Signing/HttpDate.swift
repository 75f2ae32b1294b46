package import Kernel

/// The date of a request as the `Date` header writes it (RFC 9110, section 5.6.7), in English and GMT.
package enum HttpDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsPerDay: Int64 = 86_400

    /// As in `Fri, 20 Nov 2026 09:05:03 GMT`.
    package static func text(_ time: Timestamp) -> String {
        let inDay = (time.seconds % secondsPerDay + secondsPerDay) % secondsPerDay
        let day = (time.seconds - inDay) / secondsPerDay
        let date = CivilDate(daysSinceEpoch: day)
        let weekday = days[Int((day % 7 + 7) % 7)]
        let month = months[Int(date.month) - 1]
        let clock = "\(two(inDay / 3600)):\(two(inDay / 60 % 60)):\(two(inDay % 60))"
        return "\(weekday), \(two(date.day)) \(month) \(four(date.year)) \(clock) GMT"
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }

    private static func four(_ value: Int64) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

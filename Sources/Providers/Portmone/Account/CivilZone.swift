import Kernel

/// The zone of the provider's civil times, which carry no offset.
///
/// Kyiv follows the rule of the European Union: one hour ahead of its winter time from the last Sunday of March, 01:00
/// UTC, to the last Sunday of October, 01:00 UTC.
struct CivilZone: Hashable, Sendable {
    /// Version of the rule below.
    static let ruleVersion = 1

    let text: String
    private let winterSeconds: Int64
    private let hasSummer: Bool

    static let kyiv = CivilZone(text: "Europe/Kyiv", winterSeconds: 7200, hasSummer: true)

    private init(text: String, winterSeconds: Int64, hasSummer: Bool) {
        self.text = text
        self.winterSeconds = winterSeconds
        self.hasSummer = hasSummer
    }

    /// Knows `Europe/Kyiv` and `UTC`.
    init?(_ text: String) {
        switch text {
        case Self.kyiv.text: self = .kyiv
        case "UTC": self.init(text: text, winterSeconds: 0, hasSummer: false)
        default: return nil
        }
    }

    /// The civil time as `yyyyMMddHHmmss`.
    func compact(_ moment: Timestamp) -> String {
        String(digits(moment))
    }

    /// The civil date as `dd.MM.yyyy`.
    func date(_ moment: Timestamp) -> String {
        let digits = digits(moment)
        return "\(String(digits[6..<8])).\(String(digits[4..<6])).\(String(digits[0..<4]))"
    }

    private func digits(_ moment: Timestamp) -> [Character] {
        moment.adding(.seconds(offset(moment))).wholeSeconds.filter(\.isNumber).map { $0 }
    }

    private func offset(_ moment: Timestamp) -> Int64 {
        guard hasSummer else { return winterSeconds }
        let year = CivilDate(moment).year
        guard let start = Self.lastSunday(year, 3), let end = Self.lastSunday(year, 10) else { return winterSeconds }
        let isSummer = moment.seconds >= start + 3600 && moment.seconds < end + 3600
        return isSummer ? winterSeconds + 3600 : winterSeconds
    }

    /// The start in UTC of the last Sunday of a month of 31 days.
    private static func lastSunday(_ year: Int64, _ month: Int64) -> Int64? {
        guard let last = CivilDate(year: year, month: month, day: 31)?.daysSinceEpoch else { return nil }
        // 1970-01-01 was a Thursday: day numbers that leave 3 when divided by 7 are Sundays.
        let weekday = (last - 3).floorDivided(by: 7).remainder
        return (last - weekday) * 86_400
    }
}

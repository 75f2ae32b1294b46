package import Kernel

/// How figures, amounts and moments are written for a reader: by language, and in a zone that is always named.
package struct Formats: Sendable {
    package let language: Language
    package let zone: Zone
    /// The year that moments need not name.
    package var year: Int64?

    package init(language: Language, zone: Zone) {
        self.language = language
        self.zone = zone
    }

    /// Between groups of three digits; it keeps a number on its line.
    package static let groupMark = "\u{202F}"

    private var decimalMark: String { language == .en ? "." : "," }

    // MARK: Numbers

    package func number(_ value: Int64) -> String {
        (value < 0 ? "\u{2212}" : "") + Self.grouped(String(value.magnitude))
    }

    /// A share of a whole in percent with one digit behind the mark.
    package func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "–" }
        let tenths = (part * 2000 + whole) / (2 * whole)
        return "\(tenths / 10)\(decimalMark)\(tenths % 10)" + (language == .en ? "%" : "\u{202F}%")
    }

    /// Minor units in major ones, without the currency: it has a column of its own.
    package func amount(_ minor: Int64, _ currency: String) -> String { amount(String(minor), currency) }

    /// The same of minor units of any length.
    package func amount(_ minor: String, _ currency: String) -> String {
        let places = Currency(currency)?.exponent ?? 0
        let isNegative = minor.hasPrefix("-")
        var digits = isNegative ? String(minor.dropFirst()) : minor
        digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let fraction = places > 0 ? decimalMark + digits.suffix(places) : ""
        return (isNegative ? "\u{2212}" : "") + Self.grouped(String(digits.dropLast(places))) + fraction
    }

    /// An amount with its currency, for sentences.
    package func money(_ json: Json?) -> String {
        guard let value = json?["value"]?.integer, let currency = json?["currency"]?.text else { return "–" }
        return "\(amount(value, currency))\u{00A0}\(currency)"
    }

    /// An amount as a person types it in a form of this language, in the major unit.
    ///
    /// Blanks may stand between thousands, and a comma or a point before the digits of the minor unit. What may as well
    /// be a mark between thousands is no amount: a thousand is never taken for one.
    package func typed(_ text: String, _ currency: Currency) throws(MoneyFailure) -> Money {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "." }
        guard parts.count <= 2, let whole = Self.ungrouped(parts[0]) else { throw .malformed }
        guard parts.count == 2 else { return try Money(written: whole, currency) }
        let isOwn = text.contains(decimalMark)
        guard isOwn || parts[1].count != 3 else { throw .malformed }
        return try Money(written: "\(whole).\(parts[1])", currency)
    }

    /// Digits without the blanks between thousands; `nil` where one stands elsewhere.
    private static func ungrouped(_ whole: Substring) -> String? {
        let groups = whole.split(omittingEmptySubsequences: false) { " \u{202F}\u{00A0}".contains($0) }
        guard groups.count == 1 || (1...3).contains(groups[0].count), groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return groups.joined()
    }

    /// An amount as it is put into a field.
    package func field(_ minor: Int64, _ currency: String) -> String {
        Currency(currency).map { Money(minor, $0).decimal.replacing(".", with: decimalMark) } ?? String(minor)
    }

    private static func grouped(_ digits: String) -> String {
        var out = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { out += groupMark }
            out.append(digit)
        }
        return out
    }

    /// A length of time in the unit that says most.
    package func duration(milliseconds: Int64) -> String {
        let unit: Text
        let tenths: Int64
        switch milliseconds {
        case ..<1000: return "\(number(milliseconds))\u{00A0}\(Text.milliseconds(language))"
        case ..<60_000: (unit, tenths) = (.seconds, milliseconds / 100)
        case ..<3_600_000: (unit, tenths) = (.minutes, milliseconds / 6000)
        case ..<172_800_000: (unit, tenths) = (.hours, milliseconds / 360_000)
        default: (unit, tenths) = (.days, milliseconds / 8_640_000)
        }
        let text = tenths >= 100 ? number(tenths / 10) : "\(tenths / 10)\(decimalMark)\(tenths % 10)"
        return "\(text)\u{00A0}\(unit(language))"
    }

    // MARK: Moments

    /// A day, as in `25 Nov 2026`.
    package func day(_ date: CivilDate) -> String {
        "\(date.day)\u{00A0}\(Text.months[Int(date.month) - 1](language))\u{00A0}\(date.year)"
    }

    /// A day of the year, as in `25 Nov`.
    package func shortDay(_ date: CivilDate) -> String {
        "\(date.day)\u{00A0}\(Text.months[Int(date.month) - 1](language))"
    }

    package func month(_ date: CivilDate) -> String { "\(Text.monthNames[Int(date.month) - 1](language)) \(date.year)" }

    /// The time of the day, to the minute or the second.
    package func time(_ moment: Timestamp, seconds: Bool = false) -> String {
        let inDay = zone.local(moment).seconds
        let parts = [inDay / 3600, inDay / 60 % 60] + (seconds ? [inDay % 60] : [])
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// A moment for machines and people: its day and time in the zone.
    package func moment(_ text: String?, seconds: Bool = false) -> Html {
        guard let text, let moment = Timestamp(text) else { return Html("–") }
        return tag("time", .of("datetime", moment.wholeSeconds)) {
            "\(shortDay(moment)), \(time(moment, seconds: seconds))"
        }
    }

    package func shortDay(_ moment: Timestamp) -> String {
        let date = zone.local(moment).date
        return date.year == year ? shortDay(date) : day(date)
    }
}

/// The zone in which a reader sees moments.
package struct Zone: Sendable {
    /// Of the IANA database.
    package let name: String
    private let offset: @Sendable (Timestamp) -> Int64

    package static let utc = Zone(name: "UTC") { _ in 0 }

    /// `offset` gives seconds east of UTC.
    package init(name: String, offset: @escaping @Sendable (Timestamp) -> Int64) {
        self.name = name
        self.offset = offset
    }

    /// The day and the second of the day.
    package func local(_ moment: Timestamp) -> (date: CivilDate, seconds: Int64) {
        let (days, seconds) = (moment.seconds + offset(moment)).floorDivided(by: 86_400)
        return (CivilDate(daysSinceEpoch: days), seconds)
    }

    /// The first moment of a day: the earliest that lies in it, also where midnight is skipped.
    package func start(of date: CivilDate) -> Timestamp {
        let guess = date.daysSinceEpoch * 86_400
        let first = Timestamp(seconds: guess - offset(Timestamp(seconds: guess)))
        let second = Timestamp(seconds: guess - offset(first))
        return local(second).date == date ? min(first, second, by: { local($0).date == date }) : first
    }

    private func min(_ one: Timestamp, _ other: Timestamp, by isIn: (Timestamp) -> Bool) -> Timestamp {
        isIn(one) && one < other ? one : other
    }
}

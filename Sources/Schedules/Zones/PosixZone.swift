import Kernel

/// The rule of a TZ string (POSIX, with the hours of RFC 9636 from -167 to 167): which offset holds in any year.
struct PosixZone: Hashable, Sendable {
    /// Seconds east of UTC outside daylight saving time.
    let standard: Int64
    let daylight: Daylight?

    struct Daylight: Hashable, Sendable {
        let offset: Int64
        let start: YearlyMoment
        let end: YearlyMoment
    }

    /// A day of the year and seconds from its midnight, which may be negative or longer than a day.
    struct YearlyMoment: Hashable, Sendable {
        enum Day: Hashable, Sendable {
            /// `J1` to `J365`: 29 February is never counted.
            case withoutLeapDay(Int64)
            /// `0` to `365`: 29 February is counted.
            case withLeapDay(Int64)
            /// `Mm.w.d`: the w-th weekday d (0 is Sunday) of month m; week 5 is the last one.
            case weekday(month: Int64, week: Int64, day: Int64)
        }

        let day: Day
        let seconds: Int64
    }

    /// Reads a whole TZ string; a zone with daylight saving time must say when it begins and ends.
    init?(_ text: [UInt8]) {
        var reader = TzStringReader(text)
        guard reader.name(), let standard = reader.offset() else { return nil }
        self.standard = -standard
        guard !reader.isAtEnd else {
            daylight = nil
            return
        }
        guard reader.name() else { return nil }
        var daylight = self.standard + 3600
        if !reader.sees(",") {
            guard let offset = reader.offset() else { return nil }
            daylight = -offset
        }
        guard reader.take(","), let start = reader.moment(), reader.take(","), let end = reader.moment(),
            reader.isAtEnd
        else { return nil }
        self.daylight = Daylight(offset: daylight, start: start, end: end)
    }

    func offset(atSecond second: Int64) -> Int64 {
        guard let daylight else { return standard }
        // A rule's hours reach a week beyond its year, and so may what held before its first change.
        let year = CivilDate(daysSinceEpoch: second.floorDivided(by: 86_400).quotient).year
        let last = moments(daylight, years: (year - 2)...(year + 1)).last { $0.at <= second }
        return last?.after ?? standard
    }

    /// Every begin and end inside the range; `before` is what held up to it.
    func changes(in range: ClosedRange<Int64>, before: Int64) -> [ZoneChange] {
        guard let daylight else { return [] }
        let first = CivilDate(daysSinceEpoch: range.lowerBound.floorDivided(by: 86_400).quotient).year
        let last = CivilDate(daysSinceEpoch: range.upperBound.floorDivided(by: 86_400).quotient).year
        var changes: [ZoneChange] = []
        var before = before
        for moment in moments(daylight, years: (first - 1)...(last + 1)) where range.contains(moment.at) {
            if changes.last?.at == moment.at { before = changes.removeLast().before }
            changes.append(ZoneChange(at: moment.at, before: before, after: moment.after))
            before = moment.after
        }
        return changes
    }

    /// Begins and ends of daylight saving time in order; where one ends as the next begins, the begin comes last.
    private func moments(_ daylight: Daylight, years: ClosedRange<Int64>) -> [(at: Int64, after: Int64)] {
        var moments: [(at: Int64, after: Int64, order: Int)] = []
        for year in years {
            moments.append((daylight.end.local(in: year) - daylight.offset, standard, 0))
            moments.append((daylight.start.local(in: year) - standard, daylight.offset, 1))
        }
        return moments.sorted { ($0.at, $0.order) < ($1.at, $1.order) }.map { ($0.at, $0.after) }
    }
}

extension PosixZone.YearlyMoment {
    /// Seconds from 1970-01-01T00:00 on the wall clock that the rule speaks of.
    fileprivate func local(in year: Int64) -> Int64 {
        let isLeap = CivilDate.isLeap(year)
        let first = CivilDate.firstDay(of: year)
        let days: Int64
        switch day {
        case .withoutLeapDay(let number): days = first + number - 1 + (isLeap && number > 59 ? 1 : 0)
        case .withLeapDay(let number): days = first + number
        case .weekday(let month, let week, let weekday):
            let start = first + CivilDate.daysBefore(month: month, isLeap: isLeap)
            let firstMatch = start + (weekday - CivilDate.weekday(ofDay: start) + 7) % 7
            let length = CivilDate.length(ofMonth: month, isLeap: isLeap)
            let wanted = firstMatch + (week - 1) * 7
            days = wanted < start + length ? wanted : wanted - 7
        }
        return days * 86_400 + seconds
    }
}

/// Walks over a TZ string.
private struct TzStringReader {
    private let text: [UInt8]
    private var at = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { at == text.count }

    func sees(_ scalar: Unicode.Scalar) -> Bool { at < text.count && text[at] == UInt8(ascii: scalar) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard sees(scalar) else { return false }
        at += 1
        return true
    }

    /// Three or more letters, or anything of letters, digits and signs in angle brackets.
    mutating func name() -> Bool {
        let quoted = take("<")
        let start = at
        while at < text.count, Self.isLetter(text[at]) || (quoted && Self.isDigitOrSign(text[at])) { at += 1 }
        guard at - start >= 3 else { return false }
        return !quoted || take(">")
    }

    /// `[+-]h[h][:mm[:ss]]` up to 24 hours, west of UTC as POSIX counts.
    mutating func offset() -> Int64? { time(upToHours: 24) }

    /// `day[/time]`; two in the morning where no time is said.
    mutating func moment() -> PosixZone.YearlyMoment? {
        guard let day = day() else { return nil }
        guard take("/") else { return PosixZone.YearlyMoment(day: day, seconds: 7200) }
        return time(upToHours: 167).map { PosixZone.YearlyMoment(day: day, seconds: $0) }
    }

    private mutating func day() -> PosixZone.YearlyMoment.Day? {
        if take("J") { return number(1...365).map { .withoutLeapDay($0) } }
        guard take("M") else { return number(0...365).map { .withLeapDay($0) } }
        guard let month = number(1...12), take("."), let week = number(1...5), take("."), let day = number(0...6)
        else { return nil }
        return .weekday(month: month, week: week, day: day)
    }

    private mutating func time(upToHours limit: Int64) -> Int64? {
        let sign: Int64 = take("-") ? -1 : 1
        if sign == 1 { _ = take("+") }
        guard let hours = number(0...limit) else { return nil }
        var seconds = hours * 3600
        if take(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number(0...59) else { return nil }
                seconds += rest
            }
        }
        return sign * seconds
    }

    /// One to three digits.
    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let start = at
        var value: Int64 = 0
        while at < text.count, at - start < 3, Self.isDigit(text[at]) {
            value = value * 10 + Int64(text[at] - UInt8(ascii: "0"))
            at += 1
        }
        return at > start && range.contains(value) ? value : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private static func isDigitOrSign(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }
}

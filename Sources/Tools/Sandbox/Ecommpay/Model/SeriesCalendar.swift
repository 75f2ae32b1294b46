package import Kernel

/// When the platform debits a series by itself, read from what was registered; its clock is that of UTC.
package struct SeriesCalendar: Hashable, Sendable {
    /// One debit to come.
    package struct Run: Hashable, Sendable {
        package let at: Timestamp
        /// Minor units; `nil` is the series' own.
        package let amount: Int64?
    }

    private enum Step: Hashable, Sendable {
        case days(Int64)
        case months(Int64)
        case list([(date: CivilDate, amount: Int64?)])

        static func == (left: Step, right: Step) -> Bool {
            switch (left, right) {
            case (.days(let one), .days(let other)), (.months(let one), .months(let other)): one == other
            case (.list(let one), .list(let other)):
                one.map(\.date) == other.map(\.date) && one.map(\.amount) == other.map(\.amount)
            case (.days, _), (.months, _), (.list, _): false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .days(let count), .months(let count): hasher.combine(count)
            case .list(let list): hasher.combine(list.map(\.date))
            }
        }
    }

    private let start: CivilDate
    private let step: Step
    private let seconds: Int64
    /// The last day.
    private let end: CivilDate?

    /// `nil` where the platform keeps no calendar: the merchant or the payer begins each debit.
    package init?(_ terms: Json) {
        seconds = terms["time"]?.text.flatMap(Self.seconds) ?? 0
        end = Self.end(terms)
        if let items = terms["schedule"]?.items {
            let list = items.compactMap { item in
                item["date"]?.text.flatMap(Self.date).map { (date: $0, amount: item["amount"]?.integer) }
            }
            guard let first = list.first, list.count == items.count else { return nil }
            start = first.date
            step = .list(list)
            return
        }
        guard let start = terms["start_date"]?.text.flatMap(Self.date), let period = terms["period"]?.text else {
            return nil
        }
        self.start = start
        let every = max(1, terms["interval"]?.integer ?? 1)
        switch period {
        case "D": step = .days(every)
        case "W": step = .days(7 * every)
        case "M": step = .months(every)
        case "Q": step = .months(3 * every)
        case "Y": step = .months(12 * every)
        default: return nil
        }
    }

    /// The first debit after a moment.
    package func next(after moment: Timestamp) -> Run? {
        for number in 0..<Self.runsAtMost {
            guard let (date, amount) = day(number) else { return nil }
            if let end, date.daysSinceEpoch > end.daysSinceEpoch { return nil }
            let at = Timestamp(seconds: date.daysSinceEpoch * 86_400 + seconds)
            if at > moment { return Run(at: at, amount: amount) }
        }
        return nil
    }

    private static let runsAtMost: Int64 = 40_000

    private func day(_ number: Int64) -> (CivilDate, Int64?)? {
        switch step {
        case .days(let length): (CivilDate(daysSinceEpoch: start.daysSinceEpoch + number * length), nil)
        case .months(let length): (Self.day(start, months: number * length), nil)
        case .list(let list):
            list.indices.contains(Int(number)) ? (list[Int(number)].date, list[Int(number)].amount) : nil
        }
    }

    /// The same day so many months later, or the month's last one.
    private static func day(_ start: CivilDate, months: Int64) -> CivilDate {
        let month = start.year * 12 + start.month - 1 + months
        for day in stride(from: start.day, through: 28, by: -1) {
            if let found = CivilDate(year: month / 12, month: month % 12 + 1, day: day) { return found }
        }
        return CivilDate(year: month / 12, month: month % 12 + 1, day: min(start.day, 28)) ?? start
    }

    private static func date(_ text: String) -> CivilDate? {
        let parts = text.split(separator: "-").map { Int64($0) }
        guard parts.count == 3, let day = parts[0], let month = parts[1], let year = parts[2] else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    private static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: ":").map { Int64($0) }
        guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2] else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    private static func end(_ terms: Json) -> CivilDate? {
        func number(_ name: String) -> Int64? { terms[name]?.text.flatMap { Int64($0) } }
        guard let year = number("expiry_year"), let month = number("expiry_month"), let day = number("expiry_day")
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }
}

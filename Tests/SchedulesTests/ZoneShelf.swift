import Kernel
import Schedules
import TestKit

/// The zone files of the oracle and what it says about them.
struct ZoneShelf: Sendable {
    struct Row: Sendable {
        let digest: String
        let bytes: [UInt8]
        let changes: Int
        let changesMix: UInt64
        let localMix: UInt64
        let ruleMix: UInt64
        let gapMix: UInt64
    }

    /// A rule and an ordinal with the day that the oracle found.
    struct DateCase: Sendable {
        let rule: ScheduleRule
        let ordinal: Int
        let expected: CivilDate
    }

    /// A rule with a last date, and how many days of it the oracle counted.
    struct EndCase: Sendable {
        let rule: ScheduleRule
        let count: Int
    }

    let rows: [Row]
    let names: [String: Int]
    let ruleCases: Int
    private(set) var dates: [DateCase] = []
    /// Rules with another day of the month than their start's.
    private(set) var anchors: [DateCase] = []
    /// Rules whose days without business are shifted.
    private(set) var shifted: [DateCase] = []
    private(set) var ends: [EndCase] = []
    let calendar: BusinessCalendar

    static let shared = try? ZoneShelf()

    struct Malformed: Error { let line: Substring }

    init(source: String = #filePath) throws {
        let folder = source.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let blob = try FileBytes.read(folder + "/Oracle/zones.bin")
        let text = String(decoding: try FileBytes.read(folder + "/Oracle/oracle.txt"), as: UTF8.self)
        var rows: [Row] = []
        var names: [String: Int] = [:]
        var ruleCases = 0
        var (holidays, workdays): (Set<CivilDate>, Set<CivilDate>) = ([], [])
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            switch words[0] {
            case "zone": rows.append(try Self.row(line, words, blob))
            case "name": names[String(words[1])] = Int(words[2])
            case "cases": ruleCases = Int(words[1]) ?? 0
            case "holiday": holidays.insert(try Self.day(line, words[1]))
            case "workday": workdays.insert(try Self.day(line, words[1]))
            case "date", "anchor", "business", "until": break
            default: throw Malformed(line: line)
            }
        }
        calendar = BusinessCalendar(
            name: "oracle",
            version: 1,
            weekend: [6, 7],
            holidays: holidays,
            workdays: workdays
        )
        self.rows = rows
        self.names = names
        self.ruleCases = ruleCases
        for line in text.split(separator: "\n") { try takeRule(line) }
    }

    private mutating func takeRule(_ line: Substring) throws {
        let words = line.split(separator: " ")
        switch (words[0], words.count) {
        case ("date", 6): dates.append(try Self.date(line, try Self.rule(line, words), words[4], words[5]))
        case ("anchor", 7):
            let rule = try Self.rule(line, words, anchor: Int(words[4]))
            anchors.append(try Self.date(line, rule, words[5], words[6]))
        case ("business", 8):
            guard let shift = BusinessDayShift(rawValue: String(words[5])) else { throw Malformed(line: line) }
            let end = words[6] == "-" ? RuleEnd() : RuleEnd(lastDate: try Self.day(line, words[6]))
            let days = BusinessDayRule(shift: shift, calendar: "oracle")
            let rule = try Self.rule(line, words, end: end, days: days)
            shifted.append(try Self.date(line, rule, words[4], words[7]))
        case ("until", 6):
            guard let count = Int(words[5]) else { throw Malformed(line: line) }
            let end = RuleEnd(lastDate: try Self.day(line, words[4]))
            ends.append(EndCase(rule: try Self.rule(line, words, end: end), count: count))
        case ("date", _), ("anchor", _), ("business", _), ("until", _): throw Malformed(line: line)
        default: break
        }
    }

    /// The file of a zone by its name.
    static func bytes(_ name: String) -> [UInt8] {
        shared.flatMap { $0.names[name].map { shelf.rows[$0].bytes } } ?? []
    }

    static func zone(_ name: String) throws -> ZoneData { try ZoneData(bytes(name)) }

    private static var shelf: ZoneShelf { shared ?? ZoneShelf(empty: ()) }

    private init(empty: Void) {
        rows = []
        names = [:]
        ruleCases = 0
        calendar = BusinessCalendar(name: "none", version: 1, weekend: [], holidays: [])
    }

    private static func row(_ line: Substring, _ words: [Substring], _ blob: [UInt8]) throws -> Row {
        guard words.count == 9, let start = Int(words[2]), let length = Int(words[3]), let changes = Int(words[4]),
            let one = UInt64(words[5], radix: 16), let two = UInt64(words[6], radix: 16),
            let three = UInt64(words[7], radix: 16), let four = UInt64(words[8], radix: 16),
            start + length <= blob.count
        else { throw Malformed(line: line) }
        return Row(
            digest: String(words[1]),
            bytes: Array(blob[start..<start + length]),
            changes: changes,
            changesMix: one,
            localMix: two,
            ruleMix: three,
            gapMix: four
        )
    }

    private static func day(_ line: Substring, _ text: Substring) throws -> CivilDate {
        guard let day = CivilDate(String(text)) else { throw Malformed(line: line) }
        return day
    }

    /// A rule of the start, the period and the interval that a line begins with.
    private static func rule(
        _ line: Substring,
        _ words: [Substring],
        anchor: Int? = nil,
        end: RuleEnd = RuleEnd(),
        days: BusinessDayRule? = nil
    ) throws -> ScheduleRule {
        guard let period = Period(rawValue: String(words[2])), let interval = Int(words[3]) else {
            throw Malformed(line: line)
        }
        return ScheduleRule(
            cadence: .every(interval, period),
            start: try day(line, words[1]),
            anchorDay: anchor,
            time: .midnight,
            zone: "UTC",
            end: end,
            businessDays: days
        )
    }

    private static func date(
        _ line: Substring,
        _ rule: ScheduleRule,
        _ ordinal: Substring,
        _ expected: Substring
    ) throws -> DateCase {
        guard let ordinal = Int(ordinal) else { throw Malformed(line: line) }
        return DateCase(rule: rule, ordinal: ordinal, expected: try day(line, expected))
    }
}

/// The digest of numbers that the oracle uses.
struct Mixer {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: Int64) {
        value = (value ^ UInt64(bitPattern: number)) &* 0x100_0000_01B3
        value ^= value >> 29
    }
}

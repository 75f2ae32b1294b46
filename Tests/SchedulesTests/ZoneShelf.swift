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
    }

    /// A start, a step and an ordinal with the day that the oracle found.
    struct DateCase: Sendable {
        let rule: ScheduleRule
        let ordinal: Int
        let expected: CivilDate
    }

    let rows: [Row]
    let names: [String: Int]
    let ruleCases: Int
    let dates: [DateCase]

    static let shared = try? ZoneShelf()

    struct Malformed: Error { let line: Substring }

    init(source: String = #filePath) throws {
        let folder = source.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let blob = try FileBytes.read(folder + "/Oracle/zones.bin")
        let text = String(decoding: try FileBytes.read(folder + "/Oracle/oracle.txt"), as: UTF8.self)
        var rows: [Row] = []
        var names: [String: Int] = [:]
        var ruleCases = 0
        var dates: [DateCase] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            switch words[0] {
            case "zone": rows.append(try Self.row(line, words, blob))
            case "name": names[String(words[1])] = Int(words[2])
            case "cases": ruleCases = Int(words[1]) ?? 0
            case "date": dates.append(try Self.date(line, words))
            default: throw Malformed(line: line)
            }
        }
        self.rows = rows
        self.names = names
        self.ruleCases = ruleCases
        self.dates = dates
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
        dates = []
    }

    private static func row(_ line: Substring, _ words: [Substring], _ blob: [UInt8]) throws -> Row {
        guard words.count == 8, let start = Int(words[2]), let length = Int(words[3]), let changes = Int(words[4]),
            let one = UInt64(words[5], radix: 16), let two = UInt64(words[6], radix: 16),
            let three = UInt64(words[7], radix: 16), start + length <= blob.count
        else { throw Malformed(line: line) }
        return Row(
            digest: String(words[1]),
            bytes: Array(blob[start..<start + length]),
            changes: changes,
            changesMix: one,
            localMix: two,
            ruleMix: three
        )
    }

    private static func date(_ line: Substring, _ words: [Substring]) throws -> DateCase {
        guard words.count == 6, let start = CivilDate(String(words[1])),
            let period = Period(rawValue: String(words[2])),
            let interval = Int(words[3]), let ordinal = Int(words[4]), let expected = CivilDate(String(words[5]))
        else { throw Malformed(line: line) }
        let rule = ScheduleRule(cadence: .every(interval, period), start: start, time: .midnight, zone: "UTC")
        return DateCase(rule: rule, ordinal: ordinal, expected: expected)
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

import Kernel
import Schedules
import TestKit
import Testing

/// Every zone of the database from 2000 to 2100, and rules that none of them has, against Python's zoneinfo and dateutil.
struct ZoneOracleTests {
    private static let first: Int64 = 946_684_800
    private static let last: Int64 = 4_102_444_800
    private let shelf: ZoneShelf

    init() throws { shelf = try #require(ZoneShelf.shared) }

    @Test func `the oracle knows every zone`() {
        #expect(shelf.names.count > 590)
        #expect(shelf.rows.count > 300)
        #expect(shelf.names["Europe/Moscow"] != nil && shelf.names["Synthetic/00"] != nil)
    }

    @Test func `digests name the bytes`() throws {
        for row in shelf.rows { #expect(try ZoneData(row.bytes).digest == row.digest) }
    }

    @Test func `every change of every clock is found to the second`() throws {
        for row in shelf.rows {
            let changes = try ZoneData(row.bytes).changes(from: Self.first + 1, through: Self.last)
            var mixer = Mixer()
            for change in changes {
                for number in [change.at, change.before, change.after] { mixer.add(number) }
            }
            #expect(changes.count == row.changes, "\(name(row))")
            #expect(mixer.value == row.changesMix, "\(name(row))")
        }
    }

    @Test func `every wall clock time around every change means what the oracle says`() throws {
        for row in shelf.rows {
            let zone = try ZoneData(row.bytes)
            var mixer = Mixer()
            func add(_ local: Int64) {
                mixer.add(Self.instant(zone, local, fold: 0))
                mixer.add(Self.instant(zone, local, fold: 1))
            }
            for change in zone.changes(from: Self.first + 1, through: Self.last) {
                for local in Self.points(of: change) { add(local) }
            }
            for local in stride(from: Self.first, to: Self.last, by: 97 * 86_400 + 4321) { add(local) }
            #expect(mixer.value == row.localMix, "\(name(row))")
        }
    }

    @Test func `a wall clock time that the clocks leap over can mean the moment of the leap`() throws {
        for row in shelf.rows {
            let zone = try ZoneData(row.bytes)
            var mixer = Mixer()
            for change in zone.changes(from: Self.first + 1, through: Self.last) {
                for local in Self.points(of: change) {
                    mixer.add(Self.instant(zone, local, skipped: .gapEnd, doubled: .first))
                }
            }
            #expect(mixer.value == row.gapMix, "\(name(row))")
        }
    }

    @Test func `rules fall due in every zone when the oracle says`() throws {
        let cases = RuleCase.all
        #expect(cases.count == shelf.ruleCases)
        for row in shelf.rows {
            let data = CalendarData(zone: try ZoneData(row.bytes))
            var mixer = Mixer()
            for (index, one) in cases.enumerated() {
                let found = one.rule(fold: index % 2).occurrence(one.ordinal, data)
                mixer.add(found?.at.seconds ?? 0)
            }
            #expect(mixer.value == row.ruleMix, "\(name(row))")
        }
    }

    @Test func `dates of rules are those of dateutil`() {
        #expect(shelf.dates.count > 90)
        for one in shelf.dates {
            #expect(one.rule.nominalDate(one.ordinal) == one.expected, "\(one.rule.cadence) \(one.ordinal)")
        }
    }

    @Test func `anchors, shifted days and ends are those of dateutil`() throws {
        #expect(shelf.anchors.count > 100 && shelf.shifted.count > 500 && shelf.ends.count > 200)
        let data = CalendarData(zone: try ZoneShelf.zone("Etc/UTC"), business: shelf.calendar)
        for one in shelf.anchors {
            #expect(one.rule.nominalDate(one.ordinal) == one.expected, "\(one.rule) \(one.ordinal)")
        }
        for one in shelf.shifted {
            #expect(one.rule.occurrence(one.ordinal, data)?.date == one.expected, "\(one.rule) \(one.ordinal)")
        }
        for one in shelf.ends {
            #expect(one.count == 0 || one.rule.occurrence(one.count, data) != nil, "\(one.rule)")
            #expect(one.rule.occurrence(one.count + 1, data) == nil, "\(one.rule)")
        }
    }

    /// Wall clock seconds around a change, and between its edges.
    private static func points(of change: ZoneChange) -> [Int64] {
        var points: Set<Int64> = [change.at + (change.before + change.after).flooredHalf]
        for edge in [change.before, change.after] {
            for step in [-1, 0, 1] as [Int64] { points.insert(change.at + edge + step) }
        }
        return points.sorted()
    }

    private func name(_ row: ZoneShelf.Row) -> String {
        shelf.names.filter { shelf.rows[$0.value].digest == row.digest }.keys.sorted().joined(separator: " ")
    }

    private static func instant(_ zone: ZoneData, _ local: Int64, fold: Int) -> Int64 {
        fold == 0
            ? instant(zone, local, skipped: .later, doubled: .first)
            : instant(zone, local, skipped: .earlier, doubled: .second)
    }

    private static func instant(_ zone: ZoneData, _ local: Int64, skipped: SkippedHour, doubled: DoubledHour) -> Int64 {
        let days = local.flooredDay
        let seconds = local - days * 86_400
        guard let time = TimeOfDay(hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60) else {
            return 0
        }
        return zone.instant(of: CivilDate(daysSinceEpoch: days), time, skipped: skipped, doubled: doubled).at.seconds
    }
}

/// The rules that the oracle tried, in its order.
private struct RuleCase {
    let start: CivilDate
    let period: Period
    let interval: Int
    let ordinal: Int
    let time: TimeOfDay

    func rule(fold: Int) -> ScheduleRule {
        ScheduleRule(
            cadence: .every(interval, period),
            start: start,
            time: time,
            zone: "any",
            skippedHour: fold == 0 ? .later : .earlier,
            doubledHour: fold == 0 ? .first : .second
        )
    }

    static let all: [RuleCase] = {
        let starts = ["2000-01-31", "2000-02-29", "2003-08-30", "2011-12-01", "2019-10-27", "2024-03-31"]
        let steps: [(Period, Int)] = [
            (.day, 1), (.day, 10), (.week, 1), (.week, 3), (.month, 1), (.month, 5), (.quarter, 1), (.halfYear, 1),
            (.year, 1),
        ]
        let times = ["00:00", "02:30", "23:45"].compactMap { TimeOfDay($0) }
        var cases: [RuleCase] = []
        for start in starts.compactMap({ CivilDate($0) }) {
            for (period, interval) in steps {
                for ordinal in [1, 2, 3, 13, 30, 49, 150] {
                    for time in times {
                        cases.append(
                            RuleCase(start: start, period: period, interval: interval, ordinal: ordinal, time: time)
                        )
                    }
                }
            }
        }
        return cases
    }()
}

extension Int64 {
    fileprivate var flooredHalf: Int64 { self >> 1 }
    fileprivate var flooredDay: Int64 { self >= 0 ? self / 86_400 : -((-self + 86_399) / 86_400) }
}

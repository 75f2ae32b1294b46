import Kernel
import Schedules
import TestKit
import Testing

/// What calendars of other billing systems got wrong, each as a regression.
struct CalendarFailureTests {
    private func daily(_ start: String, _ time: String, _ skipped: SkippedHour = .later) throws -> ScheduleRule {
        ScheduleRule(
            cadence: .every(1, .day),
            start: try #require(CivilDate(start)),
            time: try #require(TimeOfDay(time)),
            zone: "any",
            skippedHour: skipped
        )
    }

    @Test
    func
        `killbill 445 and 743, an endless loop at a change of clocks: it neither loops nor loses nor doubles a day, in any zone`()
        throws
    {
        let shelf = try #require(ZoneShelf.shared)
        for (index, row) in shelf.rows.enumerated() {
            let data = CalendarData(zone: try ZoneData(row.bytes))
            let policy = SkippedHour.allCases[index % 3]
            let rule = try daily("2010-01-01", index % 2 == 0 ? "02:30" : "00:00", policy)
            var before: RuleOccurrence?
            for ordinal in 1...800 {
                let found = try #require(rule.occurrence(ordinal, data))
                if let before {
                    #expect(found.at > before.at || before.reasons.contains(.coincides), "\(shelf.names) \(ordinal)")
                    #expect(found.nominal.daysSinceEpoch == before.nominal.daysSinceEpoch + 1)
                }
                before = found
            }
        }
    }

    @Test func `killbill 1934, a day twice: a day that a zone left out is not charged together with its neighbour`()
        throws
    {
        let data = CalendarData(zone: try ZoneShelf.zone("Pacific/Apia"))
        for policy in SkippedHour.allCases {
            let found = try daily("2011-12-29", "10:00", policy).preview(from: 1, count: 3, data)
            #expect(found.map { $0.reasons.contains(.coincides) } == [false, true, false])
            #expect(found[1].reasons.contains(.missingDay))
        }
        let weekly = ScheduleRule(
            cadence: .every(1, .week),
            start: try #require(CivilDate("2011-12-23")),
            time: .noon,
            zone: "Pacific/Apia"
        )
        let second = try #require(weekly.occurrence(2, data))
        #expect(second.date.text == "2011-12-31" && second.reasons == [.missingDay])
    }

    @Test func `killbill 127 and 1856, the wrong day off UTC: the billing day is the customer's`() throws {
        for name in ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "America/St_Johns"] {
            let zone = try ZoneShelf.zone(name)
            for time in ["00:00", "23:59:59"] {
                let rule = ScheduleRule(
                    cadence: .every(1, .month),
                    start: try #require(CivilDate("2024-01-31")),
                    time: try #require(TimeOfDay(time)),
                    zone: name
                )
                for ordinal in 1...60 {
                    let found = try #require(rule.occurrence(ordinal, CalendarData(zone: zone)))
                    #expect(zone.local(at: found.at).date == found.nominal)
                }
            }
        }
    }

    @Test func `killbill 743, accounts that stop being billed: a series does not stop or drift in a century`() throws {
        let data = CalendarData(zone: try ZoneShelf.zone("Africa/Casablanca"))
        let rule = ScheduleRule(
            cadence: .every(1, .month),
            start: try #require(CivilDate("2000-01-31")),
            time: .midnight,
            zone: "Africa/Casablanca"
        )
        for ordinal in 1...1200 {
            let found = try #require(rule.occurrence(ordinal, data))
            #expect(found.nominal.monthNumber == 24_000 + Int64(ordinal) - 1)
            #expect(found.nominal.day == found.nominal.lengthOfMonth)
        }
    }
}

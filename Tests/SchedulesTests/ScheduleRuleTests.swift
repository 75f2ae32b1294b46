import Kernel
import Schedules
import TestKit
import Testing

/// Rules: anchors, periods, ends, shifts, previews and the difference that new data makes.
struct ScheduleRuleTests {
    private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    private func rule(
        _ period: Period,
        _ start: String,
        every interval: Int = 1,
        anchor: Int? = nil,
        time: String = "10:00",
        zone: String = "Europe/Moscow",
        end: RuleEnd = RuleEnd(),
        business: BusinessDayShift? = nil
    ) throws -> ScheduleRule {
        ScheduleRule(
            cadence: .every(interval, period),
            start: try date(start),
            anchorDay: anchor,
            time: try #require(TimeOfDay(time)),
            zone: zone,
            end: end,
            businessDays: business.map { BusinessDayRule(shift: $0, calendar: "ru") }
        )
    }

    private func dates(_ rule: ScheduleRule, _ count: Int) -> [String] {
        (1...count).compactMap { rule.nominalDate($0)?.text }
    }

    @Test func `the 31st comes back after every shorter month`() throws {
        #expect(
            dates(try rule(.month, "2024-01-31"), 6)
                == ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31", "2024-06-30"]
        )
        #expect(dates(try rule(.month, "2023-01-30"), 3) == ["2023-01-30", "2023-02-28", "2023-03-30"])
    }

    @Test func `29 February comes back in every leap year`() throws {
        #expect(
            dates(try rule(.year, "2096-02-29"), 9).filter { $0.hasSuffix("29") } == ["2096-02-29", "2104-02-29"]
        )
        #expect(dates(try rule(.year, "2024-02-29"), 5).last == "2028-02-29")
    }

    @Test func `every period has its length`() throws {
        let expected: [Period: String] = [
            .day: "2024-02-01", .week: "2024-02-07", .month: "2024-02-29", .quarter: "2024-04-30",
            .halfYear: "2024-07-31", .year: "2025-01-31",
        ]
        for period in Period.allCases { #expect(dates(try rule(period, "2024-01-31"), 2).last == expected[period]) }
        #expect(dates(try rule(.day, "2024-02-25", every: 10), 2).last == "2024-03-06")
        #expect(dates(try rule(.quarter, "2024-01-15", every: 3), 2).last == "2024-10-15")
    }

    @Test func `an anchor day is counted from the first month that has it after the start`() throws {
        #expect(dates(try rule(.month, "2024-02-29", anchor: 31), 3) == ["2024-02-29", "2024-03-31", "2024-04-30"])
        #expect(dates(try rule(.month, "2024-01-20", anchor: 5), 2) == ["2024-02-05", "2024-03-05"])
        #expect(dates(try rule(.month, "2024-01-20", anchor: 25), 2) == ["2024-01-25", "2024-02-25"])
    }

    @Test func `a series ends by date, by count and with its list`() throws {
        let data = CalendarData(zone: try ZoneShelf.zone("Europe/Moscow"))
        let last = RuleEnd(lastDate: try date("2024-03-31"))
        #expect(try rule(.month, "2024-01-31", end: last).preview(from: 1, count: 10, data).count == 3)
        let three = try rule(.month, "2024-01-31", end: RuleEnd(count: 3))
        #expect(three.preview(from: 2, count: 10, data).map(\.ordinal) == [2, 3])
        #expect(three.lastOrdinal(dueBy: .distantFuture, data) == 3)
        let listed = ScheduleRule(
            cadence: .dates([
                DatedAmount(try date("2024-05-01"), .rubles(5)), DatedAmount(try date("2024-05-09"), .rubles(7)),
            ]),
            start: try date("2024-05-01"),
            time: .noon,
            zone: "Europe/Moscow"
        )
        #expect(listed.preview(from: 1, count: 10, data).map(\.nominal.text) == ["2024-05-01", "2024-05-09"])
        #expect(listed.listedAmount(2) == .rubles(7))
        #expect(listed.listedAmount(3) == nil)
    }

    @Test func `the last ordinal that is due is found for any moment`() throws {
        let zones = try ["Europe/Moscow", "America/New_York", "Pacific/Apia"].map(ZoneShelf.zone)
        let russia = try holidays()
        try forAll(runs: 300, seed: 0xD0E) { random in
            let period = Period.allCases[Int.random(in: 0..<Period.allCases.count, using: &random)]
            let start = CivilDate(daysSinceEpoch: Int64.random(in: 10_957...20_000, using: &random))
            let shift = Bool.random(using: &random) && period != .day
            let rule = ScheduleRule(
                cadence: .every(Int.random(in: 1...4, using: &random), period),
                start: start,
                time: TimeOfDay(hour: Int64.random(in: 0...23, using: &random), minute: 30) ?? .noon,
                zone: "any",
                skippedHour: SkippedHour.allCases[Int.random(in: 0...2, using: &random)],
                businessDays: shift ? BusinessDayRule(shift: .modifiedFollowing, calendar: "ru") : nil
            )
            let data = CalendarData(zone: zones[Int.random(in: 0..<3, using: &random)], business: russia)
            let moment = Timestamp(seconds: Int64.random(in: 900_000_000...2_500_000_000, using: &random))
            let last = rule.lastOrdinal(dueBy: moment, data)
            try #require(last == 0 || rule.occurrence(last, data).map { $0.at <= moment } == true)
            try #require(rule.occurrence(last + 1, data).map { $0.at > moment } == true)
        }
    }

    // MARK: business days

    private func holidays() throws -> BusinessCalendar {
        let days = try [
            "2026-01-01", "2026-01-02", "2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09",
        ]
        .map(date)
        return BusinessCalendar(
            name: "ru",
            version: 1,
            weekend: [6, 7],
            holidays: Set(days),
            workdays: [try date("2026-02-07")]
        )
    }

    @Test func `a day without business is shifted as its policy says`() throws {
        let calendar = try holidays()
        let start = try date("2025-01-01")
        func shifted(_ text: String, _ shift: BusinessDayShift, last: String? = nil) throws -> String {
            calendar.shifted(try date(text), shift, from: start, to: try last.map(date)).text
        }
        #expect(try shifted("2026-01-03", .following) == "2026-01-12")
        #expect(try shifted("2026-01-03", .preceding) == "2025-12-31")
        #expect(try shifted("2026-01-03", .modifiedPreceding) == "2026-01-12")
        #expect(try shifted("2026-05-31", .following) == "2026-06-01")
        #expect(try shifted("2026-05-31", .modifiedFollowing) == "2026-05-29")
        #expect(try shifted("2026-02-07", .following) == "2026-02-07")
        #expect(try shifted("2026-02-10", .preceding) == "2026-02-10")
        #expect(try shifted("2026-05-31", .following, last: "2026-05-31") == "2026-05-29")
    }

    @Test func `a calendar without business leaves every day where it is`() throws {
        let never = BusinessCalendar(name: "never", version: 1, weekend: [1, 2, 3, 4, 5, 6, 7], holidays: [])
        let day = try date("2026-05-31")
        for shift in BusinessDayShift.allCases { #expect(never.shifted(day, shift, from: day, to: nil) == day) }
    }

    @Test func `two occurrences that a shift brings to one day are charged once`() throws {
        let data = CalendarData(zone: try ZoneShelf.zone("Europe/Moscow"), business: try holidays())
        let weekly = try rule(.week, "2026-01-01", business: .following)
        let found = weekly.preview(from: 1, count: 3, data)
        #expect(found.map(\.date.text) == ["2026-01-12", "2026-01-12", "2026-01-15"])
        #expect(found.map { $0.reasons.contains(.coincides) } == [false, true, false])
    }

    // MARK: reasons and new data

    @Test func `an occurrence says what made it differ from the plain calendar`() throws {
        let data = CalendarData(zone: try ZoneShelf.zone("America/New_York"))
        let daily = try rule(.day, "2026-03-07", time: "02:30", zone: "America/New_York")
        #expect(daily.preview(from: 1, count: 3, data).map(\.reasons) == [[], [.skippedHour], []])
        let autumn = try rule(.day, "2026-10-31", time: "01:30", zone: "America/New_York")
        #expect(autumn.preview(from: 1, count: 3, data).map(\.reasons) == [[], [.doubledHour], []])
        let monthly = try rule(.month, "2026-01-31", zone: "America/New_York")
        #expect(monthly.preview(from: 1, count: 3, data).map(\.reasons) == [[], [.shortMonth], []])
        #expect(monthly.occurrence(1, data)?.zoneDigest == data.zone.digest)
    }

    @Test func `new zone data shows which occurrences it moves`() throws {
        let old = try ZoneData(Tzif(footer: "AAA-3").bytes)
        let new = try ZoneData(Tzif(footer: "AAA-3BBB,M3.5.0,M10.5.0/3").bytes)
        let monthly = try rule(.month, "2026-01-15")
        let moved = monthly.moved(1...12, from: CalendarData(zone: old), to: CalendarData(zone: new))
        #expect(moved.map(\.before.ordinal) == [4, 5, 6, 7, 8, 9, 10])
        #expect(moved.allSatisfy { $0.after.at == $0.before.at.adding(.seconds(-3600)) })
        #expect(moved.allSatisfy { $0.after.zoneDigest == new.digest && $0.before.zoneDigest == old.digest })
        #expect(monthly.moved(1...12, from: CalendarData(zone: old), to: CalendarData(zone: old)).isEmpty)
    }
}

extension Money {
    static func rubles(_ minor: Int64) -> Money { Money(minor, Currency("RUB") ?? Currency.all[0]) }
}

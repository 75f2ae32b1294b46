import Kernel
import Schedules
import TestKit
import Testing

/// Dates without zones.
struct CivilDateTests {
    private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    @Test(arguments: ["2000-02-29", "1600-02-29", "0001-01-01", "9999-12-31", "2024-02-29"])
    func `a date that exists is read and written`(text: String) throws { #expect(try date(text).text == text) }

    @Test(arguments: ["1900-02-29", "2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "24-01-01", "2024-04-31", ""])
    func `a date that does not exist is none`(text: String) { #expect(CivilDate(text) == nil) }

    @Test func `weekdays are those of ISO 8601`() throws {
        #expect(try date("1970-01-01").weekday == 4)
        #expect(try date("2026-11-21").weekday == 6)
        #expect(try date("2000-02-29").weekday == 2)
        #expect(try date("0001-01-01").weekday == 1)
    }

    @Test func `adding days walks through every day of four centuries`() throws {
        var day = try date("1899-12-31")
        var (month, year) = (day.month, day.year)
        for _ in 0..<146_097 {
            let next = try #require(day.adding(days: 1))
            #expect(next > day && next.daysSinceEpoch == day.daysSinceEpoch + 1)
            #expect(next.weekday == day.weekday % 7 + 1)
            if next.day == 1 { #expect(day.day == day.lengthOfMonth) }
            (month, year) = (next.month, next.year)
            day = next
        }
        #expect((year, month) == (2299, 12))
    }

    @Test func `the calendar ends where its years do`() throws {
        #expect(try date("9999-12-31").adding(days: 1) == nil)
        #expect(try date("0001-01-01").adding(days: -1) == nil)
        #expect(try date("2024-01-01").adding(days: .max) == nil)
        #expect(CivilDate(monthNumber: 120_000, day: 1) == nil)
        #expect(CivilDate(monthNumber: 11, day: 1) == nil)
    }

    @Test func `times of day are read with and without seconds`() throws {
        #expect(TimeOfDay("09:05")?.text == "09:05:00")
        #expect(TimeOfDay("23:59:59")?.seconds == 86_399)
        for text in ["24:00", "9:00", "09:60", "09:00:60", "09-00", "", "09:00:0"] { #expect(TimeOfDay(text) == nil) }
    }
}

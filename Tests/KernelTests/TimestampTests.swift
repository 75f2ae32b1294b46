import Kernel
import TestKit
import Testing

struct TimestampTests {
    /// Instants that `date -u -d @N` gives.
    private static let known: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_000_000_000, "2001-09-09T01:46:40Z"),
        (1_234_567_890, "2009-02-13T23:31:30Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"), (-1, "1969-12-31T23:59:59Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"), (1_795_233_600, "2026-11-21T04:00:00Z"),
    ]

    @Test func `known instants have their texts`() {
        for (seconds, text) in Self.known {
            #expect(Timestamp(seconds: seconds).wholeSeconds == text)
            #expect(Timestamp(text) == Timestamp(seconds: seconds))
        }
    }

    /// Counts days with the plain rule of leap years, beside the arithmetic under test.
    @Test func `every day from 1970 to 2100 comes back`() {
        var days: Int64 = 0
        for year in Int64(1970)...2100 {
            let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
            for (month, length) in [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in 1...Int64(length) {
                    let date = CivilDate(daysSinceEpoch: days)
                    let isRight = date == CivilDate(year: year, month: Int64(month) + 1, day: day)
                    let time = Timestamp(seconds: days * 86_400)
                    if !isRight || date.daysSinceEpoch != days || Timestamp(time.description) != time {
                        Issue.record("day \(days) is \(year)-\(month + 1)-\(day), not \(date)")
                        return
                    }
                    days += 1
                }
                #expect(CivilDate(year: year, month: Int64(month) + 1, day: Int64(length) + 1) == nil)
            }
        }
    }

    @Test func `any instant is read as it was written`() throws {
        try forAll(runs: 2000, seed: 8) { random in
            let time = Timestamp(
                microseconds: Int64.random(in: -62_135_596_800_000_000...253_402_300_799_999_999, using: &random)
            )
            #expect(Timestamp(time.description) == time)
            #expect(time.description.utf8.count == 27)
        }
    }

    @Test func `offsets, fractions and the separators that providers use are understood`() {
        let texts = [
            "2026-11-21T06:07:08.25+02:00", "2026-11-21T06:07:08.25+0200", "2026-11-20T22:37:08.25-05:30",
            "2026-11-21T04:07:08.25+0000", "2026-11-21 04:07:08.250000Z", "2026-11-21t04:07:08.2500009z",
        ]
        for text in texts { #expect(Timestamp(text)?.description == "2026-11-21T04:07:08.250000Z", "\(text)") }
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T04:07:08", "2026-11-21T04:07Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+2:00",
        "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zx", "26-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
        "-2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:60",
    ])
    func `a text that is no instant is refused`(_ text: String) { #expect(Timestamp(text) == nil) }

    @Test func `durations add and subtract exactly`() {
        let start = Timestamp(seconds: 10)
        #expect(start.adding(.milliseconds(1500)) == Timestamp(microseconds: 11_500_000))
        #expect(start.adding(.seconds(-11)).microseconds == -1_000_000)
        #expect(start.adding(.microseconds(-1)).seconds == 9)
        #expect(start.adding(.hours(1)).since(start) == .seconds(3600))
        #expect(Timestamp.epoch < start && start < .distantFuture)
    }
}

extension Duration {
    fileprivate static func hours(_ count: Int) -> Duration { .seconds(count * 3600) }
}

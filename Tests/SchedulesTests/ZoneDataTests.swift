import Kernel
import Schedules
import TestKit
import Testing

/// The reader of time zone files: every version, every refusal, and nothing that makes it trap.
struct ZoneDataTests {
    private func failure(_ bytes: [UInt8]) -> ZoneFailure.Code? {
        do throws(ZoneFailure) {
            _ = try ZoneData(bytes)
            return nil
        } catch { return error.code }
    }

    private func offset(_ zone: ZoneData, _ text: String) throws -> Int64 {
        zone.offset(at: try #require(Timestamp(text)))
    }

    private func footer(_ text: String) throws -> ZoneData { try ZoneData(Tzif(offsets: [3600], footer: text).bytes) }

    @Test(arguments: [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")])
    func `every version is read`(version: UInt8) throws {
        let file = Tzif(version: version, transitions: [(1_000_000_000, 1)], offsets: [3600, -7200])
        let zone = try ZoneData(file.bytes)
        #expect(zone.offset(at: Timestamp(seconds: 999_999_999)) == 3600)
        #expect(zone.offset(at: Timestamp(seconds: 1_000_000_000)) == -7200)
        #expect(zone.offset(at: Timestamp(seconds: 4_000_000_000)) == -7200)
        #expect(zone.offset(at: Timestamp(microseconds: 999_999_999_999_999)) == 3600)
    }

    @Test func `version 1 times are read as signed`() throws {
        let zone = try ZoneData(Tzif(version: 0, transitions: [(-1_000, 1)], offsets: [0, 60]).bytes)
        #expect(zone.offset(at: Timestamp(seconds: -1_001)) == 0)
        #expect(zone.offset(at: Timestamp(seconds: -1_000)) == 60)
    }

    @Test func `the footer holds after the last transition and not before`() throws {
        let file = Tzif(transitions: [(1_000_000_000, 0)], offsets: [-18_000], footer: "AAA5BBB,M3.2.0,M11.1.0")
        let zone = try ZoneData(file.bytes)
        #expect(try offset(zone, "2001-07-01T00:00:00Z") == -18_000)
        #expect(try offset(zone, "2002-07-01T00:00:00Z") == -14_400)
        #expect(try offset(zone, "2099-07-01T00:00:00Z") == -14_400)
        #expect(try offset(zone, "9998-07-01T00:00:00Z") == -14_400)
    }

    @Test func `daylight saving time all year round never ends`() throws {
        let zone = try footer("XXX3EDT4,0/0,J365/23")
        for text in ["2024-01-01T02:59:59Z", "2024-12-31T23:59:59Z", "2025-01-01T03:00:00Z", "2030-06-01T00:00:00Z"] {
            #expect(try offset(zone, text) == -14_400)
        }
        #expect(zone.changes(from: 1_700_000_000, through: 1_900_000_000) == [])
    }

    @Test func `a saving that crosses the year is on in January`() throws {
        let zone = try footer("AAA-10BBB,J300/3,J60/3")
        #expect(try offset(zone, "2024-01-15T00:00:00Z") == 39_600)
        #expect(try offset(zone, "2024-06-15T00:00:00Z") == 36_000)
    }

    @Test(arguments: [
        "AA0", "AAA", "AAA25", "AAA0BBB", "AAA0BBB,", "AAA0BBB,M3.2.0", "AAA0BBB,M13.1.0,M1.1.0",
        "AAA0BBB,M1.6.0,M1.1.0",
        "AAA0BBB,M1.1.7,M1.1.0", "AAA0BBB,J0,J1", "AAA0BBB,J366,J1", "AAA0BBB,366,1", "AAA0BBB,J1/168,J2", "<AAA0",
        "AAA0BBB,J1,J2 ", "AAA0:60", "AAA1:1:60", "AAA--1", "0", "AAA0000",
    ])
    func `a malformed footer is refused`(text: String) {
        #expect(failure(Tzif(footer: text).bytes) == .footerMalformed)
    }

    @Test func `each defect has its code`() throws {
        let good = Tzif(transitions: [(10, 0), (20, 0)]).bytes
        #expect(failure(good) == nil)
        #expect(failure([]) == .notTzif)
        #expect(failure(Array("TZif2".utf8)) == .cutShort)
        #expect(failure(Array("GZif".utf8) + good.dropFirst(4)) == .notTzif)
        #expect(failure([UInt8](repeating: 0, count: ZoneData.fileBytes + 1)) == .tooLarge)
        #expect(failure(good + [0]) == .trailingBytes)
        #expect(failure(Array(good.dropLast())) == .footerMalformed)
        #expect(failure(Array(good.dropLast(2))) == .cutShort)
        #expect(failure(Tzif(version: UInt8(ascii: "5")).bytes) == .versionUnknown)
        #expect(failure(Tzif(transitions: [(20, 0), (20, 0)]).bytes) == .transitionsUnordered)
        #expect(failure(Tzif(transitions: [(.min, 0)]).bytes) == .timeOutOfRange)
        #expect(failure(Tzif(transitions: [(10, 1)]).bytes) == .typeUnknown)
        #expect(failure(Tzif(offsets: [.min]).bytes) == .timeOutOfRange)
        #expect(failure(Tzif(offsets: [93_600]).bytes) == .timeOutOfRange)
        #expect(failure(Tzif(offsets: []).bytes) == .countsInvalid)
        #expect(failure(Tzif(counts: { [$0[0], $0[1], 0, UInt32.max, $0[4], $0[5]] }).bytes) == .countsInvalid)
        #expect(failure(Tzif(counts: { [2, $0[1], 0, $0[3], $0[4], 2] }).bytes) == .countsInvalid)
        #expect(failure(Tzif(counts: { [$0[0], $0[1], 0, $0[3], $0[4], 3] }).bytes) == .typeInvalid)
        #expect(
            failure(Tzif(counts: { [$0[0], $0[1], 1, 0, $0[4], $0[5]] }).bytes + [UInt8](repeating: 0, count: 12))
                == .leapSeconds
        )
    }

    @Test func `any bytes end in a value or a refusal`() throws {
        let files = ["Europe/Moscow", "America/New_York", "Africa/Casablanca", "Synthetic/08"].map(ZoneShelf.bytes)
        try forAll(runs: 4000, seed: 0x5A0E) { random in
            var bytes = files[Int.random(in: 0..<files.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                default: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
                }
            }
            guard let zone = try? ZoneData(bytes) else { return }
            let second = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            let local = zone.local(at: Timestamp(seconds: second))
            for skipped in SkippedHour.allCases {
                for doubled in DoubledHour.allCases {
                    _ = zone.instant(of: local.date, local.time, skipped: skipped, doubled: doubled)
                }
            }
        }
    }

    @Test func `any footer is a rule or a refusal`() throws {
        let letters = Array("AB<>+-,./:JM0123456789".utf8)
        try forAll(runs: 4000, seed: 0xF007) { random in
            var text = Array("AAA3BBB,M3.2.0/2,M11.1.0/1".utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                text[Int.random(in: 0..<text.count, using: &random)] =
                    letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            let file = Tzif(footer: String(decoding: text, as: UTF8.self)).bytes
            guard let zone = try? ZoneData(file) else { return }
            _ = zone.changes(from: 1_700_000_000, through: 1_800_000_000)
        }
    }

    @Test func `a local time read back is the same instant, unless the hour is doubled`() throws {
        let zones = try ["Europe/Moscow", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Gaza"]
            .map(ZoneShelf.zone)
        try forAll(runs: 3000, seed: 0x10CA1) { random in
            let zone = zones[Int.random(in: 0..<zones.count, using: &random)]
            let instant = Timestamp(seconds: Int64.random(in: 0...4_102_444_800, using: &random))
            let local = zone.local(at: instant)
            let first = zone.instant(of: local.date, local.time, skipped: .later, doubled: .first)
            let second = zone.instant(of: local.date, local.time, skipped: .later, doubled: .second)
            try #require(first.found == .plain || first.found == .doubled)
            try #require(first.at == instant || second.at == instant)
            try #require((first.at == second.at) == (first.found == .plain))
        }
    }

    @Test func `skipped and doubled hours go where their policy says`() throws {
        let zone = try ZoneShelf.zone("America/New_York")
        let time = try #require(TimeOfDay("02:30"))
        let spring = try #require(CivilDate("2026-03-08"))
        let expected: [SkippedHour: String] = [
            .later: "2026-03-08T07:30:00Z", .gapEnd: "2026-03-08T07:00:00Z", .earlier: "2026-03-08T06:30:00Z",
        ]
        for (policy, text) in expected {
            let found = zone.instant(of: spring, time, skipped: policy, doubled: .first)
            #expect(found == ResolvedTime(at: try #require(Timestamp(text)), found: .skipped))
        }
        let autumn = try #require(CivilDate("2026-11-01"))
        let half = try #require(TimeOfDay("01:30"))
        let doubled: [DoubledHour: String] = [.first: "2026-11-01T05:30:00Z", .second: "2026-11-01T06:30:00Z"]
        for (policy, text) in doubled {
            let found = zone.instant(of: autumn, half, skipped: .later, doubled: policy)
            #expect(found == ResolvedTime(at: try #require(Timestamp(text)), found: .doubled))
        }
    }
}

import EventSourcing
import Glibc
import Kernel
import Payments
import Postgres
import Projections
import Store
import SystemKit
import TestKit
import Testing

@testable import Cli
@testable import Daemon

/// Reports of finance as SQL reckons them and as text.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FinanceReportTests {
    @Test func `the turnover sums what moved on a day, in a zone, and a day that is over never changes`() async throws {
        try await NodeHarness.run("turnover") { harness in
            let (merchant, registers, reports) = (
                harness.merchant, harness.node.registers, FinanceReports(harness.node.store)
            )
            try await harness.insert("captured", "2026-11-20T22:30:00Z", "1999", "live", false)
            try await harness.insert("captured", "2026-11-21T10:00:00Z", "9223372036854775807", "live", false)
            try await harness.insert("captured", "2026-11-21T11:00:00Z", "9223372036854775807", "live", false)
            try await harness.insert("refunded", "2026-11-22T10:00:00Z", "500", "live", false)
            try await harness.insert("captured", "2026-11-22T10:00:00Z", "1", "test", false)
            for what in ["captured", "claimed"] {
                try await harness.insert(what, "2026-11-22T10:00:00Z", "700", "live", true)
            }
            var query = ReportQuery()
            func told() async throws -> [String] {
                let opened = try await reports.open(.turnover, query, of: merchant)
                var rows = try #require(opened)
                let columns = rows.head.report.columns
                var all: [[String?]] = []
                while let page = try await rows.next() { all += page }
                return all.map { row in
                    let cells = zip(columns, row)
                    let named = cells.filter { ["day", "kind", "mode"].contains($0.0.name) }.compactMap(\.1)
                    let sums = cells.filter { $0.0.content == .amount && $0.1 != "0" }.map {
                        "\($0.0.name)=\($0.1 ?? "")"
                    }
                    return (named + sums).joined(separator: " ")
                }
            }
            #expect(
                try await told() == [
                    "2026-11-20 payment live captured=1999 net=1999",
                    "2026-11-21 payment live captured=18446744073709551614 net=18446744073709551614",
                    "2026-11-22 bill live captured=700 net=700 claimed=700",
                    "2026-11-22 payment live refunded=500 net=-500",
                ]
            )
            query.zone = "Europe/Kyiv"
            query.end = "2026-11-22"
            let kyiv = "2026-11-21 payment live captured=18446744073709553613 net=18446744073709553613"
            #expect(try await told() == [kyiv])
            query = ReportQuery()
            query.mode = .test
            #expect(try await told() == ["2026-11-22 payment test captured=1 net=1"])
            query.mode = nil
            #expect(try await told().count == 5)
            // The merchant's own zone is what nobody asked for otherwise.
            #expect(try await registers.keep(zone: "Europe/Kyiv", of: merchant))
            await #expect(throws: StoreFailure.self) { try await registers.keep(zone: "UTC+3", of: merchant) }
            #expect(try await told().first == kyiv)
            query.zone = "Europe/Nowhere"
            await #expect(throws: StoreFailure.self) { try await reports.open(.turnover, query, of: merchant) }
            let nobodys = try await reports.open(.turnover, ReportQuery(), of: MerchantNumber(999))
            var empty = try #require(nobodys)
            while let page = try await empty.next() { #expect(page.isEmpty) }
        }
    }

    @Test func `balances go on from window to window, and are those of one statement`() async throws {
        try await NodeHarness.run("windows") { harness in
            for day in [
                "2024-01-01", "2024-01-31", "2024-02-01", "2024-05-05", "2025-01-01", "2026-03-31", "2026-11-20",
            ] {
                try await harness.insert("captured", day + "T10:00:00Z", "1000", "live", day.hasSuffix("01"))
                try await harness.insert("fee", day + "T10:00:00Z", "15", "live", false)
            }
            for report in [Report.statement, .settlement, .balance, .periods, .reconciliation] {
                for first in [nil, "2024-02-01", "2025-02-01", "2027-01-01"] as [String?] {
                    var query = ReportQuery()
                    query.first = first
                    let opened = try await FinanceReports(harness.node.store).open(report, query, of: harness.merchant)
                    var rows = try #require(opened)
                    var (told, pages) = ([String](), 0)
                    while let page = try await rows.next() {
                        told += page.map { $0.map { $0 ?? "" }.joined(separator: " ") }
                        pages += 1
                    }
                    #expect(pages > 3 || first == "2027-01-01", "more than one statement where there is anything")
                    let texts = report.columns.map { "r.\($0.sqlName)" }.joined(separator: ", ")
                    let whole = try await harness.backend.query(
                        "SELECT concat_ws(' ', \(texts)) FROM paystream.report_\(report.name)($1, 'UTC', $2::text::date) r",
                        [.int32(harness.merchant.value), .text(first)]
                    ) { row throws(PostgresFailure) in try row.text(0) }
                    #expect(told == whole, "\(report.name) from \(first ?? "the first day")")
                    #expect(whole.isEmpty == (first == "2027-01-01"))
                }
            }
        }
    }

    @Test func `a list of any length is read some at a time, in memory that does not grow with it`() async throws {
        try await NodeHarness.run("flatlist") { harness in
            var place: [Int64] = []
            while place.isEmpty {
                place = try await harness.backend.query(
                    "SELECT min(pos) FROM paystream.event WHERE pos < paystream.books_position() HAVING count(*) > 0"
                ) { row throws(PostgresFailure) in try row.int64(0) }
                try await Task.sleep(for: .milliseconds(50))
            }
            try await harness.backend.execute(
                """
                INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
                    effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
                SELECT \(harness.merchant), gen_random_uuid(), 1, 0, 1, e.pos, 'captured', n, 'EUR', 1, e.at, e.at + n * interval '1 us',
                       gen_random_uuid(), 'main', 'live', 'ecommpay', 'provider', true, gen_random_uuid()
                  FROM generate_series(1, 60000) n, paystream.event e WHERE e.pos = \(place[0])
                """
            )
            var query = ReportQuery()
            query.compared = .position(0)
            let opened = try await FinanceReports(harness.node.store).open(.turnover, query, of: harness.merchant)
            var rows = try #require(opened)
            var (count, first, most) = (0, Int64(0), Int64(0))
            while let page = try await rows.next() {
                #expect(page.count <= 2000)
                count += page.count
                let now = Self.kibibytes
                if first == 0 { first = now }
                most = max(most, now)
            }
            #expect(count == 60_000)
            // All of them at once would be more than 100 MB.
            #expect(most - first < 32 * 1024, "\(first) KiB behind the first page, \(most) KiB at the most")
        }
    }

    /// What the process holds in memory.
    private static var kibibytes: Int64 {
        let lines = String(decoding: SmallFile.read("/proc/self/status") ?? [], as: UTF8.self).split(separator: "\n")
        let digits = lines.first { $0.hasPrefix("VmRSS:") }?.filter(\.isNumber)
        return digits.flatMap { Int64($0) } ?? 0
    }

    @Test func `every kind of movement is in the ledger, but for claims and what payers pay on top`() async throws {
        try await NodeHarness.run("rules") { harness in
            let rules = try await harness.backend.query(
                "SELECT movement FROM paystream.posting_rule GROUP BY movement HAVING sum(side) = 0 AND count(*) = 2"
            ) { row throws(PostgresFailure) in try row.text(0) }
            let kinds = Set(MovementKind.allCases).subtracting([.claimed, .payerCommission])
            // What settlement alone proves, and what two persons adjust.
            let settled = ["payout", "rounding", "reserveHeld", "reserveReturned", "adjustment"]
            #expect(Set(rules) == Set(kinds.map(\.rawValue) + settled))
        }
    }

    @Test func `a report is written as a table, as lines of JSON and as CSV that no spreadsheet reckons with`() {
        let row = [
            "2026-11-21", "payment", "a,b", "=1+1", "live", "EUR", "18446744073709551614", "-5", "0", "0", "9", "0",
            "0",
        ]
        func head(openDay: String) -> ReportHead {
            ReportHead(.turnover, position: 7, zone: "UTC", openDay: openDay, aside: 0)
        }
        func text(_ form: ReportForm, openDay: String) -> String {
            let head = head(openDay: openDay)
            return head.begin(form) + head.row(row, form, isFirst: true) + head.end(form)
        }
        #expect(
            text(.csv, openDay: "2026-11-22")
                == "day,kind,provider,account,mode,currency,captured,refunded,charged_back,fees,net,transferred,claimed,complete\r\n"
                + "2026-11-21,payment,\"a,b\",'=1+1,live,EUR,184467440737095516.14,-0.05,0.00,0.00,0.09,0.00,0.00,yes\r\n"
        )
        #expect(
            text(.ndjson, openDay: "2026-11-21")
                == #"{"account":"=1+1","captured":"18446744073709551614","chargedBack":0,"claimed":0,"complete":false,"currency":"EUR","#
                + #""day":"2026-11-21","fees":0,"kind":"payment","mode":"live","net":9,"provider":"a,b","refunded":-5,"transferred":0}"#
                + "\n"
        )
        #expect(text(.ndjson, openDay: "").contains(#""complete":false"#), "nothing is known of an empty log")
        #expect(text(.json, openDay: "2026-11-22") == head(openDay: "2026-11-22").json(rows: [row]).canonicalText)
        let table = ReportCommand.table(head(openDay: "2026-11-22"), [row])
        #expect(
            table.contains("184467440737095516.14     -0.05          0.00  0.00  0.09")
                && table.contains("as of position 7")
        )
    }

    @Test func `a month is over with its last day, and a day as soon as another one began`() {
        let row: [String?] = ["2026-11-01", "provider", "ecommpay", "shop", "live", "EUR", "0", "1", "0", "1", "0"]
        for (openDay, isOver) in [("2026-11-26", false), ("2026-11-30", false), ("2026-12-01", true), ("", false)] {
            let head = ReportHead(.periods, position: 7, zone: "UTC", openDay: openDay, aside: 0)
            #expect(head.isComplete(row) == isOver, "\(openDay)")
            #expect(head.row(row, .csv, isFirst: true).hasSuffix(isOver ? ",yes\r\n" : ",no\r\n"))
        }
        let day = ReportHead(.statement, position: 7, zone: "UTC", openDay: "2026-11-02", aside: 0)
        #expect(day.isComplete(["2026-11-01"]) && !day.isComplete(["2026-11-02"]))
    }

    @Test
    func `a workbook holds texts as texts and numbers as numbers, goes on in another sheet, and is the same each time`()
        async throws
    {
        let row = [
            "2026-11-21", "payment", "a<b", "=1+1", "live", "EUR", "18446744073709551614", "-5", "0", "0", "9", nil,
            "0",
        ]
        let head = ReportHead(.turnover, position: 7, zone: "UTC", openDay: "2026-11-22", aside: 0)
        let path = "/tmp/paystream-\(getpid())-report.xlsx"
        defer { unlink(path) }
        var files: [[UInt8]] = []
        for _ in 0..<2 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
            let count = try await ReportSpool.write(GatheredRows(head, [row, row]), .xlsx, to: descriptor)
            var bytes = [UInt8](repeating: 0, count: count)
            #expect(pread(descriptor, &bytes, count, 0) == count && count > 1000)
            close(descriptor)
            files.append(bytes)
        }
        #expect(files[0] == files[1], "the same cells are the same bytes")
        let script =
            "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read('xl/worksheets/sheet2.xml').decode())"
        let printed = path + ".txt"
        defer { unlink(printed) }
        let reader = try ChildProcess.start(
            "python3",
            ["-c", script, path],
            environment: ChildProcess.environment,
            outputFile: printed
        )
        #expect(reader.wait().exitCode == 0)
        let told = String(decoding: SmallFile.read(printed) ?? [], as: UTF8.self)
        #expect(!told.contains("<f>"), "no formula: \(told)")
        #expect(told.contains("=1+1") && told.contains("<v>-0.05</v>") && told.contains("184467440737095516.14"))
    }
}

extension NodeHarness {
    /// A movement in the books that no event is behind.
    fileprivate func insert(_ what: String, _ at: String, _ amount: String, _ mode: String, _ isBill: Bool) async throws
    {
        try await backend.execute(
            """
            INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
                effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
            VALUES (\(merchant), gen_random_uuid(), 1, 0, \(isBill ? 6 : 1), 0, '\(what)', \(amount), '\(isBill ? "UAH" : "EUR")',
                1, '\(at)', '\(at)', gen_random_uuid(), 'main', '\(mode)', 'ecommpay', 'provider', true, gen_random_uuid())
            """
        )
    }
}

import Daemon
import EventSourcing
import Glibc
import Kernel
import Payments
import Projections
import Store
import SystemKit

/// `paystream report`: what moved, for finance.
struct ReportCommand: Command {
    static let name = "report"
    static let summary = "Report what moved: turnover, refunds, fees, holds, disputes, bills, the ledger's balance."
    static let usage =
        "[--merchant NAME] [--zone ZONE] [--from DAY] [--before DAY] [--mode MODE] [--by TIME] [--as-of PLACE] [--compare PLACE]"
        + " [--json | --format FORMAT] [--output FILE] " + Report.all.map(\.name).joined(separator: "|")
        + " | zone NAME"
    static let options = [
        PaymentsCommand.merchantOption,
        CommandOption(
            "zone",
            value: "ZONE",
            summary: "in which days begin, as in Europe/Kyiv (default: the merchant's)"
        ),
        CommandOption("from", value: "DAY", summary: "first day on which something moved, as in 2026-11-21"),
        CommandOption("before", value: "DAY", summary: "first day that no longer counts"),
        CommandOption(
            "mode",
            value: "MODE",
            summary: "of the accounts: live, test, live-autocancel or all (default: live)"
        ),
        CommandOption(
            "by",
            value: "TIME",
            summary: "a movement's day: known (its evidence, default) or effective (the provider's own)"
        ),
        CommandOption(
            "as-of",
            value: "PLACE",
            summary: "as it was known at a position of the log, or at a moment as 2026-11-21T10:00:00Z"
        ),
        CommandOption(
            "compare",
            value: "PLACE",
            summary: "list what the report counts between this place and the other one, in its place"
        ),
        PaymentsCommand.jsonOption,
        CommandOption(
            "format",
            value: "FORMAT",
            summary: "table, json, ndjson (one object a line, as --json), csv or xlsx (default: table)"
        ),
        CommandOption("output", value: "FILE", summary: "write there, in place of standard output"),
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        if given.words.first == "zone" { return try await keepZone(given) }
        try given.demand(words: 1)
        guard let report = given.words.first.flatMap(Report.named) else {
            throw UsageError("say which report: " + Report.all.map(\.name).joined(separator: ", "))
        }
        return try await Self.make(report, given)
    }

    /// Makes a report with the options of this command.
    static func make(_ report: Report, _ given: ScatteredArguments) async throws -> Int32 {
        let word = given["format"] ?? (given.has("json") ? "ndjson" : "table")
        let form = ReportForm(rawValue: word)
        guard form != nil || word == "table" else { throw UsageError("--format is table, json, ndjson, csv or xlsx") }
        guard form != .xlsx || given.has("output") else { throw UsageError("a workbook wants a file: --output FILE") }
        var words = OptionWords(given: given)
        let query = try ReportQuery(&words, of: report)
        let head = try await StoreSession.with { session -> ReportHead? in
            let merchant = try await session.merchant(given["merchant"])
            let rows = try await inZone(query.zone) { () async throws(StoreFailure) in
                try await FinanceReports(session.store).open(report, query, of: merchant)
            }
            guard let rows else { return nil }
            try await write(rows, form, query, to: given["output"])
            return rows.head
        }
        guard let head else { throw UsageError("the books have not come to the position that --as-of names") }
        // The other forms say it themselves.
        if form == .csv || form == .ndjson || given.has("output") { StandardStream.error.write(closing(head)) }
        if head.aside > 0 {
            StandardStream.error.write("\(head.aside) streams are set aside: what moved there last is missing\n")
        }
        return 0
    }

    /// Writes the rows as they come; a table alone needs all of them for its widths.
    private static func write(_ rows: any ReportRows, _ form: ReportForm?, _ query: ReportQuery, to path: String?)
        async throws
    {
        var descriptor = StandardStream.output.rawValue
        if let path {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw UsageError("'\(path)' can't be written") }
        }
        defer { if path != nil { close(descriptor) } }
        let line = ProgressLine(rows.head.report.name)
        if let form {
            _ = try await ReportSpool.write(rows, form, to: descriptor) { progress, count in
                line.tell(progress.done, of: progress.all, count: count, "rows")
            }
            line.clear()
            if form == .json, path == nil { StandardStream.output.write("\n") }
            return
        }
        var (rows, all) = (rows, [[String?]]())
        while let page = try await rows.next() {
            all += page
            if let progress = rows.progress { line.tell(progress.done, of: progress.all, count: all.count, "rows") }
        }
        line.clear()
        let text = Array(table(rows.head, all, of: query.mode?.rawValue).utf8)
        _ = text.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Keeps the zone in which the merchant's days begin.
    private func keepZone(_ given: ScatteredArguments) async throws -> Int32 {
        try given.demand(words: 2)
        guard let zone = given.words.dropFirst().first else {
            throw UsageError("report zone wants the name of a zone, as Europe/Kyiv")
        }
        try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            try await Self.inZone(zone) { () async throws(StoreFailure) in
                guard try await session.registers.keep(zone: zone, of: merchant) else {
                    throw StoreFailure(.corrupt, sqlState: "55000", detail: "months are closed in another zone")
                }
            }
        }
        given.tell("days begin in \(zone)", ["zone": .string(zone)])
        return 0
    }

    /// Does work in a zone, and tells where there is none of that name.
    private static func inZone<Result>(_ zone: String?, _ work: () async throws(StoreFailure) -> Result) async throws
        -> Result
    {
        do throws(StoreFailure) {
            return try await work()
        } catch {
            // PostgreSQL's word for a zone that it does not know.
            if error.sqlState == "55000" { throw UsageError("months are closed in another zone; leave --zone out") }
            guard error.sqlState == "22023" else { throw error }
            throw UsageError("there is no time zone '\(zone ?? "")'")
        }
    }

    static func table(_ head: ReportHead, _ rows: [[String?]], of mode: String? = nil) -> String {
        let columns = head.report.columns
        let named = columns.map { $0.sqlName.uppercased().replacing("_", with: " ") }
        let titles = named + (head.report.tellsDays ? ["COMPLETE"] : [])
        var table = ColumnTable(titles, rightAligned: Set(columns.indices.filter { columns[$0].isNumber }))
        for row in rows {
            let cells = zip(columns, row).map { head.shown($1, $0, in: row) }
            table.add(cells + (head.report.tellsDays ? [head.isComplete(row) ? "yes" : "no"] : []))
        }
        let place = mode.map { " of \($0) accounts; '--mode all' takes in the others" } ?? ""
        let formulas = head.report.formulas.map { "  \($0.column): \($0.formula)\n" }.joined()
        return table.text(orSay: "no \(head.report.name)" + place) + (rows.isEmpty ? "" : formulas) + closing(head)
    }

    private static func closing(_ head: ReportHead) -> String {
        let since = head.since.map { "behind position \($0), " } ?? ""
        return "\(since)as of position \(head.position), days of \(head.zone)\n"
    }
}

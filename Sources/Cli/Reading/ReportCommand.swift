import EventSourcing
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
        "[--merchant NAME] [--zone ZONE] [--from DAY] [--before DAY] [--mode MODE] [--by TIME] [--as-of PLACE]"
        + " [--json | --format FORMAT] " + Report.all.map(\.name).joined(separator: "|") + " | zone NAME"
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
        PaymentsCommand.jsonOption,
        CommandOption(
            "format",
            value: "FORMAT",
            summary: "table, json, ndjson (one object a line, as --json) or csv (default: table)"
        ),
    ]

    enum Format: String, CaseIterable {
        case table, json, ndjson, csv
    }

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
        guard let format = Format(rawValue: given["format"] ?? (given.has("json") ? "ndjson" : "table")) else {
            throw UsageError("--format is table, json, ndjson or csv")
        }
        let query = try query(given)
        let made = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            return try await inZone(query.zone) { () async throws(StoreFailure) in
                try await FinanceReports(session.store).make(report, query, of: merchant)
            }
        }
        guard let made else { throw UsageError("the books have not come to the position that --as-of names") }
        StandardStream.output.write(text(made, format, of: query.mode))
        // The other forms say it themselves.
        if format == .csv || format == .ndjson { StandardStream.error.write(closing(made)) }
        if made.aside > 0 {
            StandardStream.error.write("\(made.aside) streams are set aside: what moved there last is missing\n")
        }
        return 0
    }

    private static func query(_ given: ScatteredArguments) throws -> ReportQuery {
        var query = ReportQuery()
        query.zone = given["zone"]
        query.first = try day(given["from"], "from")
        query.end = try day(given["before"], "before")
        if let mode = given["mode"] {
            guard mode == "all" || AccountFacts.Mode(rawValue: mode) != nil else {
                throw UsageError("--mode is live, test, live-autocancel or all")
            }
            query.mode = mode == "all" ? nil : mode
        }
        if let word = given["by"] {
            guard let time = ReportQuery.Time(rawValue: word) else { throw UsageError("--by is known or effective") }
            query.time = time
        }
        if let place = given["as-of"] {
            guard let asOf = ReportQuery.AsOf(place) else {
                throw UsageError("--as-of is a position, as 1200, or a moment, as 2026-11-21T10:00:00Z")
            }
            query.asOf = asOf
        }
        return query
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

    /// A calendar day as given, checked; times of day are not taken.
    private static func day(_ text: String?, _ option: String) throws -> String? {
        guard let text else { return nil }
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else {
            throw UsageError("--\(option) wants a day, as in 2026-11-21")
        }
        return text
    }

    static func text(_ made: MadeReport, _ format: Format, of mode: String? = nil) -> String {
        switch format {
        case .table: table(made, of: mode)
        case .json: made.json.canonicalText + "\n"
        case .ndjson: made.ndjson
        case .csv: made.csv
        }
    }

    private static func table(_ made: MadeReport, of mode: String?) -> String {
        let columns = made.report.columns
        let named = columns.map { $0.sqlName.uppercased().replacing("_", with: " ") }
        let titles = named + (made.tellsDays ? ["COMPLETE"] : [])
        var table = ColumnTable(titles, rightAligned: Set(columns.indices.filter { columns[$0].isNumber }))
        for row in made.rows {
            let cells = zip(columns, row).map { made.shown($1, $0, in: row) }
            table.add(cells + (made.tellsDays ? [made.isComplete(row) ? "yes" : "no"] : []))
        }
        let place = mode.map { " of \($0) accounts; '--mode all' takes in the others" } ?? ""
        let formulas = made.report.formulas.map { "  \($0.column): \($0.formula)\n" }.joined()
        return table.text(orSay: "no \(made.report.name)" + place) + (made.rows.isEmpty ? "" : formulas) + closing(made)
    }

    private static func closing(_ made: MadeReport) -> String {
        "as of position \(made.position), days of \(made.zone)\n"
    }
}

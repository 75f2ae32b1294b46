import EventSourcing
import Kernel
import Payments
import Store
import SystemKit

/// `paystream report`: sums of the read models for finance.
struct ReportCommand: Command {
    static let name = "report"
    static let summary = "Sum what was captured, refunded, charged back and transferred, by the day on which it moved."
    static let usage =
        "[--merchant NAME] [--zone ZONE] [--from DAY] [--before DAY] [--mode MODE]"
        + " [--json | --format table|json|csv] turnover | zone NAME"
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
        PaymentsCommand.jsonOption,
        CommandOption("format", value: "FORMAT", summary: "table, json (one object a line) or csv (default: table)"),
    ]

    enum Format: String, CaseIterable {
        case table, json, csv
    }

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        if given.words.first == "zone" { return try await keepZone(given) }
        try given.demand(words: 1)
        guard given.words.first == "turnover" else { throw UsageError("say which report: 'turnover'") }
        guard let format = Format(rawValue: given["format"] ?? (given.has("json") ? "json" : "table")) else {
            throw UsageError("--format is table, json or csv")
        }
        let query = try Self.query(given)
        let (lines, standing) = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            return try await Self.inZone(query.zone) { () async throws(StoreFailure) in
                // Before the sums: what is read meanwhile makes them no less than they are said to be.
                let standing = try await session.view.turnoverStanding(of: merchant, zone: query.zone)
                return (try await session.view.turnover(of: merchant, query), standing)
            }
        }
        StandardStream.output.write(Self.text(lines, openDay: standing?.openDay, format, of: query.mode))
        if let standing, standing.aside > 0 {
            StandardStream.error.write("\(standing.aside) streams are set aside: what moved there last is missing\n")
        }
        return 0
    }

    private static func query(_ given: ScatteredArguments) throws -> TurnoverQuery {
        var query = TurnoverQuery()
        query.zone = given["zone"]
        query.first = try day(given["from"], "from")
        query.end = try day(given["before"], "before")
        if let mode = given["mode"] {
            guard mode == "all" || AccountFacts.Mode(rawValue: mode) != nil else {
                throw UsageError("--mode is live, test, live-autocancel or all")
            }
            query.mode = mode == "all" ? nil : mode
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
                try await session.registers.keep(zone: zone, of: merchant)
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

    // MARK: Forms

    private static let titles =
        ["DAY", "KIND", "PROVIDER", "MODE", "CURRENCY"] + [
            "CAPTURED", "REFUNDED", "CHARGED BACK", "TRANSFERRED", "CLAIMED", "COMPLETE",
        ]

    /// Days from `openDay` on may still grow.
    static func text(_ lines: [TurnoverLine], openDay: String?, _ format: Format, of mode: String? = nil) -> String {
        switch format {
        case .table:
            var table = ColumnTable(titles, rightAligned: [5, 6, 7, 8, 9])
            for line in lines { table.add(cells(line, openDay)) }
            let place = mode.map { " of \($0) accounts; '--mode all' takes in the others" } ?? ""
            return table.text(orSay: "no turnover" + place)
        case .json: return lines.map { json($0, openDay).canonicalText + "\n" }.joined()
        case .csv:
            let names = titles.map { $0.lowercased().replacing(" ", with: "_") }
            return ([names] + lines.map { cells($0, openDay) }).map { $0.map(field).joined(separator: ",") + "\r\n" }
                .joined()
        }
    }

    /// Days are texts of one length: their order is that of time.
    private static func isComplete(_ line: TurnoverLine, _ openDay: String?) -> Bool {
        openDay.map { line.day < $0 } ?? false
    }

    private static func cells(_ line: TurnoverLine, _ openDay: String?) -> [String] {
        [line.day, line.kind, line.provider, line.mode, line.currency]
            + TurnoverLine.columns.map { decimal(line.sums[$0] ?? "0", line.currency) }
            + [isComplete(line, openDay) ? "yes" : "no"]
    }

    /// Whole minor units of any length in major units, as in `19.99`.
    private static func decimal(_ minor: String, _ code: String) -> String {
        let places = Currency(code)?.exponent ?? 0
        guard places > 0 else { return minor }
        let isNegative = minor.hasPrefix("-")
        var digits = isNegative ? String(minor.dropFirst()) : minor
        digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (isNegative ? "-" : "") + digits.dropLast(places) + "." + digits.suffix(places)
    }

    /// A field by RFC 4180.
    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// Amounts in minor units; as texts where a number would not hold them.
    private static func json(_ line: TurnoverLine, _ openDay: String?) -> Json {
        var members = JsonObject([
            ("complete", .bool(isComplete(line, openDay))), ("currency", .string(line.currency)),
            ("day", .string(line.day)), ("kind", .string(line.kind)),
            ("mode", .string(line.mode)), ("provider", .string(line.provider)),
        ])
        for name in TurnoverLine.columns {
            let sum = line.sums[name] ?? "0"
            members[name] = Int64(sum).map(Json.integer) ?? .string(sum)
        }
        return .object(members)
    }
}

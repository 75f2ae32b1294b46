import EventSourcing
import Kernel
import Store

/// `paystream report`: sums of the read models for finance.
struct ReportCommand: Command {
    static let name = "report"
    static let summary = "Sum payments and transfers by day, kind, provider, mode, currency and status."
    static let usage = "[--merchant NAME] [--from DAY] [--before DAY] [--json | --format table|json|csv] turnover"
    static let options = [
        PaymentsCommand.merchantOption,
        CommandOption("from", value: "DAY", summary: "first day of creation, UTC, as in 2026-11-21"),
        CommandOption("before", value: "DAY", summary: "first day that no longer counts"),
        PaymentsCommand.jsonOption,
        CommandOption("format", value: "FORMAT", summary: "table, json (one object a line) or csv (default: table)"),
    ]

    enum Format: String, CaseIterable {
        case table, json, csv
    }

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        guard given.words.first == "turnover" else { throw UsageError("say which report: 'turnover'") }
        guard let format = Format(rawValue: given["format"] ?? (given.has("json") ? "json" : "table")) else {
            throw UsageError("--format is table, json or csv")
        }
        let (first, end) = (try Self.day(given["from"], "from"), try Self.day(given["before"], "before"))
        let lines = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            return try await session.view.turnover(of: merchant, from: first, before: end)
        }
        StandardStream.output.write(Self.text(lines, format))
        return 0
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

    private static let titles = [
        "DAY", "KIND", "PROVIDER", "MODE", "CURRENCY", "STATUS", "PAYMENTS", "AMOUNT", "CAPTURED", "REFUNDED",
        "TRANSFERRED",
    ]

    static func text(_ lines: [TurnoverLine], _ format: Format) -> String {
        switch format {
        case .table:
            var table = ColumnTable(titles, rightAligned: [6, 7, 8, 9, 10])
            for line in lines { table.add(cells(line)) }
            return table.text(orSay: "no turnover")
        case .json: return lines.map { json($0).canonicalText + "\n" }.joined()
        case .csv:
            return ([titles.map { $0.lowercased() }] + lines.map(cells)).map {
                $0.map(field).joined(separator: ",") + "\r\n"
            }
            .joined()
        }
    }

    private static func cells(_ line: TurnoverLine) -> [String] {
        func amount(_ minor: Int64) -> String {
            Currency(line.currency).map { Money(minor, $0).decimal } ?? String(minor)
        }
        return [
            line.day, line.kind, line.provider, line.mode, line.currency, line.status, String(line.payments),
            amount(line.amount),
            amount(line.captured), amount(line.refunded), amount(line.transferred),
        ]
    }

    /// A field by RFC 4180.
    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// Amounts in minor units.
    private static func json(_ line: TurnoverLine) -> Json {
        [
            "amount": .integer(line.amount), "captured": .integer(line.captured), "currency": .string(line.currency),
            "day": .string(line.day), "kind": .string(line.kind), "mode": .string(line.mode),
            "payments": .integer(line.payments),
            "provider": .string(line.provider), "refunded": .integer(line.refunded), "status": .string(line.status),
            "transferred": .integer(line.transferred),
        ]
    }
}

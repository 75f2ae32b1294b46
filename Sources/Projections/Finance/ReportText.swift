package import Kernel

/// A made report as text for programs and spreadsheets: one way for the API and the command line.
extension MadeReport {
    /// Whether a row's day is over as of the report's position; rows without a day are never over.
    package func isComplete(_ row: [String?]) -> Bool {
        // Days are texts of one length: their order is that of time.
        guard let place = report.columns.firstIndex(where: { $0.content == .day }), let day = row[place] else {
            return false
        }
        return !openDay.isEmpty && day < openDay
    }

    /// Whether rows say if their day is over.
    package var tellsDays: Bool { report.daysStay && report.columns.contains { $0.content == .day } }

    /// Rows by RFC 4180 below the names of their columns; amounts in major units, as in `19.99`.
    package var csv: String {
        let names = report.columns.map(\.sqlName) + (tellsDays ? ["complete"] : [])
        let lines = rows.map { row in
            zip(report.columns, row).map { column, cell in
                column.content == .text ? Self.harmless(cell ?? "") : shown(cell, column, in: row)
            } + (tellsDays ? [isComplete(row) ? "yes" : "no"] : [])
        }
        return ([names] + lines).map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
    }

    /// One object a line, amounts in minor units.
    package var ndjson: String { rows.map { json($0).canonicalText + "\n" }.joined() }

    /// The whole report with where it was made and how its figures are reckoned.
    package var json: Json {
        .compact([
            ("object", "report"), ("name", .string(report.name)), ("position", .integer(position)),
            ("zone", .string(zone)), ("openDay", openDay.isEmpty ? nil : .string(openDay)),
            ("streamsAside", .integer(aside)), ("rows", .array(rows.map(json))), ("formulas", report.formulasShown),
        ])
    }

    private func json(_ row: [String?]) -> Json {
        var members = JsonObject([])
        for (column, cell) in zip(report.columns, row) {
            guard let cell else { continue }
            members[column.name] =
                switch column.content {
                case .text, .day, .rate: .string(cell)
                // As a text where a number would not hold it.
                case .amount, .count: Int64(cell).map(Json.integer) ?? .string(cell)
                }
        }
        if tellsDays { members["complete"] = .bool(isComplete(row)) }
        return .object(members)
    }

    /// A cell for people: amounts in major units of the row's currency.
    package func shown(_ cell: String?, _ column: Report.Column, in row: [String?]) -> String {
        guard let cell else { return "" }
        guard column.content == .amount, let place = report.columns.firstIndex(where: { $0.name == "currency" }) else {
            return cell
        }
        return Self.decimal(cell, row[place] ?? "")
    }

    /// Whole minor units of any length in major units.
    private static func decimal(_ minor: String, _ code: String) -> String {
        let places = Currency(code)?.exponent ?? 0
        guard places > 0 else { return minor }
        let isNegative = minor.hasPrefix("-")
        var digits = isNegative ? String(minor.dropFirst()) : minor
        digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (isNegative ? "-" : "") + digits.dropLast(places) + "." + digits.suffix(places)
    }

    /// A text that no spreadsheet takes for a formula.
    private static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }

    /// A field by RFC 4180.
    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension Report {
    /// How figures are reckoned, by their columns.
    package var formulasShown: Json { .object(JsonObject(formulas.map { ($0.column, .string($0.formula)) })) }
}

extension Report.Column {
    /// The name in SQL and in CSV, as in `charged_back`.
    package var sqlName: String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }

    package var isNumber: Bool { content != .text && content != .day }
}

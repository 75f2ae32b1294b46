package import Kernel

/// The forms that a report is written in.
package enum ReportForm: String, Hashable, Sendable, CaseIterable {
    case json, ndjson, csv, xlsx

    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv; charset=utf-8; header=present"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        }
    }
}

/// A report as text for programs and spreadsheets, a row at a time: one way for the API and the command line.
extension ReportHead {
    /// Whether a row's day is over as of the report's position; rows without a day are never over.
    package func isComplete(_ row: [String?]) -> Bool {
        // Days are texts of one length: their order is that of time.
        guard let place = report.columns.firstIndex(where: { $0.content == .day }), let day = row[place] else {
            return false
        }
        // A month is named by its first day, and over with its last one.
        guard report.columns[place].name != "period" else {
            return !openDay.isEmpty && day.prefix(7) < openDay.prefix(7)
        }
        return !openDay.isEmpty && day < openDay
    }

    package var titles: [String] { report.shownColumns.map(\.sqlName) }

    /// What stands before the rows.
    package func begin(_ form: ReportForm) -> String {
        switch form {
        case .json: jsonParts.before
        case .csv: Self.line(titles)
        case .ndjson, .xlsx: ""
        }
    }

    package func row(_ row: [String?], _ form: ReportForm, isFirst: Bool) -> String {
        switch form {
        case .json: (isFirst ? "" : ",") + json(row).canonicalText
        case .ndjson: json(row).canonicalText + "\n"
        case .csv: Self.line(csv(row))
        case .xlsx: ""
        }
    }

    /// What stands behind the rows.
    package func end(_ form: ReportForm) -> String { form == .json ? jsonParts.behind : "" }

    /// The whole report with where it was made and how its figures are reckoned, around its rows.
    private var jsonParts: (before: String, behind: String) {
        let whole = json(rows: []).canonicalText
        let place = whole.firstRange(of: #""rows":[]"#)
        guard let place else { preconditionFailure("a report has rows") }
        let middle = whole.index(before: place.upperBound)
        return (String(whole[..<middle]), String(whole[middle...]))
    }

    package func json(rows: [[String?]]) -> Json {
        .compact([
            ("object", "report"), ("name", .string(report.name)), ("position", .integer(position)),
            ("since", since.map(Json.integer)), ("zone", .string(zone)),
            ("openDay", openDay.isEmpty ? nil : .string(openDay)), ("streamsAside", .integer(aside)),
            ("rows", .array(rows.map(json))), ("formulas", report.formulasShown),
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
                case .flag: .bool(cell == "true")
                }
        }
        if report.tellsDays { members[Report.complete.name] = .bool(isComplete(row)) }
        return .object(members)
    }

    /// Cells by RFC 4180 in their order; amounts in major units, as in `19.99`.
    private func csv(_ row: [String?]) -> [String] {
        zip(report.columns, row).map { column, cell in
            column.content == .text ? CsvField.harmless(cell ?? "") : shown(cell, column, in: row)
        } + (report.tellsDays ? [isComplete(row) ? "yes" : "no"] : [])
    }

    /// A cell for people: amounts in major units of the row's currency.
    package func shown(_ cell: String?, _ column: Report.Column, in row: [String?]) -> String {
        guard let cell else { return "" }
        return column.content == .amount ? Self.decimal(cell, places(of: row)) : cell
    }

    /// Decimal places of the row's currency.
    package func places(of row: [String?]) -> Int {
        guard let place = report.columns.firstIndex(where: { $0.name == "currency" }) else { return 0 }
        return Currency(row[place] ?? "")?.exponent ?? 0
    }

    /// Whole minor units of any length in major units.
    private static func decimal(_ minor: String, _ places: Int) -> String {
        guard places > 0 else { return minor }
        let isNegative = minor.hasPrefix("-")
        var digits = isNegative ? String(minor.dropFirst()) : minor
        digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (isNegative ? "-" : "") + digits.dropLast(places) + "." + digits.suffix(places)
    }

    /// A line by RFC 4180.
    private static func line(_ cells: [String]) -> String { cells.map(CsvField.quoted).joined(separator: ",") + "\r\n" }
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

    package var isNumber: Bool {
        switch content {
        case .amount, .count, .rate: true
        case .text, .day, .flag: false
        }
    }
}

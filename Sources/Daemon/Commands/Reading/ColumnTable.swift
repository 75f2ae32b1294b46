import Kernel

/// Rows in aligned columns for people.
struct ColumnTable {
    private var rows: [[String]]
    private let rightAligned: Set<Int>

    init(_ titles: [String], rightAligned: Set<Int> = []) {
        rows = [titles]
        self.rightAligned = rightAligned
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Self.plain)) }

    /// The table with a newline behind each row.
    var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                return rightAligned.contains(column) ? gap + cell : cell + gap
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// The table, or a sentence where it has no rows.
    func text(orSay sentence: String) -> String { rows.count > 1 ? text : sentence + "\n" }

    /// A terminal shows what a client wrote and obeys none of it.
    static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }
            )
        )
    }
}

/// How answers' values look in tables.
enum Cell {
    static func text(_ json: Json?) -> String {
        switch json {
        case .string(let text)?: text
        case .number(let number)?: number.text
        case .bool(let flag)?: flag ? "yes" : "no"
        case .null?, nil: "-"
        case .array?, .object?: json?.canonicalText ?? "-"
        }
    }

    /// `{"value": 1999, "currency": "EUR"}` as `19.99 EUR`.
    static func money(_ json: Json?) -> String {
        guard let minor = json?["value"]?.integer, let currency = json?["currency"]?.text else { return "-" }
        return money(minor, currency)
    }

    static func money(_ minor: Int64, _ code: String) -> String {
        Currency(code).map { "\(Money(minor, $0))" } ?? "\(minor) \(code)"
    }

    /// One of the sums of `amounts`; nothing where it is zero.
    static func sum(_ amounts: Json?, _ name: String) -> String {
        guard let minor = amounts?[name]?.integer, let code = amounts?["currency"]?.text, minor != 0 else { return "-" }
        return money(minor, code)
    }

    /// A time to the second.
    static func time(_ json: Json?) -> String {
        guard let text = json?.text else { return "-" }
        return String(text.prefix(19)).replacing("T", with: " ")
    }
}

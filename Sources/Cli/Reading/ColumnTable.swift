import Kernel

/// Rows in aligned columns for people.
struct ColumnTable {
    private var rows: [[String]]
    private let rightAligned: Set<Int>
    /// Of what was handed out before; later rows stand below it.
    private var widths: [Int] = []

    init(_ titles: [String], rightAligned: Set<Int> = []) {
        rows = [titles]
        self.rightAligned = rightAligned
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Self.plain)) }

    /// The table with a newline behind each row.
    var text: String {
        let widths = wanted
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

    private var wanted: [Int] {
        (0..<max(widths.count, rows.map(\.count).max() ?? 0)).map { column in
            let before = widths.indices.contains(column) ? widths[column] : 0
            return max(before, rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0)
        }
    }

    /// Hands out what was gathered, and begins anew below it in the same columns.
    mutating func take() -> String {
        defer { (widths, rows) = (wanted, []) }
        return text
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

    /// A time to the second, as the API writes it and commands take it: `2026-11-22T12:13:47Z`.
    static func time(_ json: Json?) -> String { json?.text.map { Timestamp($0).map(time) ?? $0 } ?? "-" }

    static func time(_ time: Timestamp) -> String { time.wholeSeconds }

    /// A word of the API in plain words, as in `capture or void`.
    static func words(_ json: Json?) -> String { json?.text.map(words) ?? "-" }

    static func words(_ name: String) -> String {
        name.map { $0.isUppercase ? " " + $0.lowercased() : $0 == "_" ? " " : String($0) }.joined()
    }
}

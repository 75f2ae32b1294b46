/// Fields of files that spreadsheets open.
package enum CsvField {
    /// What begins a formula, in the forms of wide letters, too.
    private static let formulas = Set("=+-@＝＋－＠".unicodeScalars)
    /// Where a spreadsheet of another country, or one that takes quotes for text, begins a cell.
    private static let cuts = Set(";|\t\r\n".unicodeScalars)

    /// A text that no spreadsheet takes for a formula, wherever it cuts it into cells.
    package static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { formulas.contains($0) || cuts.contains($0) }) else { return text }
        var safe = String.UnicodeScalarView()
        // A tab or an end of a line is left out before what follows it.
        if let first = text.unicodeScalars.first, "\t\r".unicodeScalars.contains(first) { safe.append("'") }
        var isFirst = true
        for scalar in text.unicodeScalars {
            if isFirst, formulas.contains(scalar) { safe.append("'") }
            safe.append(scalar)
            isFirst = cuts.contains(scalar)
        }
        return String(safe)
    }

    /// A field by RFC 4180.
    ///
    /// It looks at scalars: a mark under an accent is still a mark.
    package static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { marks.contains($0) }) else { return text }
        var field = String.UnicodeScalarView()
        field.append("\"")
        for scalar in text.unicodeScalars {
            if scalar == "\"" { field.append(scalar) }
            field.append(scalar)
        }
        field.append("\"")
        return String(field)
    }

    private static let marks = Set(",\"\r\n".unicodeScalars)
}

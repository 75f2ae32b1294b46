import CXlsxWriter

/// A workbook that is written row by row in constant memory (Office Open XML, by libxlsxwriter).
///
/// Texts are cells of texts, whatever they begin with: none becomes a formula. The same cells give the same bytes.
/// One writer at a time uses it, on whatever thread it is: so it may be handed from one to another.
@safe
package final class XlsxFile: @unchecked Sendable {
    package struct Failure: Error, Hashable, Sendable {
        /// As the library says it.
        package let reason: String
    }

    /// Rows that a sheet of a spreadsheet holds.
    package static let sheetRows = 1_048_576
    /// Characters of a cell.
    private static let cellCharacters = 32_767

    private let workbook: UnsafeMutablePointer<lxw_workbook>
    private var sheet: UnsafeMutablePointer<lxw_worksheet>?
    private var decimals: [Int: UnsafeMutablePointer<lxw_format>] = unsafe [:]
    private let bold: UnsafeMutablePointer<lxw_format>?
    private var isClosed = false
    /// Rows of the sheet so far.
    package private(set) var rows = 0

    /// Begins a file at `path`; what is there is replaced.
    package init(path: String) throws(Failure) {
        var options = unsafe lxw_workbook_options()
        unsafe options.constant_memory = 1
        guard let made = unsafe workbook_new_opt(path, &options) else { throw Failure(reason: "no memory") }
        unsafe workbook = made
        unsafe bold = workbook_add_format(made)
        if let bold = unsafe bold { unsafe format_set_bold(bold) }
        var properties = unsafe lxw_doc_properties()
        // A file of the same cells is the same file: it does not say when it was written. The library takes zero for now.
        unsafe properties.created = 1
        unsafe workbook_set_properties(made, &properties)
    }

    deinit { if !isClosed { _ = unsafe workbook_close(workbook) } }

    /// Begins the next sheet with the titles of its columns.
    package func addSheet(_ name: String, titles: [String] = []) throws(Failure) {
        unsafe sheet = workbook_add_worksheet(workbook, name)
        guard let sheet = unsafe sheet else { throw Failure(reason: "the sheet '\(name)' can't be made") }
        rows = 0
        guard !titles.isEmpty else { return }
        unsafe worksheet_freeze_panes(sheet, 1, 0)
        unsafe try add(titles.map(Cell.text), format: bold)
    }

    package enum Cell: Hashable, Sendable {
        case empty
        case text(String)
        /// A whole number of units of ten to the minus `places`: 1999 with two places is 19.99.
        case number(Int64, places: Int)
    }

    /// Adds a row below the last one.
    package func add(_ cells: [Cell]) throws(Failure) { unsafe try add(cells, format: nil) }

    @unsafe
    private func add(_ cells: [Cell], format: UnsafeMutablePointer<lxw_format>?) throws(Failure) {
        guard let sheet = unsafe sheet else { throw Failure(reason: "a row stands in a sheet") }
        for (column, cell) in cells.enumerated() {
            let place = (UInt32(rows), UInt16(column))
            let outcome: lxw_error
            switch cell {
            case .empty: continue
            case .text(let text):
                outcome = unsafe worksheet_write_string(
                    sheet,
                    place.0,
                    place.1,
                    Self.held(String(text.prefix(Self.cellCharacters))),
                    format
                )
            case .number(let units, let places):
                let value = places == 0 ? Double(units) : Double(units) / Self.power(places)
                outcome = unsafe worksheet_write_number(sheet, place.0, place.1, value, decimal(places))
            }
            guard outcome == LXW_NO_ERROR else { throw Self.failure(outcome) }
        }
        rows += 1
    }

    /// A text as a workbook can hold it: XML has no characters of the numbers FFFE and FFFF, one of which would spoil the
    /// whole file, and a spreadsheet takes `_x000D_` for the character of that number.
    private static func held(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var held = String.UnicodeScalarView()
        for (place, scalar) in scalars.enumerated() {
            if scalar == "_", isEscape(scalars[place...].prefix(7)) { held.append(contentsOf: "_x005F".unicodeScalars) }
            held.append(scalar.value == 0xFFFE || scalar.value == 0xFFFF ? "\u{FFFD}" : scalar)
        }
        return String(held)
    }

    private static func isEscape(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
        guard scalars.count == 7, scalars.dropFirst().first == "x", scalars.last == "_" else { return false }
        return scalars.dropFirst(2).dropLast().allSatisfy { $0.properties.isASCIIHexDigit }
    }

    /// Writes the file to its end.
    package func close() throws(Failure) {
        isClosed = true
        let outcome = unsafe workbook_close(workbook)
        guard outcome == LXW_NO_ERROR else { throw Self.failure(outcome) }
    }

    private static func power(_ places: Int) -> Double { (0..<places).reduce(1) { value, _ in value * 10 } }

    private func decimal(_ places: Int) -> UnsafeMutablePointer<lxw_format>? {
        if let known = unsafe decimals[places] { return unsafe known }
        guard let format = unsafe workbook_add_format(workbook) else { return nil }
        let zeros = places == 0 ? "0" : "0." + String(repeating: "0", count: places)
        unsafe format_set_num_format(format, zeros)
        unsafe decimals[places] = format
        return unsafe format
    }

    private static func failure(_ code: lxw_error) -> Failure {
        Failure(reason: unsafe lxw_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)")
    }
}

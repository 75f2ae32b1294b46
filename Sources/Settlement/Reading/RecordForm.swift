import Kernel

/// Turns records into lines: knows which cell is what, once it has read the header.
struct RecordForm {
    private let mapping: SettlementMapping
    private let amounts: AmountCell
    /// Of the cells as they are read.
    private let encoding: SettlementMapping.Encoding
    /// Places of the columns in a record of CSV, by `SettlementMapping.Column`'s order; `nil` where there is none.
    private var places: [Int?] = []
    private var selected: Int?
    private var width = 0
    private(set) var hasHeader: Bool
    private var currencies: [[UInt8]: Currency] = [:]

    private static let jsonLimits = JsonLimits(bytes: SettlementLimits.lineBytes, depth: 8)

    init(_ mapping: SettlementMapping) {
        self.mapping = mapping
        // A line of JSON is decoded whole.
        encoding = mapping.format == .ndjson ? .utf8 : mapping.encoding
        amounts = AmountCell(mapping, encoding)
        hasHeader = mapping.format == .ndjson
    }

    // MARK: CSV

    /// Reads a record; `nil` for the header, and for lines that do not count.
    mutating func record(_ cells: CsvCells, _ line: Int) throws(SettlementFault) -> SettlementLine? {
        guard hasHeader else {
            try readHeader(cells, line)
            return nil
        }
        guard cells.count == width else { throw SettlementFault(.columnCount, line: line) }
        if let only = mapping.only, let selected {
            let word = try text(cells[selected], line, only.column)
            guard only.words.contains(word) else { return nil }
        }
        let places = self.places
        return try self.line(line) { column in places[Self.index(column)].map { cells[$0] } }
    }

    private static func index(_ column: SettlementMapping.Column) -> Int {
        switch column {
        case .kind: 0
        case .providerReference: 1
        case .reference: 2
        case .amount: 3
        case .currency: 4
        case .fee: 5
        case .at: 6
        }
    }

    private mutating func readHeader(_ cells: CsvCells, _ line: Int) throws(SettlementFault) {
        var names: [String: Int] = [:]
        for place in 0..<cells.count {
            let name = try text(cells[place], line, nil)
            // Columns that nobody reads may have any name, twice, or none.
            names[name] = names[name] == nil ? place : -1
        }
        func place(_ name: String) throws(SettlementFault) -> Int {
            guard let place = names[name] else { throw SettlementFault(.columnMissing, line: line, column: name) }
            guard place >= 0 else { throw SettlementFault(.columnTwice, line: line, column: name) }
            return place
        }
        places = []
        for column in SettlementMapping.Column.allCases {
            if let name = mapping.columns[column] { places.append(try place(name)) } else { places.append(nil) }
        }
        if let only = mapping.only { selected = try place(only.column) }
        width = cells.count
        hasHeader = true
    }

    // MARK: NDJSON

    /// Reads a line that holds an object; `nil` where it does not count.
    mutating func object(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(SettlementFault) -> SettlementLine? {
        var content = Array(bytes)
        if mapping.encoding != encoding {
            guard let text = CellText.read(bytes, mapping.encoding) else {
                throw SettlementFault(.encodingWrong, line: line)
            }
            content = Array(text.utf8)
        }
        guard let json = try? Json(content, limits: Self.jsonLimits), json.members != nil else {
            throw SettlementFault(.jsonMalformed, line: line)
        }
        if let only = mapping.only {
            guard let word = json[only.column]?.scalarText, only.words.contains(word) else { return nil }
        }
        let columns = mapping.columns
        return try self.line(line) { column in
            columns[column].flatMap { json[$0]?.scalarText }.map { Array($0.utf8)[...] }
        }
    }

    // MARK: Both

    private mutating func line(_ number: Int, _ cell: (SettlementMapping.Column) -> ArraySlice<UInt8>?)
        throws(SettlementFault) -> SettlementLine
    {
        func fault(_ code: SettlementFault.Code, _ column: SettlementMapping.Column) -> SettlementFault {
            SettlementFault(code, line: number, column: mapping.columns[column])
        }
        func needed(_ column: SettlementMapping.Column) throws(SettlementFault) -> ArraySlice<UInt8> {
            guard let bytes = cell(column), !bytes.isEmpty else { throw fault(.cellMissing, column) }
            return bytes
        }
        let (kind, word) = try kind(cell, number)
        let currency = try currency(cell, number)
        var amount: Int64
        switch amounts.read(try needed(.amount), currency) {
        case .success(let value): amount = value
        case .failure(let code): throw fault(code, .amount)
        }
        if amount < 0 {
            // Providers that write what goes away below zero say the same thing twice; a total may be below zero.
            guard let kind, kind.side < 0 || !kind.isKept else { throw fault(.amountNegative, .amount) }
            if kind != .total { amount = -amount }
        }
        var fee: Int64?
        if let bytes = cell(.fee), !bytes.isEmpty {
            switch amounts.read(bytes, currency) {
            case .success(let value): fee = value
            case .failure(let code): throw fault(code, .fee)
            }
        }
        guard let time = mapping.dates.read(try needed(.at)) else { throw fault(.dateMalformed, .at) }
        return SettlementLine(
            number: Int32(clamping: number),
            kind: kind,
            word: word,
            amount: amount,
            currency: currency,
            fee: fee == 0 ? nil : fee,
            expectedFee: kind.flatMap { mapping.tariff[$0] }.flatMap { $0.fee(of: amount) },
            providerReference: try reference(cell(.providerReference), number, .providerReference),
            reference: try reference(cell(.reference), number, .reference),
            at: time.at,
            isLocal: time.isLocal
        )
    }

    private func kind(_ cell: (SettlementMapping.Column) -> ArraySlice<UInt8>?, _ line: Int) throws(SettlementFault)
        -> (SettlementKind?, String)
    {
        if let kind = mapping.kind { return (kind, "") }
        let bytes = cell(.kind) ?? []
        let name = mapping.columns[.kind] ?? ""
        let word = try text(bytes, line, name)
        guard !word.isEmpty else { throw SettlementFault(.cellMissing, line: line, column: name) }
        guard word.utf8.count <= SettlementLimits.wordBytes else {
            throw SettlementFault(.cellTooLong, line: line, column: name)
        }
        return (mapping.kinds[word], word)
    }

    private mutating func currency(_ cell: (SettlementMapping.Column) -> ArraySlice<UInt8>?, _ line: Int)
        throws(SettlementFault) -> Currency
    {
        if let fixed = mapping.currency { return fixed }
        let name = mapping.columns[.currency]
        guard let bytes = cell(.currency), !bytes.isEmpty else {
            throw SettlementFault(.cellMissing, line: line, column: name)
        }
        let key = Array(bytes)
        if let known = currencies[key] { return known }
        let word = try text(bytes, line, name)
        let found = mapping.currencies.isEmpty ? Currency(word) : mapping.currencies[word]
        guard let found else {
            let isOther = !mapping.currencies.isEmpty && Currency(word) != nil
            throw SettlementFault(isOther ? .currencyNotTaken : .currencyUnknown, line: line, column: name)
        }
        currencies[key] = found
        return found
    }

    private func reference(_ bytes: ArraySlice<UInt8>?, _ line: Int, _ column: SettlementMapping.Column)
        throws(SettlementFault) -> String?
    {
        guard let bytes, !bytes.isEmpty else { return nil }
        guard bytes.count <= SettlementLimits.referenceBytes else {
            throw SettlementFault(.cellTooLong, line: line, column: mapping.columns[column])
        }
        return try text(bytes, line, mapping.columns[column])
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ line: Int, _ column: String?) throws(SettlementFault) -> String {
        guard let text = CellText.read(bytes, encoding) else {
            throw SettlementFault(.encodingWrong, line: line, column: column)
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw SettlementFault(.controlCharacter, line: line, column: column)
        }
        return text
    }

    /// Holds what a file says that it comes to against its lines.
    func checkTotals(_ totals: SettlementTotals) throws(SettlementFault) {
        for (currency, stated) in totals.stated.sorted(by: { $0.key < $1.key }) {
            let moved = totals.moved[currency] ?? (0, 0)
            let sum =
                mapping.total == .net ? moved.gross.subtractingReportingOverflow(moved.fees) : (moved.gross, false)
            guard !sum.1, sum.0 == stated else {
                throw SettlementFault(.totalDiffers, column: mapping.columns[.amount])
            }
        }
    }
}

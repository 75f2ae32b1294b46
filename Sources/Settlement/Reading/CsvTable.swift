/// Reads a small table of CSV by RFC 4180 whole: the cells of each record as text in UTF-8, and the line on which it begins.
package enum CsvTable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    package static func records(_ bytes: [UInt8], delimiter: UInt8) throws(SettlementFault) -> [(
        line: Int, cells: [String]
    )] {
        let content = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
        var lines: [(bytes: ArraySlice<UInt8>, number: Int)] = []
        var cutter = LineCutter()
        try cutter.take(content) { (line, number) throws(SettlementFault) in lines.append((line, number)) }
        try cutter.end { (line, number) throws(SettlementFault) in lines.append((line, number)) }
        var found: [(line: Int, cells: CsvCells)] = []
        var csv = try CsvRecords(delimiter: delimiter)
        for line in lines {
            try csv.take(line.bytes, number: line.number) { (cells, first) throws(SettlementFault) in
                found.append((first, cells))
            }
        }
        try csv.end { (cells, first) throws(SettlementFault) in found.append((first, cells)) }
        var records: [(line: Int, cells: [String])] = []
        for record in found {
            var cells: [String] = []
            for index in 0..<record.cells.count {
                guard let text = CellText.read(record.cells[index], .utf8) else {
                    throw SettlementFault(.encodingWrong, line: record.line)
                }
                cells.append(text)
            }
            records.append((record.line, cells))
        }
        return records
    }
}

import CCsv

/// The cells of one record: their bytes in a row, and where each ends.
struct CsvCells {
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var ends: [Int] = []

    var count: Int { ends.count }

    subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }
}

/// Reads CSV by RFC 4180 with libcsv, line by line, so that a fault has its place and a record its bound.
///
/// It owns libcsv's parser, which is freed once.
@safe struct CsvRecords: ~Copyable {
    /// What libcsv's callbacks fill.
    private final class Sink {
        var cells = CsvCells()
        var isWhole = false
        var isTooWide = false
        /// Whether something follows a record on its line, as behind a bare carriage return.
        var isCrowded = false
    }

    private let parser: UnsafeMutablePointer<csv_parser>
    private let sink = Sink()
    /// The line on which the record at hand began.
    private var firstLine = 1
    private var bytesOfRecord = 0

    init(delimiter: UInt8) throws(SettlementFault) {
        unsafe parser = .allocate(capacity: 1)
        unsafe parser.initialize(to: csv_parser())
        let options = UInt8(CSV_STRICT | CSV_STRICT_FINI)
        guard unsafe csv_init(parser, options) == 0 else { throw SettlementFault(.csvMalformed) }
        unsafe csv_set_delim(parser, delimiter)
    }

    deinit {
        unsafe csv_free(parser)
        unsafe parser.deinitialize(count: 1)
        unsafe parser.deallocate()
    }

    /// Reads one line.
    ///
    /// Hands on a record with its first line where one ends here. Empty lines are none.
    mutating func take(
        _ line: ArraySlice<UInt8>,
        number: Int,
        _ body: (CsvCells, _ line: Int) throws(SettlementFault) -> Void
    ) throws(SettlementFault) {
        if bytesOfRecord == 0 { firstLine = number }
        bytesOfRecord += line.count
        guard bytesOfRecord <= SettlementLimits.lineBytes else {
            throw SettlementFault(.lineTooLong, line: firstLine)
        }
        let parser = unsafe self.parser
        let (sink, count) = (self.sink, line.count)
        let read = unsafe line.withUnsafeBytes { buffer in
            unsafe csv_parse(
                parser,
                buffer.baseAddress,
                count,
                Self.cellRead,
                Self.recordRead,
                Unmanaged.passUnretained(sink).toOpaque()
            )
        }
        guard read == count else { throw SettlementFault(.csvMalformed, line: firstLine) }
        try hand(body)
    }

    /// Ends the last record.
    mutating func end(_ body: (CsvCells, _ line: Int) throws(SettlementFault) -> Void) throws(SettlementFault) {
        let status = unsafe csv_fini(
            parser,
            Self.cellRead,
            Self.recordRead,
            Unmanaged.passUnretained(sink).toOpaque()
        )
        guard status == 0 else { throw SettlementFault(.csvMalformed, line: firstLine) }
        try hand(body)
    }

    private mutating func hand(_ body: (CsvCells, _ line: Int) throws(SettlementFault) -> Void)
        throws(SettlementFault)
    {
        guard !sink.isTooWide else { throw SettlementFault(.tooManyColumns, line: firstLine) }
        guard !sink.isCrowded else { throw SettlementFault(.csvMalformed, line: firstLine) }
        // An empty line ends no record and is none.
        if !sink.isWhole, sink.cells.count == 0, unsafe parser.pointee.pstate == 0 { bytesOfRecord = 0 }
        guard sink.isWhole else { return }
        try body(sink.cells, firstLine)
        sink.cells.bytes.removeAll(keepingCapacity: true)
        sink.cells.ends.removeAll(keepingCapacity: true)
        sink.isWhole = false
        bytesOfRecord = 0
    }

    private static func sink(_ data: UnsafeMutableRawPointer?) -> Sink? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<Sink>.fromOpaque(data).takeUnretainedValue()
    }

    private static let cellRead: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
        text,
        length,
        data in
        guard let sink = unsafe sink(data) else { return }
        guard !sink.isWhole else { return sink.isCrowded = true }
        guard sink.cells.count < SettlementLimits.columns else { return sink.isTooWide = true }
        unsafe sink.cells.bytes.append(contentsOf: UnsafeRawBufferPointer(start: text, count: length))
        sink.cells.ends.append(sink.cells.bytes.count)
    }

    private static let recordRead: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { _, data in
        unsafe sink(data)?.isWhole = true
    }
}

package import Kernel

/// Reads a settlement file by a mapping, piece by piece, in memory that does not grow with it.
///
/// 1. `take` gives it the file's next bytes and answers the lines that they complete; 2. `end` says that there are no more. A
/// fault ends the reading, and nothing of the file may be kept.
package struct SettlementReader: ~Copyable {
    package let mapping: SettlementMapping
    /// What its lines come to so far.
    package private(set) var totals = SettlementTotals()
    private let contentBytes: Int64
    private let mostLines: Int
    private var read: Int64 = 0
    /// The first bytes, until they tell whether the file is packed.
    private var head: [UInt8] = []
    private var isPlain = false
    private var gzip: GzipContent?
    private var cutter = LineCutter()
    private var csv: CsvRecords
    private var form: RecordForm
    private var lines: [SettlementLine] = []

    private static let mark: [UInt8] = [0x1F, 0x8B]
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads by a mapping; `contentBytes` bounds what the file may hold, unpacked, and `mostLines` its lines behind the header.
    package init(
        _ mapping: SettlementMapping,
        contentBytes: Int64 = SettlementLimits.contentBytes,
        mostLines: Int = SettlementLimits.lines
    ) throws(SettlementFault) {
        self.mapping = mapping
        self.mostLines = mostLines
        self.contentBytes = contentBytes
        csv = try CsvRecords(delimiter: mapping.delimiter.utf8.first ?? UInt8(ascii: ","))
        form = RecordForm(mapping)
        gzip = nil
    }

    /// Reads the next bytes; of a packed file a few KiB can hold some MiB.
    package mutating func take(_ piece: [UInt8]) throws(SettlementFault) -> [SettlementLine] {
        if isPlain || gzip != nil {
            try unpack(piece)
        } else {
            head += piece
            if head.count >= Self.byteOrderMark.count { try begin() }
        }
        return handOver()
    }

    /// Reads what the last bytes left over, and holds the file's own totals against its lines.
    package mutating func end() throws(SettlementFault) -> [SettlementLine] {
        if !isPlain, gzip == nil { try begin() }
        if gzip != nil { try gzip?.end() }
        var cutting = cutter
        try cutting.end { (line, number) throws(SettlementFault) in try accept(line, number: number) }
        if mapping.format == .csv {
            var cells: [(CsvCells, Int)] = []
            try csv.end { (record, line) throws(SettlementFault) in cells.append((record, line)) }
            for (record, line) in cells { try accept(record, line) }
        }
        guard form.hasHeader else { throw SettlementFault(.headerMissing) }
        guard totals.lines > 0 else { throw SettlementFault(.empty) }
        try form.checkTotals(totals)
        return handOver()
    }

    private mutating func handOver() -> [SettlementLine] {
        defer { lines = [] }
        return lines
    }

    private mutating func begin() throws(SettlementFault) {
        let first = head
        head = []
        if first.starts(with: Self.mark) {
            gzip = try GzipContent()
        } else {
            isPlain = true
        }
        try unpack(first)
    }

    private mutating func unpack(_ piece: [UInt8]) throws(SettlementFault) {
        guard gzip != nil else { return try cut(piece) }
        // What comes of a piece is read at once: it can be a thousand times as long.
        var begun = gzip.take()
        var fault: SettlementFault?
        do throws(SettlementFault) {
            try begun?.take(piece) { (content) throws(SettlementFault) in try cut(content) }
        } catch { fault = error }
        gzip = consume begun
        if let fault { throw fault }
    }

    private mutating func cut(_ content: [UInt8]) throws(SettlementFault) {
        let isFirst = read == 0
        read += Int64(content.count)
        guard read <= contentBytes else { throw SettlementFault(.contentTooLarge) }
        let content = isFirst && content.starts(with: Self.byteOrderMark) ? Array(content.dropFirst(3)) : content
        var cutting = cutter
        cutter = LineCutter()
        try cutting.take(content) { (line, number) throws(SettlementFault) in try accept(line, number: number) }
        cutter = cutting
    }

    /// Reads one line of the file.
    private mutating func accept(_ line: ArraySlice<UInt8>, number: Int) throws(SettlementFault) {
        guard number > mapping.skippedLines else { return }
        guard number <= mostLines + mapping.skippedLines + 1 else {
            throw SettlementFault(.tooManyLines, line: number, bound: mostLines)
        }
        switch mapping.format {
        case .csv:
            var whole: (CsvCells, Int)?
            try csv.take(line, number: number) { (cells, first) throws(SettlementFault) in whole = (cells, first) }
            if let (cells, first) = whole { try accept(cells, first) }
        case .ndjson:
            guard line.contains(where: { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }) else { return }
            if let record = try form.object(line, number) { try add(record) }
        }
    }

    private mutating func accept(_ cells: CsvCells, _ line: Int) throws(SettlementFault) {
        if let record = try form.record(cells, line) { try add(record) }
    }

    private mutating func add(_ line: SettlementLine) throws(SettlementFault) {
        try totals.add(line)
        guard line.kind.map(\.isKept) ?? true else { return }
        lines.append(line)
    }
}

/// What the lines of a file come to, by kind and currency, and what the file says itself.
package struct SettlementTotals: Hashable, Sendable {
    package struct Key: Hashable, Sendable, Comparable {
        /// `unknown` where the mapping does not know the word.
        package let kind: String
        package let currency: Currency

        package static func < (left: Key, right: Key) -> Bool {
            (left.kind, left.currency) < (right.kind, right.currency)
        }
    }

    package struct Sum: Hashable, Sendable {
        package var lines = 0
        package var amount: Int64 = 0
        package var fees: Int64 = 0
    }

    package private(set) var sums: [Key: Sum] = [:]
    /// What the lines of a currency come to, each the way its kind says, payouts apart; and the fees of them.
    package private(set) var moved: [Currency: (gross: Int64, fees: Int64)] = [:]
    /// What the file itself says that a currency's lines come to.
    package private(set) var stated: [Currency: Int64] = [:]
    /// Lines that are kept.
    package private(set) var lines = 0
    /// The first and the last time of a line.
    package private(set) var first: Timestamp?
    package private(set) var last: Timestamp?
    package private(set) var isLocal = false

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.sums == right.sums && left.stated == right.stated && left.lines == right.lines
            && left.first == right.first && left.last == right.last
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(sums) }

    mutating func add(_ line: SettlementLine) throws(SettlementFault) {
        let overflow = SettlementFault(.amountOverflow, line: Int(line.number))
        func sum(_ one: Int64, _ other: Int64) throws(SettlementFault) -> Int64 {
            let (value, isOver) = one.addingReportingOverflow(other)
            guard !isOver else { throw overflow }
            return value
        }
        if line.kind == .ignored { return }
        if line.kind == .total {
            stated[line.currency] = try sum(stated[line.currency] ?? 0, line.amount)
            return
        }
        lines += 1
        first = min(first ?? line.at, line.at)
        last = max(last ?? line.at, line.at)
        isLocal = line.isLocal
        let key = Key(kind: line.kind?.rawValue ?? "unknown", currency: line.currency)
        var known = sums[key] ?? Sum()
        known.lines += 1
        known.amount = try sum(known.amount, line.amount)
        known.fees = try sum(known.fees, line.fee ?? 0)
        sums[key] = known
        guard let kind = line.kind, kind != .payout else { return }
        let before = moved[line.currency] ?? (0, 0)
        moved[line.currency] = (
            try sum(before.gross, kind.side * line.amount), try sum(before.fees, line.fee ?? 0)
        )
    }

    /// Sums by kind and currency, amounts in minor units.
    package var json: Json {
        .array(
            sums.sorted { $0.key < $1.key }.map { key, sum in
                [
                    "kind": .string(key.kind), "currency": .string(key.currency.code),
                    "lines": .integer(Int64(sum.lines)), "amount": .integer(sum.amount), "fees": .integer(sum.fees),
                ]
            }
        )
    }
}

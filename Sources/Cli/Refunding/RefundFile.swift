import Crypto
import Kernel
import Settlement
import SystemKit

/// A file of refunds, read whole: its lines with their keys, and what is wrong with the others.
struct RefundFile: Sendable {
    /// A refund and the idempotency key of its command.
    struct Entry: Hashable, Sendable {
        let line: RefundLine
        let key: String
    }

    private(set) var entries: [Entry] = []
    private(set) var faults: [RefundFault] = []

    static let mostLines = 50_000
    static let batchBytes = 64
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads a table with a header, or lines of JSON where the first byte begins an object.
    ///
    /// The keys derive from the batch's name and from what each line says, or are the lines' own: the same line of the same batch is
    /// one command, wherever it stands. Without a name, the digest of the file is its name.
    init(_ bytes: [UInt8], batch: String?) throws(UsageError) {
        if let batch {
            guard (1...Self.batchBytes).contains(batch.utf8.count),
                batch.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw UsageError("a batch's name is 1 to \(Self.batchBytes) printable ASCII characters without spaces")
            }
        }
        let content = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(Self.byteOrderMark.count)) : bytes
        let first = content.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        let lines = try first == UInt8(ascii: "{") ? readJson(content) : readTable(content)
        guard !lines.isEmpty || !faults.isEmpty else { throw UsageError("the file holds no refund") }
        guard lines.count + faults.count <= Self.mostLines else {
            throw UsageError("a file has at most \(Self.mostLines) refunds")
        }
        name(lines, batch ?? String(Hex.encode(Digest.sha256(bytes)).prefix(32)))
        faults.sort { $0.line < $1.line }
    }

    private mutating func readJson(_ bytes: [UInt8]) -> [RefundLine] {
        var lines: [RefundLine] = []
        for (index, text) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
        where text.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) {
            guard let json = try? Json(Array(text), limits: .api) else {
                faults.append(RefundFault(line: index + 1, reason: "it is no JSON"))
                continue
            }
            take(&lines, index + 1) { () throws(UsageError) in try RefundLine(number: index + 1, json: json) }
        }
        return lines
    }

    private mutating func readTable(_ bytes: [UInt8]) throws(UsageError) -> [RefundLine] {
        let records: [(line: Int, cells: [String])]
        do throws(SettlementFault) {
            records = try CsvTable.records(bytes, delimiter: UInt8(ascii: ","))
        } catch { throw UsageError("the file is no table: \(error)") }
        guard let header = records.first?.cells.map({ $0.filter { $0 != " " } }) else {
            throw UsageError("the file holds no refund")
        }
        if let odd = header.first(where: { !RefundLine.names.contains($0) }) {
            throw UsageError("there is no column '\(odd)'; columns are \(RefundLine.names.joined(separator: ", "))")
        }
        guard Set(header).count == header.count else { throw UsageError("a column stands twice in the header") }
        var lines: [RefundLine] = []
        for record in records.dropFirst() {
            guard record.cells.count == header.count else {
                let reason = "it has \(record.cells.count) cells, and the header \(header.count)"
                faults.append(RefundFault(line: record.line, reason: reason))
                continue
            }
            let cells = Dictionary(uniqueKeysWithValues: zip(header, record.cells))
            take(&lines, record.line) { () throws(UsageError) in try RefundLine(number: record.line, cells: cells) }
        }
        return lines
    }

    private mutating func take(
        _ lines: inout [RefundLine],
        _ number: Int,
        _ read: () throws(UsageError) -> RefundLine
    ) {
        do throws(UsageError) { lines.append(try read()) } catch {
            faults.append(RefundFault(line: number, reason: error.description))
        }
    }

    /// Gives each line its key; of two lines under one key the second is a fault.
    private mutating func name(_ lines: [RefundLine], _ batch: String) {
        var counts: [RefundLine.Content: Int] = [:]
        var keys: [String: Int] = [:]
        for line in lines {
            let content = RefundLine.Content(line)
            counts[content, default: 0] += 1
            let said: Json = .array([line.content, .integer(Int64(counts[content] ?? 1))])
            let key = line.ownKey ?? "refund:\(batch):\(Hex.encode(Digest.sha256(said.canonical)).prefix(32))"
            if let other = keys.updateValue(line.number, forKey: key) {
                faults.append(RefundFault(line: line.number, reason: "line \(other) has the same key"))
            } else {
                entries.append(Entry(line: line, key: key))
            }
        }
    }
}

extension RefundLine {
    /// What makes two lines the same but for their keys.
    struct Content: Hashable {
        private let target: Target
        private let amount: Money?
        private let reason: String?

        init(_ line: RefundLine) { (target, amount, reason) = (line.target, line.amount, line.reason) }
    }
}

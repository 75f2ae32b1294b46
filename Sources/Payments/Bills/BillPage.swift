import EventSourcing
package import Kernel

/// A page of an upload: one JSON object a line, `{"id": "…", "amount": {"value": 1000, "currency": "UAH"}}`.
package struct BillPage: Hashable, Sendable {
    package let lines: [BillLine]
    package let total: Money

    /// Bills of one page.
    package static let mostLines = 500
    /// Bytes of one page.
    package static let mostBytes = 64 * 1024
    package static let idBytes = 64

    /// A fault of a page and the line that has it, counted from 1.
    package struct Failure: Error, Hashable, Sendable {
        package let line: Int
        package let reason: String
    }

    /// Reads a page whose first bill has the place `first`.
    package init(_ bytes: [UInt8], first: Int, currency: Currency) throws(Failure) {
        guard bytes.count <= Self.mostBytes else { throw Failure(line: 1, reason: "page_too_large") }
        var lines: [BillLine] = []
        var total = Money.zero(currency)
        var ids: Set<String> = []
        var number = 0
        for raw in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let text = raw.last == 0x0D ? raw.dropLast() : raw
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            guard lines.count < Self.mostLines else { throw Failure(line: number, reason: "too_many_bills") }
            let line = try Self.line(Array(text), first + lines.count, currency, at: number)
            guard ids.insert(line.id).inserted else { throw Failure(line: number, reason: "bill_repeated") }
            guard let sum = try? total.adding(line.amount) else {
                throw Failure(line: number, reason: "amount_overflow")
            }
            total = sum
            lines.append(line)
        }
        guard !lines.isEmpty else { throw Failure(line: 1, reason: "page_empty") }
        self.lines = lines
        self.total = total
    }

    private static func line(_ bytes: [UInt8], _ ordinal: Int, _ currency: Currency, at number: Int) throws(Failure)
        -> BillLine
    {
        guard let json = try? Json(bytes), let members = json.members else {
            throw Failure(line: number, reason: "not_an_object")
        }
        guard members.count == 2, let id = json["id"]?.text, let given = json["amount"] else {
            throw Failure(line: number, reason: "id_and_amount_needed")
        }
        guard (1...idBytes).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Failure(line: number, reason: "id_malformed")
        }
        guard let amount = Money(json: given) else { throw Failure(line: number, reason: "amount_malformed") }
        guard amount.currency == currency else { throw Failure(line: number, reason: "currency_mismatch") }
        guard amount.minor > 0 else { throw Failure(line: number, reason: "amount_not_positive") }
        return BillLine(ordinal: ordinal, id: id, amount: amount)
    }
}

/// Cuts an upload into pages as its bytes come: whole lines, at most so many and so many bytes.
///
/// The same upload gives the same pages, whatever pieces the wire made of it.
package struct BillPager: Sendable {
    private var bytes: [UInt8] = []
    private var lines = 0
    private var lineStart = 0

    package init() {}

    /// Takes a piece and gives the pages that it completes.
    package mutating func take(_ piece: some Sequence<UInt8>) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        for byte in piece {
            bytes.append(byte)
            guard byte == 0x0A || bytes.count > BillPage.mostBytes else { continue }
            if bytes.count > BillPage.mostBytes {
                // The line that does not fit begins the next page; one that is longer than a page ends as one and fails.
                let fitting = lineStart > 0 ? lineStart : bytes.count
                pages.append(Array(bytes[..<fitting]))
                bytes.removeFirst(fitting)
                lines = 0
                lineStart = 0
                guard byte == 0x0A, !bytes.isEmpty else { continue }
            }
            lines += 1
            lineStart = bytes.count
            guard lines >= BillPage.mostLines else { continue }
            pages.append(bytes)
            bytes = []
            lines = 0
            lineStart = 0
        }
        return pages
    }

    /// Ends the reading and gives the rest; `nil` where nothing is left.
    package mutating func end() -> [UInt8]? {
        defer { self = BillPager() }
        return bytes.contains(where: { $0 > 0x20 }) ? bytes : nil
    }
}

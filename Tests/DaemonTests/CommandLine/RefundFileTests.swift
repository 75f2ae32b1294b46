import Glibc
import Kernel
import SystemKit
import Testing

@testable import Cli

/// Files of refunds: what their lines say, what is wrong with them, and the keys of their commands.
struct RefundFileTests {
    private static let id = "pay_01900000000070008000000000000abc"
    private static let other = "pay_01900000000070008000000000000abd"

    private static func file(_ text: String, batch: String? = nil) throws -> RefundFile {
        try RefundFile(Array(text.utf8), batch: batch)
    }

    @Test func `a table names payments, references, amounts, reasons and keys`() throws {
        let file = try Self.file(
            """
            \u{FEFF}payment,reference,amount,currency,reason,key\r
            \(Self.id),,19.99,EUR,"one, came back",\r
            ,order-7,,,,own-1\r

            ,"order ""8""\",100,JPY,,
            """
        )
        #expect(file.faults.isEmpty)
        #expect(file.entries.map(\.line.number) == [2, 3, 5])
        #expect(file.entries.map(\.line.payment?.text) == [Self.id, nil, nil])
        #expect(file.entries.map(\.line.reference) == [nil, "order-7", "order \"8\""])
        #expect(file.entries.map(\.line.amount?.minor) == [1999, nil, 100])
        #expect(file.entries[0].line.reason == "one, came back" && file.entries[1].key == "own-1")
        #expect(file.entries[0].line.body.canonicalText.contains("1999"))
    }

    @Test func `lines of JSON say the same`() throws {
        let file = try Self.file(
            """
            {"payment": "\(Self.id)", "amount": {"value": 1999, "currency": "EUR"}, "reason": "one, came back"}

            {"reference": "order-7", "key": "own-1"}
            """
        )
        #expect(file.faults.isEmpty && file.entries.map(\.line.number) == [1, 3])
        #expect(file.entries[0].line.amount?.minor == 1999 && file.entries[1].key == "own-1")
    }

    @Test func `a mark of the byte order says nothing, before a table and before lines of JSON`() throws {
        for text in ["payment\n\(Self.id)\n", "{\"payment\": \"\(Self.id)\"}\r\n"] {
            let file = try Self.file("\u{FEFF}" + text)
            #expect(file.faults.isEmpty && file.entries.map(\.line.payment?.text) == [Self.id], "\(text)")
        }
    }

    @Test func `a journal answers for the command that it was told of, and for no other under its key`() throws {
        let path = "/tmp/paystream-refunds-\(getpid()).journal"
        defer { unlink(path) }
        func order(_ payment: String, _ cents: Int) throws -> RefundOrder {
            let line =
                "{\"payment\": \"\(payment)\", \"key\": \"k\", \"amount\": {\"value\": \(cents), \"currency\": \"EUR\"}}"
            let entry = try #require(try Self.file(line).entries.first)
            return RefundOrder(entry: entry, payment: try #require(entry.line.payment))
        }
        let sent = try order(Self.id, 100)
        try RefundJournal(path, of: "http://127.0.0.1 shop").keep(RefundResult(sent, .refunded))
        let same = RefundJournal(path, of: "http://127.0.0.1 shop")
        #expect(same.result(of: sent)?.outcome == .refunded)
        #expect(try same.result(of: order(Self.id, 200)) == nil, "another amount")
        #expect(try same.result(of: order(Self.other, 100)) == nil, "another payment")
        #expect(RefundJournal(path, of: "http://127.0.0.1 rehearsal").result(of: sent) == nil, "another merchant")
        try same.keep(RefundResult(sent, .unknown))
        #expect(RefundJournal(path, of: "http://127.0.0.1 shop").result(of: sent) == nil, "no end")
    }

    @Test func `every bad line is told with its number, and the good ones stand`() throws {
        let file = try Self.file(
            """
            payment,amount,currency
            \(Self.id),1,EUR
            pay_1,1,EUR
            ,1,EUR
            \(Self.id),1.999,EUR
            \(Self.id),1,XXQ
            \(Self.id),-1,EUR
            \(Self.id),1,
            \(Self.id),,EUR
            \(Self.id),1
            \(Self.other),,
            """
        )
        #expect(file.faults.map(\.line) == [3, 4, 5, 6, 7, 8, 9, 10])
        #expect(file.entries.map(\.line.number) == [2, 11])
        let json = try Self.file(
            "{\"payment\": 7}\nno\n{\"reference\": \"a\", \"note\": \"b\"}\n{\"reference\": \"a\"}"
        )
        #expect(json.faults.map(\.line) == [1, 2, 3] && json.entries.map(\.line.number) == [4])
    }

    @Test(arguments: ["", "\n \n", "payment,amout\n", "payment,payment\n", "payment\n\"open", "payment\n"])
    func `what is no file of refunds is refused whole`(_ text: String) {
        #expect(throws: UsageError.self) { try Self.file(text) }
    }

    @Test func `a line has one key for ever, and equal lines of a file have two`() throws {
        let table = "payment,amount,currency\n\(Self.id),1,EUR\n\(Self.id),1,EUR\n\(Self.id),2,EUR\n"
        let keys = try Self.file(table).entries.map(\.key)
        #expect(Set(keys).count == 3)
        #expect(try Self.file(table).entries.map(\.key) == keys)
        // Another file is another batch; under one name a line that moved is the same refund.
        let moved = "payment,amount,currency\n\(Self.other),5,EUR\n\(Self.id),1,EUR\n\(Self.id),2,EUR\n"
        #expect(Set(try Self.file(moved).entries.map(\.key)).isDisjoint(with: keys))
        let first = try Self.file(table, batch: "may").entries.map(\.key)
        let second = try Self.file(moved, batch: "may").entries.map(\.key)
        #expect(second[1] == first[0] && second[2] == first[2] && !first.contains(second[0]))
        #expect(Set(try Self.file(table, batch: "june").entries.map(\.key)).isDisjoint(with: first))
        let same = try Self.file("payment,key\n\(Self.id),k\n\(Self.other),k\n")
        #expect(same.entries.map(\.line.number) == [2] && same.faults.map(\.line) == [3])
    }
}

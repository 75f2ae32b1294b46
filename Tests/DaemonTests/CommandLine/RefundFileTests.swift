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

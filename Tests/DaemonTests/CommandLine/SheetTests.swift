import EventSourcing
import Kernel
import Testing

@testable import Cli

/// What commands print for people.
struct SheetTests {
    @Test func `a resource is a line for each fact and a table for each list`() throws {
        let resource: Json = [
            "id": "sch_1", "createdAt": "2026-11-22T12:13:47.123456Z", "amount": ["value": 1999, "currency": "EUR"],
            "policy": ["dunning": ["name": "gentle"]], "tags": ["a", "b"],
            "tries": [["at": "2026-11-22T12:13:47Z", "isLate": false], ["at": "2026-11-23T12:13:47Z"]],
        ]
        #expect(
            Sheet.text(resource) == """
                id                   sch_1
                created at           2026-11-22T12:13:47Z
                amount               19.99 EUR
                policy dunning name  gentle
                tags                 a b

                TRIES
                AT                    IS LATE
                2026-11-22T12:13:47Z  no
                2026-11-23T12:13:47Z  -

                """
        )
    }

    @Test func `a page of things is a table, and an empty one says so`() {
        #expect(Sheet.text(["items": [["name": "x", "id": "1", "object": "thing"]]]) == "ID  NAME\n1   x\n")
        #expect(Sheet.text(["items": []]) == "nothing\n")
    }

    @Test func `times are told in one form, which commands take`() {
        let time = Timestamp(microseconds: 1_795_349_627_123_456)
        #expect(Cell.time(time.json) == Cell.time(time))
        #expect(Timestamp(Cell.time(time)) != nil && Cell.time(time).hasSuffix("Z"))
        #expect(Cell.time(Json?.none) == "-")
    }

    @Test func `words of the API become plain words`() {
        #expect(Cell.words("captureOrVoid") == "capture or void")
        #expect(Cell.words("expiry_month") == "expiry month")
    }

    @Test func `what follows stands in the columns of what was handed out`() {
        var table = ColumnTable(["A", "B"])
        table.add(["long", "1"])
        #expect(table.take() == "A     B\nlong  1\n")
        table.add(["x", "2"])
        #expect(table.take() == "x     2\n")
    }

    @Test func `a control character of a client does not reach the terminal`() {
        #expect(!Sheet.text(["name": "a\u{1B}[2J"]).contains("\u{1B}"))
    }
}

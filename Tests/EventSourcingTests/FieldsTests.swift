import EventSourcing
import Kernel
import Testing

private enum Word: String { case first, second }

struct FieldsTests {
    private let fields = Fields([
        "text": "x", "integer": 5, "big": 4_294_967_296, "flag": true, "uuid": "00000000-0000-0001-0000-000000000002",
        "time": "2026-11-21T04:07:00.000000Z", "money": ["currency": "EUR", "value": 1999], "word": "second",
        "null": .null,
        "id": "pay_00000000000000010000000000000002", "inner": ["text": "y"],
    ])

    @Test func `members are read with their types`() throws {
        #expect(try fields.text("text") == "x" && fields.integer("integer") == 5 && fields.flag("flag"))
        #expect(try fields.uuid("uuid") == Uuid(high: 1, low: 2))
        #expect(try fields.time("time").description == "2026-11-21T04:07:00.000000Z")
        #expect(try fields.money("money").description == "19.99 EUR")
        let word: Word = try fields.word("word")
        let id: PaymentId = try fields.id("id")
        #expect(word == .second && id == PaymentId(Uuid(high: 1, low: 2)))
        #expect(try fields.fields("inner").text("text") == "y")
        #expect(fields.has("null") && !fields.has("absent"))
    }

    @Test func `a missing member and one of another type name themselves`() {
        #expect(throws: CodecFailure("absent")) { try fields.text("absent") }
        #expect(throws: CodecFailure("integer")) { try fields.text("integer") }
        #expect(throws: CodecFailure("big")) { try fields.int32("big") }
        #expect(throws: CodecFailure("text")) { try fields.money("text") }
        #expect(throws: CodecFailure("text")) { let _: Word = try fields.word("text") }
        #expect(throws: CodecFailure("id")) { let _: OperationId = try fields.id("id") }
    }

    @Test func `an optional member may be absent but not of another type`() throws {
        #expect(try fields.optionalText("absent") == nil && fields.optionalMoney("absent") == nil)
        #expect(try fields.optionalText("text") == "x" && fields.optionalInt("integer") == 5)
        #expect(throws: CodecFailure("null")) { try fields.optionalText("null") }
        #expect(throws: CodecFailure("text")) { try fields.optionalTime("text") }
    }

    @Test func `values are read as they were written`() throws {
        let money = Money(-5, try #require(Currency("KWD")))
        let id = PaymentId(Uuid(high: 1, low: 2))
        let time = Timestamp(microseconds: 1)
        let fields = Fields(["money": money.json, "id": id.json, "time": time.json, "uuid": id.uuid.json])
        #expect(try fields.money("money") == money && fields.time("time") == time && fields.uuid("uuid") == id.uuid)
        let read: PaymentId = try fields.id("id")
        #expect(read == id)
        for broken: Json in [
            ["currency": "EUR"], ["currency": "EUR", "value": 1, "x": 1], ["currency": "eur", "value": 1], 1,
        ] {
            #expect(Money(json: broken) == nil)
        }
    }
}

import Kernel
import TestKit
import Testing

struct JsonTextTests {
    private static let id = PaymentId(Uuid(high: 0x0190_0000_0000_7001, low: 0x8000_0000_0000_00ff))
    private static let time = Timestamp(microseconds: 1_700_000_000_000_001)

    @Test func `its text is that of the same members as a tree`() throws {
        let money = Money(-1999, try #require(Currency("EUR")))
        let tree: Json = .compact([
            ("text", "a\"b\\c\u{1}é"), ("number", .integer(-7)), ("flag", false), ("tree", ["b": 1, "a": []]),
            ("absent", nil), ("time", .string(Self.time.description)), ("uuid", .string(Self.id.uuid.description)),
            ("id", .string(Self.id.text)), ("money", ["currency": "EUR", "value": -1999]),
            ("object", ["inner": ["deep": true], "empty": [:]]), ("list", [["n": 1], [:], ["n": 3]]), ("none", []),
            ("last", "z"),
        ])
        let written = JsonText.object { out in
            out.member("text", "a\"b\\c\u{1}é")
            out.member("number", -7 as Int64)
            out.member("flag", false)
            out.member("tree", ["b": 1, "a": []] as Json)
            out.member("absent", nil as Json?)
            out.member("absent", nil as String?)
            out.member("absent", nil as Timestamp?)
            out.member("time", Self.time)
            out.member("uuid", Self.id.uuid)
            out.member("id", Self.id)
            out.member("money", money)
            out.member("object") { out in
                out.member("inner") { $0.member("deep", true) }
                out.member("empty") { _ in }
            }
            out.member("list", listing: [1, 0, 3]) { if $0 > 0 { $1.member("n", Int64($0)) } }
            out.member("left out", listing: [Int]()) { _, _ in }
            out.member("none", listing: [Int](), isAlwaysShown: true) { _, _ in }
            out.member("last", "z")
        }
        #expect(String(decoding: written, as: UTF8.self) == String(decoding: tree.compactBytes, as: UTF8.self))
        #expect(JsonText.object { _ in } == Array("{}".utf8))
    }

    @Test func `it is read as the tree that it is`() {
        #expect(Json.reading { $0.member("id", Self.id) } == ["id": .string(Self.id.text)])
    }

    @Test func `times and identifiers are written as they are printed`() throws {
        try forAll(runs: 200, seed: 12) { random in
            let uuid = Uuid(high: random.next(), low: random.next())
            let time = Timestamp(
                microseconds: Int64.random(in: -10_000_000_000_000...99_000_000_000_000_000, using: &random)
            )
            let written = JsonText.object {
                $0.member("uuid", uuid)
                $0.member("time", time)
                $0.member("id", OperationId(uuid))
            }
            let tree: Json = [
                "uuid": .string(uuid.description), "time": .string(time.description),
                "id": .string(OperationId(uuid).text),
            ]
            #expect(written == tree.compactBytes)
        }
    }
}

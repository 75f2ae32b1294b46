import Kernel
import TestKit
import Testing

/// A document that must be refused, with the reason and the byte.
struct RefusedJson: Sendable, CustomTestStringConvertible {
    let text: String
    let code: JsonFailure.Code
    let offset: Int

    init(_ text: String, _ code: JsonFailure.Code, _ offset: Int) {
        self.text = text
        self.code = code
        self.offset = offset
    }

    var testDescription: String { "\(text) (\(code) at \(offset))" }

    static let all = [
        RefusedJson("", .unexpectedEnd, 0), RefusedJson("  ", .unexpectedEnd, 2), RefusedJson("[", .unexpectedEnd, 1),
        RefusedJson("[1", .unexpectedEnd, 2), RefusedJson("[1,", .unexpectedEnd, 3),
        RefusedJson("{", .unexpectedEnd, 1),
        RefusedJson("{\"a\"", .unexpectedEnd, 4), RefusedJson("{\"a\":", .unexpectedEnd, 5),
        RefusedJson("{\"a\":1", .unexpectedEnd, 6), RefusedJson("\"a", .unexpectedEnd, 2),
        RefusedJson("\"\\", .unexpectedEnd, 2), RefusedJson("tru", .unexpectedEnd, 3),
        RefusedJson("-", .unexpectedEnd, 1), RefusedJson("1.", .unexpectedEnd, 2), RefusedJson("1e", .unexpectedEnd, 2),
        RefusedJson("1e+", .unexpectedEnd, 3), RefusedJson("\"\\u00", .unexpectedEnd, 5),
        RefusedJson("?", .unexpectedByte, 0), RefusedJson("\u{FEFF}1", .unexpectedByte, 0),
        RefusedJson("trux", .unexpectedByte, 3), RefusedJson("True", .unexpectedByte, 0),
        RefusedJson("NaN", .unexpectedByte, 0), RefusedJson("'a'", .unexpectedByte, 0),
        RefusedJson("[1,]", .unexpectedByte, 3), RefusedJson("[,1]", .unexpectedByte, 1),
        RefusedJson("[1 2]", .unexpectedByte, 3), RefusedJson("{1:2}", .unexpectedByte, 1),
        RefusedJson("{\"a\" 1}", .unexpectedByte, 5), RefusedJson("{\"a\":1,}", .unexpectedByte, 7),
        RefusedJson("[1}", .unexpectedByte, 2), RefusedJson("{\"a\":1]", .unexpectedByte, 6),
        RefusedJson("+1", .unexpectedByte, 0), RefusedJson(".5", .unexpectedByte, 0),
        RefusedJson("/**/1", .unexpectedByte, 0), RefusedJson("\u{A0}1", .unexpectedByte, 0),
        RefusedJson("01", .badNumber, 1), RefusedJson("-01", .badNumber, 2), RefusedJson("-a", .badNumber, 1),
        RefusedJson("1.a", .badNumber, 2), RefusedJson("1.e5", .badNumber, 2), RefusedJson("1ex", .badNumber, 2),
        RefusedJson("\"\\x\"", .badEscape, 2), RefusedJson("\"\\u00g0\"", .badEscape, 5),
        RefusedJson("\"\\ud800\"", .badUnicode, 7), RefusedJson("\"\\ud800x\"", .badUnicode, 7),
        RefusedJson("\"\\ud800\\u0041\"", .badUnicode, 13), RefusedJson("\"\\udc00\"", .badUnicode, 7),
        RefusedJson("\"a\nb\"", .controlCharacter, 2), RefusedJson("\"\\n\u{1}\"", .controlCharacter, 3),
        RefusedJson("{\"a\":1,\"a\":2}", .duplicateName, 7), RefusedJson("{\"a\":1,\"\\u0061\":2}", .duplicateName, 7),
        RefusedJson("1 2", .trailingBytes, 2), RefusedJson("{}x", .trailingBytes, 2),
        RefusedJson("1\u{0}", .trailingBytes, 1),
    ]
}

struct JsonReaderTests {
    @Test(arguments: RefusedJson.all)
    func `a document outside the grammar is refused with its place`(_ refused: RefusedJson) {
        #expect(throws: JsonFailure(code: refused.code, offset: refused.offset)) { try Json(text: refused.text) }
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
    ])
    func `bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) {
        #expect(throws: JsonFailure(code: .badUnicode, offset: 1)) { try Json(bytes) }
    }

    @Test(arguments: [
        "0", "-0", "1.0", "1e5", "1E+5", "-0.0e-0", "5028800010128001", "12345678901234567890", "0.1000",
    ])
    func `a number keeps its digits`(_ text: String) throws {
        #expect(try Json(text: " \(text) ").canonicalText == text)
    }

    @Test func `an integer is one without fraction and exponent that fits`() throws {
        let known: [(String, Int64?)] = [
            ("0", 0), ("-1", -1), ("5028800010128001", 5_028_800_010_128_001), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil), ("1.0", nil), ("1e5", nil), ("-0", nil),
        ]
        for (text, value) in known { #expect(try Json(text: text).integer == value, "\(text)") }
    }

    @Test func `escapes and pairs become the characters they mean`() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\u0000 é😀""#
        #expect(try Json(text: text).text == "\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{1F600}\u{0} é😀")
    }

    @Test func `names that look alike but have other bytes are different members`() throws {
        let json = try Json(text: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(json["\u{E9}"] == 1 && json["e\u{301}"] == 2)
        #expect(json != (try Json(text: "{\"\u{E9}\":2,\"e\u{301}\":1}")))
        #expect(json == (try Json(text: "{\"e\u{301}\":2,\"\u{E9}\":1}")))
        #expect(Json.string("\u{E9}") != .string("e\u{301}"))
    }

    @Test func `a repeated name is found among many`() throws {
        let names = (0..<1000).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
        #expect(try Json(text: "{\(names)}").members?.count == 1000)
        #expect(throws: JsonFailure.self) { try Json(text: "{\(names),\"n500\":1}") }
        #expect(throws: JsonFailure.self) { try Json(text: "{\(names),\"n3\":1}") }
    }

    @Test func `where repeats are taken, equal ones are one and others are refused`() throws {
        let limits = JsonLimits.repeating
        let many = (0..<20).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
        for rest in ["", "," + many] {
            let json = try Json(text: #"{"a":{"b":1,"c":2},"a":{"c":2,"b":1}\#(rest)}"#, limits: limits)
            #expect(json["a"] == ["b": 1, "c": 2])
            #expect(json.members?.count == (rest.isEmpty ? 1 : 21))
            #expect(try Json(text: #"{"a":null,"a":""\#(rest)}"#, limits: limits)["a"] == .null)
            for other in [#"{"b":1}"#, "null", "\"1\""] {
                let failure = #expect(throws: JsonFailure.self) {
                    try Json(text: #"{"a":1\#(rest),"a":\#(other)}"#, limits: limits)
                }
                #expect(failure?.code == .duplicateName)
            }
        }
    }

    @Test func `members keep their order`() throws {
        #expect(try Json(text: #"{"b":1,"a":{"d":2,"c":3}}"#).compactBytes == Array(#"{"b":1,"a":{"d":2,"c":3}}"#.utf8))
    }

    @Test func `a document as large and as deep as allowed is read, and none beyond`() throws {
        let limits = JsonLimits(bytes: 10, depth: 3)
        #expect(try Json(text: "[[[1]]]   ", limits: limits).items?.count == 1)
        #expect(throws: JsonFailure(code: .tooDeep, offset: 4)) { try Json(text: "[[[[1]]]]", limits: limits) }
        #expect(throws: JsonFailure(code: .tooLarge, offset: 10)) { try Json(text: "[[[1]]]    ", limits: limits) }
        let deep = String(repeating: "[", count: Limits.jsonDepth) + String(repeating: "]", count: Limits.jsonDepth)
        _ = try Json(text: deep, limits: .api)
        #expect(throws: JsonFailure.self) { try Json(text: "[\(deep)]", limits: .api) }
        let long = "\"" + String(repeating: "x", count: Limits.apiBodyBytes - 2) + "\""
        _ = try Json(text: long, limits: .api)
        #expect(throws: JsonFailure.self) { try Json(text: long + " ", limits: .api) }
        #expect(throws: JsonFailure.self) { try Json(text: String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test func `random and truncated bytes are read or refused, never worse`() throws {
        let alphabet = Array(#"{}[]",:.-+eE0123456789truefalsn\u \#u{E9}"#.utf8) + [0x00, 0xFF, 0xED]
        let valid = Array(#"{"a":[1,-2.5e3,"\u00e9\n😀",true,null,{"b":{}}]}"#.utf8)
        try forAll(runs: 5000, seed: 11) { random in
            var bytes = valid
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                bytes = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in
                    alphabet.randomElement(using: &random)
                }
            case 1: bytes = Array(valid.prefix(Int.random(in: 0..<valid.count, using: &random)))
            default:
                bytes[Int.random(in: 0..<valid.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            guard let json = try? Json(bytes) else { return }
            let again = try Json(json.canonical)
            #expect(again == json)
        }
        for count in 0..<valid.count { #expect(throws: JsonFailure.self) { try Json(Array(valid.prefix(count))) } }
    }
}

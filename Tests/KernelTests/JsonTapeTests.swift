import Kernel
import Testing

/// A document that is read where it stands says what its tree says, or is left to the tree.
struct JsonTapeTests {
    private static func tape(_ text: String) -> JsonTape? { JsonTape(Array(text.utf8)) }

    /// A value of a shape that follows from the source alone.
    private static func value(_ random: inout SplitMix64, depth: Int = 0) -> Json {
        switch random.next() % (depth > 4 ? 5 : 7) {
        case 0: return .null
        case 1: return .bool(random.next() % 2 == 0)
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int64(random.next() % 64))
        case 3: return .string(["", "plain", "ціна", "a/b", "é", "0000-00", "zero\u{7F}"][Int(random.next() % 7)])
        case 4: return .string("pay_\(random.next())")
        case 5: return .array((0..<random.next() % 4).map { _ in value(&random, depth: depth + 1) })
        default:
            let names = ["a", "ab", "b", "amount", "value", "z", "nested", "at"].filter { _ in random.next() % 2 == 0 }
            return .object(JsonObject(names.map { ($0, value(&random, depth: depth + 1)) }))
        }
    }

    @Test func `a canonical document is the same from its bytes and as a tree`() throws {
        let seed: UInt64 = 20_261_124
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        for _ in 0..<3_000 {
            let json = Self.value(&random)
            let view = try #require(JsonTape(json.canonical)).root
            #expect(view.json == json)
            #expect(view.json.canonical == json.canonical)
            try expectSame(view, json)
        }
    }

    private func expectSame(_ view: JsonView, _ json: Json) throws {
        #expect(view.text == json.text)
        #expect(view.integer == json.integer)
        #expect(view.flag == json.flag)
        #expect(view.memberCount == json.members?.count)
        #expect(view.items?.count == json.items?.count)
        for (item, expected) in zip(view.items ?? [], json.items ?? []) { try expectSame(item, expected) }
        for member in json.members?.members ?? [] { try expectSame(try #require(view[member.name]), member.value) }
        #expect(view["absent"] == nil && view[""] == nil && view["amoun"] == nil && view["amountx"] == nil)
    }

    /// Whatever a tape takes, the strict reader takes as well, and both say the same.
    @Test func `damaged bytes are never read otherwise than by the tree`() throws {
        let seed: UInt64 = 77
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        var taken = 0
        for _ in 0..<20_000 {
            var bytes = Self.value(&random).canonical
            for _ in 0...(random.next() % 2) {
                let place = Int(random.next() % UInt64(bytes.count + 1))
                let byte = [UInt8](#"{}[]",:\-0e. \#u{1}truefalsn"#.utf8).randomElement(using: &random) ?? 0x80
                switch random.next() % 3 {
                case 0 where place < bytes.count: bytes[place] = byte
                case 1 where place < bytes.count: bytes.remove(at: place)
                default: bytes.insert(random.next() % 8 == 0 ? 0xC3 : byte, at: place)
                }
            }
            guard let tape = JsonTape(bytes) else { continue }
            taken += 1
            #expect(tape.root.json == (try Json(bytes)), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 100)
    }

    @Test(arguments: [
        #"{"b":1,"a":2}"#, #"{"a":1,"a":1}"#, #"{ "a":1}"#, #"{"a":1.5}"#, #"{"a":1e3}"#, #"{"a":01}"#, #"{"a":"\n"}"#,
        #"{"a":1}x"#,
        #"{"a":}"#, #"{"a"}"#, #"[1,]"#, "", "{", #"{"a":tru}"#, #"{"a":"x"#, "-", #"["a":1]"#, #"{1:1}"#,
    ])
    func `everything else is left to the tree`(_ text: String) { #expect(Self.tape(text) == nil) }

    @Test func `what is too deep or no text is left to the tree`() {
        let deepest = JsonLimits.standard.depth
        #expect(Self.tape(String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)) != nil)
        #expect(
            Self.tape(String(repeating: "[", count: deepest + 1) + String(repeating: "]", count: deepest + 1)) == nil
        )
        #expect(Self.tape(String(repeating: "[", count: 100_000)) == nil)
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3, 0x22], [0x22, 0x1F, 0x22],
        ] {
            #expect(JsonTape(bytes) == nil)
        }
    }

    @Test(arguments: [
        "0", "-0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
        "99999999999999999999999999",
    ])
    func `integers are exact or none`(_ text: String) throws {
        #expect(try #require(Self.tape(text)).root.integer == (try Json(Array(text.utf8))).integer)
    }

    @Test func `ids and times are read as from their texts`() throws {
        for text in [
            "0190a5b2-7c1e-7d3a-9b4f-5e6d7c8b9a01", "0190a5b27c1e7d3a9b4f5e6d7c8b9a01", "0190a5b2", "",
            "g190a5b27c1e7d3a9b4f5e6d7c8b9a01",
        ] {
            #expect(try #require(Self.tape("\"\(text)\"")).root.uuid == Uuid(text))
        }
        for text in ["2026-11-24T12:00:00.000001Z", "2026-11-24T12:00:00+02:00", "2026-13-24T12:00:00Z", "", "12"] {
            #expect(try #require(Self.tape("\"\(text)\"")).root.time == Timestamp(text))
        }
        #expect(try #require(Self.tape("17")).root.uuid == nil)
    }
}

import Kernel
import TestKit
import Testing

struct JsonWriterTests {
    @Test func `the canonical text sorts by bytes, has no spaces and the shortest escapes`() throws {
        let text =
            #" { "é" : 1 , "b" : [ 1.0 , -0 , true , false , null ] , "#
            + #""a" : "\u0001\u001f\/\"\\\b\f\n\r\té\u007f" , "B" : {} } "#
        #expect(
            try Json(text: text).canonicalText
                == #"{"B":{},"a":"\u0001\u001f/\"\\\b\f\n\r\té"# + "\u{7F}" + #"","b":[1.0,-0,true,false,null],"é":1}"#
        )
    }

    @Test func `names are sorted on every level and prefixes come first`() throws {
        let json = try Json(text: #"{"b":{"z":1,"y":2},"ab":0,"a":[{"d":1,"c":2}],"":3}"#)
        #expect(json.canonicalText == #"{"":3,"a":[{"c":2,"d":1}],"ab":0,"b":{"y":2,"z":1}}"#)
    }

    @Test func `bytes beyond the basic plane sort as UTF-8, not as UTF-16`() throws {
        #expect(try Json(text: "{\"\u{1F600}\":1,\"\u{FFFD}\":2}").canonicalText == "{\"\u{FFFD}\":2,\"\u{1F600}\":1}")
    }

    @Test func `any value is read as it was written, canonical or compact`() throws {
        try forAll(runs: 500, seed: 5) { random in
            let value = Self.value(depth: 4, &random)
            let canonical = value.canonical
            let read = try Json(canonical)
            #expect(read == value && read.canonical == canonical)
            let compact = try Json(value.compactBytes)
            #expect(compact.compactBytes == value.compactBytes && compact.hashValue == read.hashValue)
        }
    }

    @Test func `members are written in order, however many there are`() throws {
        try forAll(runs: 60, seed: 9) { random in
            let names = (0..<Int.random(in: 0..<70, using: &random)).map { "n\($0)" }.shuffled(using: &random)
            let object = JsonObject(names.map { (name: $0, value: .string($0)) })
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let text = sorted.map { #""\#($0)":"\#($0)""# }.joined(separator: ",")
            #expect(Json.object(object).canonicalText == "{\(text)}")
            let absent = Set(names.filter { _ in Bool.random(using: &random) })
            let compact = Json.compact(names.map { ($0, absent.contains($0) ? nil : .string($0)) })
            #expect(compact.members?.names == names.filter { !absent.contains($0) })
            let read = try Json(compact.canonical)
            #expect(read == compact)
        }
    }

    /// Any value of at most that depth.
    private static func value(depth: Int, _ random: inout SplitMix64) -> Json {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(truncatingIfNeeded: random.next()))
        case 3, 4: return .string(text(&random))
        case 5: return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth - 1, &random) })
        default:
            var object = JsonObject([])
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                object[text(&random)] = value(depth: depth - 1, &random)
            }
            return .object(object)
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<8, using: &random) {
            let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0x7F : 0...0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
        }
        return String(text)
    }

    @Test func `members are read, replaced, appended and removed`() {
        var object = JsonObject([("a", 1), ("b", 2)])
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["d"] = nil
        #expect(object.names == ["a", "c"] && object["a"] == 3 && object["b"] == nil && !object.isEmpty)
    }

    @Test func `compact leaves out what is absent and keeps null`() {
        #expect(Json.compact([("a", nil), ("b", .null), ("c", 1)]).canonicalText == #"{"b":null,"c":1}"#)
    }

    @Test func `values are reached by path and kind`() throws {
        let json = try Json(text: #"{"a":{"b":"x"},"n":5,"l":[1],"t":true,"z":null}"#)
        #expect(json.at("a", "b") == "x" && json.at("a", "c") == nil && json.at("n", "b") == nil)
        #expect(json["n"]?.integer == 5 && json["n"]?.scalarText == "5" && json["a"]?.scalarText == nil)
        #expect(json["l"]?.items == [1] && json["t"]?.flag == true && json["z"]?.isNull == true)
    }
}

struct JsonPathTests {
    @Test func `a star covers one step, whatever it is`() {
        let pattern: JsonPath = "operations.*.id"
        #expect(pattern.covers("operations.0.id") && pattern.covers("operations.x.id"))
        #expect(
            !pattern.covers("operations.id") && !pattern.covers("operations.0.id.x") && !pattern.covers("operations.0")
        )
        #expect(JsonPath("").covers(.root) && !JsonPath("a").covers("*"))
        #expect(JsonPath.root.appending("a").appending("b").description == "a.b")
    }

    @Test func `replacing reaches every covered place and no other`() throws {
        let json = try Json(text: #"{"a":[{"b":1,"c":1},{"b":1}],"b":1}"#)
        var places: [String] = []
        let changed = json.replacing("a.*.b") { _, place in
            places.append(place.description)
            return 2
        }
        #expect(changed.canonicalText == #"{"a":[{"b":2,"c":1},{"b":2}],"b":1}"#)
        #expect(places == ["a.0.b", "a.1.b"])
        #expect(json.replacing("a.1") { _, _ in 0 }.canonicalText == #"{"a":[{"b":1,"c":1},0],"b":1}"#)
        #expect(json.replacing("x.y") { _, _ in 0 } == json)
        #expect(json.replacing(.root) { _, _ in 0 } == 0)
    }
}

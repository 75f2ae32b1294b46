/// Where each value of a document stands in its bytes: nothing is copied, and what nobody asks for is not read.
///
/// Of the canonical form alone (`Json.canonical`): no space, integers, plain member names in ascending order, no escape in a text.
/// Everything else makes none; its reader takes a `Json`, which knows all of RFC 8259 and says what is wrong.
package struct JsonTape: Sendable {
    enum Kind: UInt8 { case null, no, yes, integer, text, array, object }

    /// A value, or the name of a member, whose value is the next node.
    struct Node {
        let kind: Kind
        /// The first byte, behind the quote of a text.
        let start: Int32
        /// Behind the last byte, before the quote of a text.
        var end: Int32
        /// The index of the node that follows it and everything inside it.
        var after: Int32
    }

    let bytes: [UInt8]
    let nodes: [Node]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= JsonLimits.standard.bytes else { return nil }
        let nodes = bytes.withUnsafeBufferPointer { buffer -> [Node]? in
            var reader = TapeReader(buffer)
            return reader.document() ? reader.nodes : nil
        }
        guard let nodes else { return nil }
        self.bytes = bytes
        self.nodes = nodes
    }

    /// The whole document.
    package var root: JsonView { JsonView(tape: self, index: 0) }
}

/// One value of a `JsonTape`.
package struct JsonView: Sendable {
    private let tape: JsonTape
    private let index: Int

    init(tape: JsonTape, index: Int) {
        self.tape = tape
        self.index = index
    }

    private var node: JsonTape.Node { tape.nodes[index] }

    /// Lends the bytes of a text or of digits.
    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let node = node
        return tape.bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)]))
        }
    }

    package subscript(_ name: String) -> JsonView? {
        guard node.kind == .object else { return nil }
        let place = name.withBytes { name in
            tape.bytes.withUnsafeBufferPointer { bytes in
                tape.nodes.withUnsafeBufferPointer { Self.member(name, of: index, in: $0, bytes) }
            }
        }
        return place.map { JsonView(tape: tape, index: $0) }
    }

    /// The node of the value of an object's member.
    private static func member(
        _ name: UnsafeBufferPointer<UInt8>,
        of object: Int,
        in nodes: UnsafeBufferPointer<JsonTape.Node>,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let end = Int(nodes[object].after)
        var member = object + 1
        while member < end {
            let here = nodes[member]
            if Int(here.end - here.start) == name.count {
                var same = 0
                while same < name.count, bytes[Int(here.start) + same] == name[same] { same += 1 }
                if same == name.count { return member + 1 }
            }
            member = Int(nodes[member + 1].after)
        }
        return nil
    }

    package var text: String? { node.kind == .text ? withBytes { String(decoding: $0, as: UTF8.self) } : nil }

    package var integer: Int64? {
        guard node.kind == .integer else { return nil }
        return withBytes { digits in
            var value: Int64 = 0
            let isNegative = digits[0] == UInt8(ascii: "-")
            for digit in digits.dropFirst(isNegative ? 1 : 0) {
                let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
                let (next, isBeyond) = tens.subtractingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
                if isTooLarge || isBeyond { return nil }
                value = next
            }
            // Counted downwards, so that the smallest number has room; there is no negative zero.
            if isNegative { return value == 0 ? nil : value }
            return value == .min ? nil : -value
        }
    }

    package var flag: Bool? {
        switch node.kind {
        case .yes: true
        case .no: false
        case .null, .integer, .text, .array, .object: nil
        }
    }

    package var uuid: Uuid? { node.kind == .text ? withBytes { Uuid(text: $0) } : nil }
    package var time: Timestamp? { node.kind == .text ? withBytes { Timestamp(text: $0) } : nil }

    /// Members of an object; `nil` for anything else.
    package var memberCount: Int? {
        guard node.kind == .object else { return nil }
        var count = 0
        var member = index + 1
        while member < Int(node.after) {
            count += 1
            member = Int(tape.nodes[member + 1].after)
        }
        return count
    }

    /// The values of an array; `nil` for anything else.
    package var items: [JsonView]? {
        guard node.kind == .array else { return nil }
        var items: [JsonView] = []
        var item = index + 1
        while item < Int(node.after) {
            items.append(JsonView(tape: tape, index: item))
            item = Int(tape.nodes[item].after)
        }
        return items
    }

    /// The value and everything inside it as a tree.
    package var json: Json {
        switch node.kind {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer: return .number(JsonNumber(checked: withBytes { String(decoding: $0, as: UTF8.self) }))
        case .text: return .string(withBytes { String(decoding: $0, as: UTF8.self) })
        case .array: return .array((items ?? []).map(\.json))
        case .object:
            var members: [(name: String, value: Json)] = []
            var member = index + 1
            while member < Int(node.after) {
                let name = JsonView(tape: tape, index: member).text ?? ""
                members.append((name, JsonView(tape: tape, index: member + 1).json))
                member = Int(tape.nodes[member + 1].after)
            }
            return .object(JsonObject(checked: members))
        }
    }
}

/// Writes the nodes of a document in one pass; whatever is not the canonical form ends it.
private struct TapeReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0
    private(set) var nodes: [JsonTape.Node] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        nodes.reserveCapacity(bytes.count / 8 + 4)
    }

    mutating func document() -> Bool { value() && index == bytes.count }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// A value with nothing inside it.
    private mutating func keep(_ kind: JsonTape.Kind, from start: Int, to end: Int) -> Bool {
        nodes.append(
            JsonTape.Node(kind: kind, start: Int32(start), end: Int32(end), after: Int32(nodes.count + 1))
        )
        return true
    }

    private mutating func value() -> Bool {
        guard index < bytes.count else { return false }
        switch bytes[index] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return text()
        case UInt8(ascii: "t"): return word(.yes, "true")
        case UInt8(ascii: "f"): return word(.no, "false")
        case UInt8(ascii: "n"): return word(.null, "null")
        default: return integer()
        }
    }

    private mutating func word(_ kind: JsonTape.Kind, _ text: StaticString) -> Bool {
        let start = index
        for offset in 0..<text.utf8CodeUnitCount where !take(text.utf8Start[offset]) { return false }
        return keep(kind, from: start, to: index)
    }

    private mutating func integer() -> Bool {
        let start = index
        _ = take(UInt8(ascii: "-"))
        let first = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        guard index > first, index == first + 1 || bytes[first] != UInt8(ascii: "0") else { return false }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") || bytes[index] | 0x20 == UInt8(ascii: "e") {
            return false
        }
        return keep(.integer, from: start, to: index)
    }

    private mutating func text() -> Bool {
        let start = index + 1
        var end = start
        var all: UInt8 = 0
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            let byte = bytes[end]
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return false }
            all |= byte
            end += 1
        }
        guard end < bytes.count else { return false }
        if all >= 0x80 {
            let content = UnsafeBufferPointer(rebasing: bytes[start..<end])
            guard String(validating: content, as: UTF8.self) != nil else { return false }
        }
        index = end + 1
        return keep(.text, from: start, to: end)
    }

    private mutating func array() -> Bool {
        guard let node = enter(.array) else { return false }
        if take(UInt8(ascii: "]")) { return finish(node) }
        repeat { guard value() else { return false } } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) && finish(node)
    }

    private mutating func object() -> Bool {
        guard let node = enter(.object) else { return false }
        if take(UInt8(ascii: "}")) { return finish(node) }
        var last: JsonTape.Node?
        repeat {
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return false }
            let name = nodes.count
            guard text(), last.map({ precedes($0, nodes[name]) }) ?? true else { return false }
            last = nodes[name]
            guard take(UInt8(ascii: ":")), value() else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) && finish(node)
    }

    /// So no name occurs twice.
    private func precedes(_ one: JsonTape.Node, _ other: JsonTape.Node) -> Bool {
        bytes[Int(one.start)..<Int(one.end)].lexicographicallyPrecedes(bytes[Int(other.start)..<Int(other.end)])
    }

    /// Begins a value that holds others; `nil` where it is too deep.
    private mutating func enter(_ kind: JsonTape.Kind) -> Int? {
        guard depth < JsonLimits.standard.depth else { return nil }
        nodes.append(JsonTape.Node(kind: kind, start: Int32(index), end: 0, after: 0))
        index += 1
        depth += 1
        return nodes.count - 1
    }

    private mutating func finish(_ node: Int) -> Bool {
        depth -= 1
        nodes[node].end = Int32(index)
        nodes[node].after = Int32(nodes.count)
        return true
    }
}

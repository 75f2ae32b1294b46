package import Kernel

/// The text that ecommpay signs: a line `path:value` for each leaf, sorted by path and joined with `;`.
///
/// A path is the member names and list indexes joined with `:`, each `:` inside a name doubled. Empty lists and objects,
/// `signature` members and `frame_mode` give no line at any depth; values are never altered. Each line repeats its path, so
/// that a short document may have a text as long as its square: whoever reads a stranger's gives a bound.
package struct CanonicalString {
    /// How lines are sorted.
    package enum Order: String, Hashable, Sendable {
        /// As the reference implementation of the provider does, and as we always sign.
        case natural
        /// As several kits of the provider do; differs from `natural` in lists of more than ten.
        case byteOrder
    }

    /// A leaf's place in `bytes`: its path ends at `pathEnd`, a colon and the value follow.
    private struct Line {
        let start: Int
        let pathEnd: Int
        let end: Int
        /// Position in the document, which decides between equal paths.
        let ordinal: Int
        /// The path's first eight bytes, where they are that many and no digit or white space is among them: such paths
        /// compare as these numbers wherever the numbers differ, in either order.
        let head: UInt64?
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []
    private var path: [UInt8] = []
    private let longest: Int

    package init(_ document: Json) {
        self.init(document, atMost: .max)
        assert(!isTooLong, "no text is longer than that")
    }

    /// The text of a document whose lines have so many bytes at most; `nil` where it has more.
    package init?(bounded document: Json, atMost longest: Int) {
        self.init(document, atMost: longest)
        if isTooLong { return nil }
    }

    private init(_ document: Json, atMost longest: Int) {
        self.longest = longest
        bytes.reserveCapacity(2048)
        lines.reserveCapacity(64)
        path.reserveCapacity(128)
        add(document)
    }

    /// The whole text in the given order.
    package func text(_ order: Order) -> [UInt8] {
        let sorted = bytes.withUnsafeBufferPointer { buffer in
            lines.sorted { left, right in
                if let one = left.head, let two = right.head, one != two { return one < two }
                let one = UnsafeBufferPointer(rebasing: buffer[left.start..<left.pathEnd])
                let two = UnsafeBufferPointer(rebasing: buffer[right.start..<right.pathEnd])
                let compared =
                    switch order {
                    case .natural: NaturalOrder.compare(one, two)
                    case .byteOrder: Self.compareBytes(one, two)
                    }
                return compared == 0 ? left.ordinal < right.ordinal : compared < 0
            }
        }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + lines.count)
        for (index, line) in sorted.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ";")) }
            out.append(contentsOf: bytes[line.start..<line.end])
        }
        return out
    }

    private static func compareBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    private mutating func add(_ value: Json) {
        switch value {
        case .null: leaf { _ in }
        case .bool(let flag): leaf { $0.append(flag ? UInt8(ascii: "1") : UInt8(ascii: "0")) }
        case .number(let number): leaf { $0.append(contentsOf: number.text.utf8) }
        case .string(let text): leaf { $0.append(contentsOf: text.utf8) }
        case .array(let items):
            for (index, item) in items.enumerated() { descend(String(index), into: item) }
        case .object(let object):
            for member in object.members where !Self.isSkipped(member.name) {
                descend(member.name, into: member.value)
            }
        }
    }

    private var isTooLong: Bool { bytes.count > longest }

    private static func isSkipped(_ name: String) -> Bool { name == "signature" || name == "frame_mode" }

    private mutating func descend(_ name: String, into value: Json) {
        let before = path.count
        if before > 0 { path.append(UInt8(ascii: ":")) }
        for byte in name.utf8 {
            path.append(byte)
            if byte == UInt8(ascii: ":") { path.append(byte) }
        }
        if !isTooLong { add(value) }
        path.removeSubrange(before...)
    }

    private mutating func leaf(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: path)
        let pathEnd = bytes.count
        bytes.append(UInt8(ascii: ":"))
        write(&bytes)
        lines.append(Line(start: start, pathEnd: pathEnd, end: bytes.count, ordinal: lines.count, head: head))
    }

    private var head: UInt64? {
        guard path.count >= 8 else { return nil }
        var head: UInt64 = 0
        for byte in path[..<8] {
            if NaturalOrder.isDigit(byte) || NaturalOrder.isSpace(byte) { return nil }
            head = head << 8 | UInt64(byte)
        }
        return head
    }
}

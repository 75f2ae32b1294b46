import Kernel

/// The lines that a signature covers: each leaf's path and value.
///
/// All stand behind one another in one row of bytes, so that a message costs a few allocations and not a few for each leaf.
struct EcommpaySignedLines {
    private struct Line {
        let start: Int
        let pathEnd: Int
        let end: Int
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []
    /// The path of the value being read.
    private var path: [UInt8] = []
    private let omitted: String?
    private static let colon = UInt8(ascii: ":")

    /// Reads a message; members named `omitted` are left out at any depth.
    init(_ message: Json, without omitted: String? = nil) {
        self.omitted = omitted
        bytes.reserveCapacity(2048)
        lines.reserveCapacity(64)
        path.reserveCapacity(64)
        read(message)
    }

    /// The lines in natural order of their paths, with semicolons between them.
    var joined: [UInt8] {
        let sorted = lines.sorted { left, right in
            let order = NaturalOrder.compare(bytes[left.start..<left.pathEnd], bytes[right.start..<right.pathEnd])
            return order == 0 ? left.start < right.start : order < 0
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + lines.count)
        for line in sorted {
            if !text.isEmpty { text.append(UInt8(ascii: ";")) }
            text += bytes[line.start..<line.end]
        }
        return text
    }

    private mutating func read(_ value: Json) {
        switch value {
        case .null: add("")
        case .bool(let flag): add(flag ? "1" : "0")
        case .number(let number): add(number.text)
        case .string(let text): add(text)
        case .array(let items):
            for (index, item) in items.enumerated() { read(item, named: String(index)) }
        case .object(let object):
            for member in object.members where member.name != "frame_mode" && member.name != omitted {
                read(member.value, named: member.name)
            }
        }
    }

    private mutating func read(_ value: Json, named name: String) {
        let length = path.count
        if length > 0 { path.append(Self.colon) }
        for byte in name.utf8 {
            path.append(byte)
            if byte == Self.colon { path.append(byte) }
        }
        read(value)
        path.removeLast(path.count - length)
    }

    private mutating func add(_ text: String) {
        let start = bytes.count
        bytes += path
        let pathEnd = bytes.count
        bytes.append(Self.colon)
        bytes += text.utf8
        lines.append(Line(start: start, pathEnd: pathEnd, end: bytes.count))
    }
}

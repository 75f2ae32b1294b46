extension Json {
    /// One text per value: member names sorted by their UTF-8 bytes, no space, shortest escapes, digits as they stood.
    package var canonical: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        write(into: &out, sorted: true)
        return out
    }

    /// `canonical` as text.
    package var canonicalText: String { String(decoding: canonical, as: UTF8.self) }

    /// Compact text with members in their own order: what goes to a provider or a client.
    package var compactBytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        write(into: &out, sorted: false)
        return out
    }

    /// Writes compact text; `sorted` puts member names in the order of their bytes.
    private func write(into out: inout [UInt8], sorted: Bool) {
        switch self {
        case .null: out.append(contentsOf: [0x6E, 0x75, 0x6C, 0x6C])
        case .bool(true): out.append(contentsOf: [0x74, 0x72, 0x75, 0x65])
        case .bool(false): out.append(contentsOf: [0x66, 0x61, 0x6C, 0x73, 0x65])
        case .number(let number): out.append(contentsOf: number.text.utf8)
        case .string(let text): Json.write(text, into: &out)
        case .array(let items):
            out.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                item.write(into: &out, sorted: sorted)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let object):
            out.append(UInt8(ascii: "{"))
            let members = sorted ? object.sortedMembers : object.members
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                Json.write(member.name, into: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(into: &out, sorted: sorted)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, into out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var copy = text
        copy.withUTF8 { bytes in
            var start = 0
            for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                out.append(contentsOf: bytes[start..<index])
                escape(byte, into: &out)
                start = index + 1
            }
            out.append(contentsOf: bytes[start...])
        }
        out.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8, into out: inout [UInt8]) {
        out.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: out.append(byte)
        case 0x08: out.append(UInt8(ascii: "b"))
        case 0x0C: out.append(UInt8(ascii: "f"))
        case 0x0A: out.append(UInt8(ascii: "n"))
        case 0x0D: out.append(UInt8(ascii: "r"))
        case 0x09: out.append(UInt8(ascii: "t"))
        default: out.append(contentsOf: "u00\(Hex.encode([byte]))".utf8)
        }
    }
}

extension JsonObject {
    /// The members in the order of their names' UTF-8 bytes.
    fileprivate var sortedMembers: [(name: String, value: Json)] {
        func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
        let isSorted = zip(members, members.dropFirst()).allSatisfy { precedes($0.name, $1.name) }
        return isSorted ? members : members.sorted { precedes($0.name, $1.name) }
    }
}

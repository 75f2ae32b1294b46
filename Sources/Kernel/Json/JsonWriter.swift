extension Json {
    /// One text per value: member names sorted by their UTF-8 bytes, no space, shortest escapes, digits as they stood.
    package var canonical: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        write(into: &out, sorted: true)
        return out
    }

    /// Whether these bytes are what `canonical` gives of what they say.
    static func isCanonical(_ bytes: [UInt8]) -> Bool {
        // What has escapes, or numbers with fractions, is no tape.
        JsonTape(bytes) != nil
            || (try? Json(bytes, limits: JsonLimits(bytes: bytes.count, depth: .max)))?.canonical == bytes
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

    /// Appends `compactBytes`.
    package func write(into out: inout [UInt8]) { write(into: &out, sorted: false) }

    /// Writes compact text; `sorted` puts member names in the order of their bytes.
    func write(into out: inout [UInt8], sorted: Bool) {
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
            object.forEach(sorted: sorted) { index, member in
                if index > 0 { out.append(UInt8(ascii: ",")) }
                Json.write(member.name, into: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(into: &out, sorted: sorted)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a text in quotation marks.
    static func write(_ text: String, into out: inout [UInt8]) {
        var copy = text
        copy.withUTF8 { write($0, into: &out) }
    }

    /// The same of UTF-8 bytes.
    static func write(_ bytes: UnsafeBufferPointer<UInt8>, into out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            out.append(contentsOf: bytes[start..<index])
            escape(byte, into: &out)
            start = index + 1
        }
        out.append(contentsOf: bytes[start...])
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
    /// So many members are put in order without memory of their own.
    private static let few = 32

    /// The members with their places, in their own order or in that of their names' UTF-8 bytes.
    fileprivate func forEach(sorted: Bool, _ body: (_ place: Int, _ member: (name: String, value: Json)) -> Void) {
        if !sorted || isSorted {
            for place in members.indices { body(place, members[place]) }
        } else if members.count > Self.few {
            let ordered = members.sorted { Self.precedes($0.name, $1.name) }
            for place in ordered.indices { body(place, ordered[place]) }
        } else {
            withUnsafeTemporaryAllocation(of: Int.self, capacity: members.count) { order in
                for index in members.indices {
                    var place = index
                    while place > 0, Self.precedes(members[index].name, members[order[place - 1]].name) {
                        order[place] = order[place - 1]
                        place -= 1
                    }
                    order[place] = index
                }
                for place in members.indices { body(place, members[order[place]]) }
            }
        }
    }

    private var isSorted: Bool {
        members.indices.dropFirst().allSatisfy { Self.precedes(members[$0 - 1].name, members[$0].name) }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

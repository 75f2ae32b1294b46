/// An element of a small XML document.
struct XmlNode: Hashable {
    let name: String
    var text: String
    var children: [XmlNode]

    func child(_ name: String) -> XmlNode? { children.first { $0.name == name } }

    func all(_ name: String) -> [XmlNode] { children.filter { $0.name == name } }
}

/// Reads the provider's XML: elements, attributes (skipped), text, CDATA and the five named entities.
///
/// A document type is refused, so there are no entities of the document's own and nothing outside is read.
struct XmlReader {
    enum Limits {
        static let bytes = 1024 * 1024
        static let depth = 16
        static let elements = 20_000
    }

    private let bytes: [UInt8]
    private var index = 0
    private var elements = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The root element; `nil` where the bytes are no such document.
    static func read(_ bytes: [UInt8]) -> XmlNode? {
        guard bytes.count <= Limits.bytes, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = XmlReader(bytes)
        if reader.takes([0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        guard reader.skipOutside(), let root = reader.element(depth: 1), reader.skipOutside(),
            reader.index == bytes.count
        else { return nil }
        return root
    }

    private func takes(_ text: [UInt8]) -> Bool { bytes[index...].starts(with: text) }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    /// Moves behind the next `text`; `false` where there is none.
    private mutating func skip(past text: String) -> Bool {
        while index < bytes.count {
            if take(text) { return true }
            index += 1
        }
        return false
    }

    /// What may stand outside of the root: space, the declaration, comments.
    private mutating func skipOutside() -> Bool {
        while true {
            skipSpace()
            if take("<?") {
                guard skip(past: "?>") else { return false }
            } else if take("<!--") {
                guard skip(past: "-->") else { return false }
            } else {
                return true
            }
        }
    }

    private mutating func element(depth: Int) -> XmlNode? {
        elements += 1
        guard depth <= Limits.depth, elements <= Limits.elements, take("<"), let name = name() else { return nil }
        guard let isEmpty = skipAttributes() else { return nil }
        var node = XmlNode(name: name, text: "", children: [])
        if isEmpty { return node }
        var text: [UInt8] = []
        while index < bytes.count {
            if take("</") {
                guard self.name() == name else { return nil }
                skipSpace()
                guard take(">") else { return nil }
                node.text = Self.trimmed(String(decoding: text, as: UTF8.self))
                return node
            }
            if take("<!--") {
                guard skip(past: "-->") else { return nil }
            } else if take("<![CDATA[") {
                let start = index
                guard skip(past: "]]>") else { return nil }
                text += bytes[start..<index - 3]
            } else if bytes[index] == UInt8(ascii: "<") {
                guard let child = element(depth: depth + 1) else { return nil }
                node.children.append(child)
            } else if bytes[index] == UInt8(ascii: "&") {
                guard let scalar = entity() else { return nil }
                text += String(scalar).utf8
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        return nil
    }

    private mutating func name() -> String? {
        let start = index
        while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Skips to the end of a tag; tells whether the element is empty.
    private mutating func skipAttributes() -> Bool? {
        while index < bytes.count {
            skipSpace()
            if take("/>") { return true }
            if take(">") { return false }
            guard name() != nil else { return nil }
            skipSpace()
            guard take("=") else { return nil }
            skipSpace()
            guard index < bytes.count else { return nil }
            let quote = bytes[index]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            index += 1
            while index < bytes.count, bytes[index] != quote { index += 1 }
            guard index < bytes.count else { return nil }
            index += 1
        }
        return nil
    }

    private mutating func entity() -> Unicode.Scalar? {
        for (text, scalar) in Self.entities where take(text) { return scalar }
        guard take("&#") else { return nil }
        let isHex = take("x")
        var value: UInt32 = 0
        var digits = 0
        while index < bytes.count, digits < 8 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue, isHex || digit < 10 else { break }
            value = value &* (isHex ? 16 : 10) &+ UInt32(digit)
            digits += 1
            index += 1
        }
        guard digits > 0, take(";") else { return nil }
        return Unicode.Scalar(value)
    }

    private static let entities: [(String, Unicode.Scalar)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&apos;", "'"),
    ]

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: byte >= 0x80
        }
    }

    private static func trimmed(_ text: String) -> String {
        var slice = text[...]
        while let first = slice.utf8.first, isSpace(first) { slice = slice.dropFirst() }
        while let last = slice.utf8.last, isSpace(last) { slice = slice.dropLast() }
        return String(slice)
    }
}

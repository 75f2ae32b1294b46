/// Percent-encoding of addresses (RFC 3986) and of `application/x-www-form-urlencoded` pairs (WHATWG URL, section 5).
package enum FormEncoding {
    /// A form has seldom more.
    private static let usualPairs = 16
    private static let upper = Array("0123456789ABCDEF".utf8)

    /// Encodes names and values joined by `&`; a space becomes `+`.
    package static func encode(_ pairs: [(name: String, value: String)]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(pairs.count * 48)
        for (index, pair) in pairs.enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            escape(pair.name, spaceAsPlus: true, into: &out)
            out.append(UInt8(ascii: "="))
            escape(pair.value, spaceAsPlus: true, into: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Encodes one path segment or query value; a space becomes `%20`.
    package static func escape(_ text: String) -> String {
        var out: [UInt8] = []
        escape(text, spaceAsPlus: false, into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    private static func escape(_ text: String, spaceAsPlus: Bool, into out: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                out.append(byte)
            case UInt8(ascii: "~") where !spaceAsPlus, UInt8(ascii: "*") where spaceAsPlus:
                out.append(byte)
            case UInt8(ascii: " ") where spaceAsPlus:
                out.append(UInt8(ascii: "+"))
            default:
                out.append(UInt8(ascii: "%"))
                out.append(upper[Int(byte >> 4)])
                out.append(upper[Int(byte & 15)])
            }
        }
    }

    /// Decodes pairs in order; `nil` on a broken escape or bytes that are not UTF-8.
    ///
    /// A name without `=` has an empty value.
    package static func decode(_ text: String) -> [(name: String, value: String)]? { decode(Array(text.utf8)) }
    package static func decode(_ text: Substring) -> [(name: String, value: String)]? { decode(Array(text.utf8)) }

    private static func decode(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        pairs.reserveCapacity(usualPairs)
        var next = 0
        while next < bytes.count {
            let piece = bytes[next..<(bytes[next...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count)]
            next = piece.endIndex + 1
            guard !piece.isEmpty else { continue }
            let nameEnd = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
            guard let name = unescape(piece[..<nameEnd], plusAsSpace: true),
                let value = unescape(piece[nameEnd...].dropFirst(), plusAsSpace: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    /// Decodes percent escapes; `+` becomes a space where the text is form data.
    package static func unescape(_ text: some Collection<UInt8>, plusAsSpace: Bool) -> String? {
        if isPlain(text, plusAsSpace) { return String(validating: text, as: UTF8.self) }
        return unescape(Array(text)[...], plusAsSpace: plusAsSpace)
    }

    package static func unescape(_ text: ArraySlice<UInt8>, plusAsSpace: Bool) -> String? {
        if isPlain(text, plusAsSpace) { return String(validating: text, as: UTF8.self) }
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let first = rest.next().flatMap(Hex.value), let second = rest.next().flatMap(Hex.value) else {
                    return nil
                }
                out.append(first << 4 | second)
            } else {
                out.append(plusAsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: out, as: UTF8.self)
    }

    /// Whether the bytes mean themselves.
    private static func isPlain(_ text: some Collection<UInt8>, _ plusAsSpace: Bool) -> Bool {
        !text.contains { $0 == UInt8(ascii: "%") || plusAsSpace && $0 == UInt8(ascii: "+") }
    }
}

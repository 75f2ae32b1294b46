/// The texts that may hide in a text: percent escapes, character references, base64 and hexadecimal digits.
enum EncodedText {
    /// Parts the readings; no reading of base64 or hexadecimal digits holds it.
    static let mark: UInt8 = 0

    /// Decoded forms, each of which may hide something again, with a mark behind each; at most so many bytes of them.
    static func readings(of bytes: [UInt8], atMost limit: Int) -> [UInt8] {
        var out: [UInt8] = []
        let kinds = escapes.filter(bytes.contains)
        if !kinds.isEmpty {
            // Of several kinds any may be the disguise and the others chance.
            for kinds in [kinds] + (kinds.count > 1 ? kinds.map { [$0] } : []) {
                guard let plain = unescaped(bytes, kinds), out.count + plain.count < limit else { continue }
                out += plain + [mark]
            }
        }
        forEachRun(bytes[...], of: letterKinds) { token in
            guard out.count + token.count <= limit else { return }
            decode(token, &out)
            forEachRun(token, of: wordKinds) { piece in
                if piece.count < token.count { decode(piece, &out) }
            }
        }
        return out
    }

    /// Twelve digits in base64.
    private static let shortestToken = 16

    /// Where at least so many letters of a kind follow each other.
    private static func forEachRun(_ bytes: ArraySlice<UInt8>, of kinds: [Bool], _ body: (ArraySlice<UInt8>) -> Void) {
        var start = bytes.startIndex
        for index in bytes.indices where !kinds[Int(bytes[index])] {
            if index - start >= shortestToken { body(bytes[start..<index]) }
            start = index + 1
        }
        if bytes.endIndex - start >= shortestToken { body(bytes[start...]) }
    }

    /// Letters of both base64 alphabets.
    private static let letterKinds = (0...UInt8.max).map { values[Int($0)] < 64 }
    /// The bytes that separate nothing in any text.
    private static let wordKinds = (0...UInt8.max).map { byte in
        values[Int(byte)] < 64 && !"/-_".utf8.contains(byte)
    }
    /// The values of letters of either base64 alphabet; 64 for none.
    private static let values = (0...UInt8.max).map { byte in
        UInt8(truncatingIfNeeded: Base64.value(of: byte, .url) ?? Base64.value(of: byte, .standard) ?? 64)
    }

    private static func decode(_ token: ArraySlice<UInt8>, _ out: inout [UInt8]) {
        append(token, &out, decodeBase64)
        if token.count >= 2 * IssuerRanges.lengths.lowerBound, token.count % 2 == 0 { append(token, &out, decodeHex) }
    }

    /// Keeps what is a text and takes back what is none.
    private static func append(
        _ token: ArraySlice<UInt8>,
        _ out: inout [UInt8],
        _ decode: (ArraySlice<UInt8>, inout [UInt8]) -> Bool
    ) {
        let before = out.count
        if decode(token, &out), isText(out, from: before) {
            out.append(mark)
        } else {
            out.removeLast(out.count - before)
        }
    }

    private static func isText(_ bytes: [UInt8], from start: Int) -> Bool {
        bytes[start...].allSatisfy { $0 < 0x80 } || String(validating: bytes[start...], as: UTF8.self) != nil
    }

    /// Decodes leniently: either alphabet, rest bits ignored.
    private static func decodeBase64(_ token: ArraySlice<UInt8>, _ out: inout [UInt8]) -> Bool {
        // Most tokens show at once that they are no text: nothing is kept of them.
        let first = token.startIndex
        let start = token[first..<first + 2].reduce(UInt32(0)) { $0 << 6 | UInt32(values[Int($1)]) }
        guard isTextual(UInt8(truncatingIfNeeded: start >> 4)) else { return false }
        if out.capacity == 0 { out.reserveCapacity(token.count) }
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for letter in token {
            group = group << 6 | UInt32(values[Int(letter)])
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            let byte = UInt8(truncatingIfNeeded: group >> bits)
            guard isTextual(byte) else { return false }
            out.append(byte)
        }
        return true
    }

    private static func decodeHex(_ token: ArraySlice<UInt8>, _ out: inout [UInt8]) -> Bool {
        for index in stride(from: token.startIndex, to: token.endIndex, by: 2) {
            guard let high = Hex.value(of: token[index]), let low = Hex.value(of: token[index + 1]),
                isTextual(high << 4 | low)
            else { return false }
            out.append(high << 4 | low)
        }
        return true
    }

    /// Keys and digests soon have a byte that no text has; then nothing more is looked at.
    private static func isTextual(_ byte: UInt8) -> Bool { byte >= 0x20 || (0x09...0x0D).contains(byte) }

    /// The bytes that escapes begin with.
    private static let escapes = [UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "\\")]

    /// Reads `%34`, `&#52;`, `&#x34;` and `\u0034`; what is no escape stands for itself, and `nil` is for none.
    private static func unescaped(_ bytes: [UInt8], _ kinds: [UInt8]) -> [UInt8]? {
        guard !kinds.isEmpty else { return nil }
        let kinds = (kinds[0], kinds[kinds.count / 2], kinds[kinds.count - 1])
        var out: [UInt8] = []
        var (index, kept) = (0, 0)
        while index < bytes.count {
            var escape: (code: UInt32, end: Int)?
            let byte = bytes[index]
            switch byte {
            case _ where byte != kinds.0 && byte != kinds.1 && byte != kinds.2: break
            case UInt8(ascii: "%"): escape = number(bytes, from: index + 1, radix: 16, digits: 2...2)
            case UInt8(ascii: "&"): escape = reference(bytes, from: index + 1)
            case UInt8(ascii: "\\"):
                if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") {
                    escape = number(bytes, from: index + 2, radix: 16, digits: 4...4)
                }
            default: break
            }
            guard let escape else {
                index += 1
                continue
            }
            out += bytes[kept..<index]
            // The bytes of one character come by several escapes.
            if bytes[index] == UInt8(ascii: "%") {
                out.append(UInt8(truncatingIfNeeded: escape.code))
            } else {
                out += Unicode.Scalar(escape.code).map { Array(String($0).utf8) } ?? [mark]
            }
            index = escape.end
            kept = index
        }
        return kept > 0 ? out + bytes[kept...] : nil
    }

    /// `#52;` or `#x34;`; the semicolon may lack.
    private static func reference(_ bytes: [UInt8], from start: Int) -> (code: UInt32, end: Int)? {
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "#") else { return nil }
        let isHex = bytes[start + 1] | 0x20 == UInt8(ascii: "x")
        let found =
            isHex
            ? number(bytes, from: start + 2, radix: 16, digits: 1...7)
            : number(bytes, from: start + 1, radix: 10, digits: 1...7)
        guard let found else { return nil }
        let hasEnd = found.end < bytes.count && bytes[found.end] == UInt8(ascii: ";")
        return (found.code, found.end + (hasEnd ? 1 : 0))
    }

    private static func number(_ bytes: [UInt8], from start: Int, radix: UInt8, digits: ClosedRange<Int>)
        -> (code: UInt32, end: Int)?
    {
        var (code, end): (UInt32, Int) = (0, start)
        while end < bytes.count, end - start < digits.upperBound, let value = Hex.value(of: bytes[end]), value < radix {
            code = code * UInt32(radix) + UInt32(value)
            end += 1
        }
        return digits.contains(end - start) ? (code, end) : nil
    }
}

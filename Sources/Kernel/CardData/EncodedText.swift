/// The texts that may hide in a text: percent escapes, character references, base64 and hexadecimal digits.
enum EncodedText {
    /// Decoded forms, each of which may hide something again.
    static func readings(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        var readings: [String] = []
        if bytes.contains(UInt8(ascii: "%")) { readings.append(percentDecoded(bytes)) }
        if bytes.contains(UInt8(ascii: "&")), text.contains("&#") { readings.append(referencesDecoded(text)) }
        if bytes.contains(UInt8(ascii: "\\")), text.contains("\\u") { readings.append(escapesDecoded(text)) }
        for token in runs(bytes[...], of: isLetterOfBase64) {
            readings += decoded(token)
            let pieces = runs(token, of: isLetterOfAnyAlphabet)
            if pieces.count != 1 || pieces[0].count != token.count { readings += pieces.flatMap(decoded) }
        }
        return readings
    }

    private static func decoded(_ token: ArraySlice<UInt8>) -> [String] {
        [base64Decoded(token), hexDecoded(token)].compactMap(\.self)
    }

    /// Twelve digits in base64.
    private static let shortestToken = 16

    /// Where at least so many letters of a kind follow each other.
    private static func runs(_ bytes: ArraySlice<UInt8>, of isLetter: (UInt8) -> Bool) -> [ArraySlice<UInt8>] {
        var runs: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        for index in bytes.indices where !isLetter(bytes[index]) {
            if index - start >= shortestToken { runs.append(bytes[start..<index]) }
            start = index + 1
        }
        if bytes.endIndex - start >= shortestToken { runs.append(bytes[start...]) }
        return runs
    }

    /// Letters of both base64 alphabets.
    private static func isLetterOfBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: isLetterOfAnyAlphabet(byte)
        }
    }

    /// What is no separator in any text.
    private static func isLetterOfAnyAlphabet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"):
            true
        default: false
        }
    }

    /// Decodes leniently: either alphabet, rest bits ignored.
    private static func base64Decoded(_ token: ArraySlice<UInt8>) -> String? {
        var out: [UInt8] = []
        var group: UInt32 = 0
        for (index, letter) in token.enumerated() {
            guard let value = Base64.value(of: letter, .url) ?? Base64.value(of: letter, .standard) else { return nil }
            group = group << 6 | value
            guard index % 4 > 0 else { continue }
            let byte = UInt8(truncatingIfNeeded: group >> (6 - UInt32(index % 4) * 2))
            guard isTextual(byte) else { return nil }
            out.append(byte)
        }
        return String(validating: out, as: UTF8.self)
    }

    private static func hexDecoded(_ token: ArraySlice<UInt8>) -> String? {
        guard token.count >= 2 * IssuerRanges.lengths.lowerBound, token.count % 2 == 0 else { return nil }
        var out: [UInt8] = []
        for index in stride(from: token.startIndex, to: token.endIndex, by: 2) {
            guard let high = Hex.value(of: token[index]), let low = Hex.value(of: token[index + 1]),
                isTextual(high << 4 | low)
            else { return nil }
            out.append(high << 4 | low)
        }
        return String(validating: out, as: UTF8.self)
    }

    /// Keys and digests soon have a byte that no text has; then nothing more is looked at.
    private static func isTextual(_ byte: UInt8) -> Bool { byte >= 0x20 || (0x09...0x0D).contains(byte) }

    /// Decodes leniently: what is no escape stands for itself.
    private static func percentDecoded(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = Hex.value(of: bytes[index + 1]),
                let low = Hex.value(of: bytes[index + 2])
            {
                out.append(high << 4 | low)
                index += 3
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Decodes `&#52;` and `&#x34;`.
    private static func referencesDecoded(_ text: String) -> String {
        var out = ""
        for (index, piece) in text.components(separatedBy: "&#").enumerated() {
            let digits = piece.prefix { $0 != ";" }
            let isHex = digits.first == "x" || digits.first == "X"
            let code = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            if index > 0, let scalar = code.flatMap(Unicode.Scalar.init) {
                out.unicodeScalars.append(scalar)
                out += piece.dropFirst(digits.count + 1)
            } else {
                out += piece
            }
        }
        return out
    }

    /// Decodes `\u0034`.
    private static func escapesDecoded(_ text: String) -> String {
        var out = ""
        for (index, piece) in text.components(separatedBy: "\\u").enumerated() {
            let scalar = UInt32(piece.prefix(4), radix: 16).flatMap(Unicode.Scalar.init)
            if index > 0, piece.count >= 4, let scalar {
                out.unicodeScalars.append(scalar)
                out += piece.dropFirst(4)
            } else {
                out += piece
            }
        }
        return out
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var pieces: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            pieces.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return pieces + [rest]
    }
}

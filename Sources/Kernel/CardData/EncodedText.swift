/// The texts that may hide in a text: percent escapes, character references, base64 and hexadecimal digits.
enum EncodedText {
    /// Decoded forms, each of which may hide something again.
    static func readings(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        var readings: [String] = []
        if bytes.contains(UInt8(ascii: "%")) { readings.append(percentDecoded(bytes)) }
        if text.contains("&#") { readings.append(referencesDecoded(text)) }
        if text.contains("\\u") { readings.append(escapesDecoded(text)) }
        for token in tokens(bytes) {
            if let decoded = base64Decoded(token) { readings.append(decoded) }
            if let decoded = hexDecoded(token) { readings.append(decoded) }
            let pieces = token.split { [UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
            guard pieces.count > 1 else { continue }
            for piece in pieces where piece.count >= shortestToken {
                if let decoded = base64Decoded(piece) { readings.append(decoded) }
                if let decoded = hexDecoded(piece) { readings.append(decoded) }
            }
        }
        return readings
    }

    /// Twelve digits in base64.
    private static let shortestToken = 16

    /// Runs of letters of both base64 alphabets.
    private static func tokens(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                false
            default: true
            }
        }.filter { $0.count >= shortestToken }
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

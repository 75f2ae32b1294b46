/// Base64 text (RFC 4648, sections 4 and 5).
package enum Base64 {
    /// Which letters stand for 62 and 63, and whether `=` fills the last group.
    package enum Alphabet: Sendable {
        /// `+` and `/`, padded.
        case standard
        /// `-` and `_`, not padded.
        case url
    }

    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        let letters = alphabet == .standard ? standard : url
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let group =
                UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[index + 2]) : 0)
            out.append(letters[Int(group >> 18)])
            out.append(letters[Int(group >> 12 & 63)])
            if left > 1 { out.append(letters[Int(group >> 6 & 63)]) }
            if left > 2 { out.append(letters[Int(group & 63)]) }
            index += 3
        }
        if alphabet == .standard { while out.count % 4 != 0 { out.append(UInt8(ascii: "=")) } }
        return String(decoding: out, as: UTF8.self)
    }

    /// Decodes strictly: the alphabet's letters only, full padding for `standard`, none for `url`, unused bits zero.
    package static func decode(_ text: String, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        decode(letters: Array(text.utf8), alphabet)
    }

    package static func decode(_ text: Substring, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        decode(letters: Array(text.utf8), alphabet)
    }

    private static func decode(letters: [UInt8], _ alphabet: Alphabet) -> [UInt8]? {
        var letters = letters
        if alphabet == .standard {
            guard letters.count % 4 == 0 else { return nil }
            for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        guard letters.count % 4 != 1 else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(letters.count * 3 / 4)
        var group: UInt32 = 0
        var bits = 0
        for letter in letters {
            guard let value = value(of: letter, alphabet) else { return nil }
            group = group << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= (1 << UInt32(bits)) - 1
            }
        }
        return group == 0 ? out : nil
    }

    static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+") where alphabet == .standard, UInt8(ascii: "-") where alphabet == .url: 62
        case UInt8(ascii: "/") where alphabet == .standard, UInt8(ascii: "_") where alphabet == .url: 63
        default: nil
        }
    }
}

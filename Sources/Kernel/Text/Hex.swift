/// Hexadecimal text (RFC 4648, section 8), written in lower case and read in either.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Gives the value of one digit.
    package static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    package static func encode(_ bytes: [UInt8]) -> String { digits(of: bytes) }
    package static func encode(_ bytes: ArraySlice<UInt8>) -> String { digits(of: bytes) }

    private static func digits(of bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 15)])
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Decodes an even number of digits; anything else is `nil`.
    package static func decode(_ text: String) -> [UInt8]? { bytes(of: text.utf8) }
    package static func decode(_ text: Substring) -> [UInt8]? { bytes(of: text.utf8) }

    private static func bytes(of digits: some Sequence<UInt8>) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(digits.underestimatedCount / 2)
        var high: UInt8?
        for byte in digits {
            guard let nibble = value(of: byte) else { return nil }
            if let first = high {
                out.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return high == nil ? out : nil
    }
}

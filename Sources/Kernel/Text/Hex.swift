/// Hexadecimal text (RFC 4648, section 8), written in lower case and read in either.
package enum Hex {
    /// The digit of a value below sixteen.
    package static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }

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

    private static func digits(of bytes: some Collection<UInt8>) -> String {
        String(ascii: bytes.count * 2) { out in
            var index = 0
            for byte in bytes {
                out[index] = digit(byte >> 4)
                out[index + 1] = digit(byte & 15)
                index += 2
            }
        }
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

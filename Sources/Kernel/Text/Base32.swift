/// Base32 text in lower case without padding (RFC 4648, section 6): short references that any provider accepts.
package enum Base32 {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        String(ascii: (bytes.count * 8 + 4) / 5) { out in
            var place = 0
            var group: UInt32 = 0
            var bits: UInt32 = 0
            func put(_ letter: UInt32) {
                out[place] = letters[Int(letter & 31)]
                place += 1
            }
            for byte in bytes {
                group = group << 8 | UInt32(byte)
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    put(group >> bits)
                    group &= (1 << bits) - 1
                }
            }
            if bits > 0 { put(group << (5 - bits)) }
        }
    }
}

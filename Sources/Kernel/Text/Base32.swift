/// Base32 text in lower case without padding (RFC 4648, section 6): short references that any provider accepts.
package enum Base32 {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = []
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                out.append(letters[Int(group >> bits & 31)])
                group &= (1 << bits) - 1
            }
        }
        if bits > 0 { out.append(letters[Int(group << (5 - bits) & 31)]) }
        return String(decoding: out, as: UTF8.self)
    }
}

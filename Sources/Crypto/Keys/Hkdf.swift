package import Kernel

/// Key derivation by HMAC (RFC 5869).
package enum Hkdf {
    /// Extracts and expands with SHA-256; at most 8160 bytes.
    package static func sha256(key: Secret, salt: [UInt8], info: [UInt8], count: Int) -> Secret {
        expanded(extracted(key, salt: salt), info: info, count: count)
    }

    /// The first step, which is the same for everything that is derived from a key.
    static func extracted(_ key: Secret, salt: [UInt8] = []) -> Secret {
        key.withBytes { Secret(Hmac.sha256(key: Secret(salt), $0)) }
    }

    static func expanded(_ extracted: Secret, info: [UInt8], count: Int) -> Secret {
        precondition((1...255 * 32).contains(count), "HKDF-SHA256 gives 1 to 8160 bytes")
        var out: [UInt8] = []
        out.reserveCapacity(count + 32)
        var block: [UInt8] = []
        var counter: UInt8 = 1
        while out.count < count {
            block = Hmac.sha256(key: extracted, block + info + [counter])
            out += block
            counter &+= 1
        }
        return Secret(Array(out.prefix(count)))
    }
}

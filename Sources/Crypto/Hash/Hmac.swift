import COpenSSL
package import Kernel

/// Keyed message authentication codes (RFC 2104).
package enum Hmac {
    package static func sha1(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha1, key: key, message) }
    package static func sha256(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha256, key: key, message) }
    package static func sha384(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha384, key: key, message) }
    package static func sha512(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha512, key: key, message) }

    package static func mac(_ algorithm: HashAlgorithm, key: Secret, _ message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: algorithm.digestBytes)
        key.withBytes { key in
            let made = unsafe HMAC(
                algorithm.implementation,
                key,
                Int32(key.count),
                message,
                message.count,
                &code,
                nil
            )
            precondition(unsafe made != nil, "a fetched hash makes a code")
        }
        return code
    }
}

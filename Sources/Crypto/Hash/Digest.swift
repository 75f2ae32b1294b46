/// Digests of whole byte strings (FIPS 180-4).
package enum Digest {
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] { digest(.sha1, bytes) }
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(.sha256, bytes) }
    package static func sha384(_ bytes: [UInt8]) -> [UInt8] { digest(.sha384, bytes) }
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] { digest(.sha512, bytes) }

    package static func digest(_ algorithm: HashAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
        var hash = IncrementalHash(algorithm)
        hash.update(bytes)
        return hash.finish()
    }
}

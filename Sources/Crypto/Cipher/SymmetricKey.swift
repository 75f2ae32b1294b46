package import Kernel

/// A key of 256 bits for AES-GCM and HMAC.
package struct SymmetricKey: Hashable, Sendable, CustomStringConvertible {
    package static let bytes = 32

    package let secret: Secret

    /// Takes exactly 32 bytes.
    package init?(_ secret: Secret) {
        guard secret.count == Self.bytes else { return nil }
        self.secret = secret
    }

    /// Draws a new key.
    package init(from random: some RandomSource) {
        secret = Secret(random.bytes(Self.bytes))
        precondition(secret.count == Self.bytes, "a source gives as many bytes as asked")
    }

    /// Derives a key that serves one purpose only (HKDF-SHA256).
    package func derived(for purpose: [UInt8]) -> SymmetricKey { KeySource(self).key(for: purpose) }

    package var description: String { secret.description }
}

/// A key from which many are derived (HKDF-SHA256): what they have in common is done once.
struct KeySource: Hashable, Sendable {
    private let extracted: Secret

    init(_ key: SymmetricKey) { extracted = Hkdf.extracted(key.secret) }

    /// Derives a key that serves one purpose only.
    func key(for purpose: [UInt8]) -> SymmetricKey {
        guard let key = SymmetricKey(Hkdf.expanded(extracted, info: purpose, count: SymmetricKey.bytes)) else {
            preconditionFailure("HKDF gives as many bytes as asked")
        }
        return key
    }
}

/// The 96 bits that must never meet the same key twice.
package struct Nonce: Hashable, Sendable {
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Sealed.nonceBytes else { return nil }
        self.bytes = bytes
    }

    /// Draws a nonce.
    package init(from random: some RandomSource) {
        bytes = random.bytes(Sealed.nonceBytes)
        precondition(bytes.count == Sealed.nonceBytes, "a source gives as many bytes as asked")
    }
}

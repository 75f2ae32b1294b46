package import Kernel

/// Seals bytes under a key and opens them again; the format is `Sealed`'s and stays for ever.
package enum Envelope {
    package static func seal(
        _ plaintext: [UInt8],
        key: SymmetricKey,
        keyId: Uuid,
        _ context: SealContext,
        nonce: Nonce,
        blindIndex: [UInt8]? = nil
    ) -> Sealed {
        let box = AesGcm.seal(plaintext, key: key, nonce: nonce, bound: context.bound(to: keyId))
        guard let sealed = Sealed(keyId: keyId, nonce: nonce.bytes, box: box, blindIndex: blindIndex) else {
            preconditionFailure("a nonce has 12 bytes, a box at least 16, a blind index 16")
        }
        return sealed
    }

    package static func open(_ sealed: Sealed, key: SymmetricKey, _ context: SealContext) throws(CryptoFailure)
        -> [UInt8]
    {
        guard let nonce = Nonce(sealed.nonce) else { throw .notAuthentic }
        return try AesGcm.open(sealed.box, key: key, nonce: nonce, bound: context.bound(to: sealed.keyId))
    }
}

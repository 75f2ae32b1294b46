import COpenSSL
package import Kernel

/// A private key that signs with Ed25519 (RFC 8032).
package struct Ed25519SigningKey: Sendable {
    private let handle: KeyHandle
    package let publicKey: Ed25519PublicKey

    /// Takes the 32 bytes of the private seed.
    package init?(seed: Secret) {
        guard seed.count == 32 else { return nil }
        let made = unsafe seed.withBytes { seed in
            unsafe EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count)
        }
        guard let made = unsafe made else { return nil }
        handle = unsafe KeyHandle(made)
        var bytes = [UInt8](repeating: 0, count: Ed25519PublicKey.bytes)
        var length = bytes.count
        let code = unsafe EVP_PKEY_get_raw_public_key(handle.key, &bytes, &length)
        guard code == 1, let publicKey = Ed25519PublicKey(bytes) else { return nil }
        self.publicKey = publicKey
    }

    /// Signs; the same message has the same 64 bytes.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        let run = SignatureContext()
        var signature = [UInt8](repeating: 0, count: Ed25519PublicKey.signatureBytes)
        var length = signature.count
        let started = unsafe EVP_DigestSignInit(run.context, nil, nil, nil, handle.key)
        let code = unsafe EVP_DigestSign(run.context, &signature, &length, message, message.count)
        precondition(started == 1 && code == 1 && length == signature.count, "an Ed25519 key signs")
        return signature
    }
}

/// A public key that verifies Ed25519 signatures.
package struct Ed25519PublicKey: Sendable {
    package static let bytes = 32
    package static let signatureBytes = 64

    /// The 32 bytes as RFC 8032 encodes them.
    package let bytes: [UInt8]
    private let handle: KeyHandle

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.bytes,
            let made = unsafe EVP_PKEY_new_raw_public_key(NID_ED25519, nil, bytes, bytes.count)
        else { return nil }
        self.bytes = bytes
        handle = unsafe KeyHandle(made)
    }

    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureBytes else { return false }
        let run = SignatureContext()
        guard unsafe EVP_DigestVerifyInit(run.context, nil, nil, nil, handle.key) == 1 else { return false }
        let code = unsafe EVP_DigestVerify(run.context, signature, signature.count, message, message.count)
        if code != 1 { ERR_clear_error() }
        return code == 1
    }
}

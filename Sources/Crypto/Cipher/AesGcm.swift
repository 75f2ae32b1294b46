import COpenSSL
import Kernel

/// AES-256-GCM (NIST SP 800-38D) with a tag of 128 bits.
package enum AesGcm {
    /// Encrypts and authenticates; gives the ciphertext followed by the tag.
    ///
    /// `bound` is authenticated but not kept: who opens must know it. The caller answers for nonces that don't repeat.
    package static func seal(_ plaintext: [UInt8], key: SymmetricKey, nonce: Nonce, bound: [UInt8]) -> [UInt8] {
        let context = CipherContext(.encrypt, key: key, nonce: nonce)
        var out = [UInt8](repeating: 0, count: plaintext.count + Sealed.tagBytes)
        let done = context.run(bound: bound, input: plaintext, output: &out) && context.finish()
        precondition(done, "a keyed cipher encrypts")
        var tag = [UInt8](repeating: 0, count: Sealed.tagBytes)
        precondition(context.control(EVP_CTRL_AEAD_GET_TAG, &tag), "a finished cipher has a tag")
        out.replaceSubrange(plaintext.count..., with: tag)
        return out
    }

    /// Decrypts what `seal` gave, or throws `notAuthentic` where a bit of it, of the key or of `bound` differs.
    package static func open(
        _ box: [UInt8],
        key: SymmetricKey,
        nonce: Nonce,
        bound: [UInt8]
    ) throws(CryptoFailure) -> [UInt8] {
        guard box.count >= Sealed.tagBytes else { throw .notAuthentic }
        let ciphertext = Array(box.dropLast(Sealed.tagBytes))
        var tag = Array(box.suffix(Sealed.tagBytes))
        let context = CipherContext(.decrypt, key: key, nonce: nonce)
        var out = [UInt8](repeating: 0, count: ciphertext.count)
        guard context.run(bound: bound, input: ciphertext, output: &out),
            context.control(EVP_CTRL_AEAD_SET_TAG, &tag), context.finish()
        else {
            ERR_clear_error()
            throw .notAuthentic
        }
        return out
    }
}

/// One use of the cipher.
@safe
private struct CipherContext: ~Copyable {
    enum Direction: Int32 { case decrypt = 0, encrypt = 1 }

    private let context: OpaquePointer
    private static let cipher = AesCipher()

    init(_ direction: Direction, key: SymmetricKey, nonce: Nonce) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("memory for a cipher") }
        unsafe self.context = context
        let code = key.secret.withBytes { key in
            unsafe EVP_CipherInit_ex2(
                context,
                Self.cipher.implementation,
                key,
                nonce.bytes,
                direction.rawValue,
                nil
            )
        }
        precondition(code == 1, "a fetched cipher takes a key")
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    func run(bound: [UInt8], input: [UInt8], output: inout [UInt8]) -> Bool {
        precondition(input.count < Int32.max && bound.count < Int32.max, "a message has less than 2 GiB")
        var length: Int32 = 0
        guard unsafe EVP_CipherUpdate(context, nil, &length, bound, Int32(bound.count)) == 1 else { return false }
        guard !input.isEmpty else { return true }
        return unsafe EVP_CipherUpdate(context, &output, &length, input, Int32(input.count)) == 1
    }

    /// Ends the message; nothing is written, as GCM is a stream cipher.
    func finish() -> Bool {
        var length: Int32 = 0
        var rest = [UInt8](repeating: 0, count: 16)
        return unsafe EVP_CipherFinal_ex(context, &rest, &length) == 1
    }

    func control(_ command: Int32, _ tag: inout [UInt8]) -> Bool {
        unsafe EVP_CIPHER_CTX_ctrl(context, command, Int32(Sealed.tagBytes), &tag) == 1
    }
}

/// The implementation, fetched once.
@safe
private struct AesCipher: @unchecked Sendable {
    // Never written after `init`; OpenSSL counts references to it atomically.
    let implementation: OpaquePointer

    init() {
        guard let found = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            preconditionFailure("OpenSSL's default provider has AES-256-GCM")
        }
        unsafe implementation = found
    }
}

import COpenSSL

/// An asymmetric key of OpenSSL, freed once.
@safe
final class KeyHandle: @unchecked Sendable {
    // Not changed after it was made; OpenSSL counts references to it atomically and allows concurrent use.
    let key: OpaquePointer

    /// Takes ownership.
    init(_ key: OpaquePointer) { unsafe self.key = key }

    deinit { unsafe EVP_PKEY_free(key) }
}

/// One digest-and-sign or digest-and-verify run.
@safe
struct SignatureContext: ~Copyable {
    let context: OpaquePointer

    init() {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("memory for a signature") }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }
}

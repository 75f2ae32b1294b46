import COpenSSL
package import Kernel

/// Signs with an RSA private key (RFC 8017, PKCS #1 v1.5), as a provider signs its notifications.
package struct RsaSigner: Sendable {
    private let handle: KeyHandle

    /// Reads a private key in PEM.
    package init(_ pem: Secret) throws(CryptoFailure) {
        let key = unsafe pem.withBytes { bytes -> OpaquePointer? in
            unsafe bytes.withUnsafeBytes { buffer in
                let stream = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
                defer { unsafe BIO_free(stream) }
                return unsafe PEM_read_bio_PrivateKey(stream, nil, nil, nil)
            }
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .malformedKey
        }
        handle = unsafe KeyHandle(key)
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA,
            unsafe EVP_PKEY_get_bits(key) >= RsaVerifier.leastBits
        else { throw .unsupportedKey }
    }

    package func sign(_ message: [UInt8], _ algorithm: HashAlgorithm) throws(CryptoFailure) -> [UInt8] {
        let run = SignatureContext()
        var length = 0
        guard unsafe EVP_DigestSignInit(run.context, nil, algorithm.fetched.implementation, nil, handle.key) == 1,
            unsafe EVP_DigestSign(run.context, nil, &length, message, message.count) == 1
        else { throw .malformedKey }
        var signature = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_DigestSign(run.context, &signature, &length, message, message.count) == 1 else {
            throw .malformedKey
        }
        return Array(signature.prefix(length))
    }
}

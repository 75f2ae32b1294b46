import COpenSSL

/// Verifies RSA signatures of a provider (RFC 8017) under its public key or certificate.
///
/// The validity period and the issuer of a certificate are not judged: the account pins the key itself.
package struct RsaVerifier: Sendable {
    /// How the digest is padded.
    package enum Padding: Hashable, Sendable {
        case pkcs1
        /// With a salt as long as the digest.
        case pss
    }

    /// Shorter keys are refused.
    package static let leastBits = 2048

    private let handle: KeyHandle

    /// Reads a SubjectPublicKeyInfo or an X.509 certificate, as PEM or DER; nothing may follow it in DER.
    package init(_ encoded: [UInt8]) throws(CryptoFailure) {
        guard let key = unsafe Self.decode(encoded) else {
            ERR_clear_error()
            throw .malformedKey
        }
        handle = unsafe KeyHandle(key)
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else { throw .unsupportedKey }
        guard unsafe EVP_PKEY_get_bits(key) >= Self.leastBits else { throw .shortKey }
    }

    package func verifies(
        _ signature: [UInt8],
        of message: [UInt8],
        _ algorithm: HashAlgorithm,
        _ padding: Padding = .pkcs1
    ) -> Bool {
        let run = SignatureContext()
        var keyContext: OpaquePointer?
        let started = unsafe EVP_DigestVerifyInit(
            run.context,
            &keyContext,
            algorithm.fetched.implementation,
            nil,
            handle.key
        )
        guard started == 1, unsafe Self.pad(keyContext, padding) else { return false }
        let code = unsafe EVP_DigestVerify(run.context, signature, signature.count, message, message.count)
        if code != 1 { ERR_clear_error() }
        return code == 1
    }

    private static func pad(_ context: OpaquePointer?, _ padding: Padding) -> Bool {
        switch padding {
        case .pkcs1:
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .pss:
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }

    private static func decode(_ encoded: [UInt8]) -> OpaquePointer? {
        let isPem = encoded.starts(with: Array("-----BEGIN ".utf8))
        if isPem {
            if let key = unsafe withMemory(encoded, { unsafe PEM_read_bio_PUBKEY($0, nil, nil, nil) }) {
                return unsafe key
            }
            let certificate = unsafe withMemory(encoded) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
            return unsafe publicKey(certificate)
        }
        return unsafe encoded.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            guard let start = buffer.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = unsafe start
            if let key = unsafe d2i_PUBKEY(nil, &cursor, buffer.count) {
                if unsafe cursor == start + buffer.count { return unsafe key }
                unsafe EVP_PKEY_free(key)
                return nil
            }
            unsafe cursor = start
            let certificate = unsafe d2i_X509(nil, &cursor, buffer.count)
            if unsafe cursor != start + buffer.count {
                unsafe X509_free(certificate)
                return nil
            }
            return unsafe publicKey(certificate)
        }
    }

    /// Takes the key out of a certificate and frees the certificate.
    private static func publicKey(_ certificate: OpaquePointer?) -> OpaquePointer? {
        guard let certificate = unsafe certificate else { return nil }
        defer { unsafe X509_free(certificate) }
        return unsafe X509_get_pubkey(certificate)
    }

    private static func withMemory(_ bytes: [UInt8], _ read: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
        unsafe bytes.withUnsafeBytes { buffer in
            let stream = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
            defer { unsafe BIO_free(stream) }
            return unsafe read(stream)
        }
    }
}

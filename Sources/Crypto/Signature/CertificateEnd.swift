import COpenSSL
package import Kernel

/// When an X.509 certificate ends.
package enum CertificateEnd {
    /// The end of the first certificate of a PEM text; `nil` where there is none.
    package static func read(_ pem: Secret) -> Timestamp? {
        let certificate = unsafe pem.withBytes { bytes -> OpaquePointer? in
            unsafe bytes.withUnsafeBytes { buffer in
                let stream = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
                defer { unsafe BIO_free(stream) }
                return unsafe PEM_read_bio_X509(stream, nil, nil, nil)
            }
        }
        guard let certificate = unsafe certificate else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe X509_free(certificate) }
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1 else { return nil }
        return Timestamp(seconds: Int64(days) * 86_400 + Int64(seconds))
    }
}

import COpenSSL

/// A digest over bytes that come piece by piece.
@safe
package struct IncrementalHash: ~Copyable {
    private let context: OpaquePointer
    private let algorithm: HashAlgorithm

    package init(_ algorithm: HashAlgorithm) {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("memory for a hash") }
        let code = unsafe EVP_DigestInit_ex2(context, algorithm.implementation, nil)
        precondition(code == 1, "a fetched hash starts")
        unsafe self.context = context
        self.algorithm = algorithm
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: [UInt8]) {
        let code = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
        precondition(code == 1, "a started hash takes bytes")
    }

    /// Ends the digest.
    package consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: algorithm.digestBytes)
        let code = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        precondition(code == 1, "a started hash ends")
        return digest
    }
}

import COpenSSL
package import Kernel

/// A digest over bytes that come piece by piece.
@safe
package struct IncrementalHash: ~Copyable {
    private let context: OpaquePointer
    private let algorithm: HashAlgorithm

    package init(_ algorithm: HashAlgorithm) {
        let fetched = algorithm.fetched
        guard let context = unsafe fetched.digests.take() ?? EVP_MD_CTX_new() else {
            preconditionFailure("memory for a hash")
        }
        let code = unsafe EVP_DigestInit_ex2(context, fetched.implementation, nil)
        precondition(code == 1, "a fetched hash starts")
        unsafe self.context = context
        self.algorithm = algorithm
    }

    deinit {
        guard unsafe !algorithm.fetched.digests.keep(context) else { return }
        unsafe EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: [UInt8]) {
        let code = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
        precondition(code == 1, "a started hash takes bytes")
    }

    /// Takes the sixteen bytes of a value in network order.
    package mutating func update(_ uuid: Uuid) {
        let code = unsafe withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(code == 1, "a started hash takes bytes")
    }

    package mutating func update(_ text: String) {
        let code = unsafe text.withBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
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

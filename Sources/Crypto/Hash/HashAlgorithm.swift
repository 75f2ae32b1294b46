import COpenSSL

/// A hash function of the SHA family, fetched from OpenSSL once.
package enum HashAlgorithm: Hashable, Sendable, CaseIterable {
    case sha1, sha256, sha384, sha512

    /// Length of a digest in bytes.
    package var digestBytes: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// What OpenSSL has of it, valid as long as the process.
    var fetched: FetchedHash {
        switch self {
        case .sha1: Self.fetchedSha1
        case .sha256: Self.fetchedSha256
        case .sha384: Self.fetchedSha384
        case .sha512: Self.fetchedSha512
        }
    }

    private static let fetchedSha1 = FetchedHash("SHA1")
    private static let fetchedSha256 = FetchedHash("SHA256")
    private static let fetchedSha384 = FetchedHash("SHA384")
    private static let fetchedSha512 = FetchedHash("SHA512")
}

/// A hash function's implementation: fetching by name costs more than hashing a short text.
@safe
struct FetchedHash: @unchecked Sendable {
    // Never written after `init`; OpenSSL counts references to it atomically.
    let implementation: OpaquePointer
    let name: String
    /// Contexts that made a digest.
    let digests = IdleContexts()
    /// Contexts that made a keyed code.
    let codes = IdleContexts()

    fileprivate init(_ name: String) {
        guard let found = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL's default provider has \(name)")
        }
        unsafe implementation = found
        self.name = name
    }
}

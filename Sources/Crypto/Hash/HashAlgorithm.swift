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

    /// The implementation, valid as long as the process.
    var implementation: OpaquePointer {
        switch self {
        case .sha1: unsafe Self.fetched.sha1
        case .sha256: unsafe Self.fetched.sha256
        case .sha384: unsafe Self.fetched.sha384
        case .sha512: unsafe Self.fetched.sha512
        }
    }

    private static let fetched = FetchedHashes()
}

/// The implementations: fetching by name costs more than hashing a short text.
@safe
private struct FetchedHashes: @unchecked Sendable {
    // Never written after `init`; OpenSSL counts references to them atomically.
    let sha1 = unsafe Self.fetch("SHA1")
    let sha256 = unsafe Self.fetch("SHA256")
    let sha384 = unsafe Self.fetch("SHA384")
    let sha512 = unsafe Self.fetch("SHA512")

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let found = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL's default provider has \(name)")
        }
        return unsafe found
    }
}

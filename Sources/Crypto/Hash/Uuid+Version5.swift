package import Kernel

extension Uuid {
    /// Derives the version 5 value of a name in a namespace (RFC 9562, section 5.5).
    package static func version5(namespace: Uuid, name: [UInt8]) -> Uuid {
        guard let uuid = version5(digest: Digest.sha1(namespace.bytes + name)) else {
            preconditionFailure("a SHA-1 digest has twenty bytes")
        }
        return uuid
    }

    package static func version5(namespace: Uuid, name: String) -> Uuid {
        version5(namespace: namespace, name: Array(name.utf8))
    }
}

package import Kernel

extension Uuid {
    /// Derives the version 5 value of a name in a namespace (RFC 9562, section 5.5).
    package static func version5(namespace: Uuid, name: [UInt8]) -> Uuid {
        version5(namespace) { $0.update(name) }
    }

    package static func version5(namespace: Uuid, name: String) -> Uuid {
        version5(namespace) { $0.update(name) }
    }

    private static func version5(_ namespace: Uuid, _ name: (inout IncrementalHash) -> Void) -> Uuid {
        var hash = IncrementalHash(.sha1)
        hash.update(namespace)
        name(&hash)
        guard let uuid = version5(digest: hash.finish()) else {
            preconditionFailure("a SHA-1 digest has twenty bytes")
        }
        return uuid
    }
}

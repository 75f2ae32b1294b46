import Crypto
package import Kernel

/// A pair of a payment's metadata, as the read model knows it.
package enum PaymentLabel {
    /// The code of a pair; two pairs that differ in anything have different ones.
    package static func code(_ name: String, _ value: String) -> Uuid {
        let pair: Json = .array([.string(name), .string(value)])
        guard let code = Uuid(bytes: Digest.sha256(pair.canonical).prefix(16)) else {
            preconditionFailure("a digest is longer than an id")
        }
        return code
    }

    /// The codes of labels, each once, in an order of their own.
    package static func codes(_ labels: Json) -> [Uuid] {
        (labels.members?.members ?? []).compactMap { pair in pair.value.text.map { code(pair.name, $0) } }.sorted()
    }
}

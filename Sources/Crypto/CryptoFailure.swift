/// Why something could not be opened, read or verified; it never says more than an outsider may know.
package enum CryptoFailure: String, Error, Hashable, Sendable {
    /// The bytes, the key or what they were bound to is not what was sealed.
    case notAuthentic
    /// No key of that id is known here, or it was destroyed.
    case unknownKey
    /// The key file or key text has another shape.
    case malformedKey
    /// The public key is of another kind.
    case unsupportedKey
    /// The public key is shorter than what protects anything.
    case shortKey
}

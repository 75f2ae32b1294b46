package import Kernel

/// The key of one data subject; destroying it erases everything that was sealed with it.
package struct SubjectKey: Hashable, Sendable {
    package let id: Uuid
    /// The key that is stored, wrapped by the key ring.
    package let key: SymmetricKey
    private let sealing: SymmetricKey
    private let comparing: SymmetricKey

    package init(id: Uuid, key: SymmetricKey) {
        self.id = id
        self.key = key
        sealing = key.derived(for: Array("paystream subject seal 1".utf8))
        comparing = key.derived(for: Array("paystream subject blind index 1".utf8))
    }

    /// Whether a sealed value can be compared with others of its subject and purpose.
    package enum Equality: Hashable, Sendable {
        case none
        case blindIndex
    }

    /// Seals the canonical text of a value.
    package func seal(_ value: Json, _ context: SealContext, nonce: Nonce, equality: Equality) -> Sealed {
        let plaintext = value.canonical
        return Envelope.seal(
            plaintext,
            key: sealing,
            keyId: id,
            context,
            nonce: nonce,
            blindIndex: equality == .blindIndex ? blindIndex(plaintext, purpose: context.purpose) : nil
        )
    }

    /// Opens a value; one sealed under another key throws `unknownKey`.
    package func open(_ sealed: Sealed, _ context: SealContext) throws(CryptoFailure) -> Json {
        guard sealed.keyId == id else { throw .unknownKey }
        let plaintext = try Envelope.open(sealed, key: sealing, context)
        do { return try Json(plaintext) } catch { throw .notAuthentic }
    }

    /// The blind index that an equal value of this purpose has.
    package func blindIndex(of value: Json, purpose: String) -> [UInt8] {
        blindIndex(value.canonical, purpose: purpose)
    }

    private func blindIndex(_ canonical: [UInt8], purpose: String) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(4 + purpose.utf8.count + canonical.count)
        message.append(UInt32(purpose.utf8.count))
        message += purpose.utf8
        message += canonical
        return Array(Hmac.sha256(key: comparing.secret, message).prefix(Sealed.blindIndexBytes))
    }
}

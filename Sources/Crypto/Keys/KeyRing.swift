package import Kernel

/// The master keys that are known: the newest seals, all open.
///
/// `paystream keys rotate` seals again what is no part of the log. A key that was ever the newest stays in the file: the
/// codes of commands were made with it, and what it sealed in the log is never rewritten.
package struct KeyRing: Sendable {
    /// Oldest first.
    private let masters: [MasterKey]
    private let newest: MasterKey

    package init(newest: MasterKey, older: [MasterKey] = []) {
        self.newest = newest
        masters = older + [newest]
    }

    /// Reads a key file: base64 of 32 bytes per line, the newest last; empty lines and lines with `#` are skipped.
    package init(file: Secret) throws(CryptoFailure) {
        let keys = try file.withBytes { bytes throws(CryptoFailure) in try Self.keys(bytes) }
        guard let newest = keys.last, Set(keys.map(\.id)).count == keys.count else { throw .malformedKey }
        self.init(newest: newest, older: keys.dropLast())
    }

    private static func keys(_ bytes: [UInt8]) throws(CryptoFailure) -> [MasterKey] {
        var keys: [MasterKey] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var text = String(decoding: line, as: UTF8.self)
            while text.last == " " || text.last == "\r" { text.removeLast() }
            if text.isEmpty || text.hasPrefix("#") { continue }
            guard let root = Base64.decode(text).flatMap({ SymmetricKey(Secret($0)) }) else { throw .malformedKey }
            keys.append(MasterKey(root))
        }
        return keys
    }

    /// The master key that seals.
    package var newestId: Uuid { newest.id }
    package var ids: [Uuid] { masters.map(\.id) }
    /// Bytes of the master's id that lead a code.
    package static let tagBytes = 4

    private func master(_ id: Uuid) throws(CryptoFailure) -> MasterKey {
        for master in masters where master.id == id { return master }
        throw .unknownKey
    }
}

// MARK: - Sealing

extension KeyRing {
    /// Seals bytes under a key that is derived for exactly this purpose and context.
    ///
    /// So no key meets more than a handful of nonces, however many effects there are.
    package func seal(_ plaintext: Secret, _ purpose: KeyPurpose, _ context: SealContext, nonce: Nonce) -> Sealed {
        plaintext.withBytes {
            Envelope.seal($0, key: newest.key(purpose, context), keyId: newest.id, context, nonce: nonce)
        }
    }

    package func open(_ sealed: Sealed, _ purpose: KeyPurpose, _ context: SealContext) throws(CryptoFailure) -> Secret {
        Secret(try Envelope.open(sealed, key: master(sealed.keyId).key(purpose, context), context))
    }

    /// Seals again under the newest key; what is under it already is answered with `nil`.
    package func resealed(_ sealed: Sealed, _ purpose: KeyPurpose, _ context: SealContext, nonce: Nonce)
        throws(CryptoFailure) -> Sealed?
    {
        guard sealed.keyId != newest.id else { return nil }
        return seal(try open(sealed, purpose, context), purpose, context, nonce: nonce)
    }

    /// Wraps a key for storage.
    package func wrap(_ key: SymmetricKey, _ context: SealContext, nonce: Nonce) -> Sealed {
        seal(key.secret, .wrap, context, nonce: nonce)
    }

    package func unwrap(_ sealed: Sealed, _ context: SealContext) throws(CryptoFailure) -> SymmetricKey {
        guard let key = SymmetricKey(try open(sealed, .wrap, context)) else { throw .malformedKey }
        return key
    }
}

// MARK: - Codes

extension KeyRing {
    /// Authenticates a message: four bytes of the master's id and 32 of HMAC-SHA256 under the newest key.
    package func code(_ purpose: KeyPurpose, _ message: [UInt8]) -> [UInt8] { newest.code(purpose, message) }

    /// Every code that the message may be stored under, the newest first.
    package func codes(_ purpose: KeyPurpose, _ message: [UInt8]) -> [[UInt8]] {
        masters.reversed().map { $0.code(purpose, message) }
    }
}

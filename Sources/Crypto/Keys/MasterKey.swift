package import Kernel

/// A use of a key derived from a master key; the names are stored in nothing but must never change.
package enum KeyPurpose: String, Hashable, Sendable, CaseIterable {
    /// Wraps subject keys and the per-input keys of originals.
    case wrap
    /// Seals the secrets of provider accounts.
    case accountSecret = "account secret"
    /// Seals the request templates of effects.
    case template
    /// Authenticates the canonical form of commands.
    case idempotency
    /// Hashes API keys.
    case apiKey = "api key"
    /// Proves to a database that this key sealed in it.
    case proof
    /// Authenticates where the pages of lists go on.
    case cursor
    /// Makes codes that payers are found by.
    case payer
    /// Hashes the tokens of the console's sessions.
    case consoleSession = "console session"
    /// Makes the tokens that the forms of a session carry.
    case consoleForm = "console form"
    /// Makes the words that payment links are found by, and what the forms of their pages carry.
    case paymentLink = "payment link"
}

/// The root of the keys: 32 random bytes that live in a file outside the database.
package struct MasterKey: Sendable {
    /// Derived from the key; telling it tells nothing about the key.
    package let id: Uuid
    private let sources: [KeyPurpose: KeySource]
    private let codes: [KeyPurpose: KeyedCode]

    package init(_ root: SymmetricKey) {
        let source = KeySource(root)
        let name = source.key(for: Array("paystream master id".utf8))
        guard let id = name.secret.withBytes({ Uuid(bytes: $0.prefix(16)) }) else {
            preconditionFailure("a derived key has 32 bytes")
        }
        self.id = id
        let keys = Dictionary(
            uniqueKeysWithValues: KeyPurpose.allCases.map { purpose in
                (purpose, source.key(for: Array("paystream \(purpose.rawValue) 1".utf8)))
            }
        )
        sources = keys.mapValues { KeySource($0) }
        codes = keys.mapValues { KeyedCode($0) }
    }

    /// Makes the text of a new key, as one line of a key file.
    package static func newLine(from random: some RandomSource) -> Secret {
        SymmetricKey(from: random).secret.withBytes { Secret(Base64.encode($0) + "\n") }
    }

    /// The first bytes of the id and the code of a message under the purpose's key.
    func code(_ purpose: KeyPurpose, _ message: [UInt8]) -> [UInt8] {
        guard let keyed = codes[purpose] else { preconditionFailure("every purpose has its key") }
        var code: [UInt8] = []
        code.reserveCapacity(KeyRing.tagBytes + HashAlgorithm.sha256.digestBytes)
        code += id.bytes.prefix(KeyRing.tagBytes)
        keyed.append(codeOf: message, to: &code)
        return code
    }

    /// The key that serves a purpose in one context only.
    func key(_ purpose: KeyPurpose, _ context: SealContext) -> SymmetricKey {
        guard let source = sources[purpose] else { preconditionFailure("every purpose has its key") }
        return source.key(for: context.bound(to: id))
    }
}

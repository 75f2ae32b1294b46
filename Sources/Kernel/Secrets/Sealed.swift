/// A value that was encrypted and can be carried, stored and compared, but not read.
///
/// The binary form, for ever: one byte of version (1), sixteen of key id, twelve of nonce, then the ciphertext with its
/// sixteen bytes of tag. Crypto's `Envelope` makes and opens it.
package struct Sealed: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package static let version: UInt8 = 1
    package static let nonceBytes = 12
    package static let tagBytes = 16
    package static let blindIndexBytes = 16
    private static let headBytes = 1 + 16 + nonceBytes

    /// The member that marks a sealed value in JSON; no document from outside may have it.
    package static let mark = "$sealed"
    /// The member that holds the blind index.
    package static let blindMark = "$blind"

    /// Which key opens it.
    package let keyId: Uuid
    package let nonce: [UInt8]
    /// Ciphertext, then tag.
    package let box: [UInt8]
    /// Equal for equal values of one purpose under one key; absent where nobody needs to compare.
    package let blindIndex: [UInt8]?

    package init?(keyId: Uuid, nonce: [UInt8], box: [UInt8], blindIndex: [UInt8]? = nil) {
        guard nonce.count == Self.nonceBytes, box.count >= Self.tagBytes else { return nil }
        guard (blindIndex?.count ?? Self.blindIndexBytes) == Self.blindIndexBytes else { return nil }
        self.keyId = keyId
        self.nonce = nonce
        self.box = box
        self.blindIndex = blindIndex
    }

    /// Reads the binary form.
    package init?(_ bytes: [UInt8], blindIndex: [UInt8]? = nil) {
        guard bytes.count >= Self.headBytes, bytes[0] == Self.version, let keyId = Uuid(bytes: bytes[1..<17]) else {
            return nil
        }
        self.init(
            keyId: keyId,
            nonce: Array(bytes[17..<Self.headBytes]),
            box: Array(bytes[Self.headBytes...]),
            blindIndex: blindIndex
        )
    }

    /// The binary form, without the blind index.
    package var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(Self.headBytes + box.count)
        out.append(Self.version)
        out.append(keyId)
        out += nonce
        out += box
        return out
    }

    package var description: String { "‹sealed›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sealed {
    /// The form that stands in a document in place of the value: `{"$sealed":"…"}`, base64url of the binary form.
    package var json: Json {
        .compact([
            (Self.blindMark, blindIndex.map { .string(Base64.encode($0, .url)) }),
            (Self.mark, .string(Base64.encode(bytes, .url))),
        ])
    }

    /// Reads the form that `json` writes; anything else, a further member too, is `nil`.
    package init?(_ json: Json) {
        guard let members = json.members, let bytes = members[Self.mark]?.text.flatMap({ Base64.decode($0, .url) })
        else { return nil }
        let blind = members[Self.blindMark]
        let blindIndex = blind?.text.flatMap { Base64.decode($0, .url) }
        guard members.count == (blind == nil ? 1 : 2), (blind == nil) == (blindIndex == nil) else { return nil }
        self.init(bytes, blindIndex: blindIndex)
    }
}

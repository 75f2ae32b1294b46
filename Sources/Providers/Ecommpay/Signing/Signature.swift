import Crypto
package import Kernel

/// The one signature algorithm of Payment Page, Gate and callbacks: Base64 of HMAC-SHA512 over the canonical string.
///
/// The key is the text of the project's secret as it stands, whatever it looks like.
package enum Signature {
    /// Signs a document whose `signature` members don't count.
    package static func sign(_ document: Json, key: Secret) -> String {
        sign(CanonicalString(document).text(.natural), key: key)
    }

    /// Signs a text.
    package static func sign(_ text: [UInt8], key: Secret) -> String { Base64.encode(Hmac.sha512(key: key, text)) }

    /// A signature that was found good.
    package struct Match {
        let order: CanonicalString.Order
        /// The canonical string in natural order: what was verified, one text per content.
        let content: [UInt8]
    }

    /// Bytes of a canonical string that is looked at: four times those of the longest message.
    private static let longest = 262_144

    /// Compares a claimed signature in constant time; `nil` where it is not the key's.
    ///
    /// With `acceptsByteOrder` a mismatch is tried again with lines in byte order, as some kits of the provider sort.
    package static func verify(
        _ claimed: String,
        of document: Json,
        key: Secret,
        acceptsByteOrder: Bool
    ) -> Match? {
        guard let canonical = CanonicalString(bounded: document, atMost: longest) else { return nil }
        let natural = canonical.text(.natural)
        let claim = Array(claimed.utf8)
        if constantTimeEquals(claim, Array(sign(natural, key: key).utf8)) {
            return Match(order: .natural, content: natural)
        }
        guard acceptsByteOrder else { return nil }
        let byBytes = canonical.text(.byteOrder)
        guard byBytes != natural, constantTimeEquals(claim, Array(sign(byBytes, key: key).utf8)) else { return nil }
        return Match(order: .byteOrder, content: natural)
    }

    /// The signature that a message carries.
    package enum Claim: Hashable {
        case found(String)
        case missing
        /// It is there and no text.
        case malformed
    }

    /// Looks at the top level, else in `general`.
    package static func claim(in message: Json) -> Claim {
        guard let found = message["signature"] ?? message.at("general", "signature") else { return .missing }
        guard let text = found.text else { return .malformed }
        return .found(text)
    }
}

package import Kernel

/// The shape of what the app's kit encrypts: five parts of base64url, of which only the first can be read here.
///
/// It is forwarded byte for byte, once, and kept in memory alone. Its content is the payer's card.
package enum CustomerInput {
    /// The protected header and the lengths of the other parts; `nil` where the text is no such blob.
    package struct Shape: Hashable, Sendable {
        package let header: Json
        package let keyBytes: Int
        package let ivBytes: Int
        package let cipherBytes: Int
        package let tagBytes: Int
    }

    package static let longestBytes = 32_768

    package static func shape(_ text: String) -> Shape? {
        guard text.utf8.count <= longestBytes else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Base64.decode($0, .url) }
        guard parts.count == 5, let first = parts[0], let header = try? Json(first),
            let key = parts[1], let iv = parts[2], let cipher = parts[3], let tag = parts[4]
        else { return nil }
        guard header["alg"]?.text == "RSA-OAEP", header["enc"]?.text == "A256CBC-HS512",
            header["kid"]?.text?.isEmpty == false
        else { return nil }
        guard key.count >= 256, iv.count == 16, !cipher.isEmpty, cipher.count % 16 == 0, tag.count == 32 else {
            return nil
        }
        return Shape(
            header: header,
            keyBytes: key.count,
            ivBytes: iv.count,
            cipherBytes: cipher.count,
            tagBytes: tag.count
        )
    }
}

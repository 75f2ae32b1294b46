import Kernel
import ProviderKit

/// Makes request templates of the server interface: path below the merchant, body, and what the headers need.
///
/// `content` holds `body`, `key` (idempotence), `meta` (the app's client info, a hole) and `integrator`.
package enum Call {
    /// Signed and sent.
    package static let signing = "worldline.v1hmac"
    /// Shown to the payer's device; never sent.
    static let handover = "worldline.handover"
    /// So many characters an idempotence key may have.
    package static let keyCharacters = 40

    static func template(
        _ method: String,
        _ path: String,
        _ settings: WorldlineSettings,
        query: [(String, String)] = [],
        body: Json? = nil,
        key: String? = nil,
        meta: Json? = nil,
        deadline: Timestamp? = nil
    ) -> RequestTemplate {
        let tail = query.isEmpty ? "" : "?" + query.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return RequestTemplate(
            method: method,
            url: "\(settings.endpoint)/v2/\(settings.merchantId)\(path)\(tail)",
            content: .compact([
                ("body", body), ("deadline", deadline.map { .integer($0.seconds) }),
                ("integrator", settings.sendServerMetaInfo ? .string(settings.integrator) : nil),
                ("key", key.map(Json.string)), ("meta", meta),
            ]),
            signing: signing
        )
    }

    /// Whether a key may be sent: ASCII, and not longer than the provider documents.
    package static func isKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= keyCharacters && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether a query value needs no escape: the provider's kits sign escapes in two ways.
    static func isPlain(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }
}

import Crypto
import Kernel

/// Signatures by Standard Webhooks: over id, time and the exact bytes of the body.
enum WebhookSigning {
    /// One signature for each secret, with blanks between them; a secret is `whsec_` and base64.
    static func header(id: String, timestamp: String, body: [UInt8], secrets: [Secret]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return secrets.compactMap { secret in
            guard let key = key(of: secret) else { return nil }
            return "v1," + Base64.encode(Hmac.sha256(key: key, signed))
        }.joined(separator: " ")
    }

    private static func key(of secret: Secret) -> Secret? {
        secret.withBytes { bytes in
            let prefix = Array("whsec_".utf8)
            guard bytes.starts(with: prefix) else { return nil }
            return Base64.decode(String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self)).map { Secret($0) }
        }
    }
}

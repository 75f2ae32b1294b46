import Crypto
package import Kernel

/// Signatures by Standard Webhooks: over id, time and the exact bytes of the body.
package enum WebhookSigning {
    private static let sharedPrefix = Array("whsec_".utf8)
    private static let privatePrefix = Array("whsk_".utf8)

    /// One signature for each secret, with blanks between them: of `v1` by `whsec_` and base64, of `v1a` by `whsk_` and base64.
    package static func header(id: String, timestamp: String, body: [UInt8], secrets: [Secret]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return secrets.compactMap { secret in
            if let key = key(of: secret, behind: sharedPrefix) {
                return "v1," + Base64.encode(Hmac.sha256(key: key, signed))
            }
            if let seed = key(of: secret, behind: privatePrefix), let key = Ed25519SigningKey(seed: seed) {
                return "v1a," + Base64.encode(key.sign(signed))
            }
            return nil
        }.joined(separator: " ")
    }

    /// Whether a text is a secret that can sign: `whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks has it.
    package static func isSecret(_ secret: Secret) -> Bool {
        key(of: secret, behind: sharedPrefix).map { $0.withBytes { (24...64).contains($0.count) } } ?? false
    }

    private static func key(of secret: Secret, behind prefix: [UInt8]) -> Secret? {
        secret.withBytes { bytes in
            guard bytes.starts(with: prefix) else { return nil }
            return Base64.decode(String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self)).map { Secret($0) }
        }
    }
}

import Crypto
package import Kernel

/// The v1HMAC rule for requests and the rule for events, as the provider's documents have them.
package enum WorldlineSignature {
    /// Whether a request is signed by one of the keys, for this moment.
    ///
    /// The provider's kits sign an escaped target in two ways, so either is taken.
    static func isGenuine(_ request: SandboxRequest, _ keys: [WorldlineMerchant.Key], at now: Timestamp) -> Bool {
        guard let field = request.headers["authorization"], field.hasPrefix("GCS v1HMAC:"),
            let date = request.headers["date"], let sent = time(date),
            abs(sent.microseconds - now.microseconds) <= WorldlineTimings.skew.components.seconds * 1_000_000
        else { return false }
        let parts = field.dropFirst("GCS v1HMAC:".count).split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let key = keys.first(where: { $0.id == parts[0] }) else { return false }
        let raw = request.query.isEmpty ? request.path : "\(request.path)?\(request.query)"
        let decoded = FormEncoding.unescape(Array(raw.utf8), plusAsSpace: false) ?? raw
        return [raw, decoded].contains { target in
            let expected = sign(Array(stringToSign(request, target).utf8), key.secret)
            return constantTimeEquals(Array(expected.utf8), Array(parts[1].utf8))
        }
    }

    private static func stringToSign(_ request: SandboxRequest, _ target: String) -> String {
        var lines = [request.method, request.headers["content-type"] ?? "", request.headers["date"] ?? ""]
        let names = request.headers.keys.filter { $0.hasPrefix("x-gcs") }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            lines.append("\(name):\(request.headers[name] ?? "")")
        }
        lines.append(target)
        return lines.map { $0 + "\n" }.joined()
    }

    /// Standard Base64 of HMAC-SHA256; the secret is a text and never decoded.
    package static func sign(_ bytes: [UInt8], _ secret: Secret) -> String {
        Base64.encode(Hmac.sha256(key: secret, bytes))
    }

    /// Reads `Fri, 20 Nov 2026 09:05:03 GMT`.
    static func time(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

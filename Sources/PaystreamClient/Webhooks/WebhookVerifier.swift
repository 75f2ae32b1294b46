public import Foundation

/// Tells whether a webhook comes from Paystream (Standard Webhooks), before anything of it is believed.
///
/// Hand over the body's bytes as they came: JSON that was read and written again has another signature.
public struct WebhookVerifier: Sendable {
    /// Verifies an Ed25519 signature of `v1a` over a message; Foundation has none on every platform.
    public typealias Ed25519 = @Sendable (_ message: Data, _ signature: Data) -> Bool

    private let keys: [[UInt8]]
    private let tolerance: Duration
    private let ed25519: Ed25519?

    /// - Parameters:
    ///   - secrets: As `whsec_…`; several while one takes the other's place.
    ///   - tolerance: How far the sender's clock and ours may be apart.
    ///   - ed25519: What verifies signatures of `v1a`, where they are used.
    /// - Throws: Where a secret is none.
    public init(
        secrets: [String],
        tolerance: Duration = .seconds(300),
        ed25519: Ed25519? = nil
    ) throws(WebhookFailure) {
        var keys: [[UInt8]] = []
        for secret in secrets {
            let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
            guard let key = Data(base64Encoded: text), !key.isEmpty else { throw .secretMalformed }
            keys.append(Array(key))
        }
        self.keys = keys
        self.tolerance = tolerance
        self.ed25519 = ed25519
    }

    /// Verifies a delivery and gives its event; `headers` are looked up whatever the case of their names.
    public func verify(
        headers: [String: String],
        body: Data,
        now: Date = Date()
    ) throws(WebhookFailure) -> Event {
        let given = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
        guard let id = given["webhook-id"], let time = given["webhook-timestamp"],
            let signatures = given["webhook-signature"]
        else { throw .headersMissing }
        guard let seconds = Int64(time), !id.contains(".") else { throw .headersMalformed }
        let message = Data("\(id).\(time).".utf8) + body
        guard signatures.split(separator: " ").contains(where: { isGood($0, message) }) else { throw .signatureWrong }
        // Only a time that is signed says anything.
        let age = abs(now.timeIntervalSince1970 - Double(seconds))
        guard age <= tolerance / .seconds(1) else { throw .tooOld }
        do { return try Wire.decode(Event.self, from: body) } catch { throw .noEvent }
    }

    private func isGood(_ signature: Substring, _ message: Data) -> Bool {
        let parts = signature.split(separator: ",", maxSplits: 1)
        guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])) else { return false }
        switch parts[0] {
        case "v1": return keys.contains { Sha256.isSame(Sha256.hmac(Array(message), key: $0), Array(bytes)) }
        case "v1a": return ed25519?(message, bytes) ?? false
        default: return false
        }
    }
}

/// Why a delivery is not believed: answer it with 400 and do nothing.
public enum WebhookFailure: Error, Hashable, Sendable {
    case secretMalformed
    case headersMissing, headersMalformed
    case signatureWrong
    /// Older, or further ahead, than the tolerance: an old delivery that somebody sends again.
    case tooOld
    /// Signed, and no event.
    case noEvent
}

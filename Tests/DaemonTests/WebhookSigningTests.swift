import Crypto
import Daemon
import Kernel
import Testing

/// Signatures of webhooks, by the words of Standard Webhooks.
struct WebhookSigningTests {
    private static let shared = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private static let body = Array(#"{"test": 2432232314}"#.utf8)

    private func header(_ secrets: [Secret]) -> [Substring] {
        WebhookSigning.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: "1614265330",
            body: Self.body,
            secrets: secrets
        ).split(separator: " ")
    }

    @Test func `the example of the standard is signed as it says`() {
        #expect(header([Self.shared]) == ["v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="])
    }

    @Test func `a private key signs beside a secret, and its public one verifies`() throws {
        let seed = [UInt8](0..<32)
        let pair = try #require(Ed25519SigningKey(seed: Secret(seed)))
        let signatures = header([Secret("whsk_" + Base64.encode(seed)), Self.shared])
        #expect(signatures.count == 2 && signatures[1].hasPrefix("v1,"))
        let signature = try #require(Base64.decode(String(signatures[0].dropFirst("v1a,".count))))
        let message = Array("msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.".utf8) + Self.body
        #expect(signatures[0].hasPrefix("v1a,") && pair.publicKey.verifies(signature, of: message))
        #expect(!pair.publicKey.verifies(signature, of: message + [0]))
    }

    @Test func `what is no secret signs nothing`() {
        #expect(header([Secret("whsk_AAAA"), Secret("whpk_AAAA"), Secret("AAAA")]).isEmpty)
        #expect(WebhookSigning.isSecret(Self.shared))
        #expect(!WebhookSigning.isSecret(Secret("whsk_" + Base64.encode([UInt8](0..<32)))))
    }
}

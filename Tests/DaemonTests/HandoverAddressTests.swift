import Daemon
import Kernel
import ProviderKit
import Testing

/// What a provider gives for the payer's device reaches it as it is.
struct HandoverAddressTests {
    /// Digits that pass for a card number, as a provider's own counter does now and then.
    private static let address: Json = "https://pay.example/orders/4351200010000/form"

    private static let token: Json = "3138D04FAFDE8D6AAFFB4351200010000"

    @Test(
        arguments: [
            ("worldline", ["redirectUrl": address]),
            ("worldline", ["merchantAction": ["redirectData": ["redirectURL": address]]]),
            ("portmone", ["linkPayment": address]), ("portmone", ["result": ["linkInvoice": address]]),
            ("portmone", ["result": ["md": "4351200010000"]]), ("sberpay", ["formUrl": address]),
            ("dolyame", ["link": address]), ("portmone", ["token": token]),
            ("portmone", ["result": [["token": token]]]),
            ("worldline", ["creationOutput": ["token": token]]), ("ecommpay", ["account": ["token": token]]),
        ] as [(String, Json)]
    )
    func `an address or a token whose digits look like a card's is kept`(provider: String, answer: Json) throws {
        let adapter = try #require(Node.adapters[provider])
        #expect(CardGuard.redact(["elsewhere": Self.address]).findings.count == 1)
        let kept = CardGuard.redact(answer, exempt: adapter.declaration.identifierPaths)
        #expect(kept.findings.isEmpty)
        #expect(kept.json == answer)
    }
}

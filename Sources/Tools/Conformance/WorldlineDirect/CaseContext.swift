import Conformance
import Kernel
import Payments
import ProviderKit
import WorldlineDirect

/// The knowledge of our side, in the adapter's terms.
enum CaseContext {
    static func account(merchantId: String) -> AccountSettings {
        AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 0, low: 1),
                name: "vectors",
                provider: "worldline",
                mode: .test,
                version: 1
            ),
            values: ["merchantId": .string(merchantId), "currencies": ["EUR"]],
            notificationUrl: "https://merchant.example/notifications",
            returnUrl: "https://merchant.example/return"
        )
    }

    /// A payment in two steps that was opened with the app's input; the reference is the message's own.
    static func interpretation(reference: String, mode: PaymentMode = .authorize) -> InterpretContext {
        InterpretContext(
            settings: account(merchantId: "merchant"),
            paymentReference: reference,
            terms: PaymentTerms(
                mode: mode,
                method: .sdk,
                amount: nil,
                reference: nil,
                description: nil,
                customer: nil,
                instrument: nil,
                expiresAt: .distantFuture,
                details: [:],
                metadata: [:]
            ),
            isHandover: true
        )
    }
}

import Conformance
import Kernel
import Payments
import ProviderKit
import WorldlineDirect

/// The knowledge of our side, in the adapter's terms.
enum CaseContext {
    static func account(merchantId: String) -> AccountSettings {
        AccountSettings.ofCases("worldline", ["merchantId": .string(merchantId), "currencies": ["EUR"]])
    }

    /// A payment in two steps that was opened with the app's input; the reference is the message's own.
    static func interpretation(reference: String, mode: PaymentMode = .authorize) -> InterpretContext {
        InterpretContext(
            settings: account(merchantId: "merchant"),
            paymentReference: reference,
            terms: PaymentTerms.ofCase(mode, .sdk, nil),
            isHandover: true
        )
    }
}

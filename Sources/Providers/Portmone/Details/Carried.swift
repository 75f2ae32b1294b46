import Kernel
import Payments
import ProviderKit

/// Which members of a payment's details the provider's pages, its SDK and its calls are told.
enum Carried {
    static func members(_ use: DetailsUse, _ settings: PortmoneSettings) -> CarriedDetails {
        switch use {
        case .payment(let mode, let method): payment(mode, method, settings)
        // Each of them asks its payer, on a page.
        case .schedule: page + ["saveCard"]
        case .operation, .auxiliary: []
        }
    }

    private static func payment(
        _ mode: PaymentMode,
        _ method: PaymentMethod,
        _ settings: PortmoneSettings
    ) -> CarriedDetails {
        switch Order.way(mode, method, settings) {
        case .page:
            var carried = page
            if method == .instrument { carried = carried + ["cardMask"] }
            if mode != .tokenize { carried = carried + ["saveCard"] }
            if mode == .transfer { carried = carried + ["transfer.sellerToken"] } else { carried = carried + ["split"] }
            return carried
        case .transferPage: return ["transfer.recipientBillId", "urls.success"]
        case .sdk: return sdk(mode, method)
        case .wallet: return ["wallet"]
        }
    }

    private static let page: CarriedDetails = [
        "payer.email", "urls", "language", "attributes", "presentation.showEmail",
        "presentation.paymentTypes", "presentation.priorityPaymentTypes", "presentation.otherPaymentMethods",
    ]

    private static func sdk(_ mode: PaymentMode, _ method: PaymentMethod) -> CarriedDetails {
        let screen: CarriedDetails = ["payer.email", "language", "presentation.biometrics"]
        let mask: CarriedDetails = method == .instrument ? ["cardMask"] : []
        let receipt: CarriedDetails = ["presentation.showReceiptScreen"]
        switch mode {
        case .tokenize, .verify: return screen
        case .transfer: return screen + mask + receipt + ["attributes.2", "attributes.3", "attributes.4"]
        case .sale, .authorize:
            return screen + mask + receipt + [
                "attributes", "split", "billType", "details", "withoutCvv", "presentation.paymentFlowType",
                "presentation.returnToDetailsDisabled",
            ]
        }
    }
}

import Kernel
import Payments
import ProviderKit

/// Which members of a payment's details the form, the SDK and Gate are told.
enum Carried {
    private static let shared: CarriedDetails = [
        "additionalFields", "language", "region", "items", "presentation.forcePaymentMethod",
    ]
    private static let payer = CarriedDetails(
        Details.payerNames.map { "payer.\($0.0)" } + ["payer.billing"]
    )

    static func members(_ use: DetailsUse, _ settings: EcommpaySettings) -> CarriedDetails {
        switch use {
        case .payment(_, let method): method.meetsPage ? page(settings) : sdk
        case .schedule: page(settings) + gate
        case .operation, .auxiliary: []
        }
    }

    private static func page(_ settings: EcommpaySettings) -> CarriedDetails {
        settings.returnMode == .none ? pageAlone : pageWithReturn
    }

    private static let pageAlone: CarriedDetails = shared + payer + ["presentation.forcePaymentGroup"]
    private static let pageWithReturn: CarriedDetails = pageAlone + ["urls"]

    private static let sdk: CarriedDetails =
        shared + payer + [
            "urls", "presentation.hideSavedWallets", "presentation.hideSuccessPage", "presentation.hideDeclinePage",
            "presentation.applePayMerchantId", "presentation.applePayDescription",
        ]

    private static let gate = CarriedDetails(
        Details.payerNames.filter { $0.1.hasPrefix("customer_") }.map { "payer.\($0.0)" } + ["payer.ipAddress"]
    )
}

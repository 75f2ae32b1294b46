import Kernel
import Payments
import ProviderKit

/// Which members of a payment's details the provider is told, by its page, by a payment, and by a series' next charge.
enum Carried {
    private static let payer: CarriedDetails = ["payer", "language"]
    private static let secure: CarriedDetails = [
        "urls.return", "threeDSecure.skip", "threeDSecure.exemption", "threeDSecure.challenge", "threeDSecure.canvas",
    ]
    private static let shared: CarriedDetails =
        payer + ["channel", "credential.kind", "credential.sequence", "credential.initiator"]
    private static let opening: CarriedDetails =
        shared + ["urls.return", "saveCredential", "credential", "autoCaptureMinutes"]
    private static let payment: CarriedDetails =
        opening + secure + ["paymentProductId", "cobrand", "threeDSecure.channel"]
    private static let app: CarriedDetails = ["encryptedCustomerInput", "encodedClientMetaInfo"]

    static func members(_ use: DetailsUse, _ details: Json) -> CarriedDetails {
        switch use {
        case .payment(_, .hosted): opening + ["products"]
        case .payment(_, .instrument):
            details["credential"]?["firstPayment"] == nil ? payment : shared + ["credential.firstPayment"]
        case .payment(_, .sdk):
            switch details["paymentProductId"]?.integer {
            case Details.WalletInput.Kind.applePay.productId: payer + app + ["paymentProductId"]
            case Details.WalletInput.Kind.googlePay.productId: payer + app + secure + ["paymentProductId"]
            default: payment + app
            }
        case .payment(_, .wallet):
            details["wallet"]?["kind"]?.text == Details.WalletInput.Kind.googlePay.rawValue
                ? payer + secure + ["wallet"] : payer + ["wallet"]
        case .schedule: payment + ["products"]
        case .operation, .auxiliary: []
        }
    }
}

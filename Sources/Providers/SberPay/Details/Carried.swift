import Kernel
import Payments
import ProviderKit

/// Which members of a payment's details the gateway and the bank's SDK are told.
enum Carried {
    static func members(_ use: DetailsUse, _ details: Json, _ settings: SberPaySettings) -> CarriedDetails {
        switch use {
        case .payment(.sale, .instrument) where settings.unattended: return []
        case .payment(_, let method): return registered(method, details, settings)
        case .schedule: return registered(.hosted, details, settings)
        case .operation, .auxiliary: return []
        }
    }

    private static func registered(
        _ method: PaymentMethod,
        _ details: Json,
        _ settings: SberPaySettings
    ) -> CarriedDetails {
        var carried: CarriedDetails = [
            "payer", "language", "urls.success", "urls.fail", "app.backUrl", "app.web", "app.push", "recurrent",
            "features", "presentation.hideSberPay",
        ]
        if settings.dialect == .legacy { carried = carried + ["presentation.pageView"] }
        switch method {
        case .hosted, .instrument: return carried
        case .sdk: carried = carried + ["app.form", "presentation.sdkMethod"]
        case .wallet: break
        }
        return details["app"]?["web"]?.flag == true ? carried : carried + ["app.osType", "app.deepLink"]
    }
}

import ProviderKit

/// How a template is signed: the text stands in the template and so in its digest.
enum Signing: Hashable {
    /// An address of Payment Page: the signature is one more parameter.
    case page
    /// A Gate body: the signature goes to `general.signature`.
    case gate
    /// The SDK's object: the signature covers the string that the SDK makes.
    case sdk(SdkString.Style)

    var text: String {
        switch self {
        case .page: "ecommpay.page"
        case .gate: "ecommpay.gate"
        case .sdk(let style): "ecommpay.sdk.\(style.tokenName.rawValue).\(style.booleans.rawValue)"
        }
    }

    init?(_ text: String) {
        switch text {
        case "ecommpay.page": self = .page
        case "ecommpay.gate": self = .gate
        default:
            let parts = text.split(separator: ".").map(String.init)
            guard parts.count == 4, parts[0] == "ecommpay", parts[1] == "sdk",
                let tokenName = EcommpaySettings.SdkTokenName(rawValue: parts[2]),
                let booleans = EcommpaySettings.SdkBooleans(rawValue: parts[3])
            else { return nil }
            self = .sdk(SdkString.Style(tokenName: tokenName, booleans: booleans))
        }
    }
}

/// The way in which `finish` or `render` treats a template: the text stands in the template and so in its digest.
package enum Signing: Hashable {
    case request(Dialect, SberPaySettings.Authorization, hasKey: Bool)
    /// The bank's page, or the link into its app.
    case link
    /// The object for the SDK, whose key is filled in.
    case sdk

    package var text: String {
        switch self {
        case .request(let dialect, let authorization, let hasKey):
            "sberpay.\(dialect.rawValue).\(authorization.rawValue)\(hasKey ? ".key" : "")"
        case .link: "sberpay.link"
        case .sdk: "sberpay.sdk"
        }
    }

    init?(_ text: String) {
        switch text {
        case "sberpay.link": self = .link
        case "sberpay.sdk": self = .sdk
        default:
            let parts = text.split(separator: ".").map(String.init)
            guard parts.count == 3 || parts.count == 4 && parts[3] == "key", parts[0] == "sberpay",
                let dialect = Dialect(rawValue: parts[1]),
                let authorization = SberPaySettings.Authorization(rawValue: parts[2])
            else { return nil }
            self = .request(dialect, authorization, hasKey: parts.count == 4)
        }
    }
}

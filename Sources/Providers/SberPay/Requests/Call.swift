import Kernel
import Payments
import ProviderKit

/// Makes request templates of the gateway: parameters in the spelling of the account's dialect.
enum Call {
    /// An unsigned request: the parameters without the secrets.
    ///
    /// `isKeyed` where a repetition of the same parameters can only mean the same thing again.
    static func template(
        _ call: GatewayCall,
        _ members: [(String, Json?)],
        _ order: Order,
        isKeyed: Bool = true
    ) -> RequestTemplate {
        let settings = order.settings
        let user: [(String, Json?)] = [("userName", settings.userName.map(Json.string))]
        return RequestTemplate(
            method: "POST",
            url: settings.url(call),
            content: .compact(user + members),
            signing: Signing.request(
                settings.dialect,
                settings.authorization,
                hasKey: settings.idempotencyHeader && isKeyed
            ).text
        )
    }
}

import Http
import Kernel
import Payments
import ProviderKit

/// Decides whether a notification may be the provider's own.
enum NotificationAuthentication {
    /// Reasons that `reply` tells apart.
    enum Reason: String {
        case sourceAddress = "source_address"
        case malformed = "malformed_json"
        case settings
    }

    /// 1. It comes from one of the provider's networks, seen through proxies that are trusted; 2. it is one JSON object.
    static func verdict(_ request: HttpRequest, _ settings: AccountSettings) -> Authentication {
        guard let settings = try? DolyameSettings.of(settings) else { return rejected(.settings) }
        let client = request.peerAddress.flatMap { peer in
            SourceChain.client(
                peer: peer,
                forwarded: request.headers.all("X-Forwarded-For"),
                trusted: settings.trustedProxies
            )
        }
        guard let client, settings.webhookNetworks.contains(where: { $0.contains(client) }) else {
            return rejected(.sourceAddress)
        }
        guard let notification = Notification(request.body) else { return rejected(.malformed) }
        return .unsigned(
            VerifiedNotification(
                keyId: "source-network",
                references: [("payment", notification.id)]
            )
        )
    }

    private static func rejected(_ reason: Reason) -> Authentication { .rejected(reason: reason.rawValue) }

    static func reply(_ verdict: NotificationVerdict) -> HttpResponse {
        switch verdict {
        case .stored: .text(200, "OK")
        case .rejected(let reason):
            switch Reason(rawValue: reason) {
            case .sourceAddress: .text(403, "Forbidden")
            case .malformed, .settings, nil: .text(400, "Rejected")
            }
        case .unavailable: .text(503, "Unavailable")
        }
    }
}

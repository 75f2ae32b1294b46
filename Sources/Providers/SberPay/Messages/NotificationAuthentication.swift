import Crypto
import Http
import Kernel
import ProviderKit

/// Decides whether a callback is the bank's own.
enum NotificationAuthentication {
    /// 1. The parameters can be read and none comes twice.
    /// 2. The checksum is the key's, where the account's callbacks carry one.
    /// 3. The structure is the documented one.
    ///
    /// Unsigned callbacks are hints.
    static func verdict(
        _ request: HttpRequest,
        _ account: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        let settings: SberPaySettings
        do throws(SettingsFailure) { settings = try SberPaySettings.of(account) } catch {
            return .rejected(reason: "settings_invalid")
        }
        guard let parameters = Notification.parameters(body: request.body, query: request.head.rawQuery) else {
            return .rejected(reason: "malformed_callback")
        }
        let canonical = Notification.canonical(parameters, excluding: settings.callback.excluded)
        let claimed = parameters.first { $0.name == "checksum" }?.value
        if let reason = refusal(claimed, canonical, settings, secrets) { return .rejected(reason: reason) }
        guard let callback = Notification(parameters: parameters) else {
            return .rejected(reason: "malformed_callback")
        }
        let notification = VerifiedNotification(
            keyId: settings.callback.mode.rawValue,
            references: references(callback),
            content: request.body.first { $0 > 0x20 } == UInt8(ascii: "{") ? nil : content(parameters),
            credential: callback.credentialNews
        )
        switch settings.callback.mode {
        case .none: return .unsigned(notification)
        case .hmac, .rsa: return .verified(notification)
        }
    }

    private static func refusal(
        _ claimed: String?,
        _ canonical: String,
        _ settings: SberPaySettings,
        _ secrets: AccountSecrets
    ) -> String? {
        switch settings.callback.mode {
        case .none: return nil
        case .hmac:
            guard let key = secrets[SberPayAdapter.callbackKeyName], !key.isEmpty else { return "secret_missing" }
            guard let claimed, !claimed.isEmpty else { return "signature_missing" }
            return Notification.isHmac(claimed, of: canonical, key: key) ? nil : "signature_mismatch"
        case .rsa:
            guard let text = settings.callback.publicKey, let key = try? RsaVerifier(Array(text.utf8)) else {
                return "key_missing"
            }
            guard let claimed, !claimed.isEmpty else { return "signature_missing" }
            return Notification.isSignature(claimed, of: canonical, key: key, settings.callback.digest)
                ? nil : "signature_mismatch"
        }
    }

    /// The part that is kept of a query or form.
    private static func content(_ parameters: [(name: String, value: String)]) -> Json {
        .object(JsonObject(parameters.map { ($0.name, .string($0.value)) }))
    }

    /// The surest first: our number, the order, a refund of ours, a binding by its digest.
    private static func references(_ callback: Notification) -> [(kind: String, value: String)] {
        var found: [(kind: String, value: String)] = []
        func add(_ kind: String, _ value: String?) {
            if let value, !value.isEmpty { found.append((kind, value)) }
        }
        add("payment", callback.orderNumber)
        add("order", callback.orderId)
        add("operation", callback.parameters.first { $0.name == "externalRefundId" }?.value)
        add("token", callback.bindingId.flatMap { StatusReading.fingerprint(.string($0)) })
        return found
    }
}

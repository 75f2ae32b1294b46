import Crypto
package import Http
package import Kernel
import ProviderKit

/// Decides whether an event is the provider's own: Base64 of HMAC-SHA256 over the body as it came, under the named key.
package enum NotificationAuthentication {
    /// The faults of a signature, in the words of the reasons that are recorded.
    package enum Failure: String, Error {
        case missingHeader = "missing_header"
        case duplicateHeader = "duplicate_header"
        case unknownKey = "unknown_key"
        case invalidSignature = "invalid_signature"
    }

    static let signatureHeader = "X-GCS-Signature"
    static let keyHeader = "X-GCS-KeyId"

    /// Verifies the bytes as they came under the named key alone; gives the id of the key.
    package static func verify(_ request: HttpRequest, keys: [String: Secret]) throws(Failure) -> String {
        let signatures = request.headers.all(signatureHeader)
        let names = request.headers.all(keyHeader)
        guard signatures.count <= 1, names.count <= 1 else { throw .duplicateHeader }
        guard let claimed = signatures.first, let name = names.first else { throw .missingHeader }
        guard let key = keys[name] else { throw .unknownKey }
        let expected = Array(Authorization.signature(request.body, secret: key).utf8)
        guard constantTimeEquals(Array(claimed.utf8), expected) else { throw .invalidSignature }
        return name
    }

    /// The valid keys: `keyId:secret` for each, so that a new pair can be entered before the old one ends.
    static func keys(_ secret: Secret) -> [String: Secret] {
        secret.withBytes { bytes in
            var keys: [String: Secret] = [:]
            for entry in bytes.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
                guard let colon = entry.firstIndex(of: UInt8(ascii: ":")), colon > entry.startIndex else { continue }
                let value = Array(entry[(colon + 1)...])
                if !value.isEmpty { keys[String(decoding: entry[..<colon], as: UTF8.self)] = Secret(value) }
            }
            return keys
        }
    }

    /// 1. Signature, 2. JSON, 3. version and merchant: events of test and production may reach one address.
    static func verdict(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        guard let keys = secrets[SecretName.webhookKeys].map(keys), !keys.isEmpty else {
            return .rejected(reason: "secret_missing")
        }
        let keyId: String
        do throws(Failure) { keyId = try verify(request, keys: keys) } catch {
            return .rejected(reason: error.rawValue)
        }
        guard let json = try? Json(request.body), let events = Notification.list(json) else {
            return .rejected(reason: "malformed_json")
        }
        guard events.allSatisfy({ $0.apiVersion == "v1" }) else { return .rejected(reason: "api_version_mismatch") }
        let merchant = settings.values["merchantId"]?.text
        guard events.allSatisfy({ $0.merchantId == nil || $0.merchantId == merchant }) else {
            return .rejected(reason: "foreign_merchant")
        }
        return .verified(
            VerifiedNotification(
                keyId: keyId,
                events: zip(json.items ?? [json], events).map { content, event in
                    NotifiedEvent(deliveryId: event.id, references: references(event), content: content)
                }
            )
        )
    }

    /// The surest first: our payment, our refund, the page, the provider's payment.
    private static func references(_ event: Notification) -> [(kind: String, value: String)] {
        var found: [(kind: String, value: String)] = []
        func add(_ kind: String, _ value: String?) {
            if let value, !value.isEmpty, value.utf8.count <= 255 { found.append((kind, value)) }
        }
        add("payment", event.payment?.at("paymentOutput", "references", "merchantReference")?.text)
        let output = event.refund?["refundOutput"]
        add("operation", output?.at("operationReferences", "merchantReference")?.text)
        add("payment", output?.at("references", "merchantReference")?.text)
        add("order", event.payment?.at("hostedCheckoutSpecificOutput", "hostedCheckoutId")?.scalarText)
        // The order's name is the id that opened it, as it came; events name what happened in it later, too.
        if let id = (event.payment?["id"] ?? event.refund?["id"])?.scalarText {
            add("order", id)
            add("order", ProviderPaymentId.root(id))
        }
        return found
    }
}

/// The provider's check of a webhook address: a `GET` whose header value comes back as the body.
package enum EndpointVerification {
    private static let header = "X-GCS-Webhooks-Endpoint-Verification"
    private static let valueBytes = 256

    /// The answer; `nil` where the request is no such check.
    package static func answer(_ request: HttpRequest) -> HttpResponse? {
        let values = request.headers.all(header)
        guard request.method == .get, values.count == 1, let value = values.first, !value.isEmpty,
            value.utf8.count <= valueBytes, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return HttpResponse(status: 200, contentType: "text/plain", body: Array(value.utf8))
            .with("X-Content-Type-Options", "nosniff")
    }
}

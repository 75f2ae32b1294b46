import Crypto
import Http
import Kernel
import ProviderKit

/// Decides whether a callback is the provider's own.
enum NotificationAuthentication {
    /// 1. The body is one strict JSON object.
    /// 2. The signature stands at the top level, else in `general`, and is the key's.
    /// 3. The project is ours: test and production callbacks may reach one address.
    static func verdict(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        guard let key = secrets[EcommpayAdapter.secretKeyName], !key.isEmpty else {
            return .rejected(reason: "secret_missing")
        }
        let message: Json
        do throws(JsonFailure) { message = try Json(request.body) } catch {
            return .rejected(reason: error.code == .duplicateName ? "duplicate_member" : "malformed_json")
        }
        guard message.members != nil else { return .rejected(reason: "malformed_json") }
        let claimed: String
        switch Signature.claim(in: message) {
        case .found(let text): claimed = text
        case .missing: return .rejected(reason: "signature_missing")
        case .malformed: return .rejected(reason: "signature_malformed")
        }
        let acceptsByteOrder = settings.values["acceptByteOrder"]?.flag ?? true
        guard let match = Signature.verify(claimed, of: message, key: key, acceptsByteOrder: acceptsByteOrder) else {
            return .rejected(reason: "signature_mismatch")
        }
        if let project = Message.projectId(message), project != settings.values["projectId"]?.scalarText {
            return .rejected(reason: "foreign_project")
        }
        return .verified(
            VerifiedNotification(
                keyId: keyId(match.order),
                references: references(message, request)
            )
        )
    }

    /// Names the key, and the order of lines where it was not the reference's.
    private static func keyId(_ order: CanonicalString.Order) -> String {
        switch order {
        case .natural: EcommpayAdapter.secretKeyName
        case .byteOrder: "\(EcommpayAdapter.secretKeyName)/byte-order"
        }
    }

    /// The member of a callback address' query that names a tokenize payment of ours.
    static let paymentQueryName = "payment"

    /// The surest first: our payment, our refund, a token request, a token by its digest, a series.
    ///
    /// A token callback names no payment; its address, which is not signed, does. `interpret` holds its customer, which
    /// is signed, against ours.
    private static func references(_ message: Json, _ request: HttpRequest) -> [(kind: String, value: String)] {
        let payment = message["payment"]
        let token = message["token"]
        var found: [(kind: String, value: String)] = []
        func add(_ kind: String, _ value: String?) {
            if let value, !value.isEmpty, value.utf8.count <= 255 { found.append((kind, value)) }
        }
        add("payment", payment?["id"]?.scalarText)
        add("operation", payment?["merchant_refund_id"]?.scalarText)
        if token != nil, payment?.members == nil {
            add("payment", request.query?.first { $0.name == paymentQueryName }?.value)
        }
        // For the list of what matches nothing alone: the engine keeps no such names.
        add("request", message.at("request", "id")?.scalarText)
        add("token", (message.at("account", "token") ?? token)?.text.map(InstrumentReading.digest))
        add("series", message.at("recurring", "id")?.scalarText)
        return found
    }
}

package import Crypto
import Http
package import Kernel
package import Payments
import ProviderKit

/// A callback's parameters, however they came: query, form or JSON.
package struct Notification {
    /// The hint of a callback; the status of the order decides.
    package enum Hint: Hashable {
        case created, authorized, captured, voided, refunded, expired, failed
        /// A try of the payer failed; the order may still be paid.
        case attemptFailed
        case captureFailed, voidFailed, refundFailed
        /// About a binding and no payment.
        case credential(Credential)
        /// About a receipt: it moves nothing.
        case receipt
        case unknown

        /// The words of the vector files.
        package var word: String? {
            switch self {
            case .created: "created"
            case .authorized: "authorized"
            case .captured: "captured"
            case .voided: "voided"
            case .refunded: "refunded_or_partial"
            case .expired: "expired"
            case .failed: "failed"
            case .attemptFailed: "attempt_failed"
            case .captureFailed: "capture_failed"
            case .voidFailed: "void_failed"
            case .refundFailed: "refund_failed"
            case .credential, .receipt, .unknown: nil
            }
        }
    }

    package enum Credential: String, Hashable {
        case created, changed, deactivated
    }

    /// In the order in which they came; nested members of a JSON body are left out.
    let parameters: [(name: String, value: String)]
    let operation: String
    let status: String?
    let orderId: String?
    package let orderNumber: String?
    package let bindingId: String?

    /// The name for a callback about a receipt: it names no operation.
    static let receipt = "receipt"

    /// Reads a callback; `nil` where it is about nothing that we could ask about.
    ///
    /// The set of operations is open: what names an order, or a binding, is taken.
    init?(parameters: [(name: String, value: String)]) {
        let names = parameters.map(\.name)
        guard Set(names).count == names.count else { return nil }
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        self.parameters = parameters
        orderId = value("mdOrder") ?? value("orderId")
        orderNumber = value("orderNumber")
        status = value("status")
        bindingId = value("bindingId")
        let isReceipt = value("operation") == nil && Self.receiptNames.contains { value($0) != nil }
        guard let operation = isReceipt ? Self.receipt : value("operation"), (1...32).contains(operation.utf8.count)
        else { return nil }
        self.operation = operation
        if let status, status != "0", status != "1", !isReceipt { return nil }
        if orderId == "" || orderNumber == "" { return nil }
        if isReceipt { return }
        // A binding made in the bank's app has no order.
        if bindingId?.isEmpty == false { return }
        guard orderId != nil, orderNumber != nil else { return nil }
        // Time ran out for an order that never succeeded.
        if status == nil, operation != Self.timeout { return nil }
    }

    private static let timeout = "declinedByTimeout"
    /// Members of `getReceiptStatus`, whose object a receipt's callback is.
    private static let receiptNames: Set<String> = ["daemonCode", "ecrRegistrationNumber", "orderId"]

    /// The callback as it is stored: a JSON object, or a form that was kept as it came.
    package init?(stored body: [UInt8]) {
        guard let parameters = Self.parameters(body: body, query: nil) else { return nil }
        self.init(parameters: parameters)
    }

    /// The parameters of a request: a JSON object, a form, or the query where there is no body.
    static func parameters(body: [UInt8], query: Substring?) -> [(name: String, value: String)]? {
        if body.isEmpty { return FormEncoding.decode(query ?? "") }
        let first = body.first { $0 > 0x20 }
        guard first == UInt8(ascii: "{") else { return FormEncoding.decode(String(decoding: body, as: UTF8.self)) }
        guard let members = (try? Json(body))?.members else { return nil }
        return members.members.compactMap { member in
            switch member.value {
            case .string(let text): (member.name, text)
            case .number(let number): (member.name, number.text)
            case .bool(let flag): (member.name, flag ? "true" : "false")
            case .null: (member.name, "")
            case .array, .object: nil
            }
        }
    }

    package func hint(mode: PaymentMode) -> Hint {
        let succeeded = status == "1"
        switch operation {
        case "created": return .created
        case "approved": return succeeded ? .authorized : .attemptFailed
        case "deposited": return succeeded ? .captured : mode == .authorize ? .captureFailed : .attemptFailed
        case "reversed": return succeeded ? .voided : .voidFailed
        case "refunded": return succeeded ? .refunded : .refundFailed
        case Self.timeout: return .expired
        case "declinedCardPresent", "declinedCardpresent": return .failed
        case Self.receipt: return .receipt
        default: return Self.credentials[operation].map { .credential($0) } ?? .unknown
        }
    }

    fileprivate static let credentials: [String: Credential] = [
        "bindingCreated": .created, "subscriptionCreated": .created, "bindingActivityChanged": .changed,
        "bindingDeactivated": .deactivated,
    ]
}

extension Notification {
    /// That a binding can't be charged any more, where the callback says so.
    var credentialNews: CredentialNews? {
        guard let bindingId, !bindingId.isEmpty, let credential = Self.credentials[operation] else { return nil }
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        switch credential {
        case .created: return nil
        case .changed: guard value("enabled") == "false" else { return nil }
        case .deactivated: break
        }
        return CredentialNews(
            token: Secret(bindingId),
            customer: value("clientId"),
            report: .invalid(code: operation)
        )
    }

    /// The text that is signed: `name;value;` of every parameter but the excluded, in the byte order of names.
    package static func canonical(_ parameters: [(name: String, value: String)], excluding excluded: Set<String>)
        -> String
    {
        parameters.filter { !excluded.contains($0.name) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .reduce(into: "") { text, pair in text += "\(pair.name);\(pair.value);" }
    }

    package static func hmac(_ canonical: String, key: Secret) -> String {
        Hex.encode(Hmac.sha256(key: key, Array(canonical.utf8))).uppercased()
    }

    package static func isHmac(_ claimed: String, of canonical: String, key: Secret) -> Bool {
        guard let bytes = Hex.decode(claimed.lowercased()), bytes.count == 32 else { return false }
        return constantTimeEquals(bytes, Hmac.sha256(key: key, Array(canonical.utf8)))
    }

    package static func isSignature(
        _ claimed: String,
        of canonical: String,
        key: RsaVerifier,
        _ digest: SberPaySettings.CallbackDigest
    ) -> Bool {
        guard let bytes = Hex.decode(claimed.lowercased()) else { return false }
        let algorithm: HashAlgorithm =
            switch digest {
            case .sha256: .sha256
            case .sha512: .sha512
            }
        return key.verifies(bytes, of: Array(canonical.utf8), algorithm, .pkcs1)
    }
}

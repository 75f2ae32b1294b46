import Kernel
import Payments
import ProviderKit

/// An app's report of its SDK: `{"sdk": "legacyIos" | "ios" | "android", "code": <number>, "error"?, "token"?}`, or what the
/// legacy SDK's `onPaymentResult` was called with, `{"sdk", "onPaymentResult": {"payment": {…}}}`.
///
/// The numbers are hints for a screen; an unknown one is a claim of its own and no error. A token counts where the
/// provider's own callback brings it: of this one it is kept that there was one.
struct AppResult {
    enum Generation: String {
        case legacyIos, ios, android

        func meaning(_ code: Int64) -> AppClaim.Meaning {
            switch (self, code) {
            case (.legacyIos, 0), (.ios, 0), (.android, 1): .success
            case (_, 100): .declined
            case (.legacyIos, 301), (.ios, 200), (.android, 200): .cancelled
            case (.legacyIos, 501), (.ios, 500), (.android, 500): .error
            case (.legacyIos, _), (.ios, _), (.android, _): .unknown
            }
        }
    }

    private enum Limits {
        static let textBytes = 256
        static let tokenBytes = 512
    }

    /// The payment that the SDK's own callback names.
    private struct PaymentResult {
        let id: String?
        let sum: Int64?
        let currency: String?
        let status: String

        var meaning: AppClaim.Meaning {
            switch Words.normalized(status) {
            case "success": .success
            case "decline": .declined
            case "cancelled", "canceled": .cancelled
            case "error", "internal error", "external error": .error
            default: .unknown
            }
        }
    }

    let claim: AppClaim
    private let result: PaymentResult?

    init(_ body: Json) throws(ClaimFailure) {
        do throws(SchemaFailure) {
            var object = try ClosedObject(body)
            guard let sdk = try object.text("sdk", atMost: 16).flatMap(Generation.init) else {
                throw object.failure("sdk", "unknown_word")
            }
            let code = try object.integer("code", in: Int64.min...Int64.max)
            let error = try object.text("error", atMost: Limits.textBytes)
            let token = try object.text("token", atMost: Limits.tokenBytes)
            result = try Self.result(&object)
            try object.end()
            guard code != nil || result != nil else { throw object.failure("code", "missing") }
            let words = [
                sdk.rawValue, code.map(String.init), result.map { "onPaymentResult:\($0.status)" },
                token == nil ? nil : "token", error.map { "error:\($0)" },
            ]
            claim = AppClaim(
                meaning: result?.meaning ?? code.map(sdk.meaning) ?? .unknown,
                code: words.compactMap(\.self).joined(separator: ":")
            )
        } catch {
            throw ClaimFailure(path: error.path, reason: error.reason)
        }
    }

    /// The flat payment of the SDK's callback, whose `sum` is a number of minor units.
    private static func result(_ object: inout ClosedObject) throws(SchemaFailure) -> PaymentResult? {
        guard var result = try object.object("onPaymentResult") else { return nil }
        guard var payment = try result.object("payment") else { throw result.failure("payment", "missing") }
        guard let status = try payment.text("status", atMost: Limits.textBytes) else {
            throw payment.failure("status", "missing")
        }
        let found = PaymentResult(
            id: try payment.text("id", atMost: Limits.textBytes),
            sum: try payment.integer("sum", in: 0...Int64.max),
            currency: try payment.text("currency", atMost: 3),
            status: status
        )
        for name in ["type", "date", "method"] { _ = try payment.text(name, atMost: Limits.textBytes) }
        try payment.end()
        try result.end()
        return found
    }

    /// The claim held against the payment that the app was given: number and amount must be ours.
    func held(against issued: IssuedPayment) throws(ClaimFailure) -> AppClaim {
        guard let result else { return claim }
        if let id = result.id, id != issued.reference {
            throw ClaimFailure(path: "onPaymentResult.payment.id", reason: "another_payment")
        }
        guard let asked = issued.terms.amount, issued.terms.mode != .tokenize else { return claim }
        if let currency = result.currency, currency != asked.currency.code {
            throw ClaimFailure(path: "onPaymentResult.payment.currency", reason: "another_amount")
        }
        if let sum = result.sum, sum != asked.minor {
            throw ClaimFailure(path: "onPaymentResult.payment.sum", reason: "another_amount")
        }
        return claim
    }
}

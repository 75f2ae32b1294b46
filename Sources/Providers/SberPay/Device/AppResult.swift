import Kernel
import ProviderKit

/// An app's report of its SDK's call: `{"call": "getPaymentToken" | "pay", "state": …}`.
///
/// The states are hints; a word that nobody knows is a claim of its own and no error. A payment token is taken only where
/// the account says so, and otherwise refused without being looked at.
enum AppResult {
    enum Call: String {
        case getPaymentToken, pay
    }

    private enum Names {
        static let tokens = ["paymentToken", "paymentTokenId"]
        /// Characters of an SDK's word.
        static let stateBytes = 64
    }

    static func claim(_ body: Json, tokenPay: Bool) throws(ClaimFailure) -> AppClaim {
        guard let members = body.members else { throw ClaimFailure(path: "", reason: "not_an_object") }
        if !tokenPay {
            for name in Names.tokens where members[name] != nil {
                throw ClaimFailure(path: name, reason: "token_not_accepted")
            }
        }
        do throws(SchemaFailure) {
            var object = try ClosedObject(body)
            guard let call = try object.text("call", atMost: 32).flatMap(Call.init) else {
                throw object.failure("call", "unknown_word")
            }
            guard let state = try object.text("state", atMost: Names.stateBytes), !state.isEmpty else {
                throw object.failure("state", "missing")
            }
            for name in Names.tokens {
                guard let token = object.value(name) else { continue }
                guard FieldRules.isValid(name, token, .tokenPayment) == true else {
                    throw object.failure(name, "too_long")
                }
            }
            if members["paymentToken"] != nil, members["paymentTokenId"] != nil {
                throw object.failure("paymentTokenId", "exactly_one_token")
            }
            _ = try object.text("localSessionId", atMost: 128)
            try object.end()
            return AppClaim(meaning: meaning(call, state), code: "\(call.rawValue):\(state)")
        } catch {
            throw ClaimFailure(path: error.path, reason: error.reason)
        }
    }

    /// A token is no payment: success of its call pays nothing.
    private static func meaning(_ call: Call, _ state: String) -> AppClaim.Meaning {
        switch (call, state.lowercased()) {
        case (.pay, "success"): .success
        case (.getPaymentToken, "success"), (.pay, "waiting"), (.pay, "processing"): .unknown
        case (_, "cancel"): .cancelled
        case (_, "error"): .error
        default: .unknown
        }
    }
}

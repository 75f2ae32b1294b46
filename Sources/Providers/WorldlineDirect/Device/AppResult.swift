import Kernel
import ProviderKit

/// An app's report of its part: `{"call": "encrypt" | "redirect" | "threeDSecure", "result": <word>}`.
///
/// The kit on the device never learns how a payment ended, so a claim only says where the payer left off.
enum AppResult {
    enum Part: String {
        /// The payer's input was encrypted, or the payer gave up before.
        case encrypt
        /// The browser came back to the app.
        case redirect
        /// A native 3-D Secure kit is done.
        case threeDSecure
    }

    enum Word: String {
        case completed, cancelled, error

        /// A completed step proves nothing about the money.
        var meaning: AppClaim.Meaning {
            switch self {
            case .completed: .unknown
            case .cancelled: .cancelled
            case .error: .error
            }
        }
    }

    static func claim(_ body: Json) throws(ClaimFailure) -> AppClaim {
        do throws(SchemaFailure) {
            var object = try ClosedObject(body)
            guard let part: Part = try Details.optionalWord("call", &object) else {
                throw object.failure("call", "missing")
            }
            guard let text = try object.text("result", atMost: 32), !text.isEmpty else {
                throw object.failure("result", "missing")
            }
            try object.end()
            let meaning = Word(rawValue: text)?.meaning ?? .unknown
            return AppClaim(meaning: meaning, code: "\(part.rawValue):\(text)")
        } catch {
            throw ClaimFailure(path: error.path, reason: error.reason)
        }
    }
}

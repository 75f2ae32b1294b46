import Kernel
import ProviderKit

/// What an app tells of its SDK's result: `{"sdk": "legacyIos" | "ios" | "android", "code": <number>}`.
///
/// The numbers are hints for a screen; an unknown one is a claim of its own and no error.
enum SdkResult {
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

    static func claim(_ body: Json) throws(ClaimFailure) -> AppClaim {
        do throws(SchemaFailure) {
            var object = try ClosedObject(body)
            guard let sdk = try object.text("sdk", atMost: 16).flatMap(Generation.init) else {
                throw object.failure("sdk", "unknown_word")
            }
            guard let code = try object.integer("code", in: Int64.min...Int64.max) else {
                throw object.failure("code", "missing")
            }
            try object.end()
            return AppClaim(meaning: sdk.meaning(code), code: "\(sdk.rawValue):\(code)")
        } catch {
            throw ClaimFailure(path: error.path, reason: error.reason)
        }
    }
}

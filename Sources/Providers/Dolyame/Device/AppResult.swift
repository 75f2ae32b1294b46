import Kernel
package import Payments
import ProviderKit

/// An app's report of its SDK: `{"result": …, "reason"?: …}` or `{"unexpectedEvent": …}`; a claim, whatever it says.
package enum AppResult: String, Hashable, CaseIterable {
    case success, pending, failure, dismissed

    var meaning: AppClaim.Meaning {
        switch self {
        case .success: .success
        case .pending: .unknown
        case .failure: .error
        case .dismissed: .cancelled
        }
    }

    static func claim(_ body: Json) throws(ClaimFailure) -> AppClaim {
        do throws(SchemaFailure) {
            var object = try ClosedObject(body)
            let result = try object.text("result", atMost: 64)
            let event = try object.text("unexpectedEvent", atMost: 64)
            let reason = try object.text("reason", atMost: 200)
            try object.end()
            guard event == nil || reason == nil else { throw object.failure("reason", "value_not_allowed") }
            switch (result, event) {
            case (let word?, nil):
                let because = reason.map { ":\($0)" } ?? ""
                // A word of a newer SDK is a claim of its own and no error.
                return AppClaim(
                    meaning: AppResult(rawValue: word)?.meaning ?? .unknown,
                    code: "result:\(word)\(because)"
                )
            case (nil, let word?):
                let concern = SdkEvent(rawValue: word)?.consequence
                let kind = concern?.rawValue ?? "unknown"
                return AppClaim(meaning: .error, code: "event:\(word):\(kind)", concern: concern ?? .task)
            case (nil, nil), (.some, .some): throw object.failure("result", "one_of")
            }
        } catch {
            throw ClaimFailure(path: error.path, reason: error.reason)
        }
    }
}

/// Events that the SDK reports when something is wrong that should not be.
package enum SdkEvent: String, Hashable, CaseIterable {
    case lessThanRuble, haveSumDifference, haveItemsDifference, wrongPersonData, noPartnerForClient

    package var consequence: ClaimConcern {
        switch self {
        case .lessThanRuble, .haveSumDifference: .defect
        case .noPartnerForClient: .configuration
        case .haveItemsDifference, .wrongPersonData: .task
        }
    }

    /// The check of ours that keeps it from happening.
    package var prevention: String {
        switch self {
        case .lessThanRuble: Rule.minimum.rawValue
        case .haveSumDifference: Rule.sum.rawValue
        case .haveItemsDifference: "NEW_ORDER_ID"
        case .wrongPersonData: "CUSTOMER_ID"
        case .noPartnerForClient: "ONBOARDING"
        }
    }
}

/// The endings that a tester can choose in the SDK's demo flow; no money is asked for.
package enum DemoEnding: Int64, Hashable, CaseIterable {
    case scoringRefusal = 1
    case firstPaymentMade, firstPaymentFailed, unknownThenMade, unknownThenFailed

    package var result: AppResult {
        switch self {
        case .scoringRefusal, .firstPaymentFailed: .failure
        case .firstPaymentMade: .success
        case .unknownThenMade, .unknownThenFailed: .pending
        }
    }

    /// Where the order may end, in the provider's words.
    package var finalStatuses: Set<OrderStatus> {
        switch self {
        case .scoringRefusal: [.rejected]
        case .firstPaymentMade, .unknownThenMade: [.waiting, .committed]
        case .firstPaymentFailed, .unknownThenFailed: [.rejected, .canceled]
        }
    }
}

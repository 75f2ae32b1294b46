package import Conformance
package import Kernel
import ProviderKit
import SberPay

/// Holds vector files of this provider against the adapter's own code.
package struct SberPaySuite: ConformanceSuite {
    package init() {}

    package var kinds: [String] { Kind.allCases.map(\.rawValue) }

    enum Kind: String, CaseIterable {
        case actionCodes = "action_codes"
        case callbackHmac = "callback_hmac"
        case callbackOperations = "callback_operations"
        case callbackRsa = "callback_rsa"
        case fieldValidation = "field_validation"
        case registerResponses = "register_responses"
        case requestShapes = "request_shapes"
        case statusResponses = "status_responses"
    }

    package func form(of kind: String) -> CaseForm? { Kind(rawValue: kind)?.form }

    package func violations(kind: String, item: Json, file: Json) -> [String] {
        switch Kind(rawValue: kind) {
        case .actionCodes: FieldCases.actionCode(item)
        case .callbackHmac: CallbackCases.hmac(item)
        case .callbackOperations: CallbackCases.operation(item)
        case .callbackRsa: CallbackCases.rsa(item)
        case .fieldValidation: FieldCases.field(item)
        case .registerResponses: AnswerCases.registration(item)
        case .requestShapes: RequestCase(item).violations
        case .statusResponses: AnswerCases.status(item)
        case nil: ["unknown kind \(kind)"]
        }
    }
}

extension Comparison {
    static func verdict(_ name: String, expected: Json?, actual: Bool) -> [String] {
        guard let expected = expected?.flag else { return ["the case has no \(name)"] }
        return expected == actual ? [] : ["\(name): expected \(expected), got \(actual)"]
    }
}

extension Json {
    static func optional(_ text: String?) -> Json { text.map(Json.string) ?? .null }
    static func optional(_ number: Int64?) -> Json { number.map(Json.integer) ?? .null }
}

package import Kernel
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct SberPayWorkbench: AdapterWorkbench {
    package init() {}

    package var kinds: [String] { Kind.allCases.map(\.rawValue) }

    private enum Kind: String, CaseIterable {
        case actionCodes = "action_codes"
        case callbackHmac = "callback_hmac"
        case callbackOperations = "callback_operations"
        case callbackRsa = "callback_rsa"
        case fieldValidation = "field_validation"
        case registerResponses = "register_responses"
        case requestShapes = "request_shapes"
        case statusResponses = "status_responses"
    }

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

/// Compares what a case expects with what the adapter concluded.
enum Comparison {
    /// Compares each expected member; `null` and absence are equal.
    static func violations(expected: Json?, actual: [String: Json]) -> [String] {
        guard let members = expected?.members else { return ["the case expects nothing"] }
        return members.members.compactMap { member in
            let value = actual[member.name] ?? .null
            guard member.value.canonical != value.canonical else { return nil }
            return "\(member.name): expected \(member.value.canonicalText), got \(value.canonicalText)"
        }
    }

    static func text(_ name: String, expected: Json?, actual: String) -> [String] {
        guard let expected = expected?.text else { return [] }
        return Array(expected.utf8) == Array(actual.utf8) ? [] : ["\(name): expected \(expected), got \(actual)"]
    }

    static func verdict(_ name: String, expected: Json?, actual: Bool) -> [String] {
        guard let expected = expected?.flag else { return ["the case has no \(name)"] }
        return expected == actual ? [] : ["\(name): expected \(expected), got \(actual)"]
    }
}

extension Json {
    static func optional(_ text: String?) -> Json { text.map(Json.string) ?? .null }
    static func optional(_ number: Int64?) -> Json { number.map(Json.integer) ?? .null }
}

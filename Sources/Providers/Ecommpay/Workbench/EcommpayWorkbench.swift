package import Kernel
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct EcommpayWorkbench: AdapterWorkbench {
    package init() {}

    package var kinds: [String] { Kind.allCases.map(\.rawValue) }

    private enum Kind: String, CaseIterable {
        case callbacks
        case operationCodes = "operation_codes"
        case paymentPageUrls = "payment_page_urls"
        case responses
        case sequences
        case signatureObjects = "signature_objects"
        case signatureSdkStrings = "signature_sdk_strings"
        case statusMap = "status_map"
    }

    package func violations(kind: String, item: Json, file: Json) -> [String] {
        switch Kind(rawValue: kind) {
        case .callbacks: CallbackCase(item, file).violations
        case .operationCodes: TableCases.operationCode(item, file)
        case .paymentPageUrls: SignatureCases.paymentPageUrl(item)
        case .responses: ResponseCase(item, file).violations
        case .sequences: SequenceCase(item).violations
        case .signatureObjects: SignatureCases.object(item)
        case .signatureSdkStrings: SignatureCases.sdkString(item)
        case .statusMap: TableCases.status(item, file)
        case nil: ["unknown kind \(kind)"]
        }
    }
}

/// Compares what a case expects with what the adapter concluded.
enum Comparison {
    /// Compares each expected member that `compared` names (all where it is absent); `null` and absence are equal.
    static func violations(expected: Json?, actual: [String: Json], compared: Json?) -> [String] {
        guard let members = expected?.members else { return ["the case expects nothing"] }
        let names = compared?.items?.compactMap(\.text)
        var found: [String] = []
        for member in members.members {
            if let names, !names.contains(member.name) { continue }
            let value = actual[member.name] ?? .null
            if !isSame(member.value, value) {
                found.append("\(member.name): expected \(member.value.canonicalText), got \(value.canonicalText)")
            }
        }
        return found
    }

    /// Lists compare as sets.
    private static func isSame(_ left: Json, _ right: Json) -> Bool {
        if let one = left.items, let two = right.items {
            return one.count == two.count && Set(one.map(\.canonicalText)) == Set(two.map(\.canonicalText))
        }
        return left.canonical == right.canonical
    }

    static func text(_ name: String, expected: Json?, actual: String) -> [String] {
        guard let expected = expected?.text else { return [] }
        return Array(expected.utf8) == Array(actual.utf8) ? [] : ["\(name): expected \(expected), got \(actual)"]
    }
}

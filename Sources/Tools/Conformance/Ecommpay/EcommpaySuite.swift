package import Conformance
import Ecommpay
package import Kernel
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct EcommpaySuite: ConformanceSuite {
    package init() {}

    package var kinds: [String] { Kind.allCases.map(\.rawValue) }

    enum Kind: String, CaseIterable {
        case callbacks
        case operationCodes = "operation_codes"
        case paymentPageUrls = "payment_page_urls"
        case responses
        case sequences
        case signatureObjects = "signature_objects"
        case signatureSdkStrings = "signature_sdk_strings"
        case statusMap = "status_map"
    }

    package func form(of kind: String) -> CaseForm? { Kind(rawValue: kind)?.form }

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

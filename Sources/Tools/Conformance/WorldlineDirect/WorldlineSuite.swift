package import Conformance
package import Kernel
import ProviderKit
import WorldlineDirect

/// Holds vector files of this provider against the adapter's own code.
package struct WorldlineSuite: ConformanceSuite {
    package init() {}

    package var kinds: [String] { Kind.allCases.map(\.rawValue) }

    enum Kind: String, CaseIterable {
        case customerInput = "encrypted_customer_input_shape"
        case idempotence = "idempotence_vectors"
        case responses = "sample_responses"
        case status = "status_mapping_vectors"
        case requests = "v1hmac_composed_requests"
        case headerValues = "v1hmac_header_canonicalization_vectors"
        case signatures = "v1hmac_signature_vectors"
        case stringsToSign = "v1hmac_string_to_sign_vectors"
        case validators = "validators_iin_vectors"
        case webhooks = "webhook_signature_vectors"
    }

    package func form(of kind: String) -> CaseForm? { Kind(rawValue: kind)?.form }

    package func violations(kind: String, item: Json, file: Json) -> [String] {
        switch Kind(rawValue: kind) {
        case .customerInput: ClientCases.customerInput(item)
        case .idempotence: IdempotenceCase(item).violations
        case .responses: ResponseCase(item).violations
        case .status: StatusCase(item).violations
        case .requests: SigningCases.request(item) + SigningCases.dates(file)
        case .headerValues: SigningCases.headerValue(item)
        case .signatures: SigningCases.request(item)
        case .stringsToSign: SigningCases.stringToSign(item)
        case .validators: ClientCases.validator(item) + ClientCases.prefixes(file)
        case .webhooks: WebhookCase(item).violations + WebhookCase.violations(ofFile: file)
        case nil: ["unknown kind \(kind)"]
        }
    }
}

package import Conformance
import ProviderKit
import WorldlineDirect

/// Holds vector files of this provider against the adapter's own code.
package struct WorldlineSuite: ConformanceSuite {
    package init() {}

    package var cases: [CaseKind] {
        [
            CaseKind(
                "encrypted_customer_input_shape",
                given: "value",
                expected: "protected_header parts part_lengths_bytes expected"
            ) { item, _ in ClientCases.customerInput(item) },
            CaseKind(
                "idempotence_vectors",
                given: "key key_length changed_payload request_headers response_errors response_headers "
                    + "response_status",
                expected: "expected"
            ) { item, _ in IdempotenceCase(item).violations },
            CaseKind(
                "sample_responses",
                given: "endpoint http_status response_headers body body_json",
                expected: "expect order_number"
            ) { item, _ in ResponseCase(item).violations },
            CaseKind(
                "status_mapping_vectors",
                given: "scope input prior_lifecycle evidence",
                expected: "expected",
                within: ["input": "status statusCategory statusCode"]
            ) { item, _ in StatusCase(item).violations },
            CaseKind("v1hmac_composed_requests", given: Self.request, expected: "string_to_sign expected_authorization")
            { SigningCases.request($0) + SigningCases.dates($1) },
            CaseKind("v1hmac_header_canonicalization_vectors", given: "input", expected: "expected") { item, _ in
                SigningCases.headerValue(item)
            },
            CaseKind(
                "v1hmac_signature_vectors",
                given: Self.request,
                expected: "string_to_sign expected_signature expected_authorization"
            ) { item, _ in SigningCases.request(item) },
            CaseKind(
                "v1hmac_string_to_sign_vectors",
                given: "method request_target_on_wire canonical_resource_mode headers",
                expected: "expected_string_to_sign"
            ) { item, _ in SigningCases.stringToSign(item) },
            CaseKind(
                "validators_iin_vectors",
                given: "validator rule value now bin request_sent http_status response",
                expected: "expected expected_status expected_cobrand_choice_required"
            ) { ClientCases.validator($0) + ClientCases.prefixes($1) },
            CaseKind(
                "webhook_signature_vectors",
                given: "body_base64 body_text headers secret_keys",
                expected: "body_sha256 expected expected_event expected_after_parse order_number"
            ) { WebhookCase($0).violations + WebhookCase.violations(ofFile: $1) },
        ]
    }

    private static let request = "api_key_id secret_api_key method request_target headers body body_note variants_agree"
}

import Conformance
import ProviderKit
import WorldlineDirect

extension WorldlineSuite.Kind {
    private static let request = "api_key_id secret_api_key method request_target headers body body_note variants_agree"

    /// The members of its cases.
    var form: CaseForm {
        switch self {
        case .customerInput:
            CaseForm(given: "value", expected: "protected_header parts part_lengths_bytes expected")
        case .idempotence:
            CaseForm(
                given: "key key_length changed_payload request_headers response_errors response_headers "
                    + "response_status",
                expected: "expected"
            )
        case .responses:
            CaseForm(
                given: "endpoint http_status response_headers body body_json",
                expected: "expect order_number"
            )
        case .status:
            CaseForm(
                given: "scope input prior_lifecycle evidence",
                expected: "expected",
                within: ["input": "status statusCategory statusCode"]
            )
        case .requests:
            CaseForm(given: Self.request, expected: "string_to_sign expected_authorization")
        case .headerValues: CaseForm(given: "input", expected: "expected")
        case .signatures:
            CaseForm(
                given: Self.request,
                expected: "string_to_sign expected_signature expected_authorization"
            )
        case .stringsToSign:
            CaseForm(
                given: "method request_target_on_wire canonical_resource_mode headers",
                expected: "expected_string_to_sign"
            )
        case .validators:
            CaseForm(
                given: "validator rule value now bin request_sent http_status response",
                expected: "expected expected_status expected_cobrand_choice_required"
            )
        case .webhooks:
            CaseForm(
                given: "body_base64 body_text headers secret_keys",
                expected: "body_sha256 expected expected_event expected_after_parse order_number"
            )
        }
    }
}

import Conformance
import ProviderKit
import SberPay

extension SberPaySuite.Kind {
    private static let known = "captured decline_requested features link_issued sdk_state stages"

    /// The members of its cases.
    var form: CaseForm {
        switch self {
        case .actionCodes: CaseForm(given: "code meaning", expected: "class")
        case .callbackHmac:
            CaseForm(
                given: "key method raw content_type",
                expected: "decoded canonical computed_checksum received_checksum expected_valid"
            )
        case .callbackOperations:
            CaseForm(
                given: "format callback context",
                expected: "expected order_number",
                within: ["context": Self.known]
            )
        case .callbackRsa:
            CaseForm(
                given: "public_key_pem certificate_pem raw digest padding method",
                expected: "decoded canonical signature_hex expected_valid"
            )
        case .fieldValidation: CaseForm(given: "scope field value", expected: "valid")
        case .registerResponses, .statusResponses:
            CaseForm(
                given: "dialect http_status response body_text context",
                expected: self == .statusResponses ? "expected order_number" : "expected",
                within: ["context": Self.known]
            )
        case .requestShapes:
            CaseForm(
                given: "dialect input expected_json",
                expected: "method path content_type dialect_paths example_body expected_fields_decoded "
                    + "expected_json_fields"
            )
        }
    }
}

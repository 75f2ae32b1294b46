package import Conformance
import Kernel
import ProviderKit
import SberPay

/// Holds vector files of this provider against the adapter's own code.
package struct SberPaySuite: ConformanceSuite {
    package init() {}

    package var cases: [CaseKind] {
        [
            CaseKind("action_codes", given: "code meaning", expected: "class") { item, _ in
                FieldCases.actionCode(item)
            },
            CaseKind(
                "callback_hmac",
                given: "key method raw content_type",
                expected: "decoded canonical computed_checksum received_checksum expected_valid"
            ) { item, _ in CallbackCases.hmac(item) },
            CaseKind(
                "callback_operations",
                given: "format callback context",
                expected: "expected order_number",
                within: ["context": Self.known]
            ) { item, _ in CallbackCases.operation(item) },
            CaseKind(
                "callback_rsa",
                given: "public_key_pem certificate_pem raw digest padding method",
                expected: "decoded canonical signature_hex expected_valid"
            ) { item, _ in CallbackCases.rsa(item) },
            CaseKind("field_validation", given: "scope field value", expected: "valid") { item, _ in
                FieldCases.field(item)
            },
            CaseKind(
                "register_responses",
                given: "dialect http_status response body_text context",
                expected: "expected",
                within: ["context": Self.known]
            ) { item, _ in AnswerCases.registration(item) },
            CaseKind(
                "request_shapes",
                given: "dialect input expected_json",
                expected: "method path content_type dialect_paths example_body expected_fields_decoded "
                    + "expected_json_fields"
            ) { item, _ in RequestCase(item).violations },
            CaseKind(
                "status_responses",
                given: "dialect http_status response body_text context",
                expected: "expected order_number",
                within: ["context": Self.known]
            ) { item, _ in AnswerCases.status(item) },
        ]
    }

    private static let known = "captured decline_requested features link_issued sdk_state stages"
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

package import Conformance
import Ecommpay
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct EcommpaySuite: ConformanceSuite {
    package init() {}

    package var cases: [CaseKind] {
        [
            CaseKind(
                "callbacks",
                given: "key raw_body body_base64 context compared",
                expected: "signature_valid expected order_number",
                within: ["context": Self.known]
            ) { CallbackCase($0, $1).violations },
            CaseKind("operation_codes", given: "code message", expected: "class domain_class detail") {
                TableCases.operationCode($0, $1)
            },
            CaseKind("payment_page_urls", given: "key base params", expected: "signature url") { item, _ in
                SignatureCases.paymentPageUrl(item)
            },
            CaseKind(
                "responses",
                given: "key operation http_status body context compared",
                expected: "expected order_number",
                within: ["context": Self.known]
            ) { ResponseCase($0, $1).violations },
            CaseKind(
                "sequences",
                given: "payment_id initial deliveries compared",
                expected: "expected_after_each expected_end",
                within: ["initial": Self.known]
            ) { item, _ in SequenceCase(item).violations },
            CaseKind("signature_objects", given: "key input published agreement", expected: "string_to_sign signature")
            { item, _ in SignatureCases.object(item) },
            CaseKind("signature_sdk_strings", given: "key string_to_sign published", expected: "signature") { item, _ in
                SignatureCases.sdkString(item)
            },
            CaseKind(
                "status_map",
                given: "status context confirmed_by",
                expected: "scope normalized final ambiguous action",
                within: ["context": "channel"]
            ) { TableCases.status($0, $1) },
        ]
    }

    private static let known =
        "amount_minor authorized_minor captured_minor channel currency known_series mode prior_operations prior_state "
        + "refunded_minor state form_address_issued http_sent merchant_refund_id payment_id series_id"
}

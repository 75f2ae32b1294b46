import Conformance
import Ecommpay
import ProviderKit

extension EcommpaySuite.Kind {
    private static let known =
        "amount_minor authorized_minor captured_minor channel currency known_series mode prior_operations prior_state "
        + "refunded_minor state form_address_issued http_sent merchant_refund_id payment_id series_id"

    /// The members of its cases.
    var form: CaseForm {
        switch self {
        case .callbacks:
            CaseForm(
                given: "key raw_body body_base64 context compared",
                expected: "signature_valid expected order_number",
                within: ["context": Self.known]
            )
        case .operationCodes: CaseForm(given: "code message", expected: "class domain_class detail")
        case .paymentPageUrls: CaseForm(given: "key base params", expected: "signature url")
        case .responses:
            CaseForm(
                given: "key operation http_status body context compared",
                expected: "expected order_number",
                within: ["context": Self.known]
            )
        case .sequences:
            CaseForm(
                given: "payment_id initial deliveries compared",
                expected: "expected_after_each expected_end",
                within: ["initial": Self.known]
            )
        case .signatureObjects:
            CaseForm(given: "key input published agreement", expected: "string_to_sign signature")
        case .signatureSdkStrings: CaseForm(given: "key string_to_sign published", expected: "signature")
        case .statusMap:
            CaseForm(
                given: "status context confirmed_by",
                expected: "scope normalized final ambiguous action",
                within: ["context": "channel"]
            )
        }
    }
}

import Conformance
import Portmone
import ProviderKit

extension PortmoneSuite.Kind {
    /// The members of its cases.
    var form: CaseForm {
        switch self {
        case .browserReturn: CaseForm(given: "fields", expected: "expected")
        case .createLinkPayment:
            CaseForm(
                given: "request signingKey response parts billAmount",
                expected: "expected attribute5 valid expected_valid"
            )
        case .lifecycle:
            CaseForm(
                given: "authorizedAmount history rows accountMode environment flow mode",
                expected: "expected order_number"
            )
        case .merchantBillsCalls: CaseForm(given: "request requested response", expected: "expected")
        case .notifications:
            CaseForm(
                given: "request account knownOrders known_orders repeat",
                expected: "expected reply replyCode",
                within: ["account": "payeeId"]
            )
        case .preauth, .refund, .statusResult, .walletPay:
            CaseForm(
                given: "request response prior",
                expected: "expected order_number",
                within: ["prior": "amount state"]
            )
        case .signature:
            CaseForm(
                given: "input",
                expected: "message signature",
                within: ["input": "billAmount dt key login payeeId shopOrderNumber"]
            )
        case .ubillResults: CaseForm(given: "requested ubills", expected: "expected")
        }
    }
}

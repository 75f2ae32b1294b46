import Conformance
import Dolyame
import ProviderKit

extension DolyameSuite.Kind {
    /// The members of its cases.
    var form: CaseForm {
        switch self {
        case .authHeaders: Self.ofInput("correlation_id login methods password")
        case .clientInfo: Self.ofInput("api_birthdate phone sdk_birthday")
        case .commitRequests: Self.ofInput("commit created state")
        case .correctionAndDelivery: Self.ofInput("all_refunds_sum correction current_items order")
        case .createRequests:
            Self.ofInput("client_info data fail_url fiscalization_settings notification_url order success_url")
        case .discountSpreading: Self.ofInput("items payable_total")
        case .errors:
            Self.ofInput(
                "body_raw headers http info info_refunds known_refund_ids operation outcome sent sent_amount"
            )
        case .itemSums: Self.ofInput("amount items max_amount min_amount prepaid_amount", "input double_trap")
        case .orderIds: Self.ofInput("attempts", "input length")
        case .orderInfoResponses:
            CaseForm(
                given: "http body_raw context settings",
                expected: "expect order_number",
                within: ["context": "cancel_requested created_amount prior_state"]
            )
        case .refundRequests:
            Self.ofInput("captured prior_refunds refund refund_request_amount refunded_before response_raw state")
        case .sdkOutcomes:
            Self.ofInput(
                "channel current default_url_registered demoFlow ending info info_status notificationUrl previous "
                    + "sdk_result state title unexpected_event"
            )
        case .sequences: CaseForm(given: "created_amount steps", expected: "expect")
        case .sourceNetworks: Self.ofInput("cidrs peer remote_ip trusted_proxies x_forwarded_for")
        case .webhooks:
            CaseForm(given: "body_raw order_known remote_ip x_forwarded_for", expected: "expect order_number")
        }
    }

    private static func ofInput(_ members: String, _ given: String = "input") -> CaseForm {
        CaseForm(given: given, expected: "expect", within: ["input": members])
    }
}

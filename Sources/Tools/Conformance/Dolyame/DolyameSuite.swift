package import Conformance
import Dolyame
import Kernel
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct DolyameSuite: ConformanceSuite {
    package init() {}

    package var cases: [CaseKind] {
        [
            CaseKind("auth_headers", Self.ofInput("correlation_id login methods password")) { item, _ in
                HeaderCases.violations(item)
            },
            CaseKind("client_info", Self.ofInput("api_birthdate phone sdk_birthday")) { item, _ in
                ValueCases.clientInfo(item)
            },
            CaseKind("commit_requests", Self.ofInput("commit created state")) { item, _ in RequestCases.commit(item) },
            CaseKind("correction_and_delivery", Self.ofInput("all_refunds_sum correction current_items order")) {
                item,
                _ in RequestCases.correctionOrDelivery(item)
            },
            CaseKind(
                "create_requests",
                Self.ofInput("client_info data fail_url fiscalization_settings notification_url order success_url")
            ) { item, _ in RequestCases.create(item) },
            CaseKind("discount_spreading", Self.ofInput("items payable_total")) { item, _ in ValueCases.discount(item)
            },
            CaseKind(
                "errors",
                Self.ofInput(
                    "body_raw headers http info info_refunds known_refund_ids operation outcome sent sent_amount"
                )
            ) { item, _ in ErrorCases.violations(item) },
            CaseKind(
                "item_sums",
                Self.ofInput("amount items max_amount min_amount prepaid_amount", "input double_trap")
            ) { item, _ in ValueCases.itemSum(item) },
            CaseKind("order_ids", Self.ofInput("attempts", "input length")) { item, _ in ValueCases.orderId(item) },
            CaseKind(
                "order_info_responses",
                given: "http body_raw context settings",
                expected: "expect order_number",
                within: ["context": "cancel_requested created_amount prior_state"]
            ) { item, _ in OrderInfoCases.violations(item) },
            CaseKind(
                "refund_requests",
                Self.ofInput("captured prior_refunds refund refund_request_amount refunded_before response_raw state")
            ) { item, _ in RequestCases.refund(item) },
            CaseKind(
                "sdk_outcomes",
                Self.ofInput(
                    "channel current default_url_registered demoFlow ending info info_status notificationUrl previous "
                        + "sdk_result state title unexpected_event"
                )
            ) { item, _ in SdkCases.violations(item) },
            CaseKind("sequences", given: "created_amount steps", expected: "expect") { item, _ in
                SequenceCase(item).violations
            },
            CaseKind("source_networks", Self.ofInput("cidrs peer remote_ip trusted_proxies x_forwarded_for")) {
                item,
                _ in WebhookCases.sourceNetwork(item)
            },
            CaseKind(
                "webhooks",
                given: "body_raw order_known remote_ip x_forwarded_for",
                expected: "expect order_number"
            ) { item, _ in WebhookCases.webhook(item) },
        ]
    }

    private static func ofInput(_ members: String, _ given: String = "input") -> CaseForm {
        CaseForm(given: given, expected: "expect", within: ["input": members])
    }
}

/// Compares what a case expects with what the adapter concluded.
enum Comparison {
    /// Each member that is expected must have been decided and be the same; `null` and absence are equal.
    static func violations(_ expected: Json?, _ actual: [String: Json], unheeded: Set<String> = []) -> [String] {
        guard let members = expected?.members else { return ["the case expects nothing"] }
        return members.members.compactMap { member in
            guard !unheeded.contains(member.name) else { return nil }
            guard let value = actual[member.name] else {
                return member.value.isNull ? nil : "\(member.name): nothing was decided"
            }
            if isSame(member.value, value) { return nil }
            return "\(member.name): expected \(member.value.canonicalText), got \(value.canonicalText)"
        }
    }

    /// Lists of texts compare as sets, amounts as decimals, everything else by structure.
    static func isSame(_ left: Json, _ right: Json) -> Bool {
        switch (left, right) {
        case (.array(let one), .array(let two)):
            guard one.count == two.count else { return false }
            if one.allSatisfy({ $0.text != nil }) {
                return Set(one.map(\.canonicalText)) == Set(two.map(\.canonicalText))
            }
            return zip(one, two).allSatisfy { isSame($0, $1) }
        case (.object(let one), .object(let two)):
            return one.count == two.count
                && one.members.allSatisfy { member in two[member.name].map { isSame(member.value, $0) } ?? false }
        case (.number(let one), .number(let two)): return isSame(decimal: one.text, two.text)
        case (.string(let one), .string(let two)): return one == two || isSame(decimal: one, two)
        default: return left.canonical == right.canonical
        }
    }

    private static func isSame(decimal left: String, _ right: String) -> Bool {
        guard let one = try? Rubles.kopecks(.string(left)), let two = try? Rubles.kopecks(.string(right)) else {
            return left == right
        }
        return one == two
    }

    static func set(_ rules: Set<Rule>) -> Json { .array(rules.sorted().map { .string($0.rawValue) }) }

    static func amount(_ kopecks: Int64?) -> Json { kopecks.map { .string(Rubles.text($0)) } ?? .null }
}

import Conformance
import Kernel
import Payments
import ProviderKit
import WorldlineDirect

/// Status, code and category, and what they mean for a payment that stood somewhere before.
struct StatusCase {
    private let item: Json

    init(_ item: Json) { self.item = item }

    private var input: StatusTable.Input {
        StatusTable.Input(
            status: item.at("input", "status")?.text,
            code: item.at("input", "statusCode")?.integer,
            category: item.at("input", "statusCategory")?.text
        )
    }

    var violations: [String] { Comparison.violations(expected: item["expected"], actual: actual) }

    private var actual: [String: Json] {
        if item["scope"] == "payout" { return payout }
        let word = StatusTable.read(input)
        var actual = Self.operation(word)
        let facts = item["scope"] == "refund" ? [] : paymentFacts
        let before = item["prior_lifecycle"]?.text.flatMap(ProviderReading.init)?.state ?? .unregistered
        var view = WorldlineStates.view(ProviderView.Baseline(state: before))
        _ = view.apply(facts)
        let isReturned = word == .refunded
        actual["lifecycle"] = .string(
            isReturned ? "refunded_or_partially_refunded_by_amount" : ProviderReading(view.state).rawValue
        )
        if view.action == .redirect { actual["action"] = "redirect" }
        actual["unknown"] = .bool(facts.contains { if case .unrecognised = $0 { true } else { false } })
        actual["retry_forbidden"] = .bool(view.state == .indeterminate)
        if word == .cancelledByPayer { actual["reason"] = "cancelled_by_customer" }
        return actual
    }

    private var payout: [String: Json] {
        var actual: [String: Json] = ["operation": "payout"]
        actual["operation_state"] = input.status.flatMap(PayoutTable.read).map { .string($0.rawValue) }
        return actual
    }

    /// The input as the provider would write it in an event.
    private var paymentFacts: [Fact] {
        let payment: Json = .compact([
            ("id", "1_0"), ("paymentOutput", ["amountOfMoney": ["amount": 1000, "currencyCode": "EUR"]]),
            ("status", item.at("input", "status")),
            (
                "statusOutput",
                .compact([
                    ("statusCategory", item.at("input", "statusCategory")),
                    ("statusCode", item.at("input", "statusCode")),
                ])
            ),
        ])
        let context = CaseContext.interpretation(reference: "reference")
        return PaymentReading(message: PaymentMessage(payment), context: context).facts
    }

    /// The follow-up that a word is about.
    static func operation(_ word: StatusTable.Word?) -> [String: Json] {
        switch word {
        case .capturePending: ["operation": "capture", "operation_state": "pending"]
        case .captured: ["operation": "capture", "operation_state": "succeeded"]
        case .captureRefused: ["operation": "capture", "operation_state": "failed"]
        case .voidPending: ["operation": "void", "operation_state": "pending"]
        case .voided: ["operation": "void", "operation_state": "succeeded"]
        case .voidRefused: ["operation": "void", "operation_state": "failed"]
        case .refundPending: ["operation": "refund", "operation_state": "pending"]
        case .refunded: ["operation": "refund", "operation_state": "succeeded"]
        case .refundRefused: ["operation": "refund", "operation_state": "failed"]
        case .created, .redirected, .pending, .uncertain, .authorized, .cancelledByPayer, .cancelled, .declined,
            .reversed, nil:
            [:]
        }
    }
}

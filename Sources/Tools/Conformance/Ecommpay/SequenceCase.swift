import Conformance
import Ecommpay
package import Kernel
package import Payments
import ProviderKit

/// A history of callbacks in the order of their arrival, and the reading after each.
package struct SequenceCase {
    private let item: Json
    private let context: CaseContext
    private let reference: String

    package init(_ item: Json) {
        self.item = item
        reference = item["payment_id"]?.text ?? "payment"
        context = CaseContext(projectId: 1, key: nil, known: item["initial"])
    }

    /// The facts of each delivery, as the adapter reads them out of the callback it stands for.
    package var facts: [[Fact]] {
        let asked = context.interpretation(paymentReference: reference)
        return (item["deliveries"]?.items ?? []).map { delivery in
            let body = Json.compact([
                ("project_id", 1),
                ("payment", .compact([("id", .string(reference)), ("status", delivery["payment_status"])])),
                ("operation", delivery["operation"].map { CaseContext.operation($0, currency: nil) }),
            ])
            return EcommpayAdapter().interpret(.notification(body: body.compactBytes), asked)
        }
    }

    package var violations: [String] {
        var view = context.view(stateName: "state", paymentReference: reference)
        var payment = payment
        var words: [Json] = []
        for facts in facts {
            _ = view.apply(facts)
            payment?.observe(facts)
            words.append(.string(ProviderReading(view.state).rawValue))
        }
        var found: [String] = []
        if let expected = item["expected_after_each"]?.items {
            if expected.count != words.count { found.append("expected_after_each: another number of deliveries") }
            for (index, pair) in zip(expected, words).enumerated() where pair.0 != pair.1 {
                found.append(
                    "delivery \(index): expected \(pair.0.canonicalText), got \(pair.1.canonicalText)"
                )
            }
        }
        let actual: [String: Json] = [
            "state": .string(ProviderReading(view.state).rawValue),
            "authorized_minor": .integer(view.authorized),
            "captured_minor": .integer(view.captured),
            "refunded_minor": .integer(view.refunded),
            "operations": .object(
                JsonObject(view.operations.map { ($0.key, .string(Self.word($0.value.outcome))) })
            ),
        ]
        return found
            + Comparison.violations(expected: item["expected_end"], actual: actual, compared: item["compared"])
            + (payment?.violations(item["expected_end"] ?? [:]) ?? ["the case makes no payment"])
    }

    /// The payment that the history is told to.
    private var payment: SequencePayment? {
        let initial = item["initial"] ?? [:]
        guard let currency = initial["currency"]?.text.flatMap({ Currency($0) }),
            let minor = initial["amount_minor"]?.integer
        else { return nil }
        return SequencePayment(initial, context.account, context.terms(Money(minor, currency)))
    }

    static func word(_ outcome: ProviderOutcome) -> String {
        switch outcome {
        case .succeeded: "succeeded"
        case .declined, .expired: "failed"
        case .waiting, .processing, .ambiguous: "pending"
        }
    }
}

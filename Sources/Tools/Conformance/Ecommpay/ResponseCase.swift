import Conformance
import Ecommpay
import Kernel
import Payments
import ProviderKit

/// One answer of Gate: what it says about the request, and for a status request about the payment.
struct ResponseCase {
    private let item: Json
    private let context: CaseContext
    private let body: [UInt8]
    private let isQuery: Bool

    init(_ item: Json, _ file: Json) {
        self.item = item
        context = CaseContext(projectId: file["our_project_id"], key: item["key"]?.text, known: item["context"])
        isQuery = item["operation"]?.text == "status"
        switch item["body"] {
        case .string(let text): body = Array(text.utf8)
        case .null, nil: body = []
        case .bool, .number, .array, .object: body = item["body"]?.compactBytes ?? []
        }
    }

    var violations: [String] {
        let facts = EcommpayAdapter().interpret(
            observation,
            context.interpretation(paymentReference: number.text)
        )
        return signatureViolations + number.violations(facts)
            + Comparison.violations(expected: item["expected"], actual: actual(facts), compared: item["compared"])
    }

    private var number: CaseNumber {
        CaseNumber(
            item,
            told: (try? Json(body)).flatMap { Message($0).paymentId ?? $0["payment_id"]?.text },
            given: item.at("context", "payment_id")
        )
    }

    /// A case with a key carries a signature that must be good.
    private var signatureViolations: [String] {
        guard let key = item["key"]?.text, let json = item["body"] else { return [] }
        guard case .found(let claimed) = Signature.claim(in: json),
            Signature.verify(claimed, of: json, key: Secret(key), acceptsByteOrder: true) != nil
        else { return ["the answer's signature does not verify"] }
        return []
    }

    private var observation: Observation {
        let purpose: DispatchPurpose =
            switch item["operation"]?.text {
            case "status": .query
            case "capture": .operation(.capture)
            case "cancel": .operation(.void)
            case "refund": .operation(.refund)
            default: .operation(.sale)
            }
        guard let status = item["http_status"]?.integer else { return .sentNoAnswer(purpose, reason: "no answer") }
        return .answered(purpose, status: Int(status), headers: [:], body: body)
    }

    private func actual(_ facts: [Fact]) -> [String: Json] {
        let verdict: Answer =
            if case .answered(_, let status, _, let body) = observation {
                Answer.read(status, body, isQuery: isQuery).verdict
            } else {
                .unknown(reason: "no answer")
            }
        var actual = words(verdict)
        guard isQuery else { return actual }
        switch verdict {
        case .answered, .notFound: break
        case .accepted, .rejected, .duplicate, .configuration, .unknown: return actual
        }
        var view = context.view(stateName: "prior_state", paymentReference: number.text)
        _ = view.apply(facts)
        actual["normalized"] = .string(ProviderReading(view.state).rawValue)
        actual["not_registered"] = .bool(facts.contains(.attempt(.notRegistered)))
        actual["captured"] = .integer(view.captured)
        actual["refund_amount"] = .integer(view.refunded)
        let held = view.operations.values.reduce(Int64(0)) { sum, operation in
            guard operation.kind == .authorize, operation.outcome == .succeeded else { return sum }
            return sum &+ (operation.amount.money?.minor ?? 0)
        }
        if view.captured < held { actual["partial_of_authorized"] = .integer(held) }
        return actual
    }

    /// The verdict and what follows from it.
    private func words(_ verdict: Answer) -> [String: Json] {
        switch verdict {
        case .accepted:
            let awaits: Json = item["operation"] == "recurring_cancel" ? "series" : "payment"
            return ["outcome": "accepted", "next_step": "await_callback", "awaits": awaits]
        case .answered: return ["outcome": "answered"]
        case .notFound: return ["outcome": "not_found"]
        case .rejected: return ["outcome": "rejected", "retry": "no", "next_step": "none"]
        case .configuration: return ["outcome": "configuration", "retry": "no", "next_step": "none"]
        case .duplicate: return ["outcome": "duplicate", "retry": "no", "next_step": "query_status"]
        case .unknown: return ["outcome": "unknown", "retry": "after_status", "next_step": "query_status"]
        }
    }
}

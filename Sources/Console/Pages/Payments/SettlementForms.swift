import Api
import Http
import Kernel

/// How two persons settle what no provider can tell: evidence, a proposal, and another person's approval.
struct SettlementForms {
    private let visit: Visit
    private let payment: Json

    init(_ visit: Visit, _ payment: Json) {
        self.visit = visit
        self.payment = payment
    }

    /// Those that the session's key may send.
    var html: [Html] {
        (visit.may(.approve) ? approvals : []) + (visit.may(.resolve) ? [proposalForm, evidenceForm] : [])
    }

    private var approvals: [Html] {
        (payment["resolutions"]?.items ?? []).filter { $0["approved"]?.flag == false }.map { resolution in
            PaymentActions.form(visit, payment, "approve", .approve, .approveHint, isPerson: true) {
                facts([
                    (
                        visit.say(.verdict),
                        Html(visit.word(Words.resolution, resolution.at("verdict", "is")?.text))
                    ), (visit.say(.operation), code(resolution.at("verdict", "operation")?.text)),
                    (
                        visit.say(.amount),
                        resolution.at("verdict", "amount").map { Html(visit.formats.money($0)) }
                    ), (visit.say(.evidence), Html(resolution["evidence"]?.text ?? "")),
                    (visit.say(.proposedBy), code(resolution["by"]?.text)),
                ])
                hidden("resolution", resolution["id"]?.text ?? "")
            }
        }
    }

    private var proposalForm: Html {
        let operations = (payment["operations"]?.items ?? []).compactMap { item -> (value: String, title: String)? in
            guard let id = item["id"]?.text else { return nil }
            let kind = visit.word(Words.operation, item["kind"]?.text)
            return (id, "\(kind), \(visit.word(Words.operationState, item["state"]?.text)), \(id.suffix(6))")
        }
        return PaymentActions.form(visit, payment, "propose", .propose, .proposeHint, isPerson: true) {
            choice(
                "verdict",
                visit.say(.verdict),
                Words.resolutionOrder.map { ($0, visit.word(Words.resolution, $0)) },
                nil
            )
            choice("operation", visit.say(.operation), [("", "–")] + operations, nil)
            hidden("currency", payment.at("amounts", "currency")?.text ?? payment.at("amount", "currency")?.text ?? "")
            Field(name: "amount", label: visit.say(.amount), hint: visit.say(.verdictAmountHint), mode: "decimal")
                .named("propose")
            Field(name: "evidence", label: visit.say(.evidence), isNeeded: true, most: Limits.evidenceBytes)
                .named("propose")
        }
    }

    private var evidenceForm: Html {
        PaymentActions.form(visit, payment, "evidence", .addEvidence, .addEvidenceHint) {
            Field(name: "evidence", label: visit.say(.evidence), isNeeded: true, most: Limits.evidenceBytes)
                .named("evidence")
        }
    }

    // MARK: Commands

    static func proposal(_ visit: Visit) throws(Problem) -> Json {
        let verdict: Json = .compact([
            ("is", .string(visit.field("verdict") ?? "")), ("operation", visit.filled("operation").map(Json.string)),
            ("amount", try PaymentActions.amount(visit)),
        ])
        return [
            "verdict": verdict, "evidence": .string(visit.field("evidence") ?? ""), "seenVersion": seenVersion(visit),
        ]
    }

    /// The version that the person saw; what is no number is refused by the API.
    static func seenVersion(_ visit: Visit) -> Json {
        let text = visit.field("version") ?? ""
        return Int64(text).map(Json.integer) ?? .string(text)
    }
}

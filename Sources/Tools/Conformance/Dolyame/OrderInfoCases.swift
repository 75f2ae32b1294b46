import Conformance
import Dolyame
import Kernel
import Payments
import ProviderKit

/// One answer of `info`: what it says, and the state after it.
enum OrderInfoCases {
    static func violations(_ item: Json) -> [String] {
        let context = item["context"] ?? [:]
        guard let raw = item["body_raw"]?.text,
            let created = context["created_amount"].flatMap({ try? Rubles.kopecks($0) })
        else { return ["the case has no answer"] }
        let body = Array(raw.utf8)
        var account = BenchAccount()
        account.settings = (item["settings"]?.members?.members ?? []).map { ($0.name, $0.value) }
        let number = CaseNumber(item, told: (try? Json(body))?["id"]?.text, fallback: BenchAccount.order)
        guard
            var story = Story(
                kopecks: created,
                account: account,
                prior: context["prior_state"]?.text,
                number: number.text
            )
        else { return Story.unmade }
        if context["cancel_requested"]?.flag == true { story.perform(.void(amount: nil, reason: nil)) }
        let before = story.word
        story.answer(.query, Int(item["http"]?.integer ?? 200), body)
        let isUnread = story.lastFacts.allSatisfy { fact in
            switch fact {
            case .dispatch, .unrecognised, .contradiction: true
            case .operation, .statement, .complete, .attempt, .order, .instrument, .instrumentNews, .receipt, .dispute,
                .method, .series,
                .seriesDebit, .fee,
                .commission, .question, .firstAnswer:
                false
            }
        }
        var actual: [String: Json] = [
            "normalized": isUnread && story.isAlert ? .null : .string(story.word),
            "transition": .bool(story.word != before), "alert": .bool(story.isAlert),
            "cause": story.cancelCause.map(Json.string) ?? .null,
            "captured_amount": Comparison.amount(story.view.captured),
        ]
        if let info = (try? Json(body)).flatMap({ try? OrderInfo($0) }) {
            actual.merge(members(info)) { _, new in new }
        }
        return Comparison.violations(item["expect"], actual) + number.violations(story.lastFacts)
            + (isUnread ? [] : story.statusViolations)
    }

    private static func members(_ info: OrderInfo) -> [String: Json] {
        let status = StatusTable.lookUp(info.word)
        let schedule = info.schedule.reduce(Int64(0)) { $0 &+ $1 }
        return [
            "redirect_url": info.link, "amount": Comparison.amount(info.amount),
            "residual": Comparison.amount(info.residual), "schedule_sum": Comparison.amount(schedule),
            "first_instalment_charged": .bool(status == .completed), "client_fully_paid": .bool(info.residual == 0),
            "installment_term": info.installmentTerm.map(Json.integer) ?? .null,
            "refunds": .array(
                info.refunds.map { refund in
                    .compact([
                        ("refund_id", .string(refund.id)), ("amount", Comparison.amount(refund.amount)),
                        ("status", refund.status.map(Json.string)),
                    ])
                }
            ),
        ]
    }
}

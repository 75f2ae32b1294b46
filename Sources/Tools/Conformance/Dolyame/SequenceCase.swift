import Conformance
import Dolyame
import Http
import Kernel
import Payments
import ProviderKit

/// A history of commands, notifications and questions, told to the adapter, the fold and the payment.
struct SequenceCase {
    private let item: Json
    private let created: Int64

    init(_ item: Json) {
        self.item = item
        created = item["created_amount"].flatMap { try? Rubles.kopecks($0) } ?? 0
    }

    var violations: [String] {
        guard var story = Story(kopecks: created) else { return Story.unmade }
        /// The sums committed and refunded by the provider's books.
        var ledger = Ledger(amount: created, refunds: [])
        var found: [String] = []
        for (index, step) in (item["steps"]?.items ?? []).enumerated() {
            if let problem = play(step, &story, &ledger) { found.append("step \(index): \(problem)") }
        }
        let actual: [String: Json] = [
            "final_state": .string(story.word), "commits_sent": .integer(Int64(story.commits)),
            "cause": story.cancelCause.map(Json.string) ?? .null, "captured": Comparison.amount(story.view.captured),
            "refunded": Comparison.amount(story.view.refunded),
        ]
        return found + Comparison.violations(item["expect"], actual) + story.statusViolations
    }

    fileprivate struct Ledger {
        var amount: Int64
        var refunds: [(id: String, amount: Int64)]
    }

    private func play(_ step: Json, _ story: inout Story, _ ledger: inout Ledger) -> String? {
        func kopecks(_ name: String) -> Int64? { step[name].flatMap { try? Rubles.kopecks($0) } }
        if let command = step["cmd"]?.text { return perform(command, step, kopecks("amount"), &story, &ledger) }
        if let word = step["poll"]?.text {
            if let amount = kopecks("amount") { ledger.amount = amount }
            story.answer(.query, 200, Story.order(word, amount: ledger.amount, refunds: ledger.refunds))
            return nil
        }
        guard let word = step["webhook"]?.text else { return "a step of no known form" }
        let body: Json = ["id": story.reference, "status": .string(word), "demo": false]
        _ = story.asks(after: body.compactBytes)
        let reply = DolyameAdapter().reply(
            .stored,
            to: HttpRequest(method: .post, target: "/", body: body.compactBytes)
        )
        if let expected = step["reply"]?.integer, expected != Int64(reply.status) { return "reply \(reply.status)" }
        if let status = step["info_http"]?.integer {
            story.answer(.query, Int(status), [])
        } else if let word = step["info"]?.text {
            if let amount = kopecks("amount") { ledger.amount = amount }
            if let refunded = kopecks("refunded") { ledger.adjust(to: refunded) }
            story.answer(.query, 200, Story.order(word, amount: ledger.amount, refunds: ledger.refunds))
        }
        return nil
    }

    private func perform(
        _ command: String,
        _ step: Json,
        _ asked: Int64?,
        _ story: inout Story,
        _ ledger: inout Ledger
    ) -> String? {
        let status = Int(step["http"]?.integer ?? 200)
        let word = step["status"]?.text ?? step["info"]?.text
        let amount = asked ?? ledger.amount
        let money = Rubles.money(amount)
        let details: Json = ["items": [["name": "all", "price": .string(Rubles.text(amount))]]]
        switch command {
        case "create":
            guard let word else { return "the answer has no status" }
            story.answer(.operation(.authorize), status, Story.order(word, amount: created))
        case "commit":
            story.perform(.capture(amount: money, reason: nil, details: details))
            if status == 200 { ledger.amount = amount }
            story.answer(.operation(.capture), status, word.map { Story.order($0, amount: amount) } ?? [])
        case "cancel":
            story.perform(.void(amount: nil, reason: nil))
            story.answer(.operation(.void), status, word.map { Story.order($0, amount: ledger.amount) } ?? [])
        case "refund":
            story.perform(.refund(amount: money, capture: nil, reason: nil, details: details))
            let id = "refund-\(ledger.refunds.count + 1)"
            let left = ledger.refunds.reduce(ledger.amount &- amount) { $0 &- $1.amount }
            if status == 200 { ledger.refunds.append((id, amount)) }
            let body: Json = ["refund_id": .string(id), "amount": Rubles.number(left)]
            story.answer(.operation(.refund), status, status == 200 ? body.compactBytes : [])
        default: return "unknown command \(command)"
        }
        return nil
    }
}

extension SequenceCase.Ledger {
    /// Books what the provider shows beyond what we asked for.
    fileprivate mutating func adjust(to total: Int64) {
        let known = refunds.reduce(Int64(0)) { $0 &+ $1.amount }
        if total > known { refunds.append(("cabinet-\(refunds.count + 1)", total &- known)) }
    }
}

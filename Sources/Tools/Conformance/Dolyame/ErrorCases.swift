import Conformance
import Dolyame
import Kernel
import Payments
import ProviderKit

/// Answers that are no success, and what is concluded once the order was asked about.
enum ErrorCases {
    static func violations(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        guard let method = input["operation"]?.text.flatMap({ Call.Method(rawValue: $0) }) else {
            return ["unknown operation"]
        }
        if input["info_refunds"] != nil { return refundRecovery(input, item["expect"]) }
        if input["info"] != nil { return recovery(method, input, item["expect"]) }
        var headers: [String: String] = [:]
        for header in input["headers"]?.members?.members ?? [] { headers[header.name] = header.value.scalarText }
        let answer = Answer(
            method,
            status: Int(input["http"]?.integer ?? 0),
            headers: headers,
            body: Array((input["body_raw"]?.text ?? "").utf8)
        )
        return Comparison.violations(
            item["expect"],
            [
                "class": .string(answer.kind.rawValue), "retry": .bool(answer.mayRepeat),
                "blind_retry": .bool(answer.mayRepeat), "alert": .bool(answer.isAlert),
                "follow_up": answer.asksInfo ? "info" : .null, "delay_seconds": answer.delay.map(Json.integer) ?? .null,
                "detail": answer.detail.map(Json.string) ?? .null, "message": answer.message.map(Json.string) ?? .null,
                "detail_map": answer.details ?? .null,
            ]
        )
    }

    /// A message whose effect is unknown, and what `info` shows after it.
    private static func recovery(_ method: Call.Method, _ input: Json, _ expected: Json?) -> [String] {
        let info = input["info"] ?? [:]
        let sent = input["sent_amount"].flatMap { try? Rubles.kopecks($0) }
        let shown = info["amount"].flatMap { try? Rubles.kopecks($0) }
        let amount = sent ?? shown ?? 0
        guard var story = Story(kopecks: amount, prior: method == .create ? nil : "authorized") else {
            return Story.unmade
        }
        switch method {
        case .commit: story.perform(.capture(amount: Rubles.money(amount), reason: nil))
        case .cancel: story.perform(.void(amount: nil, reason: nil))
        case .create, .info, .refund, .correction, .completeDelivery: break
        }
        let purpose: DispatchPurpose = .operation(method == .commit ? .capture : method == .cancel ? .void : .authorize)
        if let status = input["http"]?.integer {
            story.answer(purpose, Int(status), [])
        } else {
            story.lose(purpose)
        }
        let word = info["status"]?.text ?? ""
        story.answer(.query, Int(info["http"]?.integer ?? 200), Story.order(word, amount: shown ?? amount))
        let isAbsent = story.lastFacts.contains(.attempt(.notRegistered))
        return Comparison.violations(
            expected,
            [
                "adopt": .bool(story.payment.order != nil && !story.isAlert), "state": .string(story.word),
                "new_create_sent": .bool(isAbsent), "resend": .bool(isAbsent),
                "commit_success": .bool(story.payment.amounts.captured == amount && !story.isAlert),
                "alert": .bool(story.isAlert),
            ]
        )
    }

    /// A refund has no key: what was not in the list before and has the same amount is ours.
    private static func refundRecovery(_ input: Json, _ expected: Json?) -> [String] {
        let known = Set((input["known_refund_ids"]?.items ?? []).compactMap(\.text))
        let sent = input.at("sent", "amount").flatMap { try? Rubles.kopecks($0) }
        var refunds: [(id: String, amount: Int64)] = []
        for refund in input["info_refunds"]?.items ?? [] {
            guard let id = refund["refund_id"]?.text,
                let amount = refund["refunded_amount"].flatMap({ try? Rubles.kopecks($0) })
            else { return ["a refund can't be read"] }
            refunds.append((id, amount))
        }
        let total = refunds.reduce(sent ?? 0) { $0 &+ $1.amount }
        guard var story = Story(kopecks: max(total, 1), prior: "captured") else { return Story.unmade }
        let before = refunds.filter { known.contains($0.id) }
        story.answer(.query, 200, Story.order("committed", amount: total, refunds: before))
        let seen = Set(story.view.operations.keys)
        story.answer(.query, 200, Story.order("committed", amount: total, refunds: refunds))
        let new = story.view.operations.filter { $0.value.kind == .refund && !seen.contains($0.key) }
        let ours = new.filter { $0.value.amount.money?.minor == sent }.keys.sorted()
        let id = ours.first.map { String($0.dropFirst(OrderReading.Name.refund("").count)) }
        return Comparison.violations(
            expected,
            [
                "adopt_refund_id": id.map(Json.string) ?? .null, "resend": .bool(new.isEmpty),
                "alert": .bool(!new.isEmpty && ours.isEmpty),
            ]
        )
    }
}

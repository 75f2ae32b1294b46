import Conformance
import Dolyame
import Http
import Kernel
import Payments
import ProviderKit

/// Requests that move money: what is refused, and what is sent.
enum RequestCases {
    // MARK: Create

    /// Plans and finishes through the adapter itself.
    static func create(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        let order = input["order"] ?? [:]
        guard let id = order["id"]?.text, let kopecks = order["amount"].flatMap({ try? Rubles.kopecks($0) }) else {
            return ["the case has no order"]
        }
        var account = BenchAccount()
        account.settings = [
            ("returnUrls", false), ("notificationUrlPerOrder", .bool(input["notification_url"]?.text != nil)),
            ("fiscalization", .bool(input.at("fiscalization_settings", "type")?.text == "enabled")),
        ]
        if let url = input["notification_url"]?.text { account.notificationUrl = url }
        let payer = input["client_info"].map { client in
            Json.compact(Details.PayerField.allCases.map { ($0.rawValue, client[$0.wire]) })
        }
        let details: Json = .compact([
            ("items", BenchAccount.items(order["items"])), ("prepaidAmount", order["prepaid_amount"]), ("payer", payer),
            ("urls", .compact([("success", input["success_url"]), ("fail", input["fail_url"])])),
            ("data", input["data"]),
        ])
        let adapter = DolyameAdapter()
        do throws(PlanFailure) {
            let template = try adapter.plan(
                BenchAccount.dispatch(.operation(.authorize), id: id, kopecks: kopecks),
                PlanContext(
                    terms: BenchAccount.terms(kopecks, details: details),
                    settings: account.account,
                    instrumentToken: nil
                )
            )
            return RequestComparison.violations(
                item["expect"] ?? [:],
                try? adapter.finish(template, account.materials)
            )
        } catch {
            return ["refused: \(error.code) \(error.detail)"]
        }
    }

    // MARK: Commit

    static func commit(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        let given = input["commit"] ?? [:]
        let fiscal = given["fiscalization_settings"]
        var rules: Set<Rule> = input["state"]?.text == "authorized" ? [] : [.state]
        var actual: [String: Json] = [:]
        var body: Json?
        do throws(Broken) {
            let created = try bill(input["created"], items: "items", prepaid: "prepaid_amount")
            let bill = try bill(given, items: "items", prepaid: "prepaid_amount")
            rules.formUnion(bill.rules(committing: created, receipts: fiscal))
            actual["state_after"] = bill.amount < created.amount ? "partially_captured" : "captured"
            actual["released"] = Comparison.amount(created.amount &- bill.amount)
            body = Bodies.commit(bill, fiscal: fiscal, Rubles.number)
        } catch {
            rules.formUnion(error.rules)
        }
        return conclude(item, .commit, rules, body, actual)
    }

    // MARK: Refund

    private static let refundable: Set<String> = ["captured", "partially_captured", "partially_refunded"]

    static func refund(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        if let raw = input["response_raw"]?.text { return refundAnswer(raw, input, item["expect"]) }
        var rules: Set<Rule> = refundable.contains(input["state"]?.text ?? "") ? [] : [.state]
        var actual: [String: Json] = [:]
        var body: Json?
        do throws(Broken) {
            let captured = try bill(input["captured"], items: "items", prepaid: "prepaid_amount")
            var earlier: [Dolyame.Bill] = []
            for refund in input["prior_refunds"]?.items ?? [] {
                let prepaid = refund["refunded_prepaid_amount"] == nil ? "prepaid_amount" : "refunded_prepaid_amount"
                let items = refund["returned_items"] == nil ? "items" : "returned_items"
                earlier.append(try bill(refund, items: items, prepaid: prepaid))
            }
            let bill = try bill(input["refund"], items: "returned_items", prepaid: "refunded_prepaid_amount")
            rules.formUnion(bill.rules(refunding: captured, earlier: earlier))
            let total = earlier.reduce(bill.amount) { $0 &+ $1.amount }
            actual["refunded_total"] = Comparison.amount(total)
            actual["expected_response_amount"] = Comparison.amount(captured.amount &- total)
            actual["state_after"] = total == captured.amount ? "refunded" : "partially_refunded"
            body = Bodies.refund(bill, fiscal: input.at("refund", "fiscalization_settings"), Rubles.number)
        } catch {
            rules.formUnion(error.rules)
        }
        return conclude(item, .refund, rules, body, actual)
    }

    /// The answer names what the payer still owes.
    private static func refundAnswer(_ raw: String, _ input: Json, _ expected: Json?) -> [String] {
        guard let answer = (try? Json(text: raw)).flatMap(RefundAnswer.init),
            let captured = input["captured"].flatMap({ try? Rubles.kopecks($0) }),
            let asked = input["refund_request_amount"].flatMap({ try? Rubles.kopecks($0) })
        else { return ["the answer can't be read"] }
        let before = (input["refunded_before"]).flatMap { try? Rubles.kopecks($0) } ?? 0
        guard var story = Story(kopecks: captured, prior: "captured") else { return Story.unmade }
        if before > 0 {
            story.answer(.query, 200, Story.order("refunded", amount: captured, refunds: [("before", before)]))
        }
        let details: Json = ["items": [["name": "all", "price": .string(Rubles.text(asked))]]]
        story.perform(.refund(amount: Rubles.money(asked), capture: nil, reason: nil, details: details))
        story.answer(.operation(.refund), 200, Array(raw.utf8))
        return Comparison.violations(
            expected,
            [
                "refunded_by_this_call": Comparison.amount(asked), "remaining": Comparison.amount(answer.remaining),
                "refund_id": .string(answer.id),
                "cross_check": story.isAlert ? "mismatch" : "ok",
            ]
        )
    }

    // MARK: Correction and delivery

    static func correctionOrDelivery(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        var rules: Set<Rule> = []
        var actual: [String: Json] = [:]
        var body: Json?
        guard let correction = input["correction"] else {
            do throws(Broken) {
                var bill: Dolyame.Bill?
                if let order = input["order"] { bill = try Self.bill(order, items: "items", prepaid: "prepaid_amount") }
                if let bill, bill.difference != 0 { rules.insert(.sum) }
                body = Bodies.completeDelivery(bill, Rubles.number)
            } catch {
                rules = error.rules
            }
            return conclude(item, .completeDelivery, rules, body, actual)
        }
        do throws(Broken) {
            let current = try Basket.read(BenchAccount.raw(input["current_items"]))
            let refunded = input["all_refunds_sum"].flatMap { try? Rubles.kopecks($0) } ?? 0
            let bill: Dolyame.Bill
            if correction["new_items"] != nil {
                bill = try Self.bill(correction, items: "new_items", prepaid: "refunded_prepaid_amount")
            } else {
                bill = Dolyame.Bill(
                    amount: correction["amount"].flatMap { try? Rubles.kopecks($0) } ?? 0,
                    prepaid: correction["refunded_prepaid_amount"].flatMap { try? Rubles.kopecks($0) },
                    basket: .empty
                )
            }
            rules = bill.rules(correcting: current, refunded: refunded)
            let sides = bill.sides(current, refunded)
            actual["lhs"] = Comparison.amount(sides.left)
            actual["rhs"] = Comparison.amount(sides.right)
            body = Bodies.correction(bill, Rubles.number)
        } catch {
            rules = error.rules
        }
        return conclude(item, .correction, rules, body, actual)
    }

    // MARK: Both

    private static func bill(_ json: Json?, items: String, prepaid: String) throws(Broken) -> Dolyame.Bill {
        try Dolyame.Bill.read(amount: json?["amount"], prepaid: json?[prepaid], BenchAccount.raw(json?[items]))
    }

    private static func conclude(
        _ item: Json,
        _ method: Call.Method,
        _ rules: Set<Rule>,
        _ body: Json?,
        _ actual: [String: Json]
    ) -> [String] {
        let expected = item["expect"] ?? [:]
        var actual = actual
        actual["valid"] = .bool(rules.isEmpty)
        actual["violations"] = Comparison.set(rules)
        let wire: Set<String> = ["method", "path", "body_raw", "headers"]
        var found = Comparison.violations(expected, actual, unheeded: wire)
        if expected["method"] != nil {
            let id = RequestComparison.orderId(expected)
            found += RequestComparison.violations(
                expected,
                rules.isEmpty ? BenchAccount().request(method, id: id, body) : nil
            )
        }
        return found
    }
}

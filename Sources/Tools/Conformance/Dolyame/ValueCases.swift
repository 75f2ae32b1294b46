import Conformance
import Dolyame
import Kernel

/// Values that are checked or made without a request: amounts, ids, phone numbers and birthdays.
enum ValueCases {
    static func clientInfo(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        var actual: [String: Json] = [:]
        if let phone = input["phone"]?.text {
            actual["phone"] = ClientInfo.phone(phone).map(Json.string) ?? .null
            actual["valid"] = .bool(ClientInfo.phone(phone) != nil)
        }
        for (name, day) in [
            ("sdk_birthday", input["sdk_birthday"]?.text.map { ClientInfo.Day(sdk: $0) }),
            ("api_birthdate", input["api_birthdate"]?.text.map { ClientInfo.Day(api: $0) }),
        ] {
            guard let day else { continue }
            actual["valid"] = .bool(day != nil)
            actual["reason"] = day == nil ? "format" : .null
            let other = name == "sdk_birthday" ? "api_birthdate" : "sdk_birthday"
            actual[other] = day.map { .string(name == "sdk_birthday" ? $0.api : $0.sdk) } ?? .null
        }
        return Comparison.violations(item["expect"], actual)
    }

    static func itemSum(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        let items = BenchAccount.raw(input["items"])
        var actual: [String: Json] = [:]
        var rules: Set<Rule>
        do throws(Broken) {
            let bill = try Bill.read(amount: input["amount"], prepaid: input["prepaid_amount"], items)
            rules = bill.rules(limits(input))
            actual["items_sum"] = Comparison.amount(bill.basket.sum)
            actual["difference"] = Comparison.amount(bill.difference)
        } catch {
            rules = error.rules
            actual["hint"] = items.lazy.compactMap(\.foldingHint).first.map(Json.string) ?? .null
        }
        actual["valid"] = .bool(rules.isEmpty)
        actual["violations"] = Comparison.set(rules)
        return Comparison.violations(item["expect"], actual)
    }

    private static func limits(_ input: Json) -> AmountLimits {
        AmountLimits(
            least: input["min_amount"].flatMap { try? Rubles.kopecks($0) },
            most: input["max_amount"].flatMap { try? Rubles.kopecks($0) }
        )
    }

    static func orderId(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        if let id = input.text {
            let fault = OrderId.fault(id)
            return Comparison.violations(
                item["expect"],
                ["valid": .bool(fault == nil), "reason": fault.map { .string($0.rawValue) } ?? .null]
            )
        }
        guard let attempts = input["attempts"]?.items, let last = attempts.last?["order_id"]?.text else {
            return ["a case of no known form"]
        }
        // Whatever became of an attempt, its id is spent.
        let isUsed = attempts.dropLast().contains { $0["order_id"]?.text == last }
        return Comparison.violations(
            item["expect"],
            [
                "second_attempt": isUsed ? "rejected_locally" : "accepted",
                "reason": isUsed ? .string(OrderId.Fault.used.rawValue) : .null,
            ]
        )
    }

    static func discount(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        guard let basket = try? Basket.read(BenchAccount.raw(input["items"])),
            let total = input["payable_total"].flatMap({ try? Rubles.kopecks($0) })
        else { return ["the items can't be read"] }
        guard let spread = Discount.spread(basket, to: total) else { return ["the discount can't be spread"] }
        func units(_ basket: Basket) -> Int64 { basket.positions.reduce(0) { $0 + $1.quantity } }
        var found = units(basket) == units(spread) ? [] : ["another number of units"]
        if spread.positions.contains(where: { $0.price < 0 }) { found.append("a negative price") }
        // The answer that a case shows is held against the same rules.
        if let shown = item["expect"]?["one_valid_answer"] {
            let example = try? Basket.read(BenchAccount.raw(shown))
            if example?.sum != total || example.map(units) != units(basket) {
                found.append("one_valid_answer: is none")
            }
        }
        return found
            + Comparison.violations(
                item["expect"],
                ["sum": Comparison.amount(spread.sum), "every_price_two_decimals": true],
                unheeded: ["one_valid_answer"]
            )
    }
}

extension RawPosition {
    /// How goods by weight can be sold: the line as one piece.
    fileprivate var foldingHint: String? {
        guard quantity.integer == nil, let hundredths = try? Rubles.kopecks(quantity),
            let price = try? Rubles.kopecks(price)
        else { return nil }
        let (line, overflow) = hundredths.multipliedReportingOverflow(by: price)
        guard !overflow, line % 100 == 0 else { return nil }
        return "fold into quantity 1, price \(Rubles.text(line / 100))"
    }
}

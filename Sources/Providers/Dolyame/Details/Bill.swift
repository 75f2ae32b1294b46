package import Kernel

/// An amount that the provider asks of the payer, what was paid by other means, and the positions that both pay for.
package struct Bill: Hashable {
    /// Kopecks that go through the provider.
    package let amount: Int64
    /// Kopecks that were paid otherwise, as points or a gift card; `nil` where nobody said.
    package let prepaid: Int64?
    package let basket: Basket

    package init(amount: Int64, prepaid: Int64?, basket: Basket) {
        self.amount = amount
        self.prepaid = prepaid
        self.basket = basket
    }

    /// `amount + prepaid − Σ(positions)`; `nil` where it leaves the range.
    package var difference: Int64? {
        let (paid, overflow) = amount.addingReportingOverflow(prepaid ?? 0)
        let (difference, carry) = paid.subtractingReportingOverflow(basket.sum)
        return overflow || carry ? nil : difference
    }

    /// The two amounts of a bill as they were given.
    package static func read(amount: Json?, prepaid: Json?, _ items: [RawPosition]) throws(Broken) -> Bill {
        var rules: Set<Rule> = []
        func kopecks(_ json: Json?) -> Int64? {
            guard let json, !json.isNull else { return nil }
            do throws(MoneyFailure) { return try Rubles.kopecks(json) } catch {
                rules.insert(Rule(error, otherwise: .price))
                return nil
            }
        }
        let sum = kopecks(amount) ?? 0
        let before = kopecks(prepaid)
        if sum < 0 || before ?? 0 < 0 { rules.insert(.price) }
        let basket: Basket
        do throws(Broken) { basket = try Basket.read(items) } catch {
            rules.formUnion(error.rules)
            throw Broken(rules: rules)
        }
        guard rules.isEmpty else { throw Broken(rules: rules) }
        return Bill(amount: sum, prepaid: before, basket: basket)
    }

    /// The rules of an order: the sum is right and no less than a ruble.
    package func rules(_ limits: AmountLimits) -> Set<Rule> {
        var rules: Set<Rule> = []
        if difference != 0 { rules.insert(difference == nil ? .overflow : .sum) }
        rules.formUnion(minimum)
        if let least = limits.least, amount < least { rules.insert(.range) }
        if let most = limits.most, amount > most { rules.insert(.range) }
        return rules
    }

    private var minimum: Set<Rule> {
        amount < AmountLimits.ruble || basket.sum < AmountLimits.ruble ? [.minimum] : []
    }

    /// The rules of a commit.
    package func rules(committing created: Bill, receipts: Json?) -> Set<Rule> {
        var rules = minimum
        if difference != 0 { rules.insert(difference == nil ? .overflow : .sumCommit) }
        if amount > created.amount { rules.insert(.commitCap) }
        if let receipts, !Fiscal.isComplete(receipts) { rules.insert(.fiscalParameters) }
        return rules
    }

    /// The rules of a refund: `committed` is the bill that was committed, `earlier` went back before.
    package func rules(refunding committed: Bill, earlier: [Bill]) -> Set<Rule> {
        var rules: Set<Rule> = []
        if difference != 0 { rules.insert(difference == nil ? .overflow : .sumRefund) }
        var left: Basket? = committed.basket
        var amounts = amount
        var prepaids = prepaid ?? 0
        for refund in earlier {
            left = left?.subtracting(refund.basket)
            let (sum, overflow) = amounts.addingReportingOverflow(refund.amount)
            let (other, carry) = prepaids.addingReportingOverflow(refund.prepaid ?? 0)
            if overflow || carry { return rules.union([.overflow]) }
            (amounts, prepaids) = (sum, other)
        }
        if amounts > committed.amount || prepaids > committed.prepaid ?? 0 { rules.insert(.refundCap) }
        if left?.subtracting(basket) == nil { rules.insert(.refundItems) }
        return rules
    }

    /// The rules of a correction: it replaces the basket, and everything that is left out goes back.
    package func rules(correcting current: Basket, refunded: Int64) -> Set<Rule> {
        sides(current, refunded).isEqual ? [] : [.sumCorrection]
    }

    /// The two sides of the correction's equation.
    package func sides(_ current: Basket, _ refunded: Int64) -> (left: Int64?, right: Int64?, isEqual: Bool) {
        let (paid, overflow) = amount.addingReportingOverflow(prepaid ?? 0)
        let (left, carry) = paid.addingReportingOverflow(basket.sum)
        let (right, borrow) = current.sum.subtractingReportingOverflow(refunded)
        guard !overflow, !carry, !borrow else { return (nil, nil, false) }
        return (left, right, left == right)
    }
}

/// The bounds of an account for one order, in kopecks.
package struct AmountLimits: Hashable {
    /// Below this the provider has no offer.
    static let ruble: Int64 = 100

    let least: Int64?
    let most: Int64?

    package static let open = AmountLimits(least: nil, most: nil)

    package init(least: Int64?, most: Int64?) {
        self.least = least
        self.most = most
    }
}

/// The settings of a receipt that the provider makes.
enum Fiscal {
    static let flags = [
        "create_receipt_for_committed_items", "create_receipt_for_added_items", "create_receipt_for_returned_items",
    ]

    /// Parameters come with all three flags or not at all: one alone was refused while the payer's money was on hold.
    static func isComplete(_ settings: Json) -> Bool {
        guard settings["type"]?.text == "enabled", let parameters = settings["params"] else { return true }
        return flags.allSatisfy { parameters[$0]?.flag != nil }
    }

    static let enabled: Json = ["type": "enabled"]
}

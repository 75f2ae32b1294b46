import Kernel
package import Payments
package import ProviderKit

/// A payment's terms against an account, both parsed: what all requests of the payment are made of.
package struct Order {
    let terms: PaymentTerms
    let account: AccountSettings
    let settings: DolyameSettings
    let details: Details

    package init(_ terms: PaymentTerms, _ account: AccountSettings) throws(PlanFailure) {
        settings = try DolyameSettings.planning(account)
        do throws(SchemaFailure) { details = try Details(terms.details) } catch {
            throw PlanFailure(details: error)
        }
        self.terms = terms
        self.account = account
    }

    /// Refuses what the account or the provider would not take.
    func check() throws(PlanFailure) {
        guard settings.methods.contains(terms.method) else {
            throw PlanFailure.methodNotSupported(
                "the account does not take \(terms.method.rawValue); nothing is saved for a later payment here"
            )
        }
        switch (terms.mode, settings.captureMode) {
        case (.authorize, _), (.sale, .providerAuto): break
        case (.sale, .manual):
            throw PlanFailure.modeNotSupported(
                "an order is committed by a capture; sale needs an account with captureMode providerAuto"
            )
        case (.verify, _), (.tokenize, _), (.transfer, _):
            throw PlanFailure.modeNotSupported(
                "the provider sells one order in parts; it keeps no instrument and runs no series"
            )
        }
        let bill = try self.bill()
        let broken = bill.rules(settings.limits)
        guard broken.isEmpty else { throw Self.failure(Broken(rules: broken), path: "details.items") }
        for position in bill.basket.positions where position.name.count > settings.itemNameMax {
            throw PlanFailure(
                code: "items_invalid",
                path: "details.items",
                detail: "a name has more than \(settings.itemNameMax) characters"
            )
        }
    }

    /// The order's amounts and positions, the discount spread into the prices.
    func bill() throws(PlanFailure) -> Bill {
        guard let amount = terms.amount else { throw PlanFailure.amountMissing("an order needs one") }
        guard amount.currency == Rubles.currency else {
            throw PlanFailure.currencyNotSupported("the provider takes RUB alone")
        }
        do throws(Broken) {
            let given = try Bill.read(amount: .string(amount.decimal), prepaid: details.prepaid, details.items)
            guard let discount = details.discount else { return given }
            return Bill(
                amount: given.amount,
                prepaid: given.prepaid,
                basket: try Self.discounted(given.basket, by: discount)
            )
        } catch {
            throw Self.failure(error, path: "details.items")
        }
    }

    private static func discounted(_ basket: Basket, by discount: Json) throws(Broken) -> Basket {
        let off: Int64
        do throws(MoneyFailure) { off = try Rubles.kopecks(discount) } catch {
            throw Broken(rules: [Rule(error, otherwise: .price)])
        }
        guard off >= 0, off <= basket.sum, let spread = Discount.spread(basket, to: basket.sum - off) else {
            throw Broken(rules: [.price])
        }
        return spread
    }

    static func failure(_ broken: Broken, path: String) -> PlanFailure {
        PlanFailure(code: "items_invalid", path: path, detail: broken.text)
    }
}

import Kernel
import Payments
import ProviderKit

/// Requests about an order that the provider has: how it stands, capture, void, refund, and what only this provider has.
enum FollowUp {
    static func query(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try Call.template(.info, dispatch, order, nil)
    }

    static func void(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard dispatch.isFull else {
            throw PlanFailure.partNotSupported("a part of a hold is given up by capturing the rest")
        }
        return try Call.template(.cancel, dispatch, order, nil)
    }

    static func capture(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let created = try order.bill()
        let bill = try committed(amount: dispatch.amount, details: dispatch.details, created)
        let fiscal = fiscal(order.settings)
        let broken = bill.rules(committing: created, receipts: fiscal)
        guard broken.isEmpty else { throw Order.failure(Broken(rules: broken), path: "details.items") }
        return try Call.template(.commit, dispatch, order, Bodies.commit(bill, fiscal: fiscal, order.settings.money))
    }

    /// The bill that a capture commits: its own positions, or all of the order's for all of the amount.
    private static func committed(amount: Money?, details: Json?, _ created: Bill) throws(PlanFailure) -> Bill {
        let given = try operation(details)
        let asked = amount?.minor ?? created.amount
        guard let items = given.items else {
            guard asked == created.amount else { throw itemsMissing("a part of an order names what is delivered") }
            return Bill(amount: asked, prepaid: created.prepaid ?? 0, basket: created.basket)
        }
        return try bill(asked, given.prepaid, items)
    }

    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let history = try RefundHistory(dispatch.earlier, try order.bill())
        let given = try operation(dispatch.details)
        let asked = dispatch.amount?.minor ?? history.left.amount
        if given.isCorrection { return try correction(asked, given, history, dispatch, order) }
        let returned: Bill
        if let items = given.items {
            returned = try bill(asked, given.prepaid, items)
        } else {
            guard asked == history.left.amount else { throw itemsMissing("a part of a refund names what came back") }
            returned = history.left
        }
        let broken = returned.rules(refunding: history.committed, earlier: history.refunds)
        guard broken.isEmpty else { throw Order.failure(Broken(rules: broken), path: "details.items") }
        let fiscal = order.settings.fiscalization ? Fiscal.enabled : nil
        return try Call.template(
            .refund,
            dispatch,
            order,
            Bodies.refund(returned, fiscal: fiscal, order.settings.money)
        )
    }

    /// Tells that all is delivered: by itself, or with the positions as they were delivered in the end.
    static func completeDelivery(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure)
        -> RequestTemplate
    {
        let given = try operation(dispatch.details)
        guard !given.isCorrection else {
            throw PlanFailure(code: "details_invalid", path: "details.newItems", detail: "a delivery corrects nothing")
        }
        var bill: Bill?
        if let items = given.items {
            let created = try order.bill()
            let read = try Self.bill(created.amount, given.prepaid, items)
            guard read.difference == 0 else { throw Order.failure(Broken(rules: [.sum]), path: "details.items") }
            bill = read
        }
        return try Call.template(
            .completeDelivery,
            dispatch,
            order,
            Bodies.completeDelivery(bill, order.settings.money)
        )
    }

    private static func correction(
        _ asked: Int64,
        _ given: OperationDetails,
        _ history: RefundHistory,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        guard order.settings.corrections else {
            throw PlanFailure(code: "operation_not_supported", path: "details", detail: "corrections are switched off")
        }
        let bill: Bill
        if let items = given.newItems {
            bill = try Self.bill(asked, given.prepaid, items)
        } else {
            bill = Bill(amount: asked, prepaid: try prepaid(given.prepaid) ?? 0, basket: .empty)
        }
        let broken = bill.rules(correcting: history.committed.basket, refunded: history.refundedSum)
        guard broken.isEmpty else { throw Order.failure(Broken(rules: broken), path: "details.newItems") }
        return try Call.template(.correction, dispatch, order, Bodies.correction(bill, order.settings.money))
    }
}

extension FollowUp {
    static func operation(_ details: Json?) throws(PlanFailure) -> OperationDetails {
        do throws(SchemaFailure) { return try OperationDetails(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    /// A bill of named positions; what its amount does not pay for was prepaid.
    static func bill(_ asked: Int64, _ prepaid: Json?, _ items: [RawPosition]) throws(PlanFailure) -> Bill {
        do throws(Broken) {
            let read = try Bill.read(amount: .string(Rubles.text(asked)), prepaid: prepaid, items)
            return Bill(amount: asked, prepaid: read.prepaid ?? 0, basket: read.basket)
        } catch {
            throw Order.failure(error, path: "details.items")
        }
    }

    private static func prepaid(_ json: Json?) throws(PlanFailure) -> Int64? {
        guard let json else { return nil }
        do throws(MoneyFailure) { return try Rubles.kopecks(json) } catch {
            throw PlanFailure(code: "details_invalid", path: "details.prepaidAmount", detail: "not an amount")
        }
    }

    private static func itemsMissing(_ detail: String) -> PlanFailure {
        PlanFailure(code: "items_missing", path: "details.items", detail: detail)
    }

    /// Receipts at a commit: the three flags together, or none of them.
    private static func fiscal(_ settings: DolyameSettings) -> Json? {
        guard settings.fiscalization else { return nil }
        guard let receipts = settings.commitReceipts else { return Fiscal.enabled }
        let flags = zip(Fiscal.flags, [receipts.committed, receipts.added, receipts.returned])
        return ["type": "enabled", "params": .object(JsonObject(flags.map { ($0.0, .bool($0.1)) }))]
    }

}

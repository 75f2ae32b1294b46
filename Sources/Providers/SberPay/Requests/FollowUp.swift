import Kernel
import Payments
import ProviderKit

/// Requests about an order that the provider has: how it stands, capture, void, refund.
enum FollowUp {
    /// Asks by the order's id, or by our number where its id is not known.
    static func query(_ dispatch: PlannedDispatch, _ order: Order) -> RequestTemplate {
        let key: (String, Json?) =
            dispatch.order.map { ("orderId", .string($0.id)) } ?? ("orderNumber", .string(dispatch.paymentReference))
        // A replayed answer would be an old one.
        return Call.template(.status, [key], order, isKeyed: false)
    }

    /// Captures always with an explicit amount: zero would take the whole hold.
    static func capture(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let id = try orderId(dispatch)
        return Call.template(.deposit, [("orderId", id), ("amount", try amount(dispatch))], order)
    }

    static func void(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let id = try orderId(dispatch)
        guard dispatch.isFull else {
            guard order.settings.partialVoid else {
                throw PlanFailure.partNotSupported("the account gives holds back as a whole")
            }
            return Call.template(.reverse, [("orderId", id), ("amount", try amount(dispatch))], order, isKeyed: false)
        }
        return Call.template(.reverse, [("orderId", id)], order)
    }

    /// Refunds under our own id where the gateway keeps one.
    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let reference = dispatch.operationReference else {
            throw PlanFailure.referenceMissing("a refund is sent under its own reference")
        }
        let key: Json? = order.settings.refundKey ? ["externalRefundId": .string(reference)] : nil
        let id = try orderId(dispatch)
        return Call.template(
            .refund,
            [("orderId", id), ("amount", try amount(dispatch)), ("jsonParams", key)],
            order,
            // Without our id two refunds of one amount look alike.
            isKeyed: key != nil
        )
    }

    private static func orderId(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Json {
        guard let order = dispatch.order else {
            throw PlanFailure.orderMissing("the gateway has not named its order")
        }
        return .string(order.id)
    }

    private static func amount(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Json {
        guard let amount = dispatch.amount, amount.minor > 0 else { throw PlanFailure.amountMissing() }
        return .integer(amount.minor)
    }
}

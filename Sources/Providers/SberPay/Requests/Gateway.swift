import Kernel
import Payments
import ProviderKit

/// Requests about an order that exists.
enum Gateway {
    /// Asks by the order's id, or by our number where its id is not known.
    static func status(_ dispatch: PlannedDispatch, _ order: Order) -> RequestTemplate {
        let key: (String, Json?) =
            dispatch.order.map { ("orderId", .string($0.id)) } ?? ("orderNumber", .string(dispatch.paymentReference))
        // A replayed answer would be an old one.
        return template(.status, [key], order, isKeyed: false)
    }

    /// Captures always with an explicit amount: zero would take the whole hold.
    static func deposit(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let id = try orderId(dispatch)
        return template(.deposit, [("orderId", id), ("amount", try amount(dispatch))], order)
    }

    static func reverse(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let id = try orderId(dispatch)
        guard dispatch.isFull else {
            guard order.settings.partialVoid else {
                throw PlanFailure(
                    code: "partial_not_supported",
                    path: "amount",
                    detail: "the account gives holds back as a whole"
                )
            }
            return template(.reverse, [("orderId", id), ("amount", try amount(dispatch))], order, isKeyed: false)
        }
        return template(.reverse, [("orderId", id)], order)
    }

    /// Refunds under our own id where the gateway keeps one.
    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let reference = dispatch.operationReference else {
            throw PlanFailure(code: "reference_missing", detail: "a refund is sent under its own reference")
        }
        let key: Json? = order.settings.refundKey ? ["externalRefundId": .string(reference)] : nil
        let id = try orderId(dispatch)
        return template(
            .refund,
            [("orderId", id), ("amount", try amount(dispatch)), ("jsonParams", key)],
            order,
            // Without our id two refunds of one amount look alike.
            isKeyed: key != nil
        )
    }

    /// An unsigned request: the parameters without what is secret.
    ///
    /// `isKeyed` where a repetition of the same parameters can only mean the same thing again.
    static func template(
        _ call: GatewayCall,
        _ members: [(String, Json?)],
        _ order: Order,
        isKeyed: Bool = true
    ) -> RequestTemplate {
        let settings = order.settings
        let user: [(String, Json?)] = [("userName", settings.userName.map(Json.string))]
        return RequestTemplate(
            method: "POST",
            url: settings.url(call),
            content: .compact(user + members),
            signing: Signing.request(
                settings.dialect,
                settings.authorization,
                hasKey: settings.idempotencyHeader && isKeyed
            ).text
        )
    }

    private static func orderId(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Json {
        guard let order = dispatch.order else {
            throw PlanFailure(code: "order_missing", detail: "the gateway has not named its order")
        }
        return .string(order.id)
    }

    private static func amount(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Json {
        guard let amount = dispatch.amount, amount.minor > 0 else {
            throw PlanFailure(code: "amount_missing", path: "amount", detail: "the operation needs one")
        }
        return .integer(amount.minor)
    }
}

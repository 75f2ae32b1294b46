import Kernel
import Payments
import ProviderKit

/// Requests about a payment that the provider has: how it stands, capture, void, refund.
enum FollowUp {
    /// Asks for a payment and all its operations.
    static func query(_ dispatch: PlannedDispatch, _ order: Order) -> RequestTemplate {
        Call.template("/v2/payment/status", [("general", Call.general(dispatch, order, callback: false))], order)
    }

    static func capture(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let segment = try segment(dispatch, order)
        return Call.template("/v2/payment/\(segment)/capture", try Call.members(dispatch, order, payment: []), order)
    }

    /// Gives a hold back: whole without an amount (unless the account says otherwise), in part with the part's amount.
    static func void(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let path = "/v2/payment/\(try segment(dispatch, order))/cancel"
        guard dispatch.isFull else {
            guard order.settings.partialVoid else {
                throw PlanFailure.partNotSupported("the account gives holds back as a whole")
            }
            return Call.template(path, try Call.members(dispatch, order, payment: []), order)
        }
        switch order.settings.voidAmount {
        case .omit:
            return Call.template(
                path,
                [("general", Call.general(dispatch, order, callback: true))] + Call.tail(order),
                order
            )
        case .send: return Call.template(path, try Call.members(dispatch, order, payment: []), order)
        }
    }

    /// Gives captured money back under our own refund id, so that a repetition is recognised.
    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let reference = dispatch.operationReference else {
            throw PlanFailure.referenceMissing("a refund is sent under its own reference")
        }
        let path: String
        switch order.settings.refundPath {
        case .method: path = "/v2/payment/\(try segment(dispatch, order))/refund"
        case .neutral: path = "/v2/payment/refund"
        }
        let payment: [(String, Json)] = [
            ("description", .string(dispatch.reason ?? "Refund")), ("merchant_refund_id", .string(reference)),
        ]
        return Call.template(path, try Call.members(dispatch, order, payment: payment), order)
    }

    /// The address' part for the payment's method.
    private static func segment(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> String {
        guard let word = dispatch.methodAtProvider else { return MethodSegments.assumed }
        guard let segment = order.settings.methodSegments[Words.normalized(word)] else {
            throw PlanFailure.methodNotSupported("no Gate address is known for the method \(word.prefix(64))")
        }
        return segment
    }
}

import Kernel
import Payments
import ProviderKit

/// The requests that open a payment, and the one that confirms what the payer's bank answered.
enum OpeningRequest {
    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        if let completion = dispatch.completion { return try JsonApi.confirmation(completion, dispatch, order) }
        try order.check()
        switch order.way {
        case .page: return try LinkPayment.plan(dispatch, order)
        case .transferPage: return try JsonApi.transfer(dispatch, order)
        case .wallet: return try JsonApi.wallet(dispatch, order)
        case .sdk: throw PlanFailure.operationNotSupported("the SDK begins this payment")
        }
    }
}

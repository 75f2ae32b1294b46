import Kernel
import Payments
import ProviderKit

/// The part of an order that was committed, and the parts that went back since, as far as it was asked for here.
struct RefundHistory {
    let committed: Bill
    let refunds: [Bill]
    /// The rest that could still go back, as one bill.
    let left: Bill
    let refundedSum: Int64

    init(_ earlier: [EarlierOperation], _ created: Bill) throws(PlanFailure) {
        var committed = Bill(amount: created.amount, prepaid: created.prepaid ?? 0, basket: created.basket)
        var refunds: [Bill] = []
        for operation in earlier {
            let details = try FollowUp.operation(operation.details)
            switch operation.kind {
            case .capture:
                guard let items = details.items else { continue }
                committed = try FollowUp.bill(operation.amount?.minor ?? 0, details.prepaid, items)
            case .refund:
                guard let items = details.items else { continue }
                refunds.append(try FollowUp.bill(operation.amount?.minor ?? 0, details.prepaid, items))
            case .sale, .authorize, .verify, .tokenize, .transfer, .void, .refundReversal: continue
            }
        }
        self.committed = committed
        self.refunds = refunds
        refundedSum = refunds.reduce(0) { $0.addingReportingOverflow($1.basket.sum).partialValue }
        var basket: Basket? = committed.basket
        var (amount, prepaid) = (committed.amount, committed.prepaid ?? 0)
        for refund in refunds {
            basket = basket?.subtracting(refund.basket)
            amount = amount.subtractingReportingOverflow(refund.amount).partialValue
            prepaid = prepaid.subtractingReportingOverflow(refund.prepaid ?? 0).partialValue
        }
        left = Bill(amount: amount, prepaid: prepaid, basket: basket ?? .empty)
    }
}

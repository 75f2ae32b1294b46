import Kernel
import Payments
import ProviderKit

/// Reads the answer to a question: a payment, a hosted page, or a connection test where there is no id to ask by.
enum QueryReading {
    static func facts(_ verdict: Answer, _ body: Json, _ context: InterpretContext) -> [Fact] {
        switch verdict {
        case .accepted: return answered(body, context)
        case .notFound: return absent(body, context)
        case .configuration(let code):
            let decline = Decline(reason: .configuration, code: code, tableVersion: CodeTable.version)
            return [.dispatch(.notExecuted(decline))]
        case .declined(let code), .rejected(let code, _): return [.dispatch(.notExecuted(CodeTable.decline(code)))]
        case .inProgress(let code): return [.dispatch(.unknown(reason: "in progress, code \(code)"))]
        case .unknown(let reason): return [.dispatch(.unknown(reason: reason))]
        }
    }

    /// A payment that is not found is absent only where an id was asked by, and in the provider's own words: a gateway's page says
    /// nothing of a payment, and a connection test asks about none.
    private static func absent(_ body: Json, _ context: InterpretContext) -> [Fact] {
        // A page is gone after some hours, and a payment that it made is not: its absence proves nothing.
        if context.terms.method == .hosted, context.order != nil {
            return [.dispatch(.answered), .attempt(.reading(.ambiguous))]
        }
        let isNamed = context.order != nil || !context.known.isEmpty
        guard isNamed, ErrorBody(body).code != nil else {
            return [.dispatch(.unknown(reason: "HTTP 404 of no payment"))]
        }
        return [.dispatch(.answered), .attempt(.notRegistered)]
    }

    private static func answered(_ body: Json, _ context: InterpretContext) -> [Fact] {
        if body["id"] != nil, body["status"] != nil || body["paymentOutput"] != nil {
            return [.dispatch(.answered)] + PaymentReading(message: PaymentMessage(body), context: context).facts
        }
        if let word = body["status"]?.text, body["id"] == nil { return page(word, body, context) }
        guard body["result"]?.text == "OK" else { return [.dispatch(.unknown(reason: "no payment in the answer"))] }
        // Nobody can pay on a page whose address was lost with its answer; a charge may have gone through.
        let isLostPage = context.terms.method == .hosted && context.order == nil
        return [.dispatch(.answered)] + (isLostPage ? [.attempt(.notRegistered)] : [])
    }

    private static func page(_ word: String, _ body: Json, _ context: InterpretContext) -> [Fact] {
        var facts: [Fact] = [.dispatch(.answered)]
        let created = body["createdPaymentOutput"]
        var decline = CodeTable.decline(nil)
        if let payment = created?["payment"], payment.members != nil {
            let message = PaymentMessage(payment)
            facts += PaymentReading(message: message, context: context).facts
            decline = CodeTable.decline(message.own.declineCode)
        }
        switch word {
        case "IN_PROGRESS": break
        case "PAYMENT_CREATED":
            // The payer's tries are used up, or the page would still be in progress.
            if created?["paymentStatusCategory"]?.text == "REJECTED" {
                facts.append(.attempt(.closed(.declined(decline))))
            }
        case "CANCELLED_BY_CONSUMER":
            // The provider says the same of a page that the payer left and of one that ran out.
            facts.append(.attempt(.closed(.expired)))
        default:
            facts.append(.unrecognised(what: "hostedCheckout.status", value: String(word.prefix(64))))
            facts.append(.attempt(.reading(.ambiguous)))
        }
        return facts
    }
}

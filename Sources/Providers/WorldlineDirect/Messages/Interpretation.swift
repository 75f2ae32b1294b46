import Kernel
package import Payments
package import ProviderKit

/// Reads facts out of what was observed.
package enum Interpretation {
    package static func facts(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        switch observation {
        case .notSent(_, let reason): [.dispatch(.notSent(reason: reason))]
        case .sentNoAnswer(_, let reason): [.dispatch(.unknown(reason: reason))]
        case .answered(let purpose, let status, let headers, let body):
            answer(purpose, status, read(body), Idempotence { headers[$0] }, context)
        case .notification(let body): NotificationReading.facts(body, context)
        }
    }

    /// A JSON object; error bodies may be anything else.
    private static func read(_ body: [UInt8]) -> Json? {
        guard let json = try? Json(body), json.members != nil else { return nil }
        return json
    }

    private static func answer(
        _ purpose: DispatchPurpose,
        _ status: Int,
        _ body: Json?,
        _ idempotence: Idempotence,
        _ context: InterpretContext
    ) -> [Fact] {
        let verdict = Answer(status: status, body: body)
        switch purpose {
        case .query, .handover, .auxiliary: return QueryReading.facts(verdict, body ?? [:], context)
        case .operation(let kind):
            let first: [Fact] =
                idempotence.isReplay
                ? [.firstAnswer(FirstAnswer.replay)]
                : verdict.isOutcomeUnderKey(body) ? [.firstAnswer(FirstAnswer.outcome)] : []
            guard kind.isInitial else { return followUp(kind, verdict, body ?? [:], context) + first }
            // What was opened already, or is being opened, is no refusal to open it.
            if status == 409 { return [.dispatch(.unknown(reason: "HTTP 409"))] }
            return opening(verdict, body ?? [:], context) + first
        }
    }

    /// The marks that prove for repetitions that nothing was executed.
    enum FirstAnswer {
        /// Marked by the provider as the answer to an earlier request under the key.
        static let replay = "idempotence replay"
        /// The payment under the key, in a refusal.
        static let outcome = "outcome under the key"
    }

    // MARK: Openings

    private static func opening(_ verdict: Answer, _ body: Json, _ context: InterpretContext) -> [Fact] {
        switch verdict {
        case .accepted:
            if body["hostedCheckoutId"] != nil { return OrderReading.checkout(body) }
            guard let payment = body["payment"], payment.members != nil else {
                return [.dispatch(.unknown(reason: "neither a page nor a payment in the answer"))]
            }
            return OrderReading.payment(payment, action: body["merchantAction"], context)
        case .declined(let code):
            guard let payment = body.at("paymentResult", "payment") else { return refused(code) }
            let reading = PaymentReading(message: PaymentMessage(payment), context: context, answerCode: code)
            let facts = reading.facts
            let isDeclined = facts.contains { if case .attempt(.closed(.declined)) = $0 { true } else { false } }
            return [.dispatch(isDeclined ? .notExecuted(CodeTable.decline(code)) : .accepted)] + facts
        case .rejected(let code, _): return refused(code)
        case .notFound: return refused(nil)
        case .configuration(let code): return refused(code, .configuration)
        case .inProgress(let code): return [.dispatch(.unknown(reason: "in progress, code \(code)"))]
        case .unknown(let reason): return [.dispatch(.unknown(reason: reason))]
        }
    }

    private static func refused(_ code: String?, _ reason: DeclineClass? = nil) -> [Fact] {
        let decline = decline(code, reason)
        return [.dispatch(.notExecuted(decline)), .attempt(.closed(.declined(decline)))]
    }

    private static func decline(_ code: String?, _ reason: DeclineClass? = nil) -> Decline {
        guard let reason else { return CodeTable.decline(code) }
        return Decline(reason: reason, code: code, tableVersion: CodeTable.version)
    }

    // MARK: Follow-ups

    private static func followUp(
        _ kind: OperationKind,
        _ verdict: Answer,
        _ body: Json,
        _ context: InterpretContext
    ) -> [Fact] {
        switch verdict {
        case .accepted:
            return [.dispatch(.accepted)] + acceptedOperation(kind, body, context)
        case .declined(let code), .rejected(let code, _): return [.dispatch(.notExecuted(decline(code)))]
        case .notFound: return [.dispatch(.notExecuted(decline(ErrorBody(body).code)))]
        case .configuration(let code): return [.dispatch(.notExecuted(decline(code, .configuration)))]
        case .inProgress(let code): return [.dispatch(.unknown(reason: "in progress, code \(code)"))]
        case .unknown(let reason): return [.dispatch(.unknown(reason: reason))]
        }
    }

    /// A capture and a refund answer with an operation of their own; a cancellation answers with the payment, whose
    /// operations only a query shows.
    private static func acceptedOperation(_ kind: OperationKind, _ body: Json, _ context: InterpretContext) -> [Fact] {
        let output: Json?
        switch kind {
        case .capture: output = body["captureOutput"]
        case .refund: output = body["refundOutput"]
        case .void, .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal: output = nil
        }
        let reading = PaymentReading(message: PaymentMessage([:]), context: context)
        if let output, let fact = reading.answer(kind, PaymentMessage.Entry(body, output: output)) { return [fact] }
        return [.attempt(.reading(.moneyWithoutOperation("\(kind.rawValue) accepted")))]
    }
}

/// The order that the provider opened for an attempt, and the part of it that the payer's device needs.
enum OrderReading {
    /// A page: its address for the browser.
    static func checkout(_ body: Json) -> [Fact] {
        guard let id = body["hostedCheckoutId"]?.scalarText, !id.isEmpty, id.utf8.count <= 255,
            let url = body["redirectUrl"]
        else { return [.dispatch(.unknown(reason: "a page without id or address"))] }
        let handover: Json = .compact([(Handover.returnMac, body["RETURNMAC"]), ("url", url)])
        return [.dispatch(.accepted), .order(ProviderOrder(id: id, handover: handover))]
    }

    /// A payment: its own status, and what its merchant action asks of the payer.
    static func payment(_ payment: Json, action: Json?, _ context: InterpretContext) -> [Fact] {
        let message = PaymentMessage(payment)
        guard let id = message.id, !id.isEmpty else {
            return [.dispatch(.unknown(reason: "a payment without an id"))]
        }
        let facts = PaymentReading(message: message, context: context).facts
        let isForeign = facts.contains { if case .contradiction(.identity, _) = $0 { true } else { false } }
        if isForeign { return [.dispatch(.unknown(reason: "the answer is about another payment"))] + facts }
        let (handover, unknown) = device(action)
        // As it came: the id of the payment's first operation, which stays the order's name.
        let known = context.order.flatMap { ProviderPaymentId.root($0.id) == ProviderPaymentId.root(id) ? $0.id : nil }
        let order = ProviderOrder(id: known ?? id, handover: handover)
        return [.dispatch(.accepted), .order(order)] + (unknown.map { [$0] } ?? []) + facts
    }

    /// The action's part for the payer's device; a part that we can't show is alerted and left out.
    private static func device(_ action: Json?) -> (Json, Fact?) {
        guard let action, let type = action["actionType"]?.text else { return ([:], nil) }
        switch type {
        case "REDIRECT":
            let redirect = action["redirectData"]
            return (.compact([(Handover.returnMac, redirect?["RETURNMAC"]), ("url", redirect?["redirectURL"])]), nil)
        case "MOBILE_THREEDS_CHALLENGE":
            return (.compact([("threeDSecureChallenge", action["mobileThreeDSecureChallengeParameters"])]), nil)
        case "SHOW_FORM":
            return (.compact([("actionType", .string(type)), ("form", action["showFormData"])]), nil)
        case "SHOW_INSTRUCTIONS", "SHOW_TRANSACTION_RESULTS":
            return (.compact([("actionType", .string(type)), ("instructions", action["showInstructionsData"])]), nil)
        default:
            return ([:], .unrecognised(what: "merchantAction", value: String(type.prefix(64))))
        }
    }
}

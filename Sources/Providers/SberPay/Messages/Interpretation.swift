import Kernel
import Payments
import ProviderKit

/// Reads facts out of what was observed.
enum Interpretation {
    static func facts(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        switch observation {
        case .notSent(_, let reason): return [.dispatch(.notSent(reason: reason))]
        case .sentNoAnswer(_, let reason): return [.dispatch(.unknown(reason: reason))]
        case .notification(let body): return notification(body, context)
        case .answered(let purpose, let status, _, let body):
            guard let settings = try? SberPaySettings.of(context.settings) else {
                return [.dispatch(.unknown(reason: "the account's settings can't be read"))]
            }
            switch purpose {
            case .query:
                let answer = Answer(status: status, body: body, .status, settings.dialect)
                return query(answer, settings, context)
            case .handover, .auxiliary: return []
            case .operation(let kind):
                let call = call(kind, settings, context)
                return operation(Answer(status: status, body: body, call, settings.dialect), call, settings, context)
            }
        }
    }

    private static func call(
        _ kind: OperationKind,
        _ settings: SberPaySettings,
        _ context: InterpretContext
    ) -> GatewayCall {
        switch kind {
        case .sale:
            context.terms.method == .instrument && settings.unattended ? .recurrentPayment : .register
        case .verify, .tokenize, .transfer: .register
        case .authorize: .registerPreAuth
        case .capture: .deposit
        case .void: .reverse
        case .refund, .refundReversal: .refund
        }
    }

    /// A call that worked says that it worked; money is told by the status alone.
    private static func operation(
        _ answer: Answer,
        _ call: GatewayCall,
        _ settings: SberPaySettings,
        _ context: InterpretContext
    ) -> [Fact] {
        switch call {
        case .register, .registerPreAuth, .recurrentPayment:
            if let refusal = answer.refusal(isInitial: true) { return refusal }
            let isAddressNeeded = Handover.needsAddress(context.terms, settings)
            guard let order = answer.order(of: context.terms.method, isAddressNeeded: isAddressNeeded) else {
                return [.dispatch(.unknown(reason: "no order in the answer"))]
            }
            if let known = context.order, known.id != order.id {
                return [.dispatch(.accepted), .contradiction(.identity, detail: "order \(order.id.prefix(64))")]
            }
            return [.dispatch(.accepted), .order(order)] + charge(answer, call, order, settings, context)
        case .deposit, .reverse, .refund, .decline, .status, .paymentSberPay, .paymentOrderBinding, .getBindings,
            .bindCard, .unbindCard:
            return answer.refusal(isInitial: false) ?? [.dispatch(.accepted), .question]
        }
    }

    /// The recurrent call's word about the payment; a timeout behind the gateway leaves the outcome open.
    private static func charge(
        _ answer: Answer,
        _ call: GatewayCall,
        _ order: ProviderOrder,
        _ settings: SberPaySettings,
        _ context: InterpretContext
    ) -> [Fact] {
        guard call == .recurrentPayment, let body = answer.body else { return [] }
        let status = OrderStatus(body)
        let kind = status.actionCode.flatMap(settings.actionClass)
        guard status.status != nil, kind != .unk else { return [.question] }
        let opened = InterpretContext(
            settings: context.settings,
            paymentReference: context.paymentReference,
            terms: context.terms,
            isHandover: context.isHandover,
            order: order,
            operations: context.operations
        )
        return StatusReading(status, settings, opened)?.facts ?? []
    }

    private static func query(
        _ answer: Answer,
        _ settings: SberPaySettings,
        _ context: InterpretContext
    ) -> [Fact] {
        switch answer.kind {
        case .notFound: return [.dispatch(.answered), .attempt(.notRegistered)]
        case .ok:
            guard let body = answer.body else { return [.dispatch(.unknown(reason: answer.reason))] }
            let status = OrderStatus(body)
            guard status.status != nil, let reading = StatusReading(status, settings, context) else {
                return [.dispatch(.unknown(reason: "no order status in the answer"))]
            }
            return [.dispatch(.answered)] + reading.facts
        case .conflict, .configuration, .callerBug, .transient, .throttled, .details, .unknown:
            return [.dispatch(.unknown(reason: answer.reason))]
        }
    }

    /// A callback moves no money, however well it is signed: its text is not injective and its totals are not its own.
    private static func notification(_ body: [UInt8], _ context: InterpretContext) -> [Fact] {
        guard let callback = Notification(stored: body) else {
            return [.unrecognised(what: "callback", value: "unreadable"), .question]
        }
        if let number = callback.orderNumber, number != context.paymentReference {
            return [.contradiction(.identity, detail: "order number \(number.prefix(64))")]
        }
        if let known = context.order?.id, let told = callback.orderId, known != told {
            return [.contradiction(.identity, detail: "order \(told.prefix(64))")]
        }
        let opened: [Fact] =
            context.order == nil ? callback.orderId.map { [.order(ProviderOrder(id: $0))] } ?? [] : []
        switch callback.hint(mode: context.terms.mode) {
        case .receipt: return opened
        case .unknown:
            return opened + [.unrecognised(what: "operation", value: String(callback.operation.prefix(64))), .question]
        case .created, .authorized, .captured, .attemptFailed, .captureFailed, .voided, .voidFailed, .refunded,
            .refundFailed, .expired, .failed, .credential:
            return opened + [.question]
        }
    }
}

import Kernel
import Payments
import ProviderKit

/// Reads facts out of what was observed.
enum Interpretation {
    private enum Limits {
        static let valueCharacters = 64
    }

    static func facts(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        switch observation {
        case .notSent(_, let reason): [.dispatch(.notSent(reason: reason))]
        case .sentNoAnswer(_, let reason): [.dispatch(.unknown(reason: reason))]
        case .answered(let purpose, let status, let headers, let body):
            answer(purpose, status, headers, body, context)
        case .notification(let body): Notification(body).map { notification($0, context) } ?? [unreadable("body")]
        }
    }

    private static func answer(
        _ purpose: DispatchPurpose,
        _ status: Int,
        _ headers: [String: String],
        _ body: [UInt8],
        _ context: InterpretContext
    ) -> [Fact] {
        let method = method(purpose)
        let answer = Answer(method, status: status, headers: headers, body: body)
        let outcome = answer.outcome(method)
        guard answer.kind == .success, let json = answer.body else {
            var facts: [Fact] = [.dispatch(outcome)]
            switch outcome {
            case .answered: facts.append(.attempt(.notRegistered))
            case .notExecuted(let decline) where method == .create:
                facts.append(.attempt(.closed(.declined(decline))))
            case .notExecuted, .refused, .notSent, .unknown, .accepted, .duplicate: break
            }
            return facts
        }
        if method == .refund, json["refund_id"] != nil {
            guard let refund = RefundAnswer(json) else { return malformed(method, "refund_id") }
            let seen = ProviderOperation(
                providerId: OrderReading.Name.refund(refund.id),
                kind: .refund,
                outcome: .succeeded,
                amount: .unstated(in: OrderReading.Name.refundAnswer)
            )
            return [.dispatch(outcome), .operation(seen)] + crossCheck(refund, context)
        }
        do throws(OrderInfo.Malformed) {
            return [.dispatch(outcome)] + order(try OrderInfo(json), context)
        } catch {
            return malformed(method, error.member)
        }
    }

    /// Holds what is left to be paid against what we know to have gone back: less of it than we asked for is a contradiction,
    /// and more may be a refund in the provider's cabinet.
    private static func crossCheck(_ refund: RefundAnswer, _ context: InterpretContext) -> [Fact] {
        func sum(_ kinds: Set<OperationKind>) -> Int64 {
            context.operations.filter { kinds.contains($0.kind) }.reduce(0) { sum, operation in
                let moved = operation.moved ?? (operation.isAwaited ? operation.requested : nil)
                return sum.addingReportingOverflow(moved?.minor ?? 0).partialValue
            }
        }
        let taken = sum([.capture, .sale])
        guard taken > 0 else { return [] }
        let expected = taken.subtractingReportingOverflow(sum([.refund])).partialValue
        if refund.remaining > expected {
            return [.contradiction(.amount, detail: "\(Rubles.text(refund.remaining)) left after a refund")]
        }
        return refund.remaining < expected ? [.question] : []
    }

    /// A success that can't be read: nothing follows from it but a question.
    private static func malformed(_ method: Call.Method, _ member: String) -> [Fact] {
        [.dispatch(.unknown(reason: "malformed answer: \(member)")), unreadable(member)]
    }

    private static func unreadable(_ member: String) -> Fact { .unrecognised(what: member, value: "unreadable") }

    static func order(_ info: OrderInfo, _ context: InterpretContext) -> [Fact] {
        if let id = info.id, id != context.paymentReference {
            return [.contradiction(.identity, detail: "order \(id.prefix(Limits.valueCharacters))")]
        }
        guard let settings = try? DolyameSettings.of(context.settings) else { return [unreadable("settings")] }
        guard let status = StatusTable.lookUp(info.word, further: settings.extraStatuses) else {
            return [.unrecognised(what: "status", value: String(info.word.prefix(Limits.valueCharacters)))]
        }
        return OrderReading(info: info, status: status, context: context, settings: settings).facts
    }

    /// Nothing in a notification can be proved: it only asks for a question, where it is about this order.
    private static func notification(_ notification: Notification, _ context: InterpretContext) -> [Fact] {
        if notification.id != context.paymentReference {
            return [.contradiction(.identity, detail: "order \(notification.id.prefix(Limits.valueCharacters))")]
        }
        let settings = try? DolyameSettings.of(context.settings)
        let takesDemo = context.settings.account.mode == .test || settings?.acceptDemo == true
        if notification.isDemo, !takesDemo {
            return [
                .contradiction(.identity, detail: "a demo order at a live account"),
                .unrecognised(what: "demo", value: "true"),
            ]
        }
        let word = String(notification.status.prefix(Limits.valueCharacters))
        guard StatusTable.lookUp(notification.status, further: settings?.extraStatuses ?? [:]) != nil else {
            return [.unrecognised(what: "status", value: word)]
        }
        return [.attempt(.reading(.moneyWithoutOperation(word)))]
    }

    private static func method(_ purpose: DispatchPurpose) -> Call.Method {
        switch purpose {
        case .handover, .query: .info
        case .auxiliary(.completeDelivery): .completeDelivery
        case .auxiliary(.cancelOrder): .cancel
        case .operation(let kind):
            switch kind {
            case .sale, .authorize, .verify, .tokenize, .transfer: .create
            case .capture: .commit
            case .void: .cancel
            case .refund, .refundReversal: .refund
            }
        }
    }
}

import Payments
import ProviderKit

/// The word of `payment.status` about the attempt.
enum AttemptWord {
    /// Reads the word alone, where no operation is usable.
    ///
    /// Money words book nothing and ask for a query.
    static func facts(_ message: Message, _ context: InterpretContext) -> [Fact] {
        guard let status = message.status else { return [] }
        guard let entry = StatusTable.lookUp(status, byForm: context.isHandover), let state = entry.state else {
            return [Interpretation.unrecognised("payment.status", status), .attempt(.reading(.ambiguous))]
        }
        let word = Fact.attempt(.reading(.moneyWithoutOperation(Words.normalized(status))))
        switch state {
        case .held, .captured, .partlyReturned, .returned, .checked: return [word]
        case .released: return [word, .attempt(.closed(.cancelled))]
        case .unregistered: return [.attempt(.notRegistered)]
        case .waiting:
            let action = entry.awaited?.action(fields: message.clarification, seconds: message.attemptsSeconds)
            return [.attempt(.reading(.waiting(action ?? .customerAction)))]
        case .processing: return [.attempt(.reading(.processing))]
        case .indeterminate: return [.attempt(.reading(.ambiguous))]
        case .declined: return [.attempt(.closed(.declined(CodeTable.decline(nil))))]
        case .lapsed: return [.attempt(.closed(.expired))]
        }
    }

    /// After a declined try: the form goes on, or the provider has closed the payment, or neither is said.
    static func factsAfterDecline(_ decline: Decline, _ message: Message, _ context: InterpretContext) -> [Fact] {
        guard let status = message.status else { return [] }
        guard let entry = StatusTable.lookUp(status, byForm: context.isHandover), let state = entry.state else {
            return [Interpretation.unrecognised("payment.status", status)]
        }
        switch state {
        case .waiting where entry.awaited == .retry:
            let action = PayerAction.retryInForm(attemptsLeft: nil, seconds: message.attemptsSeconds)
            return [.attempt(.reading(.waiting(action)))]
        case .declined: return message.attemptsAvailable == true ? [] : [.attempt(.closed(.declined(decline)))]
        case .lapsed: return [.attempt(.closed(.expired))]
        case .held, .captured, .partlyReturned, .returned:
            return [.attempt(.reading(.moneyWithoutOperation(Words.normalized(status))))]
        case .unregistered, .waiting, .processing, .indeterminate, .released, .checked: return []
        }
    }
}

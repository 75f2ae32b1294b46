import Crypto
package import EventSourcing
package import Kernel
package import Payments
package import ProviderKit

extension FoldCache {
    /// The state that an input meets.
    func state<State: Aggregate>(_ input: InputRecord, _ history: History) throws(Undecidable) -> State {
        do throws(CodecFailure) { return try fold(input.stream, history) } catch { throw Undecidable(error.path) }
    }
}

extension InputRecord {

    /// Reads the command that the input holds, or refuses it.
    func demanded<Command: StoredCommand>() throws(Rejection) -> Command {
        do throws(CodecFailure) { return try command() } catch { throw .malformed }
    }

    /// The command that one stream sends to another; the same id is the same command, however often it is sent.
    package static func sent(
        _ id: Uuid,
        to stream: StreamName,
        _ name: String,
        _ body: [UInt8],
        by actor: Actor,
        account: Uuid? = nil,
        at now: Timestamp
    ) -> InputRecord {
        InputRecord(
            id: id,
            stream: stream,
            kind: .command,
            name: name,
            meta: InputMeta.command(actor: actor, account: account, traceparent: nil, correlation: nil),
            body: body,
            receivedAt: now
        )
    }

    /// The same of a command by its type.
    package static func sent<Command: StoredCommand>(
        _ id: Uuid,
        to stream: StreamName,
        _ command: Command,
        by actor: String,
        account: Uuid? = nil,
        at now: Timestamp
    ) -> InputRecord {
        sent(
            id,
            to: stream,
            command.name.rawValue,
            command.canonical,
            by: Actor(id: actor, isOperator: false),
            account: account,
            at: now
        )
    }

    /// The outcome of a message that may be repeated, as the input of its answer holds it.
    package func answer(_ meta: InputMeta) throws(Undecidable) -> MessageAnswer {
        switch AnswerName(rawValue: name) {
        case .answered:
            // It says nothing to an adapter, which may take an answer without a code for a success.
            if KeptWhole.holds(body) { return .noAnswer(reason: KeptWhole.reason) }
            return .answered(status: meta.status, body: body)
        case .notSent: return .notSent(reason: meta.reason)
        case .noAnswer: return .noAnswer(reason: meta.reason)
        case nil: throw Undecidable("answer \(name)")
        }
    }

    /// The outcome of a message about bills.
    package func observation(_ purpose: DispatchPurpose, _ meta: InputMeta) throws(Undecidable) -> Observation {
        if name == AnswerName.answered.rawValue, KeptWhole.holds(body) {
            return .sentNoAnswer(purpose, reason: KeptWhole.reason)
        }
        return try wholeObservation(purpose, meta)
    }

    /// The outcome of a payment's message, whose reading tells by itself where an answer was kept whole.
    func wholeObservation(_ purpose: DispatchPurpose, _ meta: InputMeta) throws(Undecidable) -> Observation {
        switch AnswerName(rawValue: name) {
        case .answered: .answered(purpose, status: meta.status, headers: meta.headers, body: body)
        case .notSent: .notSent(purpose, reason: meta.reason)
        case .noAnswer: .sentNoAnswer(purpose, reason: meta.reason)
        case nil: throw Undecidable("answer \(name)")
        }
    }
}

extension Rejection {
    static var malformed: Rejection {
        Rejection(planCode: "command_malformed", "The stored command can't be read.", path: nil)
    }
}

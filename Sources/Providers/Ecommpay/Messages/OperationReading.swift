import Kernel
import Payments
import ProviderKit

/// One operation of a message in normalized terms, with what its end says about the attempt.
struct OperationReading {
    /// How an operation that a payment can begin with has ended, where it moved no money.
    enum Ending: Hashable {
        case none
        case declined(Decline)
        /// The form refused the payer's data: nothing is registered and the form is still open.
        case refusedByForm
        case expired
        case cancelled
    }

    /// `nil` where type or id say nothing that we know.
    let operation: ProviderOperation?
    let ending: Ending
    private let unrecognised: [Fact]

    var facts: [Fact] { unrecognised + (operation.map { [.operation($0)] } ?? []) }

    /// A credential is kept once something succeeded with it.
    var savesInstrument: Bool { operation?.outcome == .succeeded }

    init(_ source: Message.Operation, in message: Message, _ context: InterpretContext) {
        var odd: [Fact] = []
        guard let id = source.id, !id.isEmpty else {
            operation = nil
            ending = .none
            unrecognised =
                odd + [Interpretation.unrecognised("operation.id", source.id)] + Self.unread(source, "without an id")
            return
        }
        guard let kind = Self.kind(source, message, context) else {
            operation = nil
            ending = .none
            unrecognised =
                odd + [Interpretation.unrecognised("operation.type", source.type)]
                + Self.unread(source, "of the type \(source.type?.prefix(32) ?? "none")")
            return
        }
        let word = source.status.flatMap { OperationStatusWord($0) }
        if word == nil { odd.append(Interpretation.unrecognised("operation.status", source.status)) }
        let (outcome, ending) =
            word == .success && source.isManualChange
            ? Self.manualOutcome(source, message, context)
            : Self.outcome(word ?? .ambiguous, kind, source, message, context)
        operation = ProviderOperation(
            providerId: id,
            kind: kind,
            outcome: outcome,
            amount: source.amount,
            ourReference: Self.reference(kind, source, message),
            createdAt: source.createdAt,
            changedAt: source.changedAt
        )
        self.ending = ending
        unrecognised = odd
    }

    /// An operation that may have moved money and can't be told.
    private static func unread(_ source: Message.Operation, _ what: String) -> [Fact] {
        switch source.status.flatMap({ OperationStatusWord($0) }) {
        case .success?, nil: [.attempt(.reading(.moneyWithoutOperation("an operation \(what)")))]
        case .decline?, .error?, .expired?, .invoiceCancelled?, .processing?, .awaiting?, .ambiguous?: []
        }
    }

    private static func kind(
        _ source: Message.Operation,
        _ message: Message,
        _ context: InterpretContext
    ) -> OperationKind? {
        switch source.type.flatMap({ OperationWord($0) }) {
        case nil: nil
        case .kind(let kind): kind
        case .manualChange: manualKind(message, context)
        }
    }

    /// The change that the platform's staff made, by the state that the payment has now.
    private static func manualKind(_ message: Message, _ context: InterpretContext) -> OperationKind? {
        let begins = context.terms.mode.operation
        guard let entry = message.status.flatMap({ StatusTable.lookUp($0, byForm: context.isHandover) }) else {
            return nil
        }
        switch entry.state {
        case .captured: return begins == .authorize ? .capture : begins
        case .held: return .authorize
        case .released: return .void
        case .partlyReturned, .returned: return .refund
        case .unregistered, .waiting, .processing, .indeterminate, .declined, .lapsed, .checked: return begins
        case nil: return nil
        }
    }

    /// A change that staff made succeeded; whether money moved is what the payment has become.
    private static func manualOutcome(
        _ source: Message.Operation,
        _ message: Message,
        _ context: InterpretContext
    ) -> (ProviderOutcome, Ending) {
        let decline = CodeTable.decline(source.code)
        switch message.status.flatMap({ StatusTable.lookUp($0, byForm: context.isHandover) })?.state {
        case .held?, .captured?, .partlyReturned?, .returned?, .released?, .checked?: return (.succeeded, .none)
        case .declined?: return (.declined(decline), .declined(decline))
        case .lapsed?: return (.expired, .expired)
        case .waiting?, .processing?: return (.processing, .none)
        case .unregistered?, .indeterminate?, nil: return (.ambiguous, .none)
        }
    }

    private static func outcome(
        _ word: OperationStatusWord,
        _ kind: OperationKind,
        _ source: Message.Operation,
        _ message: Message,
        _ context: InterpretContext
    ) -> (ProviderOutcome, Ending) {
        let decline = CodeTable.decline(source.code)
        switch word {
        case .success: return (.succeeded, .none)
        case .decline: return (.declined(decline), kind.isInitial ? .declined(decline) : .none)
        case .error:
            guard kind.isInitial else { return (.declined(decline), .none) }
            return (.declined(decline), context.isHandover ? .refusedByForm : .declined(decline))
        case .expired: return (.expired, kind.isInitial ? .expired : .none)
        case .invoiceCancelled: return (.expired, kind.isInitial ? .cancelled : .none)
        case .processing: return (.processing, .none)
        case .awaiting(let awaited):
            return (
                .waiting(awaited.action(fields: message.clarification, seconds: message.attemptsSeconds)), .none
            )
        case .ambiguous: return (.ambiguous, .none)
        }
    }

    /// Our refund's reference: the operation's own, or the message's where it has one refund only.
    private static func reference(_ kind: OperationKind, _ source: Message.Operation, _ message: Message) -> String? {
        guard kind == .refund else { return nil }
        if let own = source.refundReference { return own }
        let refunds = message.operations.filter { $0.type.flatMap { OperationWord($0) } == .kind(.refund) }
        return refunds.count == 1 ? message.refundReference : nil
    }

    /// The youngest operation that a payment can begin with: the payment's own word speaks about it.
    static func deciding(_ readings: [OperationReading]) -> OperationReading? {
        readings.filter { $0.operation?.kind.isInitial == true }.max { left, right in
            guard let one = left.operation, let two = right.operation else { return false }
            if let early = one.createdAt, let late = two.createdAt, early != late { return early < late }
            let (first, second) = (one.providerId, two.providerId)
            return first.utf8.count == second.utf8.count ? first < second : first.utf8.count < second.utf8.count
        }
    }
}

extension Message.Operation {
    fileprivate var isManualChange: Bool { type.flatMap { OperationWord($0) } == .manualChange }
}

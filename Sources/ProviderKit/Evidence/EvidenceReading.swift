import Kernel
package import Payments

/// An adapter's reading of what comes in about a payment, with all that is known of the payment.
package struct EvidenceReading: Sendable {
    private let adapter: any Adapter
    private let settings: AccountSettings

    package init(_ adapter: any Adapter, _ settings: AccountSettings) {
        self.adapter = adapter
        self.settings = settings
    }

    /// The facts for one attempt; `owned` says of a fact what it is where something in it belongs to another payment.
    package func facts(
        _ observation: Observation,
        of payment: Payment,
        attempt number: Int,
        owned: (Fact) -> Fact = { $0 }
    ) -> [Fact] {
        guard let terms = payment.terms, let attempt = payment.attempt(number) else { return [] }
        let operations = payment.operations(of: number)
        let order = payment.order(of: number)
        let context = InterpretContext(
            settings: settings,
            paymentReference: attempt.reference,
            terms: terms,
            isHandover: payment.mayBeAtForm(number),
            order: order,
            known: operations.flatMap(\.orderedTransactions).map(\.latest),
            isCancelRequested: payment.cancelRequestedBy != nil,
            operations: operations.map { known($0, payment) }
        )
        let read = observation.readable { adapter.interpret(observation, context) }
        let believed = adapter.declaration.believed(Self.bounded(read), of: observation).map(owned)
        let told = observation.isLook ? believed.filter { !isExplained($0, believed, operations) } : believed
        return told + illegalMoves(told, operations, attempt, payment)
    }

    /// What a message says, as long as it names no more operations than anybody could match; one that names more is a word
    /// that nobody knows, and a person looks.
    private static func bounded(_ read: [Fact]) -> [Fact] {
        let named = read.reduce(0) { sum, fact in
            switch fact {
            case .operation: sum + 1
            case .statement(let told): sum + told.entries.count
            default: sum
            }
        }
        guard named > Payment.operationsOfMessage else { return read }
        return read.filter { if case .dispatch = $0 { true } else { false } } + [
            .unrecognised(what: "operations", value: "more than \(Payment.operationsOfMessage)")
        ]
    }

    /// Whether a look only repeats in a word what operations say: those that it tells itself, or else those that are known,
    /// as long as none of them is open that the word may be about.
    private func isExplained(_ fact: Fact, _ told: [Fact], _ operations: [Operation]) -> Bool {
        guard case .attempt(.reading(.moneyWithoutOperation(let word))) = fact,
            let kinds = adapter.view.state(ofWord: word)?.evidence
        else { return false }
        let isTold = told.contains { fact in
            guard case .operation(let seen) = fact else { return false }
            return kinds.contains(seen.kind) && seen.outcome.isSuccess
        }
        let known = operations.filter { kinds.contains($0.kind) }
        return isTold || known.contains { $0.state == .succeeded } && known.allSatisfy(\.isClosed)
    }

    /// Moves that the provider's own machine does not know, once money has moved: before it, the aggregate knows what comes
    /// late.
    private func illegalMoves(_ told: [Fact], _ operations: [Operation], _ attempt: Attempt, _ payment: Payment)
        -> [Fact]
    {
        var view = adapter.view
        var known = operations.flatMap(\.orderedTransactions).map { Fact.operation($0.latest) }
        known += attempt.endings.map { .attempt(.closed($0)) }
        if let currency = payment.currency {
            known += payment.totals.filter { $0.key.attempt == attempt.number }.map { key, told in
                .statement(Statement(key.kind, total: .books(Money(told.highest, currency))))
            }
        }
        _ = view.apply(known)
        let before = view.state
        guard before.moneyRank != nil || before == .checked else { return [] }
        return view.move(told).map { move in [.contradiction(.outcome, detail: "the provider moved \(move)")] } ?? []
    }

    private func known(_ operation: Operation, _ payment: Payment) -> KnownOperation {
        let moved = payment.currency.map { Money(operation.booked(in: $0), $0) }
        return KnownOperation(
            kind: operation.kind,
            reference: operation.reference,
            requested: operation.requested,
            isAwaited: operation.origin == .commanded && !operation.isClosed && !operation.dispatches.isEmpty
                && operation.unseenRefusal == nil,
            moved: moved.flatMap { $0.minor > 0 ? $0 : nil },
            isAnswerLost: operation.isAnswerLost
        )
    }
}

extension Observation {
    /// Whether it answers a question how things stand.
    fileprivate var isLook: Bool { if case .answered(.query, _, _, _) = self { true } else { false } }
}

extension ProviderState {
    /// The operations one of which must have succeeded for it; `nil` where no money has moved.
    fileprivate var evidence: Set<OperationKind>? {
        switch self {
        case .held: [.authorize]
        case .captured: [.sale, .capture, .transfer]
        case .released: [.void]
        case .partlyReturned, .returned: [.refund]
        case .unregistered, .waiting, .processing, .indeterminate, .declined, .lapsed, .checked: nil
        }
    }
}

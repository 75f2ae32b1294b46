import Kernel
package import Payments

/// What an adapter reads out of what comes in about a payment, with all that is known of the payment.
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
        let read = adapter.interpret(
            observation,
            InterpretContext(
                settings: settings,
                paymentReference: attempt.reference,
                terms: terms,
                isHandover: !payment.handovers(of: number).isEmpty || order != nil,
                order: order,
                known: operations.flatMap(\.orderedSightings).map(\.latest),
                isCancelRequested: payment.cancelRequestedBy != nil,
                operations: operations.map { known($0, payment) }
            )
        )
        let told = adapter.declaration.believed(read, of: observation).map(owned)
        return told + illegalMoves(told, operations, attempt, payment)
    }

    /// Moves that the provider's own machine does not know, once money has moved: before it, the aggregate knows what comes
    /// late.
    private func illegalMoves(_ told: [Fact], _ operations: [Operation], _ attempt: Attempt, _ payment: Payment)
        -> [Fact]
    {
        var view = adapter.view
        var known = operations.flatMap(\.orderedSightings).map { Fact.operation($0.latest) }
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

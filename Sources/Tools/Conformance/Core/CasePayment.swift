import Kernel
package import Payments
package import ProviderKit

/// A payment that a case tells its history: production's reading of what comes in, the aggregate, and the provider-side fold
/// beside them.
package struct CasePayment {
    package private(set) var payment = Payment(id: PaymentId(Uuid(high: 0, low: 1)))
    package private(set) var view: ProviderView
    /// The reading of the newest message.
    package private(set) var facts: [Fact] = []
    private let reading: EvidenceReading
    private let account: AccountFacts
    private let adapterVersion: Int
    private let capabilities: Capabilities
    private let opening: Opening
    private let number: String?
    private var inputs: UInt64 = 0

    /// A payment that nobody created yet; `nil` where the account's settings can't be read.
    ///
    /// `number` is its order number, instead of the one that it would make of its id.
    package init?(
        _ adapter: any Adapter,
        _ settings: AccountSettings,
        _ terms: PaymentTerms,
        view: ProviderView? = nil,
        number: String? = nil
    ) {
        guard let capabilities = try? adapter.capabilities(settings) else { return nil }
        self.view = view ?? adapter.view
        self.capabilities = capabilities
        reading = EvidenceReading(adapter, settings)
        account = settings.account
        adapterVersion = adapter.declaration.version
        opening = adapter.opening(terms, settings)
        self.number = number
    }

    /// Gives a command; a refused one changes nothing.
    @discardableResult
    package mutating func perform(_ command: PaymentCommand) -> PaymentDecision? {
        guard let decision = try? payment.decide(command, context()) else { return nil }
        evolve(decision)
        return decision
    }

    /// Reads what came in and tells both.
    package mutating func observe(_ observation: Observation) {
        tell(read(observation))
    }

    /// Reads a message that proves nothing; whether the payment asks the provider about it.
    package mutating func hint(_ body: [UInt8]) -> Bool {
        facts = read(.notification(body: body))
        let decision = payment.decide(.facts(facts, trust: .hint, dispatch: nil), context())
        evolve(decision)
        return decision.dispatches.contains { $0.planned.purpose == .query }
    }

    /// Tells both what is known.
    package mutating func tell(_ facts: [Fact]) {
        self.facts = facts
        _ = view.apply(facts)
        evolve(payment.decide(.facts(facts, trust: .verified, dispatch: nil), context()))
    }

    private func read(_ observation: Observation) -> [Fact] {
        reading.facts(observation, of: payment, attempt: payment.attempt?.number ?? 1)
    }

    private mutating func evolve(_ decision: PaymentDecision) {
        inputs += 1
        for event in decision.events { payment.evolve(numbered(event)) }
    }

    private func numbered(_ event: PaymentEvent) -> PaymentEvent {
        guard let number, case .attemptOpened(1, _, let deadline) = event else { return event }
        return .attemptOpened(number: 1, reference: number, deadline: deadline)
    }

    private func context() -> PaymentContext {
        PaymentContext(
            now: .epoch,
            input: Uuid(high: 1, low: inputs),
            actor: Actor(id: "suite", isOperator: false),
            account: account,
            capabilities: capabilities,
            adapterVersion: adapterVersion,
            opening: opening
        )
    }

    // MARK: What came of it

    /// Whether a person is told: claims that can't both be true, words that nobody knows, or something that an operator or the
    /// merchant owes.
    package var isAlarming: Bool {
        if !payment.contradictions.isEmpty || !payment.unrecognised.isEmpty { return true }
        return payment.obligations(capabilities, at: .epoch).contains { owed in
            switch owed.kind {
            case .lateSuccess, .overReturned, .contradiction: true
            case .operation, .amount, .outcome, .cancellation, .hold, .remainder, .auxiliary, .debit, .report, .dispute,
                .proposal, .reconciliation, .inquiry:
                false
            }
        }
    }

    /// The fault of our status where the provider-side state says that money moved.
    package var statusViolations: [String] { [statusViolation(where: view.state)].compactMap(\.self) }

    /// The fault of our status where the provider's is so.
    package func statusViolation(where state: ProviderState) -> String? {
        let allowed: Set<PaymentStatus>
        switch state {
        case .held: allowed = [.authorized]
        case .captured: allowed = [.captured, .partiallyCaptured]
        case .partlyReturned: allowed = [.partiallyRefunded]
        case .returned: allowed = [.refunded]
        case .released: allowed = [.voided, .released]
        case .checked: allowed = [.verified]
        case .declined: allowed = [.failed]
        case .lapsed: allowed = [.expired]
        case .unregistered, .waiting, .processing, .indeterminate: return nil
        }
        if allowed.contains(payment.status) { return nil }
        return "status: \(payment.status.rawValue) where the provider says \(ProviderReading(state).rawValue)"
    }
}

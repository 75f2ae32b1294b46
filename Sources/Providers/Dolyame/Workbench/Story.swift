import Kernel
import Payments
import ProviderKit

/// A payment of ours beside the provider-side fold: both are told the adapter's facts.
struct Story {
    private(set) var view: ProviderView
    private(set) var payment = Payment(id: PaymentId(Uuid(high: 0, low: 1)))
    private(set) var commits = 0
    private(set) var creates = 0
    private(set) var lastFacts: [Fact] = []
    private let account: BenchAccount
    private let terms: PaymentTerms
    private var inputs: UInt64 = 0

    /// Creates the payment as the API would; `prior` is a state that was known before, in the words of cases.
    init(kopecks: Int64, method: PaymentMethod = .hosted, account: BenchAccount = BenchAccount(), prior: String? = nil)
    {
        self.account = account
        terms = BenchAccount.terms(kopecks, method: method)
        view = DolyameStates.view()
        perform(.create(terms))
        for facts in Self.past(prior, kopecks) { tell(facts) }
    }

    /// What must have been seen for a state to be reached.
    private static func past(_ word: String?, _ kopecks: Int64) -> [[Fact]] {
        func seen(_ name: String, _ kind: OperationKind, _ outcome: ProviderOutcome, _ sum: Int64) -> Fact {
            .operation(
                ProviderOperation(
                    providerId: name,
                    kind: kind,
                    outcome: outcome,
                    amount: EvidenceAmount(Rubles.money(sum))
                )
            )
        }
        let waiting = [seen(OrderReading.Name.order, .authorize, .waiting(.handover), kopecks)]
        let held = [seen(OrderReading.Name.hold, .authorize, .succeeded, kopecks)]
        let taken = [seen(OrderReading.Name.commit, .capture, .succeeded, kopecks)]
        switch word {
        case "requires_action": return [waiting]
        case "pending": return [waiting + [.attempt(.reading(.processing))]]
        case "authorized": return [held]
        case "captured", "partially_captured", "partially_refunded", "refunded": return [held, taken]
        case "voided": return [held, [seen(OrderReading.Name.cancel, .void, .succeeded, kopecks)]]
        default: return []
        }
    }

    var interpretation: InterpretContext {
        InterpretContext(
            settings: account.account,
            paymentReference: BenchAccount.order,
            terms: terms,
            isHandover: terms.method == .sdk,
            order: payment.order,
            known: payment.operations.flatMap(\.orderedSightings).map(\.latest),
            isCancelRequested: payment.cancelRequestedBy != nil
        )
    }

    /// Reads an answer to a message of ours and tells both.
    mutating func answer(_ purpose: DispatchPurpose, _ status: Int, _ body: [UInt8]) {
        tell(
            DolyameAdapter().interpret(
                .answered(purpose, status: status, headers: [:], body: body),
                interpretation
            )
        )
    }

    mutating func tell(_ facts: [Fact]) {
        lastFacts = facts
        _ = view.apply(facts)
        evolve(payment.decide(.facts(facts, trust: .verified, dispatch: nil), context()))
    }

    /// Whether a notification that can't be proved makes the payment ask the provider.
    mutating func asks(after notification: [UInt8]) -> Bool {
        lastFacts = DolyameAdapter().interpret(.notification(body: notification), interpretation)
        let decision = payment.decide(.facts(lastFacts, trust: .hint, dispatch: nil), context())
        evolve(decision)
        return decision.dispatches.contains { $0.planned.purpose == .query }
    }

    /// Gives a command; whether the payment asks the provider after it.
    @discardableResult
    mutating func perform(_ command: PaymentCommand) -> Bool {
        guard let decision = try? payment.decide(command, context()) else { return false }
        evolve(decision)
        for dispatch in decision.dispatches {
            switch dispatch.planned.purpose {
            case .operation(.capture): commits += 1
            case .operation(.authorize), .operation(.sale): creates += 1
            case .operation, .query, .handover, .errand: break
            }
        }
        return decision.dispatches.contains { $0.planned.purpose == .query }
    }

    private mutating func evolve(_ decision: PaymentDecision) {
        inputs += 1
        for event in decision.events { payment.evolve(event) }
    }

    private func context() -> PaymentContext {
        PaymentContext(
            now: .epoch,
            input: Uuid(high: 1, low: inputs),
            actor: Actor(id: "workbench", isOperator: false),
            account: account.account.account,
            capabilities: (try? DolyameSettings(account.account.values).capabilities)
                ?? Capabilities(
                    partialCapture: false,
                    multipleCaptures: false,
                    overCapture: false,
                    partialRefund: false,
                    multipleRefunds: false,
                    partialVoid: false,
                    recovery: [:],
                    lifetimes: Capabilities.Lifetimes(payerWindow: .zero, hold: .zero, query: .zero),
                    polling: PollSchedule(first: .zero, cap: .zero, atLeast: .zero)
                ),
            adapterVersion: DolyameDeclaration.declaration.version,
            opening: DolyameAdapter().opening(terms, account.account)
        )
    }

    // MARK: The words of cases

    /// The provider-side state in the words of cases, which tell a partial capture apart.
    var word: String {
        switch view.state {
        case .taken: view.captured < (terms.amount?.minor ?? 0) ? "partially_captured" : "captured"
        case .partlyReturned: "partially_refunded"
        case .unregistered, .waiting, .processing, .indeterminate, .held, .returned, .released, .declined, .lapsed,
            .checked:
            ProviderReading(view.state).rawValue
        }
    }

    /// Who gave a hold up.
    var cancelCause: String? {
        guard let void = view.operations[OrderReading.Name.cancel], void.outcome == .succeeded else { return nil }
        let isOurs = payment.operations.contains { $0.kind == .void && $0.origin == .commanded }
        return isOurs || payment.cancelRequestedBy != nil ? "merchant" : "provider"
    }

    /// What our status must be where the provider-side state says that money moved or the payment is over.
    var statusViolations: [String] {
        let allowed: Set<PaymentStatus>
        switch view.state {
        case .held: allowed = [.authorized]
        case .taken: allowed = [.captured, .partiallyCaptured]
        case .partlyReturned: allowed = [.partiallyRefunded]
        case .returned: allowed = [.refunded]
        case .released: allowed = [.voided, .released]
        case .declined: allowed = [.failed]
        case .lapsed: allowed = [.expired]
        case .unregistered, .waiting, .processing, .indeterminate, .checked: return []
        }
        if allowed.contains(payment.status) { return [] }
        return ["payment: \(payment.status.rawValue) where the provider says \(word)"]
    }

    /// Whether a person is told: an unknown word, or claims that can't both be true.
    var isAlert: Bool {
        lastFacts.contains { fact in
            switch fact {
            case .unrecognised, .contradiction: true
            case .operation, .statement, .complete, .attempt, .order, .dispatch, .instrument, .instrumentNews, .receipt,
                .dispute, .method, .series, .seriesDebit, .fee, .commission, .question, .firstAnswer:
                false
            }
        }
    }

    /// An order as the provider would tell it.
    static func order(_ status: String, amount: Int64, refunds: [(id: String, amount: Int64)] = []) -> [UInt8] {
        let list = refunds.map { refund -> Json in
            [
                "refund_id": .string(refund.id), "refunded_amount": Rubles.number(refund.amount),
                "refunded_prepaid_amount": Rubles.number(0), "status": "processed",
            ]
        }
        return Json.compact([
            ("status", .string(status)), ("amount", Rubles.number(amount)),
            ("residual_amount", Rubles.number(amount)), ("link", "https://dolyame.example/order"),
            ("refund_info", refunds.isEmpty ? nil : ["items": .array(list)]),
        ])
        .compactBytes
    }
}

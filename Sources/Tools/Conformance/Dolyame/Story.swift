import Conformance
import Dolyame
import Kernel
import Payments
import ProviderKit

/// A payment of ours beside the provider-side fold, in the words of this provider's cases.
struct Story {
    private var conduct: CasePayment
    private(set) var commits = 0
    private(set) var creates = 0
    private let terms: PaymentTerms

    /// Creates the payment as the API would; `prior` is a state that was known before, in the words of cases.
    init?(
        kopecks: Int64,
        method: PaymentMethod = .hosted,
        account: BenchAccount = BenchAccount(),
        prior: String? = nil,
        number: String? = nil
    ) {
        terms = BenchAccount.terms(kopecks, method: method)
        guard let told = CasePayment(DolyameAdapter(), account.account, terms, number: number) else { return nil }
        conduct = told
        perform(.create(terms))
        for facts in Self.past(prior, kopecks) { tell(facts) }
    }

    static let unmade = ["the case makes no payment"]

    var view: ProviderView { conduct.view }
    var payment: Payment { conduct.payment }
    var reference: Json { payment.attempt.map { .string($0.reference) } ?? .null }
    var lastFacts: [Fact] { conduct.facts }
    /// Whether a person is told.
    var isAlert: Bool { conduct.isAlarming }
    var statusViolations: [String] { conduct.statusViolations }

    /// The operations that must have been seen for a state to be reached.
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

    /// Reads an answer to a message of ours and tells both.
    mutating func answer(_ purpose: DispatchPurpose, _ status: Int, _ body: [UInt8]) {
        conduct.observe(.answered(purpose, status: status, headers: [:], body: body))
    }

    /// No answer came to a message of ours.
    mutating func lose(_ purpose: DispatchPurpose) { conduct.observe(.sentNoAnswer(purpose, reason: "deadline")) }

    mutating func tell(_ facts: [Fact]) { conduct.tell(facts) }

    /// Whether a notification that can't be proved makes the payment ask the provider.
    mutating func asks(after notification: [UInt8]) -> Bool { conduct.hint(notification) }

    /// Gives a command; whether the payment asks the provider after it.
    @discardableResult
    mutating func perform(_ command: PaymentCommand) -> Bool {
        guard let decision = conduct.perform(command) else { return false }
        for dispatch in decision.dispatches {
            switch dispatch.planned.purpose {
            case .operation(.capture): commits += 1
            case .operation(.authorize), .operation(.sale): creates += 1
            case .operation, .query, .handover, .auxiliary: break
            }
        }
        return decision.dispatches.contains { $0.planned.purpose == .query }
    }

    // MARK: The words of cases

    /// The provider-side state in the words of cases, which tell a partial capture apart.
    var word: String {
        switch view.state {
        case .captured: view.captured < (terms.amount?.minor ?? 0) ? "partially_captured" : "captured"
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

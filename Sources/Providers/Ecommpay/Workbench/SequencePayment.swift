import Kernel
import Payments
import ProviderKit

/// A payment of ours that is told a history: what the aggregate makes of the adapter's facts.
///
/// Its status has words of its own; only states in which money moved have the same meaning as the provider's reading.
struct SequencePayment {
    private var payment = Payment(id: PaymentId(Uuid(high: 0, low: 1)))
    private let account: AccountSettings
    private let capabilities: Capabilities
    private var inputs: UInt64 = 0

    /// Creates the payment and tells it what was known before the first delivery; `nil` where the case makes none.
    init?(_ initial: Json, _ account: AccountSettings, _ terms: PaymentTerms) {
        guard let settings = try? EcommpaySettings(account.values), let currency = terms.amount?.currency else {
            return nil
        }
        self.account = account
        capabilities = settings.capabilities
        guard let created = try? payment.decide(.create(terms), context()) else { return nil }
        for event in created.events { payment.evolve(event) }
        let known: [(String, OperationKind)] = [
            ("authorized_minor", .authorize), ("captured_minor", terms.mode == .authorize ? .capture : .sale),
            ("refunded_minor", .refund),
        ]
        for (name, kind) in known {
            guard let minor = initial[name]?.integer, minor > 0 else { continue }
            observe([
                .operation(
                    ProviderOperation(
                        providerId: "before:\(name)",
                        kind: kind,
                        outcome: .succeeded,
                        amount: .stated(Money(minor, currency))
                    )
                )
            ])
        }
    }

    mutating func observe(_ facts: [Fact]) {
        inputs += 1
        for event in payment.decide(.facts(facts, trust: .verified, dispatch: nil), context()).events {
            payment.evolve(event)
        }
    }

    private func context() -> PaymentContext {
        PaymentContext(
            now: .epoch,
            input: Uuid(high: 1, low: inputs),
            actor: Actor(id: "workbench", isOperator: false),
            account: account.account,
            capabilities: capabilities,
            adapterVersion: EcommpayDeclaration.declaration.version
        )
    }

    /// Holds sums, operations and money states against what the end of a history must be.
    func violations(_ expected: Json) -> [String] {
        let sums = payment.amounts
        var actual: [String: Json] = [
            "authorized_minor": .integer(sums.authorized &- sums.released),
            "captured_minor": .integer(sums.captured),
            "refunded_minor": .integer(sums.refunded),
        ]
        var known = JsonObject([])
        for operation in payment.operations {
            for (id, sighting) in operation.sightings where !id.hasPrefix("before:") {
                known[id] = .string(SequenceCase.word(sighting.latest.outcome))
            }
        }
        actual["operations"] = .object(known)
        let members = expected.members?.members.filter { actual[$0.name] != nil } ?? []
        let wanted = Json.object(JsonObject(members.map { ($0.name, $0.value) }))
        var found = Comparison.violations(expected: wanted, actual: actual, compared: nil)
        if let reading = expected["state"]?.text.flatMap(ProviderReading.init), let allowed = Self.statuses(reading),
            !allowed.contains(payment.status)
        {
            found.append("status: \(payment.status.rawValue) where the provider says \(reading.rawValue)")
        }
        return found.map { "payment: \($0)" }
    }

    /// The statuses that a reading in which money moved allows.
    private static func statuses(_ reading: ProviderReading) -> Set<PaymentStatus>? {
        switch reading {
        case .authorized: [.authorized]
        case .captured: [.captured, .partiallyCaptured]
        case .refundedPartially: [.partiallyRefunded]
        case .refunded: [.refunded]
        case .voided: [.voided, .released]
        case .verified: [.verified]
        case .created, .requiresAction, .pending, .failed, .expired: nil
        }
    }
}

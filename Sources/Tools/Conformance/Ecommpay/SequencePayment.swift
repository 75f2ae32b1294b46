import Conformance
import Ecommpay
import Kernel
import Payments
import ProviderKit

/// A payment of ours that is told a history: what the aggregate makes of the adapter's facts.
///
/// Its status has words of its own; only states in which money moved have the same meaning as the provider's reading.
struct SequencePayment {
    private var conduct: CasePayment

    /// Creates the payment and tells it what was known before the first delivery; `nil` where the case makes none.
    init?(_ initial: Json, _ account: AccountSettings, _ terms: PaymentTerms) {
        guard let currency = terms.amount?.currency, let told = CasePayment(EcommpayAdapter(), account, terms) else {
            return nil
        }
        conduct = told
        guard conduct.perform(.create(terms)) != nil else { return nil }
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

    mutating func observe(_ facts: [Fact]) { conduct.tell(facts) }

    /// Holds sums, operations and money states against what the end of a history must be.
    func violations(_ expected: Json) -> [String] {
        let payment = conduct.payment
        let sums = payment.amounts
        var actual: [String: Json] = [
            "authorized_minor": .integer(sums.authorized &- sums.released),
            "captured_minor": .integer(sums.captured),
            "refunded_minor": .integer(sums.refunded),
        ]
        var known = JsonObject([])
        for operation in payment.operations {
            for (id, transaction) in operation.transactions where !id.hasPrefix("before:") {
                known[id] = .string(SequenceCase.word(transaction.latest.outcome))
            }
        }
        actual["operations"] = .object(known)
        let members = expected.members?.members.filter { actual[$0.name] != nil } ?? []
        let wanted = Json.object(JsonObject(members.map { ($0.name, $0.value) }))
        var found = Comparison.violations(expected: wanted, actual: actual, compared: nil)
        if let reading = expected["state"]?.text.flatMap(ProviderReading.init),
            let problem = conduct.statusViolation(where: reading.state)
        {
            found.append(problem)
        }
        return found.map { "payment: \($0)" }
    }
}

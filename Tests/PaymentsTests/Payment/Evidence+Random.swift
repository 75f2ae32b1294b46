import Kernel
import Payments

/// Random evidence, honest or not.
extension SplitMix64 {
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }
    mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    mutating func outcome() -> ProviderOutcome {
        switch next() % 10 {
        case 0: .waiting(pick([.threeDSecure, .redirect, .clarify(fields: ["a"]), .customerAction]))
        case 1, 2: .processing
        case 3: .ambiguous
        case 4, 5: .declined(Decline(reason: pick(DeclineClass.allCases), code: pick(["1", "2"]), tableVersion: 1))
        case 6: .expired
        default: .succeeded
        }
    }

    /// A transaction of one of few provider operations, so that transactions of one id meet and disagree.
    mutating func hostileTransaction(_ references: [String]) -> ProviderOperation {
        let minors: [Int64?] = [nil, 1999, 1999, 500, 500, number(0...3000), .max, .min, -1, .max - 1]
        let minor = pick(minors)
        let id = next() % 7
        let kinds: [OperationKind] = [.sale, .authorize, .capture, .capture, .void, .refund, .refundReversal]
        return ProviderOperation(
            providerId: "p\(id)\(chance(30) ? "b" : "")",
            kind: chance(15) ? pick(OperationKind.allCases) : kinds[Int(id)],
            outcome: outcome(),
            amount: hostileAmount(minor),
            ourReference: chance(25) ? pick(references + ["dashboard"]) : nil,
            createdAt: chance(80) ? moment() : nil,
            changedAt: chance(80) ? moment() : nil
        )
    }

    private mutating func hostileAmount(_ minor: Int64?) -> EvidenceAmount {
        guard let minor else {
            return pick([.absent, .unstated(in: "short"), .unstated(in: "other"), .undeclared, .unreadable("1,00")])
        }
        return .stated(Money(minor, chance(10) ? Samples.dollar : Samples.euro))
    }

    /// Provider operations as an honest provider has them: each with one kind, amount, name and end.
    mutating func honestOperations(_ references: [String]) -> [ProviderOperation] {
        let kinds: [OperationKind] = [.sale, .authorize, .capture, .capture, .void, .refund, .refund, .refundReversal]
        return (0..<Int(number(1...5))).map { index in
            let kind = pick(kinds)
            return ProviderOperation(
                providerId: "p\(kind.isInitial ? (kind == .sale ? 0 : 1) : UInt64(index) + 2)",
                kind: kind,
                outcome: pick([.succeeded, .succeeded, .declined(Samples.decline), .expired, .processing]),
                amount: .stated(Money(kind.isInitial ? 1999 : pick([500, 1999, 7]), Samples.euro)),
                ourReference: chance(40) && !kind.isInitial ? pick(references + ["dashboard"]) : nil,
                createdAt: moment(),
                changedAt: Samples.noon.adding(.seconds(9000))
            )
        }
    }

    /// One message about an operation: earlier in its life, or with parts left out.
    mutating func glimpse(_ operation: ProviderOperation) -> ProviderOperation {
        let isEarly = chance(40)
        return ProviderOperation(
            providerId: operation.providerId,
            kind: operation.kind,
            outcome: isEarly ? pick([.processing, .ambiguous, .waiting(.redirect)]) : operation.outcome,
            amount: chance(70) ? operation.amount : .absent,
            ourReference: chance(70) ? operation.ourReference : nil,
            createdAt: chance(80) ? operation.createdAt : nil,
            changedAt: isEarly ? moment() : operation.changedAt
        )
    }

    private mutating func moment() -> Timestamp { Samples.noon.adding(.seconds(number(0...8000))) }

    mutating func reading() -> AttemptReading {
        switch next() % 5 {
        case 0: .waiting(.retryInForm(attemptsLeft: chance(80) ? Int(next() % 5) : nil, seconds: nil))
        case 1: .waiting(.threeDSecure)
        case 2: .processing
        case 3: .ambiguous
        default: .moneyWithoutOperation(pick(["success", "refunded"]))
        }
    }

    /// What is not about an operation.
    mutating func otherFact(hostile: Bool) -> Fact {
        switch next() % 7 {
        case 0: .attempt(.closed(pick([.declined(Samples.decline), .expired, .cancelled])))
        case 1: .attempt(.reading(reading()))
        case 2: .attempt(.notRegistered)
        case 3: .fee(Money(number(0...100), Samples.euro))
        case 4: .commission(Money(number(0...100), Samples.euro))
        case 5: .unrecognised(what: "status", value: pick(["x", "y"]))
        default: hostile ? .contradiction(pick(ContradictionKind.allCases), detail: pick(["a", "b"])) : .method("card")
        }
    }

    mutating func facts(_ references: [String], hostile: Bool) -> [Fact] {
        let honest = honestOperations(references)
        return (0..<Int(number(1...10))).map { _ in
            if chance(25) { return otherFact(hostile: hostile) }
            return .operation(hostile ? hostileTransaction(references) : glimpse(pick(honest)))
        }
    }
}

extension SplitMix64 {
    mutating func dispatchOutcome() -> DispatchOutcome {
        pick([
            .notSent(reason: "unreachable"), .notSent(reason: "expired"), .unknown(reason: "timeout"), .accepted,
            .notExecuted(Samples.decline), .duplicate(code: "1"), .answered, .answered, .answered,
        ])
    }

    mutating func command(_ payment: Payment) -> PaymentCommand {
        let minors: [Int64?] = [nil, nil, 1, 500, 1999, .max, .min, 0]
        let amount = pick(minors).map { Money($0, chance(95) ? Samples.euro : Samples.dollar) }
        let target = chance(30) ? payment.operations.map(\.id).randomElement(using: &self) : nil
        switch next() % 12 {
        case 0: return .create(Samples.terms(.sale))
        case 1: return .confirm(meaning: "success", code: "0")
        case 2, 3: return .capture(amount: amount, reason: nil)
        case 4: return .void(amount: amount, reason: nil)
        case 5, 6: return .refund(amount: amount, capture: target, reason: nil)
        case 7: return .sync
        case 8:
            return .recordDispute(
                id: DisputeId(Samples.uuid(next() % 3)),
                capture: target,
                amount: amount ?? .cents(5),
                stage: pick(Dispute.Stage.allCases),
                reason: nil
            )
        case 9, 10:
            let operation = payment.operations.map(\.id).randomElement(using: &self) ?? OperationId(Samples.uuid(1))
            let verdict: Resolution.Verdict = pick([
                .acknowledged, .attemptDead, .failed(operation), .sendAgain(operation),
                .succeeded(operation, amount ?? .cents(500)),
            ])
            return .propose(verdict, evidence: "e", seenVersion: payment.version - (chance(80) ? 0 : 1))
        default:
            let proposal = payment.proposals.keys.sorted().randomElement(using: &self) ?? Samples.uuid(1)
            return .approve(proposal: proposal, seenVersion: payment.version)
        }
    }
}

/// What must be the same whatever the order of the evidence.
struct Fingerprint: Hashable {
    struct Seen: Hashable {
        let transaction: ProviderTransaction
        let operation: OperationId
        let origin: OperationOrigin
    }

    let status: PaymentStatus
    let amounts: PaymentAmounts
    let seen: [String: Seen]
    let states: [OperationId: Operation.State]
    let contradictions: Set<Contradiction>
    let overReturned: Int64
    let isFrozen: Bool
    let endings: Set<AttemptEnding>
    let reading: AttemptReading?
    let fee: Money?
    let commission: Money?
    let unrecognised: Set<String>
    let refundable: [OperationId: Int64]
    let obligations: Set<Obligation>

    init(_ story: Story, withObligations: Bool = true) {
        let payment = story.payment
        status = payment.status
        amounts = payment.amounts
        var seen: [String: Seen] = [:]
        for operation in payment.operations {
            for (id, transaction) in operation.transactions {
                seen[id] = Seen(transaction: transaction, operation: operation.id, origin: operation.origin)
            }
        }
        self.seen = seen
        states = Dictionary(uniqueKeysWithValues: payment.operations.map { ($0.id, $0.state) })
        contradictions = payment.standingContradictions
        overReturned = payment.overReturned
        isFrozen = payment.isFrozen
        endings = payment.attempt?.endings ?? []
        reading = payment.attempt?.reading
        fee = payment.fee
        commission = payment.commission
        unrecognised = payment.unrecognised
        refundable = Dictionary(uniqueKeysWithValues: payment.captures.map { ($0.id, payment.refundable($0)) })
        // Whether a success was late depends on what had been told before it: that is no matter of evidence alone.
        let owed = payment.obligations(story.can, at: Samples.noon).filter { $0.kind != .lateSuccess }
        obligations = withObligations ? Set(owed) : []
    }
}

extension Fingerprint {
    /// The parts that differ, one a line.
    func difference(from other: Fingerprint) -> String {
        var lines: [String] = []
        func compare(_ name: String, _ left: some Hashable, _ right: some Hashable) {
            if AnyHashable(left) != AnyHashable(right) { lines.append("\(name): \(left) instead of \(right)") }
        }
        for id in Set(seen.keys).union(other.seen.keys).sorted() {
            compare(id, seen[id].map(Self.short) ?? "-", other.seen[id].map(Self.short) ?? "-")
            if seen[id]?.transaction != other.seen[id]?.transaction { lines.append("\(id) was merged differently") }
        }
        compare("status", status, other.status)
        compare("amounts", amounts, other.amounts)
        compare("contradictions", contradictions.sorted(), other.contradictions.sorted())
        compare("overReturned", overReturned, other.overReturned)
        compare("endings", endings, other.endings)
        compare("reading", reading, other.reading)
        compare("fee", fee, other.fee)
        for id in Set(states.keys).union(other.states.keys) {
            compare("\(id)", "\(String(describing: states[id]))", "\(String(describing: other.states[id]))")
        }
        for id in Set(refundable.keys).union(other.refundable.keys) {
            compare("refundable \(id)", refundable[id], other.refundable[id])
        }
        compare("obligations", obligations.subtracting(other.obligations), other.obligations.subtracting(obligations))
        return lines.joined(separator: "\n")
    }

    private static func short(_ seen: Seen) -> String {
        Fact.operation(seen.transaction.latest).short + " in \(seen.operation) \(seen.origin)"
    }
}

extension Fact {
    /// For failures: what open items of an operation on one line.
    var short: String {
        guard case .operation(let operation) = self else { return "\(self)" }
        let outcome = "\(operation.outcome)".prefix(20)
        return "\(operation.providerId) \(operation.kind) \(outcome) \(operation.amount.money?.description ?? "-") "
            + "ref \(operation.ourReference ?? "-") created \(operation.createdAt?.seconds ?? 0)"
    }
}

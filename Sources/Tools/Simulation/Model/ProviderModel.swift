import Kernel
import Payments
import ProviderKit

/// A provider made from what an adapter declares: it keeps its promises to the edge and nothing beyond them.
///
/// What a declaration leaves open happens in every way: keys are forgotten when their lifetime ends, an operation
/// appears in questions as late as its absence proof allows, notifications come or don't.
struct ProviderModel: Sendable {
    let promises: Promises
    private(set) var payments: [String: ModelPayment] = [:]
    /// Effects that a message had a second time.
    private(set) var violations: [String] = []
    /// Whether our log has forgotten what it asked for.
    var hasLostTail = false
    private var counter = 0
    private let faults: FaultRates

    init(_ promises: Promises, _ faults: FaultRates) {
        self.promises = promises
        self.faults = faults
    }

    /// A consequence of a request, beside its answer.
    enum Consequence: Sendable {
        case finish(payment: String, operation: String, after: Duration)
        case tell(payment: String)
    }

    // MARK: Requests

    mutating func receive(_ request: ModelWire.Request, at now: Timestamp, _ random: inout SplitMix64)
        -> (ModelWire.Answer, [Consequence])
    {
        if request.isQuery { return (question(request, now, &random), []) }
        return request.kind.isInitial ? open(request, now, &random) : execute(request, now, &random)
    }

    /// An order for the payer; a known one is given again.
    private mutating func open(_ request: ModelWire.Request, _ now: Timestamp, _ random: inout SplitMix64)
        -> (ModelWire.Answer, [Consequence])
    {
        if let known = payments[request.payment]?.order {
            return (turnsAway(&random) ? .refused(code: "busy") : .accepted(order: known, nil), [])
        }
        guard let amount = request.amount, now < request.deadline else { return (.refused(code: "late"), []) }
        register(request.payment, request.kind, amount, request.deadline)
        let order = "order-\(request.payment)"
        payments[request.payment]?.order = order
        payments[request.payment]?.orderShownFrom = promises.showsOrder(request.kind, &random).map { now.adding($0) }
        return (.accepted(order: order, nil), [])
    }

    /// Whether a repetition is refused for a reason of its own; a log that lost the first request takes it for the first.
    private func turnsAway(_ random: inout SplitMix64) -> Bool {
        !hasLostTail && random.chance(faults.refusedRepetition)
    }

    mutating func register(_ reference: String, _ kind: OperationKind, _ amount: Money, _ deadline: Timestamp) {
        guard payments[reference] == nil else { return }
        payments[reference] = ModelPayment(
            reference: reference,
            kind: kind,
            amount: amount.minor,
            currency: amount.currency,
            deadline: deadline
        )
    }

    private mutating func execute(_ request: ModelWire.Request, _ now: Timestamp, _ random: inout SplitMix64)
        -> (ModelWire.Answer, [Consequence])
    {
        guard let payment = payments[request.payment], let amount = request.amount?.minor, amount > 0 else {
            return (.refused(code: "unknown"), [])
        }
        if let first = payment.arrivals[request.operation] {
            if case .sameKey(let lifetime) = promises.recovery(request.kind), now < first.adding(lifetime) {
                if turnsAway(&random) { return (.refused(code: "busy"), []) }
                let state = payment.state(at: now, isQuestion: false, echoes: promises.echoes)
                return (random.chance(500) ? .duplicate : .accepted(order: nil, state), [])
            }
            // One that was refused in the end moved nothing; a log that lost this asks anew, on a licence of its own.
            let isRefused = payment.operations.contains { $0.ours == request.operation && $0.outcome == .declined }
            if !isRefused || !hasLostTail {
                violations.append("\(request.kind.rawValue) \(request.operation) of \(request.payment) acted twice")
            }
        }
        guard payment.room(for: request.kind) >= amount else { return (.refused(code: "amount"), []) }
        if random.chance(faults.refusal) { return (.refused(code: "mood"), []) }
        let isDone = random.chance(600)
        let id = add(request.kind, amount, to: request.payment, request.operation, isDone, now, &random)
        payments[request.payment]?.arrivals[request.operation] = now
        var consequences: [Consequence] = [.tell(payment: request.payment)]
        if !isDone {
            let wait = Duration.seconds(random.number(1...(random.chance(700) ? 30 : 1200)))
            consequences.append(.finish(payment: request.payment, operation: id, after: wait))
        }
        let state = payments[request.payment]?.state(at: now, isQuestion: false, echoes: promises.echoes)
        return (.accepted(order: nil, random.chance(300) ? state : nil), consequences)
    }

    private mutating func add(
        _ kind: OperationKind,
        _ amount: Int64,
        to reference: String,
        _ ours: String?,
        _ isDone: Bool,
        _ now: Timestamp,
        _ random: inout SplitMix64
    ) -> String {
        counter += 1
        let id = "p\(counter)"
        let lag = promises.showsAfter(kind, &random)
        payments[reference]?.operations.append(
            ModelOperation(
                id: id,
                kind: kind,
                amount: amount,
                ours: ours,
                outcome: isDone ? .succeeded : .processing,
                createdAt: now,
                changedAt: now,
                shownFrom: now.adding(lag)
            )
        )
        return id
    }

    private mutating func question(_ request: ModelWire.Request, _ now: Timestamp, _ random: inout SplitMix64)
        -> ModelWire.Answer
    {
        guard let payment = payments[request.payment], payment.isShown(at: now) else { return .unknownReference }
        if let last = payment.lastAnswer, now < last.at.adding(promises.staleness), random.chance(faults.staleQuestion)
        {
            return .answered(last.state)
        }
        let state = payment.state(at: now, isQuestion: true, echoes: promises.echoes)
        payments[request.payment]?.lastAnswer = (state, now)
        return .answered(state)
    }

    // MARK: Payers, people, time

    /// The payer tries once; answers whether the payer will try again.
    mutating func pay(_ reference: String, at now: Timestamp, _ random: inout SplitMix64) -> (Bool, [Consequence]) {
        guard let payment = payments[reference], payment.ending == nil, !payment.isPaid, now < payment.deadline,
            !payment.operations.contains(where: { $0.kind.isInitial && !$0.outcome.isFinal })
        else { return (false, []) }
        let isDone = random.chance(500)
        let id = add(payment.kind, payment.amount, to: reference, nil, isDone, now, &random)
        if isDone { return (false, [.tell(payment: reference)]) }
        if random.chance(300) {
            settle(reference, id, .declined, now)
            return (true, [.tell(payment: reference)])
        }
        if random.chance(500) { settle(reference, id, .waiting, now) }
        let wait = Duration.seconds(random.number(2...(random.chance(700) ? 60 : 600)))
        return (true, [.tell(payment: reference), .finish(payment: reference, operation: id, after: wait)])
    }

    /// An unfinished operation ends.
    mutating func finish(_ reference: String, _ id: String, at now: Timestamp, _ random: inout SplitMix64)
        -> [Consequence]
    {
        guard let payment = payments[reference], let known = payment.operations.first(where: { $0.id == id }),
            !known.outcome.isFinal
        else { return [] }
        settle(reference, id, random.chance(800) ? .succeeded : .declined, now)
        return [.tell(payment: reference)]
    }

    private mutating func settle(
        _ reference: String,
        _ id: String,
        _ outcome: ModelOperation.Outcome,
        _ now: Timestamp
    ) {
        guard let index = payments[reference]?.operations.firstIndex(where: { $0.id == id }) else { return }
        payments[reference]?.operations[index].outcome = outcome
        payments[reference]?.operations[index].changedAt = now
    }

    /// Somebody at the provider does what nobody here asked for.
    mutating func dashboard(_ reference: String, at now: Timestamp, _ random: inout SplitMix64) -> [Consequence] {
        guard let payment = payments[reference] else { return [] }
        let possible = [OperationKind.capture, .void, .refund].filter { payment.room(for: $0) > 0 }
        guard !possible.isEmpty else { return [] }
        let kind = random.pick(possible)
        let room = payment.room(for: kind)
        let amount = random.chance(500) ? room : random.number(1...room)
        _ = add(kind, amount, to: reference, nil, true, now, &random)
        return [.tell(payment: reference)]
    }

    /// The link dies; answers what follows.
    mutating func expire(_ reference: String, at now: Timestamp) -> [Consequence] {
        guard let payment = payments[reference], payment.ending == nil, !payment.isPaid,
            payment.operations.allSatisfy(\.outcome.isFinal)
        else { return [] }
        payments[reference]?.ending = .expired
        return [.tell(payment: reference)]
    }

    /// A hold that nobody captured is given back when its lifetime ends.
    mutating func releaseHold(_ reference: String, at now: Timestamp, _ random: inout SplitMix64) -> [Consequence] {
        guard let room = payments[reference]?.room(for: .void), room > 0 else { return [] }
        _ = add(.void, room, to: reference, nil, true, now, &random)
        return [.tell(payment: reference)]
    }

    /// When a change can be told: what proves nothing by itself comes when a question finds it, too.
    mutating func toldFrom(_ reference: String, at now: Timestamp) -> Timestamp {
        switch promises.security {
        case .hmac, .rsa: return now
        case .unsigned: return max(now, payments[reference]?.operations.map(\.shownFrom).max() ?? now)
        }
    }

    /// A notification was sent: where it proves nothing, questions answer no older than it.
    mutating func notified(_ reference: String) {
        switch promises.security {
        case .hmac, .rsa: break
        case .unsigned: payments[reference]?.lastAnswer = nil
        }
    }

    func state(of reference: String, at now: Timestamp) -> Json? {
        payments[reference]?.state(at: now, isQuestion: false, echoes: promises.echoes)
    }
}

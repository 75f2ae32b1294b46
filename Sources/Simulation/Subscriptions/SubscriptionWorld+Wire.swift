import Engine
import Http
import Kernel
import Payments

/// A charge that the provider took.
struct TakenCharge: Sendable {
    let reference: String
    let minor: Int64
    let at: Timestamp
}

/// The provider's books of every charge, in the words of its stand-in.
struct SubscriptionBooks: Sendable {
    private(set) var ledgers: [String: HostileLedger] = [:]
    /// From when questions show a charge.
    private var shownFrom: [String: Timestamp] = [:]
    private(set) var taken: [TakenCharge] = []

    func ledger(_ ask: HostileAsk) -> HostileLedger? {
        if let reference = ask.reference { return ledgers[reference] }
        return ledgers.values.first { $0.number == ask.number }
    }

    func isShown(_ reference: String, at now: Timestamp) -> Bool { shownFrom[reference].map { $0 <= now } ?? false }

    func sum(_ reference: String) -> Int64 { ledgers[reference]?.captured ?? 0 }

    mutating func charge(_ reference: String, _ name: String?, _ money: Money, shown: Timestamp, at now: Timestamp) {
        var ledger =
            ledgers[reference]
            ?? HostileLedger(
                reference: reference,
                begins: .sale,
                currency: money.currency,
                number: Int64(ledgers.count + 1)
            )
        ledger.add(.sale, money.minor, ours: name, at: now)
        ledgers[reference] = ledger
        shownFrom[reference] = shown
        taken.append(TakenCharge(reference: reference, minor: money.minor, at: now))
    }
}

/// The wire from the living node to the provider.
extension SubscriptionWorld: Transport {
    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        guard !state.withLock(\.isDead) else { return .notSent(.stopped) }
        guard aboutToSend() else { return .notSent(.vetoed) }
        arriveLate()
        let faults = plan.faults
        if strikes(faults.notSent) { return .notSent(.unreachable) }
        if strikes(faults.lostBefore) { return silence(request) }
        if strikes(faults.straggler) {
            let late = time.now.adding(state.withLock { $0.random.duration(upTo: lag / 3) })
            state.withLock { $0.stragglers.append((request, late)) }
            return silence(request)
        }
        let answer = receive(request)
        trace(
            "\(request.method.rawValue) \(request.url) \(String(decoding: request.body, as: UTF8.self)) -> "
                + "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        )
        if strikes(faults.lostAfter) {
            trace("answer lost")
            return silence(request)
        }
        if strikes(faults.brokenAnswer) {
            // A gateway's page, whatever its status: what the provider did stands.
            let status = state.withLock { $0.random.pick([200, 403, 404, 409, 502]) }
            return .answered(.html(status, "<html>Something</html>"))
        }
        return .answered(answer)
    }

    /// No answer comes, until the deadline or a broken connection ends the wait.
    private func silence(_ request: OutgoingRequest) -> ExchangeOutcome {
        guard state.withLock({ $0.random.chance(500) }) else { return .sentNoAnswer(NoAnswer(.connectionLost)) }
        time.advance(by: request.deadline)
        return .sentNoAnswer(NoAnswer(.deadline))
    }

    /// Slow requests whose time came have arrived before what is sent now.
    func arriveLate() {
        let now = time.now
        let due = state.withLock { state in
            let due = state.stragglers.filter { $0.at <= now }
            state.stragglers.removeAll { $0.at <= now }
            return due
        }
        for (request, _) in due { _ = receive(request) }
    }

    // MARK: What the provider does

    private func receive(_ request: OutgoingRequest) -> HttpResponse {
        guard let ask = wire.read(request) else {
            violate("a request that the reference does not know: \(request.method.rawValue) \(request.url)")
            return .empty(404)
        }
        let now = time.now
        switch ask.purpose {
        case .look: return look(ask, at: now)
        case .move(.sale): return charge(ask, at: now)
        case .other: return wire.success(ask, nothing(ask))
        case .open, .move:
            violate("a request that nobody asked for: \(request.url)")
            return .empty(404)
        }
    }

    /// The ledger of what was never done.
    private func nothing(_ ask: HostileAsk) -> HostileLedger {
        HostileLedger(reference: ask.reference ?? "", begins: .sale, currency: currency)
    }

    private func look(_ ask: HostileAsk, at now: Timestamp) -> HttpResponse {
        if strikes(plan.faults.failedQuestion) { return .json(500, wire.oddBody) }
        guard let ledger = state.withLock({ $0.books.ledger(ask) }),
            state.withLock({ $0.books.isShown(ledger.reference, at: now) })
        else { return wire.absent(ask) }
        return wire.look(ask, ledger)
    }

    /// Charges once under a name; a repetition gets its answer, or any other.
    private func charge(_ ask: HostileAsk, at now: Timestamp) -> HttpResponse {
        guard let reference = ask.reference, let minor = ask.minor else { return .empty(400) }
        if let known = state.withLock({ $0.books.ledgers[reference] }) {
            guard strikes(plan.faults.refusedRepetition) else { return wire.known(ask, known) }
            let status = state.withLock { $0.random.pick([400, 401, 403, 404, 409, 422]) }
            return state.withLock { $0.random.chance(700) }
                ? .json(status, wire.oddBody) : .html(status, "<html>No.</html>")
        }
        if strikes(plan.faults.refusal), let scene {
            // A decline names a payment of its own; these were not even tried.
            let refusals = wire.refusals(scene).filter { !$0.name.hasPrefix("declined") }
            return state.withLock { $0.random.pick(refusals) }.response
        }
        let shown = strikes(plan.faults.lag) ? state.withLock { $0.random.duration(upTo: lag) } : .zero
        return state.withLock { state in
            state.books.charge(reference, ask.name, Money(minor, currency), shown: now.adding(shown), at: now)
            return state.books.ledgers[reference].map { wire.success(ask, $0) } ?? .empty(500)
        }
    }

    /// The message that charges a saved card.
    private var scene: HostileScene? { wire.scenes.first { $0.kind == .sale && $0.method == .instrument } }

    /// How long the provider may be silent about what it did.
    private var lag: Duration {
        let proofs = capabilities.recovery.values.compactMap(\.absenceProof)
        return (proofs.min() ?? .seconds(600)) / 3
    }
}

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
    private(set) var charges: [TakenCharge] = []

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
        charges.append(TakenCharge(reference: reference, minor: money.minor, at: now))
    }
}

/// The provider's side.
extension SubscriptionWorld {
    func receive(_ request: OutgoingRequest) -> HttpResponse {
        guard let ask = wire.read(request) else {
            house.violate("a request that the reference does not know: \(request.method.rawValue) \(request.url)")
            return .empty(404)
        }
        let now = house.time.now
        switch ask.purpose {
        case .look: return look(ask, at: now)
        case .move(.sale): return charge(ask, at: now)
        case .other: return wire.success(ask, nothing(ask))
        case .open, .move:
            house.violate("a request that nobody asked for: \(request.url)")
            return .empty(404)
        }
    }

    /// The ledger of what was never done.
    private func nothing(_ ask: HostileAsk) -> HostileLedger {
        HostileLedger(reference: ask.reference ?? "", begins: .sale, currency: house.currency)
    }

    private func look(_ ask: HostileAsk, at now: Timestamp) -> HttpResponse {
        if house.strikes(house.plan.faults.failedQuestion) { return .json(500, wire.oddBody) }
        guard let ledger = books.withLock({ $0.ledger(ask) }),
            books.withLock({ $0.isShown(ledger.reference, at: now) })
        else { return wire.absent(ask) }
        return wire.look(ask, ledger)
    }

    /// Charges once under a name; a repetition gets its answer, or any other.
    private func charge(_ ask: HostileAsk, at now: Timestamp) -> HttpResponse {
        guard let reference = ask.reference, let minor = ask.minor else { return .empty(400) }
        if let known = books.withLock({ $0.ledgers[reference] }) {
            guard house.strikes(house.plan.faults.refusedRepetition) else { return wire.known(ask, known) }
            let status = house.pick([400, 401, 403, 404, 409, 422])
            return house.wants(700)
                ? .json(status, wire.oddBody) : .html(status, "<html>No.</html>")
        }
        if house.strikes(house.plan.faults.refusal), let scene {
            // A decline names a payment of its own; these were not even tried.
            let refusals = wire.refusals(scene).filter { !$0.name.hasPrefix("declined") }
            return house.pick(refusals).response
        }
        let shown = house.strikes(house.plan.faults.staleQuestion) ? house.duration(upTo: house.lag) : .zero
        return books.withLock { books in
            books.charge(reference, ask.name, Money(minor, house.currency), shown: now.adding(shown), at: now)
            return books.ledgers[reference].map { wire.success(ask, $0) } ?? .empty(500)
        }
    }

    /// The message that charges a saved card.
    private var scene: HostileScene? { wire.scenes.first { $0.kind == .sale && $0.method == .instrument } }
}

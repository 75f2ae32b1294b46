import Engine
import Http
import Kernel
import Payments

/// A provider of series that answers as a case tells it, and keeps the ledger of what it truly did.
final class HostileSeriesStandIn: Transport {
    struct State: Sendable {
        /// Payments by their names there.
        var ledgers: [String: HostileLedger] = [:]
        /// The amount that the series takes each time.
        var minor: Int64
        var isActive = true
        /// How often the message under test came.
        var sendings = 0
        var firstAt = Timestamp.epoch
        /// Names of debits that were asked for.
        var debits: [String] = []
        /// Whether every question is answered by the truth from now on.
        var isFrank = false
        /// Breaches of what must never be.
        var breaches: [String] = []
        var trace: [String] = []

        mutating func take(_ name: String, _ minor: Int64, _ currency: Currency, at now: Timestamp) {
            ledgers[name, default: HostileLedger(reference: name, begins: .sale, currency: currency)]
                .add(.sale, minor, ours: nil, at: now)
        }

        /// Our debits that took money which did not come back.
        var charged: Int { debits.count { name in ledgers[name].map { $0.captured > $0.refunded } ?? false } }
    }

    /// The amount that the schedule begins with, and the one that it is changed to.
    static let minor: Int64 = 1999
    static let changed: Int64 = 2999

    private let play: HostileSeriesCase
    private let time: SimulatedTime
    private let currency: Currency
    private let wire = EcommpayTableWire()
    private let state = Locked(State(minor: minor))
    private let lag: Duration

    init(_ play: HostileSeriesCase, _ time: SimulatedTime, _ currency: Currency, lag: Duration) {
        self.play = play
        self.time = time
        self.currency = currency
        self.lag = lag
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        guard aboutToSend() else { return .notSent(.vetoed) }
        let now = time.now
        return state.withLock { state in
            let outcome = answer(request, at: now, &state)
            state.trace.append("\(now) \(request.line) -> \(outcome.line)")
            return outcome
        }
    }

    private func answer(_ request: OutgoingRequest, at now: Timestamp, _ state: inout State) -> ExchangeOutcome {
        guard let ask = HostileSeriesAsk(request) else {
            state.breaches.append("unread: \(request.line)")
            return .answered(.empty(404))
        }
        switch ask {
        case .payment(let asked) where asked.purpose == .look: return look(asked, at: now, state)
        case .cancel, .update, .payment: break
        }
        state.sendings += 1
        if state.sendings == 1 {
            state.firstAt = now
            carryOut(ask, at: now, &state)
            return answered(play.turn == .first ? play.answer : .lost, ask, state)
        }
        let answer = play.turn == .repeated && state.sendings == 2 ? play.answer : .success
        guard answer == .success else { return answered(answer, ask, state) }
        return again(ask, at: now, &state)
    }

    // MARK: What is done

    private func carryOut(_ ask: HostileSeriesAsk, at now: Timestamp, _ state: inout State) {
        switch ask {
        case .cancel: if play.truth != .nothing { state.isActive = false }
        case .update(let minor):
            switch play.truth {
            case .nothing: return
            case .done, .undone, .twice: state.minor = minor ?? state.minor
            case .otherAmount: state.minor = 5999
            }
        case .payment(let asked):
            guard let name = asked.name, let minor = asked.minor else { return }
            state.debits.append(name)
            switch play.truth {
            case .nothing: return
            case .done, .undone: state.take(name, minor, currency, at: now)
            case .otherAmount: state.take(name, minor + 300, currency, at: now)
            case .twice: for _ in 0..<2 { state.take(name, minor, currency, at: now) }
            }
        }
    }

    /// A further sending: a debit whose name is known does nothing more, everything else is done.
    private func again(_ ask: HostileSeriesAsk, at now: Timestamp, _ state: inout State) -> ExchangeOutcome {
        switch ask {
        case .cancel: state.isActive = false
        case .update(let minor): state.minor = minor ?? state.minor
        case .payment(let asked):
            guard let name = asked.name, let minor = asked.minor else { break }
            if let known = state.ledgers[name] { return .answered(wire.known(asked, known)) }
            if state.charged > 0 { state.breaches.append("double: \(name) is a further debit of a paid occurrence") }
            if !state.debits.contains(name) { state.debits.append(name) }
            state.take(name, minor, currency, at: now)
        }
        return .answered(HostileSeriesWords.success)
    }

    // MARK: What is said

    private func answered(_ answer: HostileAnswer, _ ask: HostileSeriesAsk, _ state: State) -> ExchangeOutcome {
        switch answer {
        case .success, .odd: .answered(HostileSeriesWords.success)
        case .refusal(let name): .answered(HostileSeriesWords.refusal(name))
        case .status(let status, let body): .answered(body.response(status, wire.oddBody))
        case .half: .answered(HostileSeriesWords.success.half)
        case .lost: .sentNoAnswer(NoAnswer(.deadline))
        }
    }

    private func look(_ ask: HostileAsk, at now: Timestamp, _ state: State) -> ExchangeOutcome {
        guard let name = ask.reference, let ledger = state.ledgers[name] else { return .answered(wire.absent(ask)) }
        // Only what is debited by a series is under test, and its operations have a word of their own.
        let isDebit =
            state.debits.contains(name) || play.scene == .callback && name.hasPrefix(HostileSeriesStage.theirs)
        guard isDebit else { return .answered(wire.look(ask, ledger)) }
        let truth = wire.look(ask, ledger).changing("type") { $0.text == "sale" ? "recurring" : $0 }
        guard !state.isFrank else { return .answered(truth) }
        let isLate = now < state.firstAt.adding(lag)
        switch play.look {
        case .truth: return .answered(truth)
        case .lag, .absent: return .answered(isLate ? wire.absent(ask) : truth)
        case .garbled: return .answered(truth.changing("amount") { _ in "1,00x" })
        case .unheard: return .answered(truth.changing("status") { _ in "unheard of" })
        case .error: return .answered(.json(500, wire.oddBody))
        case .refused: return .answered(.json(403, wire.oddBody))
        case .bare, .forgotten: return .answered(wire.absent(ask))
        }
    }
}

import Engine
import Http
import Kernel
import Payments

/// A provider that answers as a case of the table tells it, and keeps the ledger of what it truly did.
final class HostileStandIn: Transport {
    struct State: Sendable {
        var ledger: HostileLedger?
        /// The ledger before the message under test.
        var before: HostileLedger?
        var play: HostileCase?
        /// How often the message under test came.
        var sendings = 0
        var firstAt = Timestamp.epoch
        /// How often a message under test acted.
        var acts = 0
        var knownNames: Set<String> = []
        var looks = 0
        /// Whether every question is answered by the truth from now on.
        var isFrank = false
        /// Breaches of what must never be: messages that acted again, and requests that the reference does not know.
        var breaches: [String] = []
        var trace: [String] = []

        /// The provider's own people do something, and no message of ours is under test.
        mutating func act(_ kind: OperationKind, _ minor: Int64, at now: Timestamp) {
            before = ledger
            (sendings, firstAt) = (1, now)
            ledger?.add(kind, minor, ours: nil, at: now)
        }

        /// The payer goes through with the order, where there is one; answers whether there was.
        mutating func pay(_ play: HostileCase, at now: Timestamp) -> Bool {
            if play.scene.isHandover, play.truth != .nothing, ledger?.order == nil {
                ledger?.open(play.scene.ordered(play.scene.asked, play.truth) ?? play.scene.asked)
            }
            guard ledger?.order != nil else { return false }
            before = ledger
            (sendings, firstAt) = (max(1, sendings), now)
            ledger?.pay(at: now)
            if play.truth == .twice { ledger?.pay(at: now) }
            if play.truth == .otherAmount, play.scene.isCheck {
                ledger?.add(.sale, play.scene.other, ours: nil, at: now)
            }
            trace.append("\(now) the payer pays")
            return true
        }

        /// Undoes what was done, so that it may be done again.
        mutating func undo(_ kind: OperationKind, at now: Timestamp) {
            ledger?.undo(kind, at: now)
            acts = 0
        }
    }

    private let wire: any HostileWire
    private let time: SimulatedTime
    /// How long the provider may be silent about what it did, by kind.
    private let lag: @Sendable (OperationKind) -> Duration
    private let state: Locked<State>

    init(
        _ wire: any HostileWire,
        _ time: SimulatedTime,
        lag: @escaping @Sendable (OperationKind) -> Duration,
        _ state: State
    ) {
        self.wire = wire
        self.time = time
        self.lag = lag
        self.state = Locked(state)
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
        guard let ask = wire.read(request), var ledger = state.ledger else {
            state.breaches.append("unread: \(request.line)")
            return .answered(.empty(404))
        }
        defer { state.ledger = ledger }
        switch ask.purpose {
        case .other: return .answered(wire.success(ask, ledger))
        case .look:
            state.looks += 1
            return look(ask, ledger, at: now, state)
        case .open, .move:
            guard let play = state.play, isUnderTest(ask, play.scene) else {
                act(ask, ask.minor, &ledger)
                return .answered(wire.success(ask, ledger))
            }
            state.sendings += 1
            if state.sendings == 1 {
                state.before = ledger
                state.firstAt = now
                if play.scene.beside > 0 { ledger.add(play.scene.kind, play.scene.beside, ours: nil, at: now) }
                carryOut(ask, play, &ledger, &state)
                var told = ledger
                // A success is told of what was asked for, done or not.
                if play.truth == .nothing { act(ask, ask.minor, &told) }
                return wire.answer(play.turn == .first ? play.answer : .lost, to: ask, told, play.scene)
            }
            let isTold = play.turn == .repeated && state.sendings == 2
            let answer = isTold ? play.answer : .success
            if answer == .success, !again(ask, &ledger, &state) { return .answered(wire.known(ask, ledger)) }
            return wire.answer(answer, to: ask, ledger, play.scene)
        }
    }

    private func isUnderTest(_ ask: HostileAsk, _ scene: HostileScene) -> Bool {
        switch ask.purpose {
        case .open: scene.before == .nothing
        case .move(let kind): kind == scene.kind
        case .look, .other: false
        }
    }

    // MARK: What is done

    /// The first sending does what the case says.
    private func carryOut(_ ask: HostileAsk, _ play: HostileCase, _ ledger: inout HostileLedger, _ state: inout State) {
        switch play.truth {
        case .nothing: return
        case .done, .undone: act(ask, ask.minor, &ledger)
        case .otherAmount:
            act(ask, ask.purpose == .open ? play.scene.ordered(ask.minor, play.truth) : play.scene.other, &ledger)
        case .twice:
            act(ask, ask.minor, &ledger)
            act(ask, ask.minor, &ledger)
        }
        state.acts = 1
        if let name = ask.name { state.knownNames.insert(name) }
    }

    /// A further sending: a name that is known does nothing more, everything else does it again; answers whether it
    /// did.
    private func again(_ ask: HostileAsk, _ ledger: inout HostileLedger, _ state: inout State) -> Bool {
        if let name = ask.name, wire.knowsName(of: ask.purpose), state.knownNames.contains(name) { return false }
        if case .move(let kind) = ask.purpose, state.acts > 0 {
            state.breaches.append("double: \(kind.rawValue) acted again")
        }
        act(ask, ask.minor, &ledger)
        state.acts += 1
        if let name = ask.name { state.knownNames.insert(name) }
        return true
    }

    private func act(_ ask: HostileAsk, _ minor: Int64?, _ ledger: inout HostileLedger) {
        switch ask.purpose {
        case .open: if ledger.order == nil { ledger.open(minor ?? HostileScene.total) }
        case .move(let kind):
            let held = ledger.authorized - ledger.captured - ledger.released
            let amount = minor ?? (kind == .void ? held : HostileScene.total)
            ledger.add(kind, amount, ours: ask.name, at: time.now)
            if kind == .capture, wire.releasesRest, amount < held {
                ledger.add(.void, held - amount, ours: nil, at: time.now)
            }
        case .look, .other: return
        }
    }

    // MARK: What is said

    private func look(_ ask: HostileAsk, _ ledger: HostileLedger, at now: Timestamp, _ state: State) -> ExchangeOutcome
    {
        guard let play = state.play, state.sendings > 0, !state.isFrank else {
            return .answered(wire.look(ask, ledger))
        }
        let isLate = now < state.firstAt.adding(lag(play.scene.kind))
        switch play.look {
        case .truth: return .answered(wire.look(ask, ledger))
        case .lag: return .answered(wire.look(ask, isLate ? state.before ?? ledger : ledger))
        case .absent: return .answered(isLate ? wire.absent(ask) : wire.look(ask, ledger))
        case .garbled: return .answered(wire.look(ask, ledger).changing("amount") { _ in "1,00x" })
        case .unheard:
            let answer = wire.look(ask, ledger)
            return .answered(answer.changing("status") { $0.integer == nil ? "unheard of" : 99 })
        case .error: return .answered(.json(500, wire.oddBody))
        case .refused: return .answered(.json(403, wire.oddBody))
        case .bare: return .answered(Self.bare(wire.look(ask, ledger)))
        case .forgotten: return .answered(wire.absent(ask))
        }
    }

    /// The same answer without members that list or sum up what followed a payment's beginning.
    private static func bare(_ response: HttpResponse) -> HttpResponse {
        let left: Set<String> = ["operations", "refundedamount", "refund_info"]
        func change(_ json: Json) -> Json {
            if let items = json.items { return .array(items.map(change)) }
            guard let object = json.members else { return json }
            let members = object.members.filter { !left.contains($0.name.lowercased()) }
            return .object(JsonObject(members.map { ($0.name, change($0.value)) }))
        }
        guard let body = try? Json(response.body) else { return response }
        var other = response
        other.body = change(body).compactBytes
        return other
    }
}

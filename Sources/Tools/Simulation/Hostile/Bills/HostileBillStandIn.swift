import Engine
import Http
import Kernel
import Payments

/// A provider of bills that answers as a case tells it, and keeps the ledger of what it truly took.
final class HostileBillStandIn: Transport {
    struct State: Sendable {
        var ledger: [HostileBillEntry] = []
        /// Bills that were asked to be paid, and of which nothing has proved since that they were not.
        var unproven: Set<String> = []
        /// Messages that pay bills, without those that were turned away before the one under test.
        var sendings = 0
        var isTurnedAway = false
        var prices = 0
        /// Breaches of what must never be.
        var breaches: [String] = []
        var trace: [String] = []

        /// Takes money for a bill.
        mutating func pay(_ id: String, _ minor: Int64) {
            ledger.append(HostileBillEntry(id: id, minor: minor, number: ledger.count + 1))
        }

        /// Does with these bills what a case says.
        mutating func carryOut(_ truth: HostileBillTruth, _ bills: [(id: String, minor: Int64)]) {
            switch truth {
            case .nothing: return
            case .done, .undone: for bill in bills { pay(bill.id, bill.minor) }
            case .some: for bill in bills.dropLast() { pay(bill.id, bill.minor) }
            case .otherAmount:
                for (place, bill) in bills.enumerated() { pay(bill.id, bill.minor + (place == 0 ? 300 : 0)) }
            case .twice:
                for bill in bills { pay(bill.id, bill.minor) }
                for bill in bills.prefix(1) { pay(bill.id, bill.minor) }
            }
            guard truth == .undone else { return }
            for index in ledger.indices where bills.contains(where: { $0.id == ledger[index].id }) {
                ledger[index].isBack = true
            }
        }
    }

    private let play: HostileBillCase
    private let time: SimulatedTime
    private let state = Locked(State())

    init(_ play: HostileBillCase, _ time: SimulatedTime) {
        self.play = play
        self.time = time
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        guard aboutToSend() else { return .notSent(.vetoed) }
        let now = time.now
        return state.withLock { state in
            let outcome = answer(request, &state)
            state.trace.append("\(now) \(request.line) -> \(outcome.line)")
            return outcome
        }
    }

    private func answer(_ request: OutgoingRequest, _ state: inout State) -> ExchangeOutcome {
        guard let ask = HostileBillAsk(request) else {
            state.breaches.append("unread: \(request.line)")
            return .answered(.empty(404))
        }
        switch ask.purpose {
        case .price:
            state.prices += 1
            return price(ask, state)
        case .payment:
            for id in ask.ids {
                if state.ledger.contains(where: { $0.id == id }) {
                    state.breaches.append("double: \(id) was paid, and is asked to be paid again")
                } else if state.unproven.contains(id) {
                    state.breaches.append("unproven: \(id) is asked to be paid again")
                }
            }
            let outcome = pay(ask, &state)
            state.unproven.formUnion(ask.ids)
            state.unproven.subtract(proved(ask, outcome))
            return outcome
        }
    }

    private func pay(_ ask: HostileBillAsk, _ state: inout State) -> ExchangeOutcome {
        if play.scene == .renewed, !state.isTurnedAway {
            state.isTurnedAway = true
            return .answered(HostileBillWords.refusal(HostileBillWords.stale))
        }
        state.sendings += 1
        if state.sendings == 1 {
            guard play.scene != .step else { return step(ask, &state) }
            state.carryOut(play.truth, ask.bills)
            return answer(play.turn == .first ? play.answer : .lost, ask, state)
        }
        // What was paid is refused; the rest is paid.
        let known = Set(state.ledger.map(\.id))
        state.carryOut(.done, ask.bills.filter { !known.contains($0.id) })
        let isTold = play.turn == .repeated && state.sendings == 2
        return answer(isTold ? play.answer : .success, ask, state)
    }

    /// The first bill is paid, the second waits for its payer, and the third is untouched.
    private func step(_ ask: HostileBillAsk, _ state: inout State) -> ExchangeOutcome {
        state.carryOut(.done, Array(ask.bills.prefix(1)))
        let walked = HostileBillWords.rows(ask, state.ledger).prefix(1)
        let stopped = ask.bills.dropFirst().prefix(1).map { HostileBillWords.stepRow($0.id, $0.minor) }
        return .answered(HostileBillWords.list(walked + stopped))
    }

    // MARK: What is said

    private func answer(_ answer: HostileAnswer, _ ask: HostileBillAsk, _ state: State) -> ExchangeOutcome {
        let rows = HostileBillWords.rows(ask, state.ledger)
        switch answer {
        case .success: return .answered(HostileBillWords.list(rows))
        case .refusal(let name): return .answered(HostileBillWords.refusal(name))
        case .odd(let name): return .answered(HostileBillWords.odd(name, rows, ask))
        case .status(let status, let body): return .answered(body.response(status, HostileBillWords.oddBody))
        case .half: return .answered(HostileBillWords.list(rows).half)
        case .lost: return .sentNoAnswer(NoAnswer(.deadline))
        }
    }

    /// Answers a question about a price; late and absent looks are right from the third question on.
    private func price(_ ask: HostileBillAsk, _ state: State) -> ExchangeOutcome {
        let price = HostileBillWords.price(ask)
        switch play.look {
        case .truth: return .answered(price)
        case .lag: return state.prices < 3 ? .answered(.empty(503)) : .answered(price)
        case .absent: return .answered(HostileBillWords.noPrice)
        case .garbled: return .answered(price.changing("amount") { _ in "1,00x" })
        case .unheard: return .answered(price.changing("id") { _ in "other-1" })
        case .error: return .answered(.json(500, HostileBillWords.oddBody))
        case .refused: return .answered(.json(403, HostileBillWords.oddBody))
        case .bare, .forgotten: return .answered(.empty(404))
        }
    }

    /// Bills that an answer proves to be unpaid: it tells each as not paid and nothing else of it, or as behind the place
    /// where its walk ended; or it turns the whole away where that proves something.
    private func proved(_ ask: HostileBillAsk, _ outcome: ExchangeOutcome) -> Set<String> {
        guard case .answered(let response) = outcome, response.status == 200, let body = try? Json(response.body) else {
            return []
        }
        if play.scene.isProving, body.at("error", "code")?.text == "1" { return Set(ask.ids) }
        guard let rows = body["result"]?.items else { return [] }
        var proved = Set(
            ask.ids.filter { id in
                let own = rows.filter { $0["billId"]?.text == id }
                return !own.isEmpty
                    && own.allSatisfy { row in
                        ["", "REJECTED"].contains(row["status"]?.text) && row["errorMessage"]?.text?.isEmpty == false
                    }
            }
        )
        if let last = rows.last, last["mpiFlag"]?.text == "Y", let id = last["billId"]?.text,
            let place = ask.ids.firstIndex(of: id)
        {
            let told = Set(rows.compactMap { $0["billId"]?.text })
            proved.formUnion(ask.ids[(place + 1)...].filter { !told.contains($0) })
        }
        return proved
    }
}

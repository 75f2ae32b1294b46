import Engine
import Http
import Kernel
import Payments

/// The wire from the living node to the provider.
struct HouseWire: Transport {
    let house: House
    let plot: any HousePlot

    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        guard !house.state.withLock(\.isDead) else { return .notSent(.stopped) }
        guard aboutToSend() else { return .notSent(.vetoed) }
        house.arriveLate(plot)
        let faults = house.plan.faults
        if house.strikes(faults.notSent) { return .notSent(.unreachable) }
        if house.strikes(faults.lostBefore) { return silence(request) }
        if house.strikes(faults.straggler) {
            let late = house.time.now.adding(house.duration(upTo: house.lag / 3))
            house.state.withLock { $0.stragglers.append((request, late)) }
            return silence(request)
        }
        let answer = plot.receive(request)
        house.trace(
            "\(request.method.rawValue) \(request.url) \(String(decoding: request.body, as: UTF8.self)) -> "
                + "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        )
        if house.strikes(faults.lostAfter) {
            house.trace("answer lost")
            return silence(request)
        }
        if house.strikes(faults.brokenAnswer) {
            // A gateway's page, whatever its status: what the provider did stands.
            return .answered(.html(house.pick([200, 403, 404, 409, 502]), "<html>Something</html>"))
        }
        return .answered(answer)
    }

    /// No answer comes, until the deadline or a broken connection ends the wait.
    private func silence(_ request: OutgoingRequest) -> ExchangeOutcome {
        guard house.wants(500) else { return .sentNoAnswer(NoAnswer(.connectionLost)) }
        house.time.advance(by: request.deadline)
        return .sentNoAnswer(NoAnswer(.deadline))
    }
}

extension House {
    /// How long the provider may be silent about what it did.
    var lag: Duration {
        (capabilities.recovery.absenceProofs.min() ?? .seconds(600)) / 3
    }

    /// Slow requests whose time came have arrived before what is sent now.
    func arriveLate(_ plot: any HousePlot) {
        let now = time.now
        let due = state.withLock { state in
            let due = state.stragglers.filter { $0.at <= now }
            state.stragglers.removeAll { $0.at <= now }
            return due
        }
        for (request, _) in due {
            trace("arrives late: \(request.url) \(String(decoding: request.body, as: UTF8.self))")
            _ = plot.receive(request)
        }
    }
}

import Engine
import Http
import Kernel
import Payments

/// The wire from one life of one node to the provider.
struct GatedWire: Transport {
    let world: World
    let node: Int
    let life: Int

    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        await world.exchange(request, node, life, aboutToSend)
    }
}

extension World {
    func exchange(_ request: OutgoingRequest, _ node: Int, _ life: Int, _ aboutToSend: @Sendable () -> Bool) async
        -> ExchangeOutcome
    {
        if strikes(plan.faults.slowCall) {
            // The process stood still: stopped, swapped out, or a machine that was moved.
            time.advance(by: random.duration(upTo: .seconds(20)))
            await aside()
        }
        guard isAlive(node, life) else { return .notSent(.stopped) }
        guard aboutToSend() else { return .notSent(.vetoed) }
        guard let asked = ModelWire.Request(request.body) else { return .notSent(.invalidRequest) }
        let what = "\(asked.isQuery ? "question" : asked.kind.rawValue) \(asked.operation) of \(asked.payment)"
        if isOutage, random.chance(700) { return outage(what) }
        if strikes(plan.faults.notSent) { return .notSent(random.chance(500) ? .unreachable : .tlsFailed) }
        if strikes(plan.faults.lostBefore) {
            trace("lost on its way: \(what)")
            return await silence(request.deadline, node, life)
        }
        if strikes(plan.faults.straggler) {
            trace("on its way for long: \(what)")
            let late = now.adding(random.duration(upTo: model.promises.straggling))
            agenda.add(.straggler(request.body), at: late)
            return .sentNoAnswer(NoAnswer(.connectionLost))
        }
        arriveLate()
        let (answer, consequences) = model.receive(asked, at: now, &random)
        trace("node \(node) sends \(what): \(answer.json.canonicalText)")
        follow(consequences)
        if strikes(plan.faults.crash * 5) { crash(node) }
        if strikes(plan.faults.lostAfter) {
            trace("answer lost: \(what)")
            return await silence(request.deadline, node, life)
        }
        if strikes(plan.faults.brokenAnswer) {
            return .answered(HttpResponse(status: random.chance(500) ? 503 : 200, body: Array("<html>".utf8)))
        }
        if strikes(plan.faults.slowCall) { await dawdle(random.duration(upTo: .seconds(120)), node, life) }
        return .answered(.json(200, answer.json))
    }

    private func outage(_ what: String) -> ExchangeOutcome {
        trace("outage: \(what)")
        if random.chance(600) { return .notSent(.unreachable) }
        return random.chance(500) ? .sentNoAnswer(NoAnswer(.deadline)) : .answered(HttpResponse(status: 503))
    }

    /// No answer comes, until the deadline or a broken connection ends the wait.
    private func silence(_ deadline: Duration, _ node: Int, _ life: Int) async -> ExchangeOutcome {
        if random.chance(500) {
            await dawdle(deadline, node, life)
            return .sentNoAnswer(NoAnswer(.deadline))
        }
        return .sentNoAnswer(NoAnswer(.connectionLost))
    }

    /// Time passes on the wire, and others use it: a lease may run out meanwhile.
    private func dawdle(_ duration: Duration, _ node: Int, _ life: Int) async {
        time.advance(by: duration)
        for _ in 0..<3 { await aside() }
    }

    /// Plans what follows at the provider.
    func follow(_ consequences: [ProviderModel.Consequence]) {
        for consequence in consequences {
            switch consequence {
            case .finish(let payment, let operation, let wait):
                agenda.add(.finish(payment: payment, operation: operation), at: now.adding(wait))
            case .tell(let payment): tell(payment)
            }
        }
    }

    /// The provider writes a notification about how a payment stands now.
    private func tell(_ reference: String) {
        guard let body = model.state(of: reference, at: now)?.compactBytes else { return }
        // What a question finds may stay untold; nobody asks about what nobody here began.
        let isAwaited = model.payments[reference]?.operations.allSatisfy { !$0.isUnasked } ?? false
        if isAwaited, strikes(plan.faults.lostNotification) { return }
        let earliest = model.toldFrom(reference, at: now)
        let copies = strikes(plan.faults.doubledNotification) ? 2 : 1
        for _ in 0..<copies {
            let longest = strikes(plan.faults.lateNotification) ? model.promises.latestNotice : .seconds(30)
            agenda.add(
                .notify(Agenda.Notice(payment: reference, body: body, isForged: false)),
                at: earliest.adding(random.duration(upTo: longest))
            )
        }
        if strikes(plan.faults.forgedNotification) {
            let forged = Agenda.Notice(payment: reference, body: body, isForged: true)
            agenda.add(.notify(forged), at: now.adding(.seconds(1)))
        }
    }
}

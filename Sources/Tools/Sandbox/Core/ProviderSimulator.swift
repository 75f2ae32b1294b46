package import Kernel

/// A provider as a pure machine: requests, delivery replies and the time go in, what must be done now comes out.
///
/// It holds no socket and no clock: `SandboxServer` feeds it and does what comes back. Fed the same inputs again, it
/// reaches the same state: that is how the journal restores it. The shell of all simulators is here and in
/// `SimulatorCore`; a simulator is left with its rules: which request is what, and what happens when something is due.
package protocol ProviderSimulator: Sendable {
    associatedtype Due: Sendable
    associatedtype Fault: CountedFault

    var core: SimulatorCore<Due, Fault> { get set }

    /// A digest of everything that decides what an input leads to; secrets go in as keys only.
    var fingerprint: String { get }

    /// Answers a request; what is due by now has happened.
    mutating func route(_ request: SandboxRequest) -> SandboxAnswer

    /// Something is due.
    mutating func happen(_ element: Due)

    /// Whether a request may change the state and belongs into the journal.
    func isRecorded(_ request: SandboxRequest) -> Bool

    /// A delivery as it leaves now; `nil` where it can't leave.
    func dressed(_ delivery: SandboxDelivery, _ notice: SandboxNotice) -> SandboxDelivery?

    /// An attempt to deliver a notification ended.
    mutating func noticeEnded(_ attempt: DeliveryAttempt, _ reply: DeliveryReply)

    /// Takes up again what was under way when the process ended.
    mutating func resume()
}

// MARK: What the host calls

extension ProviderSimulator {
    /// A request arrived; exactly one of the actions is its answer.
    package mutating func received(_ request: SandboxRequest, at time: Timestamp) -> [SandboxAction] {
        runDue(until: core.simulated(time))
        core.actions.append(.answer(route(request)))
        return core.takeActions()
    }

    /// An attempt to deliver a notification ended.
    package mutating func deliveryEnded(
        _ attempt: DeliveryAttempt,
        _ reply: DeliveryReply,
        at time: Timestamp
    ) -> [SandboxAction] {
        core.now = max(core.now, core.simulated(time))
        noticeEnded(attempt, reply)
        return core.takeActions()
    }

    /// The time moved on; everything due until then happens, in order.
    package mutating func timeReached(_ time: Timestamp) -> [SandboxAction] {
        runDue(until: core.simulated(time))
        return core.takeActions()
    }

    /// The state was restored from a journal: what was under way when the process ended is taken up again.
    package mutating func resumed(at time: Timestamp) -> [SandboxAction] {
        core.now = max(core.now, core.simulated(time))
        resume()
        return core.takeActions()
    }

    /// When `timeReached` has work next.
    package var nextDue: Timestamp? { core.nextDue }

    package func isRecorded(_ request: SandboxRequest) -> Bool { request.method != "GET" }

    /// Does everything that is due until then, each at its own time.
    mutating func runDue(until reached: Timestamp) {
        while let (time, item) = core.queue.takeDue(at: reached) {
            core.now = max(core.now, time)
            switch item {
            case .notice(let attempt): noticeDue(attempt)
            case .own(let element): happen(element)
            }
        }
        core.now = max(core.now, reached)
    }
}

// MARK: Shorthands of the rules

extension ProviderSimulator {
    /// The time of the input being handled.
    var now: Timestamp { core.now }
    package var ledger: SandboxLedger { core.ledger }
    package var diary: SandboxDiary { core.diary }
    package var faults: [Fault] { core.faults }

    mutating func add(_ element: Due, after wait: Duration) { add(element, due: now.adding(wait)) }
    mutating func add(_ element: Due, due: Timestamp) { core.queue.add(.own(element), due: due) }

    mutating func note(_ kind: String, _ name: String, payment: String, _ outcome: String) {
        core.diary.note(kind, name, payment: payment, outcome, at: now)
    }

    /// Moves money, where there is any to move.
    mutating func book(
        _ kind: SandboxLedger.Kind,
        _ amount: Money,
        _ owner: SandboxLedger.Owner,
        _ operation: String
    ) {
        guard amount.minor > 0 else { return }
        core.ledger.record(kind, amount, owner: owner, operation: operation, at: now)
    }
}

// MARK: Notices

extension ProviderSimulator {
    package func dressed(_ delivery: SandboxDelivery, _ notice: SandboxNotice) -> SandboxDelivery? { delivery }

    /// Sends a notice after a wait, or at once.
    mutating func tell(_ notice: SandboxNotice, after wait: Duration? = nil) {
        core.notices[notice.id] = notice
        let first = DeliveryAttempt(delivery: notice.id, number: 1)
        guard let wait else { return noticeDue(first) }
        core.queue.add(.notice(first), due: now.adding(wait))
    }

    private mutating func noticeDue(_ attempt: DeliveryAttempt) {
        guard let notice = core.notices[attempt.delivery], !notice.isDelivered, notice.attempts == attempt.number - 1,
            let delivery = dressed(notice.delivery(attempt), notice)
        else { return }
        core.notices[notice.id]?.attempts += 1
        core.notices[notice.id]?.isOpen = true
        core.actions.append(.deliver(delivery))
    }

    package mutating func noticeEnded(_ attempt: DeliveryAttempt, _ reply: DeliveryReply) {
        guard let notice = core.notices[attempt.delivery], notice.isOpen, notice.attempts == attempt.number else {
            return
        }
        core.notices[notice.id]?.isOpen = false
        if case .status(let status) = reply, notice.accepted.contains(status) {
            core.notices[notice.id]?.isDelivered = true
        } else if notice.pauses.indices.contains(attempt.number - 1) {
            let next = DeliveryAttempt(delivery: notice.id, number: attempt.number + 1)
            core.queue.add(.notice(next), due: now.adding(notice.pauses[attempt.number - 1]))
        }
    }

    /// Counts what was under way as not answered.
    package mutating func resume() {
        for notice in core.noticesInOrder where notice.isOpen {
            noticeEnded(DeliveryAttempt(delivery: notice.id, number: notice.attempts), .noAnswer)
        }
    }

    /// Sends a notice once more, whatever became of it.
    mutating func tellAgain(_ notice: SandboxNotice) {
        core.notices[notice.id]?.isDelivered = false
        core.queue.add(.notice(DeliveryAttempt(delivery: notice.id, number: notice.attempts + 1)), due: now)
    }
}

// MARK: Faults

extension ProviderSimulator {
    /// Takes the fault that strikes here, if one does; each strikes as often as it was asked to.
    mutating func takeFault(where strikes: (Fault) -> Bool) -> Fault? {
        guard let index = core.faults.firstIndex(where: strikes) else { return nil }
        let fault = core.faults[index]
        core.faults[index].times -= 1
        if core.faults[index].times <= 0 { core.faults.remove(at: index) }
        return fault
    }

    /// Takes the fault of one of these kinds that strikes at a point, if one does.
    mutating func takeFault<Kind>(_ point: String, _ kinds: Set<Kind>) -> Fault? where Fault == SandboxFault<Kind> {
        takeFault { kinds.contains($0.kind) && ($0.on == nil || $0.on == point) }
    }

    /// Orders a fault; `points` are those at which a kind can strike, where the simulator tells them apart.
    mutating func faultAsked<Kind>(
        _ fields: ControlFields,
        canBeBusy: Bool = false,
        points: (Kind) -> [String]? = { _ in nil }
    ) -> SandboxAnswer where Fault == SandboxFault<Kind> {
        guard let kind = fields.text("fault").flatMap(Kind.init(rawValue:)) else {
            return .refused(422, "unknown_fault", "fault is one of the words in the table.")
        }
        let on = fields.text("on")
        if let on, let points = points(kind), !points.contains(on) {
            return .refused(422, "wrong_point", "on is one of \(points.joined(separator: ", ")).")
        }
        let times = fields.integer("times") ?? 1
        let milliseconds = fields.integer("milliseconds") ?? 3000
        let busy = canBeBusy ? fields.integer("busy") ?? 0 : 0
        let waits: ClosedRange<Int64> = 0...3_600_000
        guard (1...1_000_000).contains(times), waits.contains(milliseconds), waits.contains(busy) else {
            let names = canBeBusy ? "times, milliseconds or busy" : "times or milliseconds"
            return .refused(422, "bad_number", "\(names) are out of range.")
        }
        core.faults.append(
            SandboxFault(kind: kind, on: on, milliseconds: milliseconds, busy: busy, times: Int(times))
        )
        return .json(201, ["faults": .integer(Int64(core.faults.count))])
    }
}

extension ProviderSimulator {
    /// Takes any input.
    package mutating func take(_ input: SandboxInput, at time: Timestamp) -> [SandboxAction] {
        switch input {
        case .request(let request): received(request, at: time)
        case .deliveryEnded(let attempt, let reply): deliveryEnded(attempt, reply, at: time)
        case .timeReached: timeReached(time)
        case .resumed: resumed(at: time)
        }
    }
}

import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Schedules
import TestKit

/// Holds what became of subscriptions against the provider's books.
struct SubscriptionVerdict {
    private let world: SubscriptionWorld
    private let books: SubscriptionBooks
    private var payments: [Uuid: Payment] = [:]
    private var removedAt: [Uuid: Timestamp] = [:]

    init(_ world: SubscriptionWorld) {
        self.world = world
        books = world.state.withLock(\.books)
    }

    func judge() async {
        var verdict = self
        do {
            try verdict.read()
            for number in 0..<world.plan.subscribers { try verdict.judge(number) }
        } catch {
            world.violate("the log can't be read: \(error)")
        }
        verdict.judgeCharges()
        for refused in world.store.quarantined { world.violate("an input in quarantine: \(refused.reason)") }
        let seen = await StoredLog(world.store, world.wire.provider.adapter, FixedZones(), world.time).verify()
        for violation in seen.violations { world.violate(violation) }
        let (events, payments) = (world.store.recorded(from: 0).count, verdict.payments.count)
        world.state.withLock { state in
            (state.report.events, state.report.payments) = (events, payments)
            (state.report.sends, state.report.fingerprint) = (seen.sends, seen.fingerprint)
        }
    }

    private mutating func read() throws {
        for event in world.store.recorded(from: 0) {
            if event.stream.kind.isPayment {
                payments[event.stream.id, default: Payment(id: PaymentId(event.stream.id))]
                    .evolve(try PaymentEvent(type: event.type, data: event.data))
            } else if event.stream.kind == .instrument,
                case .removed(_, _, let at) = try InstrumentEvent(type: event.type, data: event.data)
            {
                removedAt[event.stream.id] = at
            }
        }
    }

    // MARK: A schedule

    private func judge(_ number: Int) throws {
        let stream = world.schedule(number)
        let events = try world.store.recorded(from: 0).filter { $0.stream == stream }
            .map { try ScheduleEvent(type: $0.type, data: $0.data) }
        let schedule = Schedule.fold(ScheduleId(stream.id), events)
        var seen: Set<Int> = []
        var isPaused = false
        for event in events {
            switch event {
            case .started(let one):
                seen.insert(one.ordinal)
                if schedule.status == .cancelled, isOver(events, before: one) {
                    world.violate("schedule \(number) charges \(one.ordinal) after it was cancelled")
                }
            case .skipped(let first, let last, let reason, _):
                seen.formUnion(first...last)
                if reason == .late, !isPaused { world.violate("schedule \(number) misses \(first) to \(last)") }
            case .failed(let ordinal, _, _, _), .gaveUp(let ordinal, _, _, _): seen.insert(ordinal)
            case .paused: isPaused = true
            case .registered, .activated, .registrationUnwanted, .planned, .succeeded, .retried, .stepUpRequested,
                .paidTwice, .debitUnmatched, .expiryNoticed, .resumed, .changed, .completed, .cancelled, .expired,
                .requestLicensed, .requestObserved, .requestEnded:
                break
            }
        }
        if schedule.status == .completed || schedule.status == .active {
            for ordinal in 1...world.plan.occurrences where !seen.contains(ordinal) {
                world.violate("schedule \(number) never charges \(ordinal)")
            }
        }
        judgeOccurrences(number, schedule)
    }

    private func isOver(_ events: [ScheduleEvent], before one: OccurrenceTry) -> Bool {
        let started = events.firstIndex { if case .started(one) = $0 { true } else { false } }
        let over = events.firstIndex { if case .cancelled = $0 { true } else { false } }
        return over.flatMap { over in started.map { over < $0 } } ?? false
    }

    private func judgeOccurrences(_ number: Int, _ schedule: Schedule) {
        var charges: [Int: Int] = [:]
        for (id, one) in schedule.tries where isCharged(id) { charges[one.ordinal, default: 0] += 1 }
        for (ordinal, count) in charges.sorted(by: { $0.key < $1.key }) where count > 1 {
            world.violate("double: schedule \(number) charged \(ordinal) \(count) times")
        }
        for (ordinal, id) in schedule.paid.sorted(by: { $0.key < $1.key }) where !isCharged(id) {
            world.violate("schedule \(number) counts \(ordinal) as paid, and nothing moved")
        }
        for (id, one) in schedule.tries.sorted(by: { $0.value.ordinal < $1.value.ordinal })
        where isCharged(id) && schedule.paid[one.ordinal] != id && !isOwned(id) {
            world.violate("lost: schedule \(number) does not know that \(one.ordinal) was charged")
        }
    }

    private func isCharged(_ id: PaymentId) -> Bool {
        payments[id.uuid]?.attempt.map { books.sum($0.reference) > 0 } ?? false
    }

    private func isOwned(_ id: PaymentId) -> Bool {
        payments[id.uuid].map { owed($0).contains { $0.owner == .operator } } ?? false
    }

    private func owed(_ payment: Payment) -> [Obligation] {
        payment.obligations(world.capabilities, at: world.time.now)
    }

    // MARK: Payments

    private func judgeCharges() {
        let byReference = Dictionary(
            payments.values.compactMap { payment in payment.attempt.map { ($0.reference, payment) } },
            uniquingKeysWith: { one, _ in one }
        )
        for charge in books.taken {
            guard let payment = byReference[charge.reference] else {
                world.violate("unowned: a charge of \(charge.reference) that nobody asked for")
                continue
            }
            if payment.amounts.captured != books.sum(charge.reference), !owed(payment).contains(where: isOperators) {
                world.violate("\(payment.id) books \(payment.amounts.captured) of \(charge.minor)")
            }
            if payment.status == .failed { world.violate("\(payment.id) is told as failed, and money moved") }
            judgeLeave(payment)
        }
        for payment in payments.values.sorted(by: { $0.id.uuid < $1.id.uuid }) {
            let isOpen = payment.operations.contains { !$0.isClosed }
            if isOpen, !owed(payment).contains(where: isOperators) {
                world.violate("\(payment.id) is open, and no person knows: \(payment.status.rawValue)")
            }
        }
    }

    private func isOperators(_ owed: Obligation) -> Bool { owed.owner == .operator }

    /// A card that was removed is not charged by a message that was licensed afterwards.
    private func judgeLeave(_ payment: Payment) {
        guard let card = payment.terms?.instrument, let removed = removedAt[card.uuid],
            let first = payment.initial?.dispatches.first?.license, first.licensedAt > removed
        else { return }
        world.violate("\(payment.id) charges a card that was removed before")
    }
}

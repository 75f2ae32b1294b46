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
    private let house: House
    private let books: SubscriptionBooks
    private var payments: [Uuid: Payment] = [:]
    private var removedAt: [Uuid: Timestamp] = [:]

    init(_ world: SubscriptionWorld) {
        self.world = world
        house = world.house
        books = world.books.withLock { $0 }
    }

    func judge() throws -> Int {
        var verdict = self
        try verdict.read()
        for number in 0..<SubscriptionWorld.subscribers { try verdict.judge(number) }
        verdict.judgeCharges()
        return verdict.payments.count
    }

    private mutating func read() throws {
        payments = try house.payments()
        for event in house.log where event.stream.kind == .instrument {
            if case .removed(_, _, let at) = try InstrumentEvent(event) {
                removedAt[event.stream.id] = at
            }
        }
    }

    // MARK: A schedule

    private func judge(_ number: Int) throws {
        let stream = world.schedule(number)
        let events = try house.events(of: stream)
            .map { try ScheduleEvent($0) }
        let schedule = Schedule.fold(ScheduleId(stream.id), events)
        var seen: Set<Int> = []
        var isPaused = false
        for event in events {
            switch event {
            case .started(let one):
                seen.insert(one.ordinal)
                if schedule.status == .cancelled, isOver(events, before: one) {
                    house.violate("schedule \(number) charges \(one.ordinal) after it was cancelled")
                }
            case .skipped(let first, let last, let reason, _):
                seen.formUnion(first...last)
                if reason == .late, !isPaused { house.violate("schedule \(number) misses \(first) to \(last)") }
            case .failed(let ordinal, _, _, _), .gaveUp(let ordinal, _, _, _): seen.insert(ordinal)
            case .paused: isPaused = true
            case .registered, .activated, .registrationUnwanted, .planned, .succeeded, .retried, .stepUpRequested,
                .paidTwice, .debitUnmatched, .expiryNoticed, .resumed, .changed, .completed, .cancelled, .expired,
                .requestLicensed, .requestObserved, .requestEnded:
                break
            }
        }
        if schedule.status == .completed || schedule.status == .active {
            for ordinal in 1...SubscriptionWorld.occurrences where !seen.contains(ordinal) {
                house.violate("schedule \(number) never charges \(ordinal)")
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
            house.violate("double: schedule \(number) charged \(ordinal) \(count) times")
        }
        for (ordinal, id) in schedule.paid.sorted(by: { $0.key < $1.key }) where !isCharged(id) {
            house.violate("schedule \(number) counts \(ordinal) as paid, and nothing moved")
        }
        for (id, one) in schedule.tries.sorted(by: { $0.value.ordinal < $1.value.ordinal })
        where isCharged(id) && schedule.paid[one.ordinal] != id && !isOwned(id) {
            house.violate("lost: schedule \(number) does not know that \(one.ordinal) was charged")
        }
    }

    private func isCharged(_ id: PaymentId) -> Bool {
        payments[id.uuid]?.attempt.map { books.sum($0.reference) > 0 } ?? false
    }

    private func isOwned(_ id: PaymentId) -> Bool {
        payments[id.uuid].map { house.isOperators($0) } ?? false
    }

    // MARK: Payments

    private func judgeCharges() {
        let byReference = Dictionary(
            payments.values.compactMap { payment in payment.attempt.map { ($0.reference, payment) } },
            uniquingKeysWith: { one, _ in one }
        )
        for charge in books.charges {
            guard let payment = byReference[charge.reference] else {
                house.violate("unowned: a charge of \(charge.reference) that nobody asked for")
                continue
            }
            if payment.amounts.captured != books.sum(charge.reference), !house.isOperators(payment) {
                house.violate("\(payment.id) books \(payment.amounts.captured) of \(charge.minor)")
            }
            if payment.status == .failed { house.violate("\(payment.id) is told as failed, and money moved") }
            judgeMandate(payment)
        }
        house.judgeOpen(payments)
    }

    /// A card that was removed is not charged by a message that was licensed afterwards.
    private func judgeMandate(_ payment: Payment) {
        guard let card = payment.terms?.instrument, let removed = removedAt[card.uuid],
            let first = payment.initial?.dispatches.first?.license, first.licensedAt > removed
        else { return }
        house.violate("\(payment.id) charges a card that was removed before")
    }
}

import Ecommpay
import Kernel
import Payments
import ProviderKit
import Schedules

/// Every case of series that a provider keeps, and how each is played and judged.
package struct HostileSeriesTable: HostileSheet {
    package init() {}

    package let name = HostileSeriesScene.table
    package let provider = EcommpayAdapter().declaration.id
    package var cases: [HostileSeriesCase] { HostileSeriesCase.all.filter { !$0.isLie } }

    package func play(_ one: HostileSeriesCase) async -> HostileSeen {
        var seen = HostileSeen()
        do {
            let stage = try HostileSeriesStage(one)
            try await stage.prepare()
            try await stage.begin()
            // The first occurrence is due 23 hours after the start.
            try await stage.house.live(for: .seconds(23 * 3600))
            try await stage.debit()
            try await stage.house.live(for: HostileSeriesStage.day)
            try await stage.rest()
            try await HostileSeriesVerdict(one, stage).judge(&seen)
            seen.trace = stage.standIn.now.trace
        } catch {
            seen.breaches.append("play: \(error)")
        }
        return seen
    }
}

/// Holds how a case of a series ended against the provider's ledger.
struct HostileSeriesVerdict {
    private let play: HostileSeriesCase
    private let stage: HostileSeriesStage

    init(_ play: HostileSeriesCase, _ stage: HostileSeriesStage) {
        self.play = play
        self.stage = stage
    }

    func judge(_ seen: inout HostileSeen) async throws {
        let state = stage.standIn.now
        seen.breaches += state.breaches.filter { !seen.breaches.contains($0) }
        let schedule = try await stage.schedule()
        let payments = try stage.payments()
        for payment in payments.values.sorted(by: { $0.id.uuid < $1.id.uuid }) { judge(payment, state, &seen) }
        judgeTaken(schedule, payments, state, &seen)
        judgeTerms(schedule, payments, state, &seen)
        judgeOccurrence(schedule, payments, state, &seen)
        if state.sendings > Self.sendingsAtMost { seen.breaches.append("asks: \(state.sendings) messages") }
        seen.breaches += try await stage.house.breaches()
    }

    private static let sendingsAtMost = 30

    private func isOwned(_ payment: Payment) -> Bool {
        payment.obligations(stage.house.capabilities, at: stage.house.time.now).contains { $0.owner == .operator }
    }

    // MARK: Payments

    /// Compares what is booked with what moved; a person may own the difference.
    private func judge(_ payment: Payment, _ state: HostileSeriesStandIn.State, _ seen: inout HostileSeen) {
        let ledger = payment.attempt.flatMap { state.ledgers[$0.reference] }
        let (sums, isOwned) = (payment.amounts, isOwned(payment))
        let (taken, back) = (ledger?.captured ?? 0, ledger?.refunded ?? 0)
        if [sums.captured, sums.refunded] != [taken, back], !isOwned {
            seen.breaches.append(
                "booked: \([sums.captured, sums.refunded]) of \([taken, back]), \(payment.status.rawValue)"
            )
        }
        switch payment.status {
        case .failed, .expired, .voided, .released:
            if taken > back { seen.breaches.append("closed: \(payment.status.rawValue), and money moved") }
        case .created, .requiresAction, .processing, .indeterminate, .authorized, .partiallyCaptured, .captured,
            .partiallyRefunded, .refunded, .disputed, .chargedBack, .verified, .tokenized, .transferred:
            if payment.status.isOpen, !isOwned { seen.breaches.append("stuck: \(payment.status.rawValue)") }
        }
    }

    /// Each debit that was told of is a payment; of one that was not, the schedule tells that it is missing.
    private func judgeTaken(
        _ schedule: Schedule,
        _ payments: [Uuid: Payment],
        _ state: HostileSeriesStandIn.State,
        _ seen: inout HostileSeen
    ) {
        let known = Set(payments.values.compactMap { $0.attempt?.reference })
        let isNoted = payments.values.contains { isOwned($0) } || schedule.anomalies[.debitUnmatched] != nil
        for name in state.ledgers.keys.sorted() where !known.contains(name) && !isNoted {
            // Nobody told of it: the one thing that can be seen is that the day went by.
            guard play.answer != .lost || play.scene != .callback else { continue }
            seen.breaches.append("unowned: \(name) was taken, and nobody knows")
        }
    }

    // MARK: The schedule

    /// The schedule says what the provider goes by, or a person is to look at the request or at what came of it.
    private func judgeTerms(
        _ schedule: Schedule,
        _ payments: [Uuid: Payment],
        _ state: HostileSeriesStandIn.State,
        _ seen: inout HostileSeen
    ) {
        guard play.scene == .cancel || play.scene == .update else { return }
        let isOpen = schedule.request.map { $0.isEnded && $0.word != "done" } ?? false
        let isOwned = isOpen || payments.values.contains { self.isOwned($0) }
        if schedule.status == .cancelled, state.isActive, !isOwned {
            seen.breaches.append("closed: cancelled, and the provider goes on")
        }
        if play.scene == .update, schedule.terms?.amount?.minor != state.minor, !isOwned {
            seen.breaches.append("terms: \(schedule.terms?.amount?.minor ?? 0) of \(state.minor)")
        }
        guard let request = schedule.request else { return seen.breaches.append("unsent: nothing was asked") }
        let goesOn = play.scene == .cancel ? state.isActive : state.minor != HostileSeriesStandIn.changed
        // Whoever owns what comes of it: a request that counts as done was.
        if request.word == "done", goesOn, play.truth != .undone, !play.isFalselyDone {
            seen.breaches.append("closed: \(play.scene.rawValue) as done, and the provider goes on as before")
        }
        if !request.isEnded { seen.breaches.append("stuck: \(request.word)") }
        if schedule.untold != nil, request.isEnded { seen.breaches.append("stuck: untold") }
    }

    /// An occurrence counts as paid by a payment that took its money, and as unpaid only where none did.
    private func judgeOccurrence(
        _ schedule: Schedule,
        _ payments: [Uuid: Payment],
        _ state: HostileSeriesStandIn.State,
        _ seen: inout HostileSeen
    ) {
        func ledger(_ id: PaymentId) -> HostileLedger? {
            payments[id.uuid]?.attempt.flatMap { state.ledgers[$0.reference] }
        }
        for (id, one) in schedule.tries where one.ordinal > 0 {
            let taken = ledger(id)?.captured ?? 0
            let isOwned = payments[id.uuid].map { self.isOwned($0) } ?? false
            if schedule.paid[one.ordinal] == id, taken == 0, !isOwned {
                seen.breaches.append("paid: \(one.ordinal) by what took nothing")
            }
            if one.outcome == .failed, taken > 0, play.truth != .undone, !isOwned {
                seen.breaches.append("lost: \(one.ordinal) counts as failed, and money moved")
            }
            if one.outcome == nil, payments[id.uuid].map({ !$0.status.isOpen }) ?? true, !isOwned {
                seen.breaches.append("stuck: try of \(one.ordinal)")
            }
        }
        if state.charged > 1 { seen.breaches.append("double: \(state.charged) debits of one occurrence") }
    }
}

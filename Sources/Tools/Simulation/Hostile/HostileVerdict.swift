import Engine
import Kernel
import Payments
import TestKit

/// Holds how a case ended against the provider's ledger.
struct HostileVerdict {
    private let play: HostileCase
    private let stage: HostileStage

    init(_ play: HostileCase, _ stage: HostileStage) {
        self.play = play
        self.stage = stage
    }

    func judge(_ seen: inout HostileSeen) async throws {
        let state = stage.standIn.now
        let payment = try await stage.payment()
        guard let ledger = state.ledger else { return seen.breaches.append("play: no ledger") }
        seen.breaches += state.breaches.filter { !seen.breaches.contains($0) }
        let owed = payment.obligations(stage.capabilities, at: stage.time.now)
        let isOwned = owed.contains { $0.owner == .operator }
        seen.breaches += difference(payment, ledger, isOwned)
        seen.breaches += endings(payment, ledger, isOwned)
        if !isOwned, let stuck = stuck(payment, owed) { seen.breaches.append(stuck) }
        seen.breaches += needless(payment)
        seen.breaches += guesses(payment, ledger)
        seen.breaches += unclosed(payment)
        seen.breaches += cards(payment, ledger, isOwned)
        if !play.scene.isSilent, state.sendings == 0 { seen.breaches.append("unplayed: the message never came") }
        if state.looks > Self.looksAtMost { seen.breaches.append("asks: \(state.looks) questions") }
        seen.breaches += try await stage.house.breaches()
    }

    /// Questions back off: more than these in a case are asked for ever.
    private static let looksAtMost = 600

    /// Compares what is booked with what moved; a person may own the difference.
    private func difference(_ payment: Payment, _ ledger: HostileLedger, _ isOwned: Bool) -> [String] {
        let sums = payment.amounts
        let ours = [sums.authorized, sums.captured, sums.released, sums.refunded, sums.transferred]
        let theirs = [ledger.authorized, ledger.captured, ledger.released, ledger.refunded, ledger.transferred]
        var found: [String] = []
        if ours != theirs, !isOwned { found.append("booked: \(ours) of \(theirs), \(payment.status.rawValue)") }
        if sums.authorized > 0, sums.capturedFromHold + sums.released + sums.held > sums.authorized, !isOwned {
            found.append("excess: more than the hold is booked, \(ours)")
        }
        return found
    }

    /// A card is saved where the provider keeps one, and nowhere else; that one was checked is known, or a person's.
    private func cards(_ payment: Payment, _ ledger: HostileLedger, _ isOwned: Bool) -> [String] {
        guard play.scene.before == .nothing, ledger.isCheck else {
            return payment.instruments.isEmpty ? [] : ["card: one that nobody keeps"]
        }
        var found: [String] = []
        if !payment.instruments.isEmpty, !ledger.keepsCard { found.append("card: one that nobody keeps") }
        let isKnown = payment.status == .verified || payment.status == .tokenized
        if ledger.isChecked, !isKnown, !isOwned {
            found.append("booked: \(payment.status.rawValue) of a card that was checked")
        }
        if isKnown, ledger.keepsCard, payment.instruments.isEmpty, !isOwned {
            found.append("card: one that is kept is not known")
        }
        return found
    }

    /// Nothing that counts as ended contradicts what moved, whoever owns it.
    private func endings(_ payment: Payment, _ ledger: HostileLedger, _ isOwned: Bool) -> [String] {
        var found: [String] = []
        let isMoved =
            ledger.captured + ledger.transferred > ledger.refunded
            || ledger.authorized > ledger.captured + ledger.released
        switch payment.status {
        case .failed, .expired, .voided, .released:
            if isMoved, play.scene.before == .nothing || !isOwned {
                found.append("closed: \(payment.status.rawValue), and money moved")
            }
            if ledger.isChecked { found.append("closed: \(payment.status.rawValue), and the card was checked") }
        case .verified, .tokenized:
            if !ledger.isChecked { found.append("closed: \(payment.status.rawValue), and no card was checked") }
        case .transferred:
            if ledger.transferred == 0 { found.append("closed: transferred, and nothing went on") }
        case .created, .requiresAction, .processing, .indeterminate, .authorized, .partiallyCaptured, .captured,
            .partiallyRefunded, .refunded, .disputed, .chargedBack:
            break
        }
        for operation in payment.operations where operation.origin == .commanded && operation.kind == play.scene.kind {
            let theirs = play.scene.beside > 0 ? 1 : 0
            let isDone = ledger.entries.count { $0.kind == operation.kind } > theirs
            switch operation.state {
            case .failed, .notExecuted:
                if isDone, play.truth != .undone { found.append("closed: \(operation.kind.rawValue) as not done") }
            case .succeeded:
                if !isDone, !isOwned, play.truth != .undone {
                    found.append("closed: \(operation.kind.rawValue) as done")
                }
            case .requested, .pending, .indeterminate: break
            }
        }
        return found
    }

    /// Where no message could say how much moved, what was asked for is not booked in its place.
    private func guesses(_ payment: Payment, _ ledger: HostileLedger) -> [String] {
        guard play.look == .garbled, play.truth == .otherAmount, play.answer != .success else { return [] }
        let (sums, kind) = (payment.amounts, play.scene.kind)
        let (booked, moved) =
            switch kind {
            case .sale, .capture: (sums.captured, ledger.captured)
            case .authorize: (sums.authorized, ledger.authorized)
            case .void: (sums.released, ledger.released)
            case .refund: (sums.refunded, ledger.refunded)
            case .transfer: (sums.transferred, ledger.transferred)
            case .verify, .tokenize, .refundReversal: (Int64(0), Int64(0))
            }
        return booked == play.scene.asked && booked != moved
            ? ["guess: \(kind.rawValue) of \(booked), \(moved) moved"] : []
    }

    /// Finds what was answered with success and has not ended here, whatever its amount.
    private func unclosed(_ payment: Payment) -> [String] {
        guard play.answer == .success, play.turn == .first, !play.scene.isTheirs,
            play.truth != .undone, play.truth != .nothing,
            [.truth, .lag].contains(play.look)
        else { return [] }
        return payment.operations.filter { operation in
            operation.origin == .commanded && operation.kind == play.scene.kind && !operation.kind.isInitial
                && !operation.isClosed
        }
        .map { "unclosed: \($0.kind.rawValue) was answered with success" }
    }

    /// Contradictions in what an honest provider tells, whose answers are lost at the most and whose looks lag: they freeze a
    /// payment of which everything is known.
    private func needless(_ payment: Payment) -> [String] {
        let isTold = play.truth == .done && play.answer == .success
        let isLost = [.done, .nothing].contains(play.truth) && [.lost, .half].contains(play.answer)
        guard isTold || isLost, [.truth, .lag].contains(play.look) else { return [] }
        return payment.openContradictions.map { "needless: \($0.kind.rawValue), \($0.detail)" }
    }

    /// Whether something is open after all that was declared is over, and no person knows.
    private func stuck(_ payment: Payment, _ owed: [Obligation]) -> String? {
        let open = payment.operations.first { !$0.isClosed && ($0.origin == .provider || !$0.dispatches.isEmpty) }
        guard let open else { return nil }
        if open.kind.isInitial, !payment.status.isOpen || owed.contains(where: { $0.owner == .payer }) { return nil }
        return "stuck: \(open.kind.rawValue) is open, \(owed.map(\.reason).joined(separator: " "))"
    }
}

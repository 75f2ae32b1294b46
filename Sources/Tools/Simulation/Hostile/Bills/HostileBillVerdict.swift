import Kernel
import Payments

/// Holds how a case of bills ended against the provider's ledger.
struct HostileBillVerdict {
    private let play: HostileBillCase
    private let stage: HostileBillStage

    init(_ play: HostileBillCase, _ stage: HostileBillStage) {
        self.play = play
        self.stage = stage
    }

    func judge(_ seen: inout HostileSeen) async throws {
        let state = stage.standIn.now
        seen.breaches += state.breaches.filter { !seen.breaches.contains($0) }
        let chunks = try stage.chunks()
        for bill in stage.bills { try await judge(bill.id, state.ledger.filter { $0.id == bill.id }, &seen) }
        for number in 0..<HostileBillStage.batches { try await judge(number, chunks, &seen) }
        turnover(chunks, &seen)
        handovers(chunks, state.ledger, &seen)
        seen.breaches += try await stage.house.breaches()
    }

    // MARK: A bill

    private func judge(_ id: String, _ taken: [HostileBillEntry], _ seen: inout HostileSeen) async throws {
        let bill = try await stage.bill(id)
        // Prices that could not be had left it untouched.
        guard bill.reservation != nil else {
            if !taken.isEmpty { seen.breaches.append("unowned: \(id) was paid, and nobody asked for it") }
            return
        }
        guard let standing = bill.standing else {
            // An app that has told nothing is waited for, and so is a payer who has not acted; everybody sees that.
            let isWaiting = try await stage.batch(0).waiting != nil
            if play.scene != .app, !isWaiting {
                seen.breaches.append("stuck: \(id) was asked for, and nobody says what became of it")
            }
            return
        }
        // What nobody knows, or an app alone says, is a person's; what a payer must do is the payer's.
        let isOwned = !standing.outcome.isKnown
        let booked = bill.standings.values.reduce(Int64(0)) { $0 + $1.booked }
        let sum = taken.reduce(Int64(0)) { $0 + $1.minor }
        if booked != sum, !isOwned { seen.breaches.append("booked: \(id) \(booked) of \(sum), \(standing.outcome)") }
        if booked > 0, isOwned, sum == 0 { seen.breaches.append("booked: \(id) \(booked), and nothing moved") }
        let isBack = taken.contains(where: \.isBack)
        if !taken.isEmpty, !isBack, standing.outcome.mayBeRepeated {
            seen.breaches.append("closed: \(id) as \(standing.outcome), and money moved")
        }
        if taken.isEmpty, standing.outcome == .paid || standing.outcome == .refunded {
            seen.breaches.append("closed: \(id) as \(standing.outcome), and nothing moved")
        }
    }

    // MARK: A batch

    private func judge(_ number: Int, _ chunks: [Chunk], _ seen: inout HostileSeen) async throws {
        let batch = try await stage.batch(number)
        let own = chunks.filter { $0.head?.batch == batch.id }
        guard batch.head != nil else {
            if number == 0 { seen.breaches.append("stuck: batch \(number) was never taken") }
            return
        }
        guard batch.refusedPrice == nil, batch.trouble != .unpriced else {
            if !own.isEmpty { seen.breaches.append("unpriced: batch \(number) pays") }
            return
        }
        guard batch.submittedAt != nil, let tally = batch.tally else {
            return seen.breaches.append("stuck: batch \(number) was never submitted")
        }
        let standings = own.flatMap(\.ordered)
        let booked = standings.reduce(Int64(0)) { $0 + ($1.outcome == .paid ? $1.booked : 0) }
        if tally.charged.minor != booked {
            seen.breaches.append("tally: batch \(number) tells \(tally.charged.minor) charged of \(booked)")
        }
        guard batch.phase == .ended else {
            let isPayers = batch.waiting != nil || (play.scene == .app && !batch.live.isEmpty)
            if !isPayers {
                seen.breaches.append("stuck: batch \(number) is \(batch.phase), \(batch.trouble?.rawValue ?? "")")
            }
            return
        }
        // A batch does not hear of bills that were not admitted before its chunk has something else to tell.
        if tally != BillTally(standings, stage.currency) {
            seen.breaches.append("tally: batch \(number) tells \(tally.json.canonicalText)")
        }
        if tally.total != batch.count {
            seen.breaches.append("tally: batch \(number) counts \(tally.total) of \(batch.count)")
        }
        if batch.isRolledUp != tally.whole {
            seen.breaches.append("tally: batch \(number) ended as \(tally.whole), and says something else")
        }
    }

    /// Turnover is what is booked of the bills, and claims are none of it.
    private func turnover(_ chunks: [Chunk], _ seen: inout HostileSeen) {
        for chunk in chunks {
            let captured = chunk.moneyFlows.reduce(Int64(0)) { $0 + ($1.key.kind == .captured ? $1.amount : 0) }
            let booked = chunk.ordered.reduce(Int64(0)) { $0 + $1.booked }
            if captured != booked { seen.breaches.append("turnover: \(captured) of \(booked) that is booked") }
        }
    }

    /// An app is not given a bill again that was paid or may have been.
    private func handovers(_ chunks: [Chunk], _ ledger: [HostileBillEntry], _ seen: inout HostileSeen) {
        guard play.scene == .app else { return }
        let given = chunks.flatMap(\.admitted).map(\.id)
        for id in Set(given).sorted() where given.count(where: { $0 == id }) > 1 {
            if ledger.contains(where: { $0.id == id }) { seen.breaches.append("double: the app is given \(id) again") }
        }
    }
}

extension BillStanding {
    /// The amount that the provider, or two persons, say was taken; an app's word books nothing.
    fileprivate var booked: Int64 {
        guard source != .claim, outcome == .paid || outcome == .refunded else { return 0 }
        return paid?.minor ?? 0
    }
}

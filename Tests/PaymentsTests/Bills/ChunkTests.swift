import EventSourcing
import Kernel
import Payments
import Testing

/// One message's bills: admission, one licence at a time, outcomes, and the payer in the middle.
struct ChunkTests {
    private let lines = [BillSamples.line(1), BillSamples.line(2), BillSamples.line(3)]
    private let at = BillSamples.at

    private func apply(_ decision: ChunkDecision, _ chunk: inout Chunk) {
        for event in decision.events { chunk.evolve(event) }
    }

    /// A chunk whose message is licensed.
    private func sending(_ mode: BillMode = .serverToken, refusing refused: [String: String] = [:]) -> Chunk {
        var chunk = Chunk(id: BillSamples.chunk)
        apply(chunk.decide(.begin(BillSamples.chunkHead(lines, mode: mode)), at: at), &chunk)
        for line in lines {
            let decision = chunk.decide(.billAnswered(line.id, refusal: refused[line.id]), at: at)
            apply(decision, &chunk)
            if let request = decision.request {
                #expect(request.ordinal == 1)
                chunk.evolve(
                    .licensed(BillSamples.license(mode == .sdk ? .handover : .operation(.sale)), credentials: 1)
                )
            }
        }
        return chunk
    }

    private func answered(_ chunk: Chunk, _ reading: BillReading, ordinal: Int32 = 1) -> ChunkDecision {
        chunk.observed(chunk.effect, ordinal, .answered, reading, at: at)
    }

    @Test func `the message carries the bills that may be paid, and none makes no message`() {
        let chunk = sending(refusing: ["b-2": "bill_paid"])
        #expect(chunk.admitted.map(\.id) == ["b-1", "b-3"])
        #expect(chunk.standings["b-2"]?.outcome == .refused)
        let none = sending(refusing: ["b-1": "x", "b-2": "x", "b-3": "x"])
        #expect(none.dispatches.isEmpty)
        #expect(none.isSettled)
    }

    @Test func `a bill without a word is unknown and the chunk asks for nothing more`() {
        var chunk = sending()
        let decision = answered(chunk, BillReading(.reports, standings: [BillSamples.standing("b-1", .paid)]))
        apply(decision, &chunk)
        #expect(chunk.ordered.map(\.outcome) == [.paid, .unknown, .unknown])
        #expect(chunk.isSettled)
        #expect(decision.request == nil)
    }

    @Test func `money that nobody can count is not booked and left to persons, who say how much it was`() {
        var chunk = sending()
        var paid = BillSamples.standing("b-1", .paid)
        paid.paid = nil
        paid.amountDiffers = true
        paid.authCode = "A1"
        let reports = [paid, BillStanding(id: "b-2", outcome: .refunded, source: .answer)]
        apply(answered(chunk, BillReading(.reports, standings: reports)), &chunk)
        #expect(chunk.ordered.map(\.outcome) == [.unknown, .unknown, .unknown])
        #expect(chunk.ordered[0].authCode == "A1" && chunk.ordered[0].errorCode == "amount_unreadable")
        #expect(chunk.moneyFlows.isEmpty && chunk.tally?.charged.minor == 0)
        var told = BillStanding(id: "b-1", outcome: .paid, source: .operator)
        told.paid = BillSamples.money(900)
        apply(chunk.decide(.billResolved(told), at: at), &chunk)
        #expect(moved(.captured, chunk) == [900] && chunk.tally?.charged.minor == 900)
    }

    private func moved(_ kind: MovementKind, _ chunk: Chunk) -> [Int64] {
        chunk.moneyFlows.filter { $0.key.kind == kind }.map(\.amount)
    }

    @Test func `a claim without an amount moves none`() throws {
        var chunk = sending(.sdk)
        let claim = BillStanding(id: "b-1", outcome: .paid, source: .claim)
        apply(try chunk.claimed(BillReading(.reports, standings: [claim]), at: at), &chunk)
        #expect(moved(.claimed, chunk) == [0])
        #expect(chunk.tally?.claimed.minor == 0 && moved(.captured, chunk).isEmpty)
    }

    @Test func `a message that never left is licensed again, later each time, and in the end given back`() {
        var chunk = sending()
        var waits: [Duration] = []
        for ordinal in 1...Chunk.mostLicenses {
            let decision = chunk.observed(
                chunk.effect,
                ordinal,
                .notSent(reason: "unreachable: deadline"),
                BillReading(.unanswered(reason: "x")),
                at: at
            )
            apply(decision, &chunk)
            guard let request = decision.request else { break }
            waits.append(request.notBefore.since(at))
            chunk.evolve(.licensed(BillSamples.license(ordinal: request.ordinal), credentials: 1))
        }
        #expect(waits == waits.sorted())
        #expect(waits.count == Int(Chunk.mostLicenses) - 1)
        #expect(chunk.isSettled)
        #expect(chunk.report?.remaining == lines)
        #expect(chunk.trouble == .unanswered)
    }

    @Test func `a chunk from before a restore may have been sent, one that its batch made since was not`() {
        let epoch = RecoveryEpoch(number: 2, begunAt: at)
        for (known, isOld) in [(Int32?.none, true), (1, true), (2, false), (3, false)] {
            var chunk = Chunk(id: BillSamples.chunk)
            apply(chunk.decide(.begin(BillSamples.chunkHead(lines, epoch: known)), at: at), &chunk)
            #expect(chunk.mayHaveLeft(epoch) == isOld)
            #expect(!chunk.mayHaveLeft(nil))
        }
    }

    @Test func `bills that may have been sent in lost time are unknown and stop their batch`() {
        var chunk = Chunk(id: BillSamples.chunk)
        apply(chunk.decide(.begin(BillSamples.chunkHead(lines)), at: at), &chunk)
        for line in lines { apply(chunk.decide(.billAnswered(line.id, refusal: nil), at: at), &chunk) }
        var decision = ChunkDecision()
        chunk.doubt(&decision, at)
        apply(decision, &chunk)
        #expect(chunk.ordered.map(\.outcome) == [.unknown, .unknown, .unknown])
        #expect(chunk.isSettled)
        #expect(chunk.report?.trouble == .logRestored)
        #expect(chunk.report?.remaining.isEmpty == true)
    }

    @Test func `an unanswered message makes its bills unknown and is never licensed again`() {
        var chunk = sending()
        let decision = chunk.observed(
            chunk.effect,
            1,
            .unknown(reason: "timeout"),
            BillReading(.unanswered(reason: "timeout")),
            at: at
        )
        apply(decision, &chunk)
        #expect(decision.request == nil)
        #expect(chunk.ordered.allSatisfy { $0.outcome == .unknown })
        #expect(chunk.report?.remaining == [])
        // What comes late is evidence all the same.
        apply(
            answered(chunk, BillReading(.reports, standings: lines.map { BillSamples.standing($0.id, .paid) })),
            &chunk
        )
        #expect(chunk.ordered.allSatisfy { $0.outcome == .paid })
        #expect(
            chunk.observed(chunk.effect, 1, .notSent(reason: "expired"), BillReading(.unanswered(reason: "x")), at: at)
                .events.isEmpty
        )
    }

    @Test func `a lost answer is no news of a message that was answered, or that never left`() {
        let silence = BillReading(.unanswered(reason: "sender vanished"))
        var chunk = sending()
        let told = [BillSamples.standing("b-1", .paid), BillSamples.standing("b-2", .requiresAction)]
        let action = BillReading.Action(bill: "b-2", handover: [:])
        apply(answered(chunk, BillReading(.reports, standings: told, unreached: ["b-3"], action: action)), &chunk)
        let late = chunk.observed(chunk.effect, 1, .unknown(reason: "sender vanished"), silence, at: at)
        #expect(late.events.isEmpty && chunk.dispatches.last?.outcome == .answered)
        #expect(chunk.standings.values.allSatisfy { $0.outcome != .unknown })
        var unsent = sending()
        let reason = DispatchOutcome.notSent(reason: "unreachable: deadline")
        apply(unsent.observed(unsent.effect, 1, reason, silence, at: at), &unsent)
        #expect(unsent.observed(unsent.effect, 1, .unknown(reason: "x"), silence, at: at).events.isEmpty)
    }

    @Test func `proof that nothing was done gives the bills back`() {
        var chunk = sending()
        let decline = Decline(reason: .configuration, code: "1", tableVersion: 1)
        let decision = chunk.observed(
            chunk.effect,
            1,
            .notExecuted(decline),
            BillReading(.notExecuted(.credentialsStale, code: "1")),
            at: at
        )
        apply(decision, &chunk)
        #expect(chunk.report?.remaining == lines)
        #expect(chunk.standings.isEmpty)
        #expect(chunk.trouble == .credentialsStale)
    }

    @Test func `a refusal of the whole proves nothing about any bill`() {
        var chunk = sending()
        apply(
            chunk.observed(
                chunk.effect,
                1,
                .unknown(reason: "refused"),
                BillReading(.refused(.refused, code: "500")),
                at: at
            ),
            &chunk
        )
        #expect(chunk.ordered.map(\.outcome) == [.unknown, .unknown, .unknown])
        #expect(chunk.report?.remaining == [])
    }

    @Test func `a payer in the middle stops the chunk, and the rest is given back when that is over`() throws {
        var chunk = sending()
        let action = BillReading.Action(bill: "b-2", handover: [:])
        apply(
            answered(
                chunk,
                BillReading(
                    .reports,
                    standings: [BillSamples.standing("b-1", .paid), BillSamples.standing("b-2", .requiresAction)],
                    unreached: ["b-3"],
                    action: action
                )
            ),
            &chunk
        )
        #expect(!chunk.isSettled)
        #expect(chunk.report?.waitsFor == "b-2")
        #expect(chunk.report?.remaining == [])
        // The app speaks for the bill that its payer was asked about, and for no other.
        let claim = BillReading(
            .reports,
            standings: [BillSamples.standing("b-2", .failed, .claim), BillSamples.standing("b-3", .paid, .claim)]
        )
        apply(try chunk.claimed(claim, at: at), &chunk)
        // We asked for the payment: that its payer's step failed is a claim, which closes nothing and is a person's.
        let said = try #require(chunk.standings["b-2"])
        #expect(said.outcome == .claimed && said.claimed == .failed && !said.outcome.mayBeRepeated)
        #expect(try BillStanding(Fields(said.json)) == said)
        #expect(chunk.tally?.claimed.minor == 0 && moved(.claimed, chunk).isEmpty)
        #expect(said.merged(with: BillSamples.standing("b-2", .paid, .claim).asClaim).claimed == .paid)
        #expect(chunk.standings["b-3"] == nil)
        #expect(chunk.isSettled)
        #expect(chunk.report?.remaining == [lines[2]])
    }

    @Test func `an app's list settles what it was given, and what it leaves out is unknown`() throws {
        var chunk = sending(.sdk)
        #expect(chunk.dispatches.count == 1)
        let claim = BillReading(
            .reports,
            standings: [BillSamples.standing("b-3", .paid, .claim), BillSamples.standing("b-1", .failed, .claim)]
        )
        apply(try chunk.claimed(claim, at: at), &chunk)
        #expect(chunk.ordered.map(\.outcome) == [.failed, .unknown, .claimed])
        let later = BillReading(
            .reports,
            standings: [BillSamples.standing("b-3", .failed, .claim), BillSamples.standing("b-2", .paid, .claim)]
        )
        apply(try chunk.claimed(later, at: at), &chunk)
        #expect(chunk.ordered.map(\.outcome) == [.failed, .claimed, .claimed])
        #expect(refusal { () throws(Rejection) in try sending().claimed(later, at: at) } == "claim_not_awaited")
    }

    @Test(arguments: [BillOutcome.paid, .held, .refunded])
    func `what an app says of money is a claim, which no sum holds and no proof yields to`(word: BillOutcome) throws {
        var said = BillSamples.standing("b-1", word, .claim)
        said.paid = Money(1000, BillSamples.hryvnia)
        var chunk = sending(.sdk)
        let rest = ["b-2", "b-3"].map { BillSamples.standing($0, .failed, .claim) }
        apply(try chunk.claimed(BillReading(.reports, standings: [said] + rest), at: at), &chunk)
        let claim = try #require(chunk.standings["b-1"])
        #expect(claim.outcome == .claimed && claim.claimed == word)
        let tally = try #require(chunk.tally)
        #expect(tally.charged.minor == 0)
        #expect(tally.claimed.minor == (word == .paid ? 1000 : 0))
        #expect(tally.counts == [.claimed: 1, .failed: 2])
        #expect(tally.whole == .claimed)
        for proof in [BillSamples.standing("b-1", .failed), BillSamples.standing("b-1", .paid, .operator)] {
            #expect(claim.merged(with: proof) == proof)
            #expect(proof.merged(with: claim) == proof)
        }
        #expect(claim.merged(with: BillSamples.standing("b-1", .unknown)) == claim)
        #expect(try BillStanding(Fields(claim.json)) == claim)
        // Written before claims were told apart.
        #expect(try BillStanding(Fields(said.json)) == claim)
        var bill = Bill()
        bill.evolve(
            .reserved(
                BillReservation(batch: BillSamples.batch, chunk: Samples.uuid(10), line: lines[0], mode: .sdk),
                at: at
            )
        )
        bill.evolve(.reported(claim, chunk: Samples.uuid(10), cause: Samples.uuid(1), at: at))
        let other = BillReservation(
            batch: BillBatchId(Samples.uuid(2)),
            chunk: Samples.uuid(20),
            line: lines[0],
            mode: .serverToken
        )
        #expect(bill.refusal(of: other) == "bill_unresolved")
    }
}

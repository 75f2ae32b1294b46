import EventSourcing
import Kernel
import Payments
import Testing

/// One bill of one account: who may pay it, and how two persons settle what nobody knows.
struct BillTests {
    private func reservation(_ chunk: UInt64, batch: UInt64 = 1, mode: BillMode = .serverToken) -> BillReservation {
        BillReservation(
            batch: BillBatchId(Samples.uuid(batch)),
            chunk: Samples.uuid(chunk),
            line: BillSamples.line(1),
            mode: mode
        )
    }

    private func bill(_ outcome: BillOutcome?, _ source: BillStanding.Source = .answer, mode: BillMode = .serverToken)
        -> Bill
    {
        var bill = Bill()
        bill.evolve(.reserved(reservation(10, mode: mode), at: .epoch))
        if let outcome {
            bill.evolve(
                .reported(
                    BillSamples.standing("b-1", outcome, source),
                    chunk: Samples.uuid(10),
                    cause: Samples.uuid(4),
                    at: .epoch
                )
            )
        }
        return bill
    }

    @Test func `only what is known to be unpaid is asked for again`() {
        #expect(Bill().refusal(of: reservation(20, batch: 2)) == nil)
        #expect(bill(nil).refusal(of: reservation(20, batch: 2)) == "bill_in_progress")
        #expect(bill(nil).refusal(of: reservation(20)) == "bill_repeated")
        #expect(bill(.paid).refusal(of: reservation(20, batch: 2)) == "bill_paid")
        #expect(bill(.held).refusal(of: reservation(20, batch: 2)) == "bill_paid")
        #expect(bill(.refunded).refusal(of: reservation(20, batch: 2)) == "bill_refunded")
        #expect(bill(.unknown).refusal(of: reservation(20, batch: 2)) == "bill_unresolved")
        #expect(bill(.requiresAction).refusal(of: reservation(20, batch: 2)) == "bill_unresolved")
        #expect(bill(.failed).refusal(of: reservation(20, batch: 2)) == nil)
        #expect(bill(.failed).refusal(of: reservation(20)) == "bill_repeated")
        #expect(bill(.failed, .ourselves).refusal(of: reservation(20)) == nil)
    }

    @Test func `an app's no frees a bill that the app paid, never one that was paid unattended`() {
        #expect(bill(.failed, .claim, mode: .sdk).refusal(of: reservation(20, batch: 2)) == nil)
        #expect(bill(.failed, .claim).refusal(of: reservation(20, batch: 2)) == "bill_unresolved")
    }

    @Test func `paid by an earlier chunk is paid for ever`() throws {
        var bill = bill(.failed)
        bill.evolve(.reserved(reservation(20, batch: 2), at: .epoch))
        let late = BillCommand.report(BillSamples.standing("b-1", .paid), chunk: Samples.uuid(10))
        for event in try bill.decide(late, Samples.context()) { bill.evolve(event) }
        #expect(bill.refusal(of: reservation(30, batch: 3)) == "bill_paid")
    }

    @Test func `two persons settle a bill that nobody knows about`() throws {
        let ann = Actor(id: "ann", isOperator: true)
        let bob = Actor(id: "bob", isOperator: true)
        var bill = bill(.unknown)
        let propose = BillCommand.propose(.failed, paid: nil, evidence: "not in the cabinet", seen: 2)
        #expect(refusal { () throws(Rejection) in try bill.decide(propose, Samples.context()) } == "operator_needed")
        for event in try bill.decide(propose, Samples.context(by: ann)) { bill.evolve(event) }
        let id = try #require(bill.proposals.keys.first)
        #expect(
            refusal { () throws(Rejection) in try bill.decide(.approve(id, seen: 3), Samples.context(by: ann)) }
                == "second_person_needed"
        )
        for event in try bill.decide(.approve(id, seen: 3), Samples.context(by: bob)) { bill.evolve(event) }
        #expect(bill.standing?.outcome == .failed)
        #expect(bill.standing?.source == .operator)
        #expect(bill.refusal(of: reservation(20, batch: 2)) == nil)
    }

    @Test func `newer evidence voids a proposal, and proved outcomes take none`() throws {
        let ann = Actor(id: "ann", isOperator: true)
        let bob = Actor(id: "bob", isOperator: true)
        var bill = bill(.unknown)
        for event in try bill.decide(.propose(.failed, paid: nil, evidence: "e", seen: 2), Samples.context(by: ann)) {
            bill.evolve(event)
        }
        let id = try #require(bill.proposals.keys.first)
        let paid = BillCommand.report(BillSamples.standing("b-1", .paid), chunk: Samples.uuid(10))
        for event in try bill.decide(paid, Samples.context()) { bill.evolve(event) }
        #expect(
            refusal { () throws(Rejection) in try bill.decide(.approve(id, seen: 3), Samples.context(by: bob)) }
                == "proposal_stale"
        )
        #expect(
            refusal { () throws(Rejection) in
                try bill.decide(.propose(.failed, paid: nil, evidence: "e", seen: 4), Samples.context(by: ann))
            } == "nothing_to_resolve"
        )
    }

    @Test func `standings merge to the same whatever their order`() {
        // What is claimed is an app's word and nobody else's, whatever else it says.
        let words: [BillOutcome] = [.paid, .held, .refunded, .cancelled, .failed, .unknown]
        let standings =
            words.map { BillSamples.standing("b", $0) } + words.map { BillSamples.standing("b", $0, .claim).asClaim }
        #expect(standings.count { $0.outcome == .claimed } == 3)
        for left in standings {
            for right in standings {
                #expect(left.merged(with: right).outcome == right.merged(with: left).outcome)
            }
        }
    }
}

import Kernel
import Payments
import Testing

/// What two persons decide where evidence does not.
struct PaymentResolutionTests {
    /// A refund whose answer was lost.
    private func lostRefund() throws -> (story: Story, refund: OperationId) {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.answerQuery([])
        let license = try #require(story.openDispatches.first)
        story.answer(license, [.dispatch(.unknown(reason: "timeout"))])
        story.actor = Story.alice
        return (story, try #require(story.payment.operations.last?.id))
    }

    private func code(_ story: Story, _ command: PaymentCommand) -> String? {
        var story = story
        return refusal { () throws(Rejection) in try story.command(command) }
    }

    private func proposed(_ verdict: Resolution.Verdict, _ story: inout Story) throws -> Uuid {
        try story.command(.propose(verdict, evidence: "e-mail 7", seenVersion: story.payment.version))
        guard case .resolutionProposed(let resolution)? = story.last.events.first else { return Samples.uuid(0) }
        return resolution.id
    }

    @Test func `two different operators book, fail or send again`() throws {
        for (verdict, refunded) in [(0, Int64(500)), (1, 0), (2, 0)] {
            var (story, refund) = try lostRefund()
            let verdicts: [Resolution.Verdict] = [.succeeded(refund, .cents(500)), .failed(refund), .sendAgain(refund)]
            try story.resolve(verdicts[verdict])
            #expect(story.payment.amounts.refunded == refunded)
            #expect(story.last.dispatches.map(\.ground) == (verdict == 2 ? [.operatorOverride] : []))
            #expect(story.payment.pending(.refund) == (verdict == 2 ? 500 : 0))
        }
    }

    @Test func `a second proposal of what the first has settled waits for nobody`() throws {
        var (story, _) = try lostRefund()
        story.observe(.contradiction(.identity, detail: "project 7"))
        let first = try proposed(.acknowledged, &story)
        _ = try proposed(.acknowledged, &story)
        #expect(story.obligations.count { $0.kind == .proposal } == 2)
        story.actor = Story.bob
        try story.command(.approve(proposal: first, seenVersion: story.payment.version))
        #expect(!story.obligations.contains { $0.kind == .proposal || $0.kind == .contradiction })
    }

    @Test func `one person alone and a merchant resolve nothing`() throws {
        var (story, refund) = try lostRefund()
        let id = try proposed(.failed(refund), &story)
        let approve = PaymentCommand.approve(proposal: id, seenVersion: story.payment.version)
        #expect(code(story, approve) == "second_person_needed")
        story.actor = Samples.merchantActor
        #expect(code(story, approve) == "operator_needed")
        let propose = PaymentCommand.propose(.failed(refund), evidence: "", seenVersion: story.payment.version)
        #expect(code(story, propose) == "operator_needed")
    }

    @Test func `newer evidence makes a proposal stale`() throws {
        var (story, refund) = try lostRefund()
        let seen = story.payment.version
        let id = try proposed(.failed(refund), &story)
        story.see(Samples.seen("r9", .refund, .processing, 100))
        story.actor = Story.bob
        #expect(code(story, .approve(proposal: id, seenVersion: story.payment.version)) == "proposal_stale")
        #expect(code(story, .propose(.failed(refund), evidence: "", seenVersion: seen)) == "proposal_stale")
    }

    @Test(arguments: [DispatchOutcome.notSent(reason: "unreachable"), .unknown(reason: "timeout")])
    func `a look that brought no answer makes no proposal stale`(_ outcome: DispatchOutcome) throws {
        var (story, refund) = try lostRefund()
        let id = try proposed(.failed(refund), &story)
        story.wait(3600)
        story.observe(.timer)
        let look = try #require(story.openDispatches.last { $0.purpose == .query })
        story.answer(look, [.dispatch(outcome)])
        story.actor = Story.bob
        try story.command(.approve(proposal: id, seenVersion: story.payment.version))
        #expect(story.payment.operation(refund)?.isClosed == true)
    }

    @Test func `a look in words that nobody knows makes a proposal stale`() throws {
        var (story, refund) = try lostRefund()
        let id = try proposed(.failed(refund), &story)
        story.wait(3600)
        story.observe(.timer)
        story.answerQuery([.unrecognised(what: "status", value: "partially_refunded")])
        story.actor = Story.bob
        #expect(code(story, .approve(proposal: id, seenVersion: story.payment.version)) == "proposal_stale")
    }

    @Test func `a late answer makes a proposal stale`() throws {
        var (story, refund) = try lostRefund()
        let id = try proposed(.failed(refund), &story)
        let license = try #require(story.payment.operation(refund)?.dispatches.last?.license)
        story.answer(license, [.dispatch(.accepted)])
        story.actor = Story.bob
        #expect(code(story, .approve(proposal: id, seenVersion: story.payment.version)) == "proposal_stale")
    }

    @Test func `an approver has seen the proposal and no version that does not exist`() throws {
        var (story, refund) = try lostRefund()
        let before = story.payment.version
        let id = try proposed(.failed(refund), &story)
        story.actor = Story.bob
        #expect(code(story, .approve(proposal: id, seenVersion: before)) == "proposal_stale")
        #expect(code(story, .approve(proposal: id, seenVersion: before + 2)) == "proposal_stale")
        #expect(code(story, .approve(proposal: Samples.uuid(5), seenVersion: before)) == "proposal_unknown")
        try story.command(.approve(proposal: id, seenVersion: before + 1))
        try story.command(.approve(proposal: id, seenVersion: before + 1))
        #expect(story.last.events.isEmpty)
    }

    @Test func `what evidence has settled needs no persons`() throws {
        var (story, refund) = try lostRefund()
        story.see(Samples.seen("r1", .refund, .succeeded, 500))
        for verdict in [
            Resolution.Verdict.failed(refund), .succeeded(refund, .cents(500)), .sendAgain(refund), .acknowledged,
            .attemptDead,
        ] {
            let propose = PaymentCommand.propose(verdict, evidence: "", seenVersion: story.payment.version)
            #expect(code(story, propose) == "nothing_to_resolve")
        }
    }

    @Test func `an operator books no more than was asked for, in the same currency`() throws {
        let (story, refund) = try lostRefund()
        func book(_ amount: Money) -> String? {
            code(story, .propose(.succeeded(refund, amount), evidence: "", seenVersion: story.payment.version))
        }
        #expect(book(.cents(501)) == "amount_exceeds_available")
        #expect(book(.cents(0)) == "amount_not_positive")
        #expect(book(Money(500, Samples.dollar)) == "currency_mismatch")
        #expect(book(.cents(499)) == nil)
    }

    @Test func `a refusal of what two persons booked contradicts and leaves the books`() throws {
        var (story, refund) = try lostRefund()
        try story.resolve(.succeeded(refund, .cents(500)))
        let reference = try #require(story.payment.operation(refund)?.reference)
        story.see(Samples.seen("r1", .refund, .declined(Samples.decline), 500, reference: reference))
        #expect(story.payment.operation(refund)?.state == .succeeded)
        #expect(story.payment.amounts.refunded == 500)
        #expect(story.payment.contradictions == [.outcome])
    }

    @Test func `acknowledging a contradiction thaws the payment until the next one`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale), Samples.seen("s2", .sale))
        #expect(story.payment.isFrozen)
        try story.resolve(.acknowledged)
        #expect(!story.payment.isFrozen)
        #expect(!story.obligations.contains { $0.kind == .contradiction })
        #expect(story.payment.contradictions == [.amount])
        story.see(Samples.seen("s3", .sale, .succeeded, 5))
        #expect(story.payment.isFrozen)
    }

    @Test func `a dead attempt is closed by two persons and a success after it is late`() throws {
        var story = try Story(.sale)
        try story.resolve(.attemptDead)
        #expect(story.payment.status == .voided)
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.lateSuccesses.count == 1)
    }

    @Test func `failing the beginning fails the payment`() throws {
        var story = try Story(.sale)
        let initial = try #require(story.payment.initial?.id)
        try story.resolve(.failed(initial))
        #expect(story.payment.status == .failed)
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.amounts.captured == 1999)
        #expect(story.payment.contradictions == [.outcome])
    }

    @Test func `cancelled money goes back once a contradiction is acknowledged`() throws {
        var story = try Story(.sale)
        try story.command(.void(amount: nil, reason: nil))
        story.observe(.contradiction(.identity, detail: "project 7"))
        story.see(Samples.seen("s1", .sale))
        #expect(story.last.dispatches.isEmpty)
        try story.resolve(.acknowledged)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.operation(.refund)])
    }
}

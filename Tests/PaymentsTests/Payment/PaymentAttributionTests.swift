import Kernel
import Payments
import Testing

/// Which operation a transaction belongs to.
struct PaymentAttributionTests {
    private func authorized(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        story.wait(3600)
        return story
    }

    private func outcome(_ story: Story, _ id: String) -> Operation? {
        story.payment.operations.first { $0.transactions[id] != nil }
    }

    @Test func `a capture that is older than our licence is not ours`() throws {
        var story = try authorized()
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.see(Samples.seen("c1", .capture, .succeeded, 500, at: 60))
        #expect(outcome(story, "c1")?.origin == .provider)
        story.see(Samples.seen("c2", .capture, .succeeded, 500, at: 3601))
        #expect(outcome(story, "c2")?.origin == .commanded)
        #expect(story.payment.amounts.captured == 1000)
    }

    @Test(arguments: [-90, 0, 90])
    func `an answer that a node with another clock took is ours, and what was seen before we asked is not`(
        _ skew: Int64
    ) throws {
        var story = try authorized(Samples.capabilities(multipleCaptures: true))
        story.see(Samples.seen("c0", .capture, .succeeded, 500, at: 3550))
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.wait(skew)
        story.answer(.dispatch(.accepted), .operation(Samples.seen("c1", .capture, .succeeded, 500, at: 3600)))
        #expect(outcome(story, "c0")?.origin == .provider)
        #expect(outcome(story, "c1")?.origin == .commanded)
        #expect(story.payment.operations.count == 3)
    }

    @Test(arguments: [20, 36_000])
    func `a refund that the provider refused takes nothing from the one that was sent after it`(
        _ pause: Int64
    ) throws {
        var story = try Story(
            .sale,
            1999,
            Samples.capabilities(recovery: [.refund: .query(absenceAfter: .seconds(60))])
        )
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        let refused = story.payment.operations.last?.id
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.answerQuery([])
        story.wait(600)
        try story.poll()
        story.answer(.dispatch(.notExecuted(Samples.decline)))
        story.confirmRefusal(.refund)
        story.wait(pause)
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        let sent = try #require(story.payment.operations.last?.id)
        story.answer(.dispatch(.accepted))
        story.wait(10)
        let created = story.now.since(Samples.noon).components.seconds
        story.see(Samples.seen("r1", .refund, .succeeded, 500, at: created))
        #expect(outcome(story, "r1")?.id == sent)
        #expect(refused != sent && story.payment.amounts.refunded == 500)
        let open = story.payment.operations.filter { !$0.isClosed }
        #expect(open.isEmpty)
    }

    @Test func `the older of two fitting provider operations is ours, in whatever order they come`() throws {
        let old = Samples.seen("c1", .capture, .declined(Samples.decline), 500, at: 3601)
        let young = Samples.seen("c2", .capture, .succeeded, 500, at: 3700)
        for order in [[old, young], [young, old]] {
            var story = try authorized()
            try story.command(.capture(amount: .cents(500), reason: nil))
            for seen in order { story.see(seen) }
            #expect(outcome(story, "c1")?.origin == .commanded)
            #expect(outcome(story, "c1")?.state == .failed(Samples.decline))
            #expect(outcome(story, "c2")?.state == .succeeded)
            #expect(story.payment.amounts.captured == 500)
            #expect(story.payment.operations.count == 3)
        }
    }

    @Test func `a refund that is seen before its reference is moved to ours when the reference comes`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        let reference = story.payment.operations.last?.reference
        story.see(Samples.seen("r1", .refund, .processing, 400))
        #expect(outcome(story, "r1")?.origin == .provider)
        story.see(Samples.seen("r1", .refund, .succeeded, 500, reference: reference))
        #expect(outcome(story, "r1")?.origin == .commanded)
        #expect(story.payment.operations.count == 2)
        #expect(story.payment.amounts.refunded == 500)
    }

    @Test func `a refund with somebody else's reference leaves ours when the reference comes`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.see(Samples.seen("r1", .refund, .processing, 500))
        #expect(outcome(story, "r1")?.origin == .commanded)
        story.see(Samples.seen("r1", .refund, .succeeded, 500, reference: "dashboard-1", at: 2))
        #expect(outcome(story, "r1")?.origin == .provider)
        #expect(story.payment.pending(.refund) == 500)
        #expect(story.payment.amounts.refunded == 500)
    }

    @Test func `an operation that is adopted unfinished blocks the same command`() throws {
        var story = try authorized()
        story.see(Samples.seen("c1", .capture, .processing, 500, at: 3000))
        let capture = PaymentCommand.capture(amount: nil, reason: nil)
        #expect(refusal { () throws(Rejection) in try story.command(capture) } == "operation_in_progress")
        #expect(story.payment.pending(.capture) == 500)
        #expect(story.payment.timers(story.can).machine != nil)
    }

    @Test func `evidence for what an operator booked takes its place instead of adding to it`() throws {
        var story = try authorized()
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        let id = try #require(story.payment.operations.last?.id)
        try story.resolve(.succeeded(id, .cents(500)))
        #expect(story.payment.amounts.captured == 500)
        story.see(Samples.seen("c1", .capture, .succeeded, 500, at: 3605))
        #expect(story.payment.amounts.captured == 500)
        #expect(!story.payment.isFrozen)
    }

    @Test func `an operation of another kind under one provider id contradicts in any order`() throws {
        let seen = [Samples.seen("x", .capture, .succeeded, 5), Samples.seen("x", .void, .succeeded, 5)]
        var results: Set<PaymentAmounts> = []
        for order in [[0, 1], [1, 0]] {
            var story = try authorized()
            for index in order { story.see(seen[index]) }
            #expect(story.payment.contradictions == [.identity])
            results.insert(story.payment.amounts)
        }
        #expect(results.count == 1)
    }
}

extension Story {
    /// Two persons decide.
    mutating func resolve(_ verdict: Resolution.Verdict) throws(Rejection) {
        let before = actor
        actor = Story.alice
        try command(.propose(verdict, evidence: "bank statement", seenVersion: payment.version))
        guard case .resolutionProposed(let resolution)? = last.events.first else { return }
        actor = Story.bob
        try command(.approve(proposal: resolution.id, seenVersion: payment.version))
        actor = before
    }
}

/// Histories that random search found: what a first guess flagged must not outlive the guess.
struct PaymentRegressionTests {
    private func twoRefunds() throws -> (story: Story, references: [String]) {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        for amount in [Int64(500), 700] {
            try story.command(.refund(amount: .cents(amount), capture: nil, reason: nil))
            story.answer(.dispatch(.accepted))
        }
        return (story, story.payment.operations.suffix(2).map(\.reference))
    }

    @Test func `a mismatch that came of a wrong guess goes away when the provider names the operation`() throws {
        let (story, references) = try twoRefunds()
        let vague = Samples.seen("r1", .refund, .succeeded, nil)
        let named = Samples.seen("r1", .refund, .succeeded, 700, reference: references[1])
        for order in [[vague, named], [named, vague]] {
            var story = story
            for seen in order { story.see(seen) }
            #expect(story.payment.contradictions.isEmpty)
            #expect(story.payment.amounts.refunded == 700)
            #expect(story.payment.pending(.refund) == 500)
        }
    }

    @Test func `what two tries took without naming an amount is one finding in any order`() throws {
        let seen = [
            Samples.seen("s1", .sale, .succeeded, nil), Samples.seen("s2", .sale, currency: Samples.dollar),
            Samples.seen("s2", .sale),
        ]
        var found: Set<Set<Contradiction>> = []
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]] {
            var story = try Story(.sale)
            for index in order { story.see(seen[index]) }
            found.insert(story.payment.standingContradictions)
        }
        #expect(found.count == 1)
    }

    @Test func `a message that was revoked on a guess is owed by an operator when the guess was wrong`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        let refund = try #require(story.openDispatches.last)
        story.see(Samples.seen("r1", .refund, .succeeded, 500))
        story.answer(refund, [.dispatch(.notSent(reason: "expired"))])
        #expect(story.last.events.map(\.isRevocation) == [true])
        story.see(Samples.seen("r1", .refund, .succeeded, 500, reference: "dashboard"))
        #expect(story.obligations.map(\.reason) == ["never_sent"])
        let ours = try #require(story.payment.operations.first { $0.kind == .refund && $0.origin == .commanded })
        try story.resolve(.sendAgain(ours.id))
        #expect(story.last.dispatches.map(\.ground) == [.operatorOverride])
    }

    @Test func `a message that may be on the wire is awaited when the guess that closed its operation was wrong`()
        throws
    {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.see(Samples.seen("r1", .refund, .succeeded, 500))
        story.see(Samples.seen("r1", .refund, .succeeded, 500, reference: "dashboard"))
        #expect(story.obligations.map(\.reason) == ["message_on_its_way"])
        let ours = try #require(story.payment.operations.first { $0.kind == .refund && $0.origin == .commanded })
        #expect(refusal { () throws(Rejection) in try story.resolve(.sendAgain(ours.id)) } == "nothing_to_resolve")
    }

    @Test func `what comes after a proof of absence belongs to the next operation and not to the one that ended`()
        throws
    {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.observe(.contradiction(.identity, detail: "project 7"))
        story.answerQuery([])
        story.answerQuery([])
        story.wait(600)
        try story.poll()
        try story.resolve(.acknowledged)
        story.wait(60)
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(.dispatch(.accepted))
        story.see(Samples.seen("c1", .capture, at: 725))
        let captures = story.payment.operations.filter { $0.kind == .capture }
        #expect(captures.map(\.state) == [.notExecuted("absent"), .succeeded])
        #expect(!story.payment.isFrozen)
    }

    @Test func `evidence belongs to the operation that is open before one that two persons failed`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        let first = try #require(story.payment.operations.last?.id)
        try story.resolve(.failed(first))
        try story.command(.capture(amount: nil, reason: nil))
        story.see(Samples.seen("c1", .capture))
        #expect(story.payment.operation(first)?.transactions.isEmpty == true)
        #expect(story.payment.operations.last?.state == .succeeded)
        #expect(!story.payment.isFrozen)
    }

    @Test func `a dashboard capture long after a proof of absence is adopted`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.observe(.contradiction(.identity, detail: "project 7"))
        story.answerQuery([])
        story.answerQuery([])
        story.wait(600)
        try story.poll()
        try story.resolve(.acknowledged)
        story.see(Samples.seen("c1", .capture, at: 5000))
        #expect(story.payment.operations.last?.origin == .provider)
        #expect(story.payment.status == .captured)
        #expect(!story.payment.isFrozen)
    }
}

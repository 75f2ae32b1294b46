import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// Another attempt at the next account: only on proof, and never beside a living one.
struct FallbackTests {
    private let first = RouteSamples.first
    private let second = RouteSamples.second
    private let third = RouteSamples.third

    private func declined(_ reason: DeclineClass) -> Fact {
        .attempt(.closed(.declined(Decline(reason: reason, code: "1", tableVersion: 1))))
    }

    // MARK: When

    @Test(arguments: DeclineClass.allCases)
    func `a closed attempt is followed by another one for the classes that the rule names alone`(reason: DeclineClass)
        throws
    {
        var story = try FallbackStory()
        story.observe(first, declined(reason))
        let falls = reason == .soft || reason == .providerDown
        #expect(story.tried == (falls ? [first, second] : [first]))
        #expect(story.payment.status == (falls ? .requiresAction : .failed))
        #expect(story.payment.attempt?.number == (falls ? 2 : 1))
    }

    @Test func `a payment that a restore set back stays where it is, one that began behind it goes on`() throws {
        for (age, falls) in [(Int64(60), false), (-60, true)] {
            var story = try FallbackStory()
            story.story.epoch = RecoveryEpoch(number: 1, begunAt: Samples.noon.adding(.seconds(age)))
            story.observe(first, declined(.soft))
            #expect(story.tried == (falls ? [first, second] : [first]))
            #expect(story.payment.status == (falls ? .requiresAction : .failed))
        }
    }

    @Test func `the event of the new attempt tells the proof, the refusal and why each account was passed over`() throws
    {
        var story = try FallbackStory()
        story.observe(first, declined(.soft))
        let decision = try #require(story.payment.routes.last)
        let decline = Decline(reason: .soft, code: "1", tableVersion: 1)
        #expect(decision.cause == .fallback(after: 1, .closed, decline))
        #expect(decision.candidates.map(\.verdict) == [.passed(.tried), .chosen, .available])
        #expect(story.payment.pastAttempts.map(\.account.id) == [first])
        #expect(story.payment.attempt?.reference != story.payment.pastAttempts.first?.attempt.reference)
        #expect(story.payment.handovers.map(\.account) == [second])
    }

    @Test func `a schedule is its account's: the payment that activates it goes to no other one`() throws {
        var members = try #require(Samples.terms(.sale).json.members)
        members["occurrence"] = OccurrenceName(schedule: Samples.uuid(5), ordinal: 0).json
        let terms = try PaymentTerms(Fields(.object(members)))
        var story = try FallbackStory(terms: terms)
        story.observe(RouteSamples.first, declined(.soft))
        #expect(story.tried == [RouteSamples.first])
        #expect(story.payment.status == .failed)
    }

    @Test func `a refused try inside an open form is no reason: its link is alive`() throws {
        var story = try FallbackStory()
        story.see(first, Samples.seen("s1", .sale, .declined(Samples.decline)))
        #expect(story.tried == [first] && story.payment.status == .requiresAction)
    }

    @Test func `a closed attempt with a try that is not finished waits for it`() throws {
        var story = try FallbackStory()
        story.see(first, Samples.seen("s1", .sale, .processing))
        story.observe(first, declined(.soft))
        #expect(story.tried == [first])
        story.see(first, Samples.seen("s1", .sale, .declined(Samples.decline)))
        #expect(story.tried == [first, second])
    }

    @Test func `a refusal of the opening message proves that nothing was done`() throws {
        var story = try FallbackStory(opening: .request)
        story.answer(first, .dispatch(.notExecuted(Samples.decline)))
        #expect(story.tried == [first, second])
        guard case .fallback(1, .notExecuted, _)? = story.payment.routes.last?.cause else {
            Issue.record("the proof is not told")
            return
        }
        #expect(story.payment.pastAttempts.first?.attempt.isOpen == false)
        #expect(story.payment.initial?.dispatches.map(\.license.account) == [second])
    }

    @Test func `a message that can't reach the first account ends there after its licences and goes on`() throws {
        var story = try FallbackStory(opening: .request)
        for _ in 1...Payment.licensesPerOperation {
            #expect(story.tried == [first])
            story.story.wait(60)
            story.answer(first, .dispatch(.notSent(reason: "unreachable: deadline")))
        }
        #expect(story.tried == [first, second])
        guard case .fallback(1, .notSent, let decline)? = story.payment.routes.last?.cause else {
            Issue.record("the proof is not told")
            return
        }
        #expect(decline.reason == .providerDown)
    }

    @Test func `a lost answer is no proof, however long it is lost`() throws {
        var story = try FallbackStory(opening: .request)
        story.answer(first, .dispatch(.unknown(reason: "timeout")))
        for _ in 0..<5 {
            story.story.wait(600)
            story.story.observe(.timer)
        }
        #expect(story.tried == [first] && story.payment.status == .indeterminate)
    }

    @Test func `a lost answer that a query proves absent goes on`() throws {
        var story = try FallbackStory(opening: .request)
        story.story.can = Samples.capabilities(recovery: [.sale: .query(absenceAfter: .seconds(60))])
        for _ in 1...Payment.licensesPerOperation {
            story.answer(first, .dispatch(.unknown(reason: "timeout")))
            story.answer(first, .dispatch(.answered), .attempt(.notRegistered))
            story.story.wait(120)
            try story.story.command(.sync)
            story.answer(first, .dispatch(.answered), .attempt(.notRegistered))
        }
        #expect(story.tried == [first, second])
    }

    // MARK: When not

    @Test func `a cancelled, expired, frozen or paid payment stays where it is`() throws {
        var cancelled = try FallbackStory()
        try cancelled.story.command(.void(amount: nil, reason: nil))
        cancelled.observe(first, declined(.soft))
        #expect(cancelled.tried == [first])

        var expired = try FallbackStory()
        expired.story.wait(3600)
        expired.story.observe(.timer)
        expired.observe(first, declined(.soft))
        #expect(expired.tried == [first])

        var frozen = try FallbackStory()
        frozen.observe(first, .contradiction(.amount, detail: "odd"), declined(.soft))
        #expect(frozen.tried == [first])

        var paid = try FallbackStory()
        paid.observe(first, .operation(Samples.seen("s1", .sale)), declined(.soft))
        #expect(paid.tried == [first] && paid.payment.amounts.captured == 1999)
    }

    @Test func `what a person ended stays ended`() throws {
        var story = try FallbackStory()
        story.story.actor = Story.alice
        let seen = story.payment.version
        try story.story.command(.propose(.attemptDead, evidence: "e", seenVersion: seen))
        story.story.actor = Story.bob
        let proposal = try #require(story.payment.proposals.keys.first)
        try story.story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
        #expect(story.tried == [first] && story.payment.status == .voided)
    }

    @Test func `attempts end where the rule says, and where no account is left the search ends for good`() throws {
        var story = try FallbackStory()
        for account in [first, second, third] { story.observe(account, declined(.soft)) }
        #expect(story.tried == [first, second, third] && story.payment.status == .failed)

        var down = try FallbackStory(
            routing: RouteSamples.opened(third, RouteSamples.opened(second, FallbackStory.routing))
        )
        down.observe(first, declined(.soft))
        #expect(down.tried == [first] && down.payment.routes.last?.chosen == nil && down.payment.status == .failed)
        down.story.fallbackRoutes = FallbackRoutes(
            routing: FallbackStory.routing,
            accounts: RouteSamples.three,
            openings: [:],
            refusals: []
        )
        down.observe(first, .fee(.cents(1)))
        #expect(down.tried == [first], "a payment that was told as failed is not revived")
    }

    @Test func `an account that does not take the terms, is closed or takes other money is passed over`() throws {
        var story = try FallbackStory()
        story.story.fallbackRoutes = FallbackRoutes(
            routing: FallbackStory.routing,
            accounts: RouteSamples.known(
                RouteSamples.account(first),
                RouteSamples.account(second),
                RouteSamples.account(third, .test)
            ),
            openings: [:],
            refusals: [second]
        )
        story.observe(first, declined(.soft))
        let verdicts = story.payment.routes.last?.candidates.map(\.verdict)
        #expect(verdicts == [.passed(.tried), .passed(.termsRefused), .passed(.otherAccountMode)])
        #expect(story.tried == [first])
    }

    // MARK: After

    @Test func `money that arrives for an earlier attempt is booked, told, and given back at its own account`() throws {
        var story = try FallbackStory()
        story.observe(first, declined(.soft))
        story.see(first, Samples.seen("s1", .sale))
        let payment = story.payment
        #expect(payment.amounts.captured == 1999 && payment.standing.captured == 0)
        #expect(payment.status == .requiresAction, "the new attempt goes on")
        #expect(payment.lateSuccesses.count == 1)
        let refund = try #require(payment.operations.last)
        #expect(refund.kind == .refund && refund.attempt == 1 && refund.requested == .cents(1999))
        #expect(refund.dispatches.map(\.license.account) == [first])
        #expect(
            story.story.last.dispatches.first?.planned.paymentReference == payment.pastAttempts[0].attempt.reference
        )

        story.see(second, Samples.seen("s1", .sale))
        #expect(story.payment.status == .captured && story.payment.amounts.captured == 3998)
        story.see(first, Samples.seen("r1", .refund))
        #expect(story.payment.amounts.refunded == 1999 && story.payment.status == .captured)
    }

    @Test func `a hold that arrives for an earlier attempt is voided at its own account, and the other is captured`()
        throws
    {
        var story = try FallbackStory(.authorize)
        story.observe(first, declined(.soft))
        story.see(first, Samples.seen("a1", .authorize))
        let void = try #require(story.payment.operations.last)
        #expect(void.kind == .void && void.attempt == 1 && void.dispatches.map(\.license.account) == [first])
        story.see(second, Samples.seen("a1", .authorize))
        story.see(first, Samples.seen("v1", .void))
        #expect(story.payment.status == .authorized && story.payment.standing.held == 1999)
        story.story.account = RouteSamples.facts(second)
        try story.story.command(.capture(amount: nil, reason: nil))
        let capture = try #require(story.payment.operations.last)
        #expect(capture.kind == .capture && capture.requested == .cents(1999))
        #expect(capture.dispatches.map(\.license.account) == [second])
    }

    @Test func `the same id at two providers is two operations`() throws {
        var story = try FallbackStory()
        story.see(first, Samples.seen("1", .sale, .declined(Samples.decline)))
        story.observe(first, declined(.soft))
        story.see(second, Samples.seen("1", .sale))
        #expect(story.payment.status == .captured && story.payment.contradictions.isEmpty)
        #expect(story.payment.operations.map(\.attempt) == [1, 2])
    }

    @Test func `a hint about an earlier attempt asks at its account`() throws {
        var story = try FallbackStory()
        story.observe(first, declined(.soft))
        story.story.account = RouteSamples.facts(first)
        story.story.observe(.facts([.question], trust: .hint, dispatch: nil))
        #expect(story.story.openDispatches.last?.account == first)
    }

    @Test(arguments: [Fact.attempt(.reading(.moneyWithoutOperation("paid"))), .order(ProviderOrder(id: "late"))])
    func `news of an earlier attempt is asked about, whatever is being asked about the newest`(_ news: Fact) throws {
        var story = try FallbackStory()
        story.observe(first, declined(.soft))
        story.story.account = RouteSamples.facts(second)
        try story.story.command(.sync)
        story.observe(first, news)
        #expect(story.story.openDispatches.filter { $0.purpose == .query }.map(\.account) == [second, first])
    }

    // MARK: Whatever comes

    @Test func `whatever comes in, one attempt is open at most and each new one stands on proof`() throws {
        try forAll(runs: 400, seed: 77) { random in
            var story = try FallbackStory(
                random.pick([.sale, .authorize]),
                opening: random.pick([.handover, .request])
            )
            for _ in 0..<random.number(3...14) {
                story.story.wait(random.number(1...400))
                let before = story.payment
                step(&story, &random)
                try check(before, story.payment)
            }
        }
    }

    private func step(_ story: inout FallbackStory, _ random: inout SplitMix64) {
        let account = random.pick(story.tried)
        let decline = Decline(reason: random.pick([.soft, .hard, .providerDown]), code: nil, tableVersion: 1)
        switch random.next() % 8 {
        case 0: story.observe(account, .attempt(.closed(.declined(decline))))
        case 1: story.observe(account, .attempt(.closed(random.pick([.expired, .cancelled]))))
        case 2:
            let outcome = random.pick([.processing, .declined(decline), .succeeded, .ambiguous] as [ProviderOutcome])
            let kind = story.payment.initial?.kind ?? .sale
            story.see(account, Samples.seen(random.pick(["1", "2"]), kind, outcome))
        case 3:
            let outcomes: [DispatchOutcome] = [
                .notExecuted(decline), .unknown(reason: "timeout"), .accepted,
                .notSent(reason: "unreachable: deadline"),
                .notSent(reason: "secretLost"),
            ]
            story.answer(account, .dispatch(random.pick(outcomes)))
        case 4: story.answer(account, .dispatch(.answered), .attempt(.notRegistered))
        case 5: story.story.observe(.timer)
        case 6: story.observe(account, .order(ProviderOrder(id: "o-\(account.low & 3)")))
        default: story.observe(account, .attempt(.reading(random.pick([.processing, .moneyWithoutOperation("paid")]))))
        }
    }

    private struct Broken: Error { let what: String }

    private func check(_ before: Payment, _ after: Payment) throws {
        func demand(_ holds: Bool, _ what: String) throws(Broken) { if !holds { throw Broken(what: what) } }
        try demand(after.pastAttempts.allSatisfy { !$0.attempt.isOpen }, "two attempts are open")
        try demand(Set(after.triedAccounts.map(\.id)).count == after.triedAccounts.count, "an account was tried twice")
        try demand(after.triedAccounts.count <= RouteSamples.softly.attempts, "too many attempts")
        guard after.triedAccounts.count > before.triedAccounts.count, let past = after.pastAttempts.last else { return }
        let number = past.attempt.number
        let initial = after.initial(of: number)
        let tries = initial.map { Array($0.transactions.values) } ?? []
        try demand(tries.allSatisfy { $0.latest.outcome.isFinal && !$0.succeeded }, "a try was alive or had succeeded")
        try demand(initial?.dispatches.contains(where: \.isInFlight) == false, "a message was under way")
        try demand(after.amounts == PaymentAmounts(), "money had moved")
        let hasLink = !past.handovers.isEmpty || past.order != nil
        try demand(!hasLink || !past.attempt.closedByUs, "a link was alive that the provider had not closed")
        guard case .fallback(number, _, let decline)? = after.routes.last?.cause else {
            throw Broken(what: "the decision does not tell its cause")
        }
        try demand(RouteSamples.softly.classes.contains(decline.reason), "the refusal does not permit it")
    }
}

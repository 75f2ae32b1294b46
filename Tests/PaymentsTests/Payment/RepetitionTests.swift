import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// What an answer proves while another message of its operation may have acted.
struct RepetitionTests {
    private static let lost = Fact.dispatch(.unknown(reason: "timeout"))
    private static let refused = Fact.dispatch(.notExecuted(Samples.decline))
    private static let closed = Fact.attempt(.closed(.declined(Samples.decline)))
    private static let declined = Fact.operation(Samples.seen("d1", .sale, .declined(Samples.decline)))

    /// Every way in which adapters report a refusal.
    private static let refusals: [[Fact]] = [
        [refused], [refused, closed], [refused, declined], [refused, closed, declined], [closed], [declined],
        [.dispatch(.accepted), declined, closed], [.operation(Samples.seen("d1", .sale, .expired))],
        [refused, .attempt(.closed(.expired))], [refused, .attempt(.closed(.cancelled))],
    ]

    private static let keyed = Samples.capabilities(recovery: [
        .sale: .sameKey(lifetime: .seconds(86_400)), .capture: .sameKey(lifetime: .seconds(86_400)),
    ])

    /// A charge whose first message was lost and that was sent again under its key.
    private func repeated() throws -> Story {
        var story = Story(Self.keyed)
        story.opening = .request
        try story.command(.create(Samples.terms(.sale)))
        story.answer(Self.lost)
        story.wait(60)
        story.answerQuery([])
        #expect(story.openDispatches.map(\.ground) == [.sameKey])
        return story
    }

    @Test(arguments: refusals) func `a refused repetition leaves the charge open, asked about and owed`(_ facts: [Fact])
        throws
    {
        var story = try repeated()
        story.answer(story.openDispatches[0], facts)
        let payment = story.payment
        #expect(payment.status == (facts.contains(.dispatch(.accepted)) ? .processing : .indeterminate))
        #expect(payment.attempt?.isOpen == true && payment.initial?.isClosed == false)
        #expect(payment.timers(story.can).machine != nil)
        #expect(!story.obligations.isEmpty && story.obligations.allSatisfy { $0.owner == .provider })
        for _ in 1...20 where payment.status == .indeterminate {
            story.wait(4000)
            story.observe(.timer)
            for open in story.openDispatches {
                story.answer(open, open.purpose == .query ? [.dispatch(.answered)] : facts)
            }
        }
        guard payment.status == .indeterminate else { return }
        #expect(story.payment.status == .indeterminate)
        #expect(story.obligations.contains { $0.owner == .operator })
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.status == .captured && story.payment.lateSuccesses.isEmpty)
    }

    @Test(arguments: [[refused, closed], [refused, declined], [refused, closed, declined]])
    func `a look, a notification and the provider's first answer end it`(_ facts: [Fact]) throws {
        let proof = facts.filter { $0 != Self.refused }
        var looked = try repeated()
        looked.answer(looked.openDispatches[0], facts)
        try looked.poll()
        #expect(looked.payment.status == .indeterminate)
        looked.wait(60)
        looked.answer(looked.openDispatches[0], [Self.lost])
        try looked.command(.sync)
        looked.answerQuery(proof)
        #expect(looked.payment.initial?.isClosed == true || looked.payment.attempt?.isOpen == false)
        var told = try repeated()
        told.answer(told.openDispatches[0], facts)
        told.observe(.facts(proof, trust: .verified, dispatch: nil))
        #expect(told.payment.initial?.isClosed == true || told.payment.attempt?.isOpen == false)
        var first = try repeated()
        var undeclared = first
        undeclared.answer(undeclared.openDispatches[0], [.firstAnswer("another")] + facts)
        #expect(undeclared.payment.initial?.isClosed == false)
        first.answer(first.openDispatches[0], [Self.firstOfAll] + facts)
        #expect(first.payment.initial?.isClosed == true)
        #expect(
            first.payment.initial?.dispatches.map(\.outcome) == [
                .notExecuted(Samples.decline), .notExecuted(Samples.decline),
            ]
        )
    }

    @Test func `the late refusal of the first message ends it with that of the second, in either order`() throws {
        for isFirstBefore in [true, false] {
            var story = try repeated()
            let sent = try #require(story.payment.initial?.dispatches.map(\.license))
            let order = isFirstBefore ? [sent[0], sent[1]] : [sent[1], sent[0]]
            story.answer(order[0], [Self.refused, Self.closed])
            #expect(story.payment.attempt?.isOpen == true)
            story.answer(order[1], [Self.refused, Self.closed])
            #expect(story.payment.status == .failed)
        }
    }

    @Test func `a resend on a look's proof counts, one on two persons' word proves nothing about what came before`()
        throws
    {
        var story = Story(Samples.capabilities(recovery: [.sale: .query(absenceAfter: .seconds(60))]))
        story.opening = .request
        try story.command(.create(Samples.terms(.sale)))
        story.answer(Self.lost)
        story.wait(120)
        story.answerQuery([])
        story.wait(120)
        try story.poll(.attempt(.notRegistered))
        #expect(story.openDispatches.map(\.ground) == [.absent])
        story.answer(Self.refused, Self.closed)
        #expect(story.payment.status == .failed)

        var ours = Story(Samples.capabilities(recovery: [:]))
        ours.opening = .request
        try ours.command(.create(Samples.terms(.sale)))
        ours.answer(Self.lost)
        ours.answerQuery([])
        let id = try #require(ours.payment.initial?.id)
        ours.actor = Story.alice
        try ours.command(.propose(.sendAgain(id), evidence: "e", seenVersion: ours.payment.version))
        ours.actor = Story.bob
        let proposal = try #require(ours.payment.proposals.keys.first)
        try ours.command(.approve(proposal: proposal, seenVersion: ours.payment.version))
        ours.answer(Self.refused, Self.closed)
        #expect(ours.payment.status == .indeterminate)
    }

    // MARK: Captures, voids, refunds

    private func held(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        story.wait(60)
        return story
    }

    /// A capture that is older than the wish for the void was nobody's disobedience; a later one, or one that may be, has
    /// an owner.
    @Test(arguments: [(50, false), (61, true), (nil, true)] as [(Int64?, Bool)])
    func `a refused void counts once a look has shown how the money stands`(_ made: Int64?, _ isUnasked: Bool) throws {
        var story = try held()
        try story.command(.void(amount: nil, reason: nil))
        story.answer(Self.refused)
        let void = { story.payment.operations.first { $0.kind == .void } }
        #expect(void()?.state == .indeterminate)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(story.obligations.contains { $0.reason == "refusal_unproved" && $0.owner == .provider })
        let capture = ProviderOperation(
            providerId: "c1",
            kind: .capture,
            outcome: .succeeded,
            amount: .stated(.cents(1999)),
            createdAt: made.map { Samples.noon.adding(.seconds($0)) }
        )
        story.confirmRefusal(.void, .operation(capture))
        #expect(void()?.state == .failed(Samples.decline))
        #expect(story.payment.status == .captured && story.payment.amounts.released == 0)
        #expect(story.payment.openContradictions.map(\.kind) == (isUnasked ? [.unasked] : []))
        #expect(story.payment.needsOperator == isUnasked)
    }

    @Test func `a question that was asked before the refusal does not show what it means`() throws {
        var story = try held()
        try story.command(.sync)
        let early = try #require(story.openDispatches.last)
        story.wait(1)
        try story.command(.void(amount: nil, reason: nil))
        let void = try #require(story.payment.operations.last?.dispatches.last?.license)
        story.answer(void, [Self.refused])
        story.answer(early, [.dispatch(.answered)])
        #expect(story.payment.operations.first { $0.kind == .void }?.isClosed == false)
        story.wait(60)
        story.confirmRefusal(.void)
        #expect(story.payment.operations.first { $0.kind == .void }?.isClosed == true)
    }

    @Test func `a look that never comes hands a refusal to a person, and one too late to be had is not waited for`()
        throws
    {
        var story = try held()
        try story.command(.void(amount: nil, reason: nil))
        story.answer(Self.refused)
        for _ in 0..<Payment.questionsBeforePerson {
            story.answer(Self.refused)
            story.wait(4000)
            story.observe(.timer)
        }
        #expect(story.obligations.contains { $0.reason == "refusal_unproved" && $0.owner == .operator })

        let brief = Capabilities.Lifetimes(payerWindow: .zero, hold: .seconds(86_400), query: .seconds(30))
        var late = try held(Samples.capabilities(lifetimes: brief))
        try late.command(.void(amount: nil, reason: nil))
        late.answer(Self.refused)
        #expect(late.payment.operations.first { $0.kind == .void }?.state == .failed(Samples.decline))
    }

    private static let firstOfAll = Fact.firstAnswer(Samples.firstAnswer)

    // MARK: Random histories

    private struct Broken: Error { let what: String }

    /// Answers to messages of one charge in any order, with looks that show nothing in between.
    private func life(_ random: inout SplitMix64) throws {
        var story = try FallbackStory(opening: .request).story
        story.can = Self.keyed
        var isProved = false
        for _ in 0..<Int(random.number(3...25)) {
            story.wait(random.number(1...4000))
            guard let open = random.chance(80) ? story.openDispatches.randomElement(using: &random) : nil else {
                if random.chance(50) { story.observe(.timer) } else { try? story.command(.sync) }
                continue
            }
            let wasDoubtful = story.payment.initial.map { isDoubtful($0, beside: open) } ?? false
            var facts = open.purpose == .query ? [.dispatch(.answered)] : random.pick(Self.refusals + [[Self.lost]])
            if open.purpose != .query, random.chance(5) { facts.insert(Self.firstOfAll, at: 0) }
            if facts != [Self.lost], open.purpose != .query, !wasDoubtful || facts.contains(Self.firstOfAll) {
                isProved = true
            }
            story.answer(open, facts)
            guard !isProved else { return }
            guard story.payment.attemptNumber == 1, story.payment.attempt?.isOpen == true,
                story.payment.initial?.isClosed == false
            else { throw Broken(what: "closed without proof by \(facts)") }
            let sent = story.last.dispatches.filter { $0.planned.purpose != .query }
            guard sent.allSatisfy({ $0.ground == .sameKey }) else { throw Broken(what: "licensed \(sent)") }
            guard !story.obligations.isEmpty else { throw Broken(what: "owed by nobody") }
        }
    }

    private func isDoubtful(_ operation: Operation, beside license: DispatchLicense) -> Bool {
        operation.dispatches.contains { other in
            guard other.license != license else { return false }
            if case .unknown? = other.outcome { return true }
            return other.outcome == nil
        }
    }

    @Test func `an unknown sending is closed by proof alone, and no other licence follows it`() throws {
        try forAll(runs: 1500, seed: 12_100) { random in try life(&random) }
    }
}

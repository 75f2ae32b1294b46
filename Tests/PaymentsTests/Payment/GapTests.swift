import EventSourcing
import Kernel
import Payments
import Testing

/// Looks that tell money and no operation behind it, or know nothing of what was paid, could not tell: the next one is
/// later, nothing follows from them, and in the end a person owns what they say.
struct GapTests {
    private static let word = Fact.attempt(.reading(.moneyWithoutOperation("refunded")))
    /// More than the pause between two looks at any time.
    private static let long: Int64 = 4000

    private static func refunds(_ total: Statement.Total, _ listed: Int64...) -> Fact {
        let entries = listed.enumerated().map { place, minor in
            Statement.Entry(Samples.seen("r\(place)", .refund, .succeeded, minor, at: 60), isNamed: true)
        }
        return .statement(Statement(.refund, entries: entries, total: total))
    }

    private func paid() throws -> Story {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        return story
    }

    /// Lets each look that falls due say `facts`, until none does or `end` is over; answers how long each pause was.
    private func looks(_ story: inout Story, for seconds: Int64, _ facts: [Fact]) -> [Duration] {
        let end = story.now.adding(.seconds(seconds))
        var pauses: [Duration] = []
        for _ in 0..<1000 {
            if let open = story.openDispatches.last(where: { $0.purpose == .query }) {
                let asked = max(story.now, open.notBefore)
                pauses.append(.seconds(asked.seconds - story.now.seconds))
                story.now = asked
                story.answer(open, [.dispatch(.answered)] + facts)
                continue
            }
            guard let next = story.payment.timers(story.can).machine, next <= end else { break }
            pauses.append(.seconds(next.seconds - story.now.seconds))
            story.now = max(story.now, next)
            story.observe(.timer)
            guard let open = story.openDispatches.last(where: { $0.purpose == .query }) else { break }
            story.answer(open, [.dispatch(.answered)] + facts)
        }
        story.now = max(story.now, end)
        return pauses
    }

    private static let told: [[Fact]] = [
        [word], [refunds(.untold(.absent))], [refunds(.untold(.stated(.cents(0))))],
        [refunds(.books(.cents(500)), 300)],
        [.statement(Statement(.refund, total: .books(.cents(500)), isListed: true))],
    ]

    @Test(arguments: told) func `a look that tells money without its operation backs off, and a person owns it`(
        _ facts: [Fact]
    ) throws {
        var story = try paid()
        story.wait(60)
        try story.command(.sync)
        let pauses = looks(&story, for: 86_400, facts)
        #expect(pauses.count < 50, "\(pauses)")
        #expect(pauses.max() ?? .zero >= .seconds(3600))
        #expect(story.payment.openContradictions.map(\.kind) == [.moneyWithoutOperation])
        let owed = story.obligations.filter { $0.owner == .operator }
        #expect(owed.map(\.reason) == ["money_without_operation"])
    }

    @Test(arguments: told) func `before a person owns it, the provider does, and it can be acknowledged at any time`(
        _ facts: [Fact]
    ) throws {
        for rounds in [1, Payment.questionsBeforePerson + 3] {
            var story = try paid()
            for _ in 0..<rounds {
                story.wait(Self.long)
                try story.command(.sync)
                story.answerQuery(facts)
            }
            if rounds == 1 {
                #expect(story.obligations.map(\.reason) == ["money_without_operation"])
                #expect(story.obligations.map(\.owner) == [.provider])
            }
            story.actor = Story.alice
            try story.command(.propose(.acknowledged, evidence: "call", seenVersion: story.payment.version))
            let proposal = try #require(story.payment.proposals.keys.first)
            story.actor = Story.bob
            try story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
            #expect(!story.payment.isFrozen && story.obligations.isEmpty)
            _ = looks(&story, for: 86_400, facts)
            #expect(story.payment.timers(story.can).machine == nil, "what persons have dealt with is asked no more")
            #expect(story.obligations.isEmpty)
        }
    }

    @Test(arguments: told) func `a look that tells the operation closes it again`(_ facts: [Fact]) throws {
        var story = try paid()
        for _ in 0...Payment.questionsBeforePerson {
            story.wait(Self.long)
            try story.command(.sync)
            story.answerQuery(facts)
        }
        #expect(story.payment.isFrozen)
        story.wait(Self.long)
        try story.command(.sync)
        story.answerQuery([Self.refunds(.books(.cents(500)), 300, 200)])
        #expect(!story.payment.isFrozen)
        #expect(story.payment.amounts.refunded == 500)
        #expect(story.payment.timers(story.can).machine == nil)
    }

    @Test(arguments: told) func `it proves no absence: what was lost stays open and is sent no second time`(
        _ facts: [Fact]
    ) throws {
        let can = Samples.capabilities(recovery: [.refund: .query(absenceAfter: .seconds(120))])
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        story.wait(60)
        try story.command(.refund(amount: .cents(700), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        for _ in 0...Payment.questionsBeforePerson {
            story.wait(Self.long)
            try story.command(.sync)
            guard let open = story.openDispatches.last(where: { $0.purpose == .query }) else { continue }
            story.answer(open, [.dispatch(.answered)] + facts)
        }
        let refund = try #require(story.payment.operations.first { $0.kind == .refund && $0.origin == .commanded })
        #expect(refund.state == .indeterminate && refund.dispatches.count == 1)
        #expect(story.payment.needsOperator)
    }

    @Test func `news without an operation asks at once, and its own answer does not`() throws {
        var story = try paid()
        story.wait(60)
        story.observe(Self.word)
        #expect(story.openDispatches.map(\.purpose) == [.query])
        story.answerQuery([Self.word])
        #expect(story.openDispatches.isEmpty)
        story.wait(1)
        story.observe(Self.word)
        #expect(story.openDispatches.map(\.purpose) == [.query])
    }

    @Test func `a total that can't be read is a contradiction at once`() throws {
        var story = try paid()
        try story.poll(Self.refunds(.untold(.unreadable("-5"))))
        #expect(story.payment.openContradictions.map(\.kind) == [.amount])
        #expect(story.payment.timers(story.can).machine == nil)
    }

    @Test func `a total that is missing takes nothing back that is known`() throws {
        var story = try paid()
        try story.poll(Self.refunds(.books(.cents(500)), 500))
        story.wait(Self.long)
        try story.poll(Self.refunds(.untold(.absent)))
        #expect(story.payment.openContradictions.isEmpty && story.payment.amounts.refunded == 500)
        try story.poll(Self.refunds(.untold(.stated(.cents(0)))))
        #expect(story.payment.openContradictions.map(\.kind) == [.vanished])
    }

    // MARK: What nobody knows any more

    private static let unknown = Fact.attempt(.notRegistered)

    @Test func `a paid order that the provider does not know is asked for again, and then a person's`() throws {
        var story = try paid()
        story.wait(10)
        try story.command(.sync)
        story.answerQuery([Self.unknown])
        #expect(story.payment.openContradictions.isEmpty, "it may know it late")
        #expect(story.payment.timers(story.can).machine != nil)
        _ = looks(&story, for: 7200, [Self.unknown])
        #expect(story.payment.openContradictions.map(\.kind) == [.vanished])
        #expect(story.payment.status == .captured)
        #expect(story.payment.timers(story.can).machine == nil)
    }

    @Test(arguments: [ProviderOutcome.waiting(.handover), .processing])
    func `a paid order that is shown as not paid is asked for again, and then a person's`(_ outcome: ProviderOutcome)
        throws
    {
        var story = try paid()
        story.wait(10)
        let unpaid = Fact.operation(Samples.seen("s1", .sale, outcome))
        try story.poll(unpaid)
        #expect(story.payment.openContradictions.isEmpty, "it may show it late")
        _ = looks(&story, for: 7200, [unpaid])
        #expect(story.payment.openContradictions.map(\.kind) == [.vanished])
        #expect(story.payment.status == .captured && story.payment.isFrozen)
        #expect(story.payment.timers(story.can).machine == nil)
    }

    @Test func `one late look at a copy that lags says nothing against a paid order`() throws {
        var story = try paid()
        story.wait(Self.long)
        try story.poll(.operation(Samples.seen("s1", .sale, .processing)))
        _ = looks(&story, for: 7200, [.operation(Samples.seen("s1", .sale))])
        #expect(story.obligations.isEmpty && !story.payment.isFrozen)
    }

    @Test func `another try that waits beside the paid one says nothing against it`() throws {
        var story = try paid()
        story.wait(3600)
        try story.poll(.operation(Samples.seen("s1", .sale)), .operation(Samples.seen("s2", .sale, .processing)))
        #expect(story.payment.openContradictions.isEmpty)
    }

    @Test func `nobody is asked to pay while more has gone back than was taken`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("o", .sale, .waiting(.handover)))
        #expect(story.payment.payerAction == .handover)
        story.see(Samples.seen("r1", .refund, .succeeded, 500, at: 60))
        #expect(story.payment.payerAction == nil)
        #expect(!story.obligations.contains { $0.owner == .payer })
    }

    @Test func `an order that was late is known again, and nobody is told`() throws {
        var story = try paid()
        story.wait(10)
        try story.command(.sync)
        story.answerQuery([Self.unknown])
        _ = looks(&story, for: 7200, [.operation(Samples.seen("s1", .sale))])
        #expect(story.obligations.isEmpty)
    }

    @Test func `a provider may forget what it declares to forget`() throws {
        var hold = try Story(.authorize)
        hold.see(Samples.seen("a1", .authorize))
        hold.wait(8 * 86_400)
        hold.observe(.timer)
        hold.answerQuery([Self.unknown])
        #expect(hold.payment.status == .released && hold.payment.openContradictions.isEmpty)
        var old = try paid()
        old.wait(91 * 86_400)
        try old.command(.sync)
        old.answerQuery([Self.unknown])
        #expect(old.payment.openContradictions.isEmpty)
    }

    @Test func `an order that nobody paid may be unknown`() throws {
        var story = try Story(.sale)
        try story.poll(Self.unknown)
        #expect(story.payment.status == .requiresAction && story.payment.openContradictions.isEmpty)
    }

    @Test func `what an optional block would tell and leaves out proves nothing, before and after an answer`() throws {
        let leftOut = Fact.statement(Statement(.refund, total: .missing))
        for isAnswered in [true, false] {
            var story = try paid()
            try story.poll(leftOut)
            #expect(story.payment.awaitsProvider == false)
            try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
            if isAnswered {
                story.answer(.dispatch(.accepted), .operation(Samples.seen("r1", .refund, .succeeded, 500)))
            } else {
                story.answer(.dispatch(.unknown(reason: "timeout")))
            }
            story.wait(Self.long)
            try story.command(.sync)
            _ = looks(&story, for: 2 * 86_400, [leftOut])
            #expect(story.payment.amounts.refunded == (isAnswered ? 500 : 0))
            #expect(story.payment.operations.last?.dispatches.count == 1)
            #expect(story.payment.openContradictions.map(\.detail) == ["refund is left out"])
            #expect(story.obligations.contains { $0.owner == .operator })
        }
    }

    @Test func `that persons know of what is left out proves nothing of a lost refund`() throws {
        let leftOut = Fact.statement(Statement(.refund, total: .missing))
        var story = try paid()
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.wait(Self.long)
        try story.command(.sync)
        _ = looks(&story, for: 2 * 86_400, [leftOut])
        story.actor = Story.alice
        try story.command(.propose(.acknowledged, evidence: "call", seenVersion: story.payment.version))
        let proposal = try #require(story.payment.proposals.keys.first)
        story.actor = Story.bob
        try story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
        #expect(story.payment.openContradictions.isEmpty)
        _ = looks(&story, for: 2 * 86_400, [leftOut])
        #expect(story.payment.operations.last?.dispatches.count == 1)
        #expect(story.payment.operations.last?.isClosed == false)
        #expect(story.obligations.contains { $0.owner == .operator })
    }
}

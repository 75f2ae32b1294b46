import Kernel
import Payments
import TestKit
import Testing

/// Looks that come once the provider must show what was told: what lags behind the first one is not lost.
struct LaterLookTests {
    private func paid() throws -> Story {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        story.wait(600)
        return story
    }

    /// Lets the next wake come, if it comes within a day, and answers its question.
    private func wake(_ story: inout Story, _ facts: Fact...) -> Bool {
        guard let due = story.payment.timers(story.can).machine, due < story.now.adding(.seconds(86_400)) else {
            return false
        }
        story.now = max(story.now, due)
        story.observe(.timer)
        story.answerQuery(facts)
        return true
    }

    private func total(_ minor: Int64) -> Fact {
        .statement(Statement(.refund, entries: [], total: .compares(.cents(minor))))
    }

    @Test func `a refund that only its answer told is looked at once it must show, until a look is answered`() throws {
        var story = try paid()
        try story.command(.refund(amount: .cents(600), capture: nil, reason: nil))
        story.answer(.dispatch(.accepted), .operation(Samples.seen("r1", .refund, .succeeded, 600)))
        let due = story.now.adding(story.can.patience(.refund))
        #expect(story.payment.timers(story.can).machine == due)
        story.now = due
        story.observe(.timer)
        story.answer(.dispatch(.unknown(reason: "timeout")))
        let isLooked = wake(&story, total(0))
        #expect(isLooked)
        #expect(story.payment.openContradictions.map(\.kind) == [.amount])
        let isWoken = wake(&story)
        #expect(!isWoken)
    }

    @Test func `a refund that a look has shown is not looked at again`() throws {
        var story = try paid()
        try story.command(.refund(amount: .cents(600), capture: nil, reason: nil))
        story.answer(.dispatch(.accepted))
        try story.poll(.operation(Samples.seen("r1", .refund, .succeeded, 600, at: 700)))
        let isWoken = wake(&story)
        #expect(!isWoken)
    }

    @Test func `a hint of which a look showed nothing is looked for once more when it must show`() throws {
        var story = try paid()
        story.observe(.facts([], trust: .hint, dispatch: nil))
        let asked = try #require(story.openDispatches.last)
        #expect(asked.ground == .news)
        story.wait(1)
        story.answerQuery([])
        let late = [OperationKind.capture, .void, .refund].map { story.can.patience($0) }.max() ?? .zero
        #expect(story.payment.timers(story.can).machine == max(asked.licensedAt, asked.notBefore).adding(late))
        let isLooked = wake(&story, .operation(Samples.seen("r9", .refund, .succeeded, 500)))
        #expect(isLooked)
        #expect(story.payment.amounts.refunded == 500)
        let isWoken = wake(&story)
        #expect(!isWoken)
    }

    @Test func `a hint of which a look has shown something is not looked for again`() throws {
        var story = try paid()
        story.observe(.facts([], trust: .hint, dispatch: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.wait(60)
        try story.poll(.operation(Samples.seen("r9", .refund, .succeeded, 500)))
        let isWoken = wake(&story)
        #expect(!isWoken)
    }

    @Test func `a hint of an attempt that ended is looked for once more`() throws {
        var story = try Story(.sale)
        story.observe(.attempt(.closed(.declined(Samples.decline))))
        #expect(story.payment.timers(story.can).machine == nil)
        story.observe(.facts([], trust: .hint, dispatch: nil))
        story.answerQuery([])
        let isLooked = wake(&story, .operation(Samples.seen("s1", .sale)))
        #expect(isLooked)
        #expect(story.payment.amounts.captured > 0)
    }

    @Test func `what contradicts in an answer to our own message is looked at`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        story.wait(600)
        try story.command(.capture(amount: .cents(600), reason: nil))
        story.answer(.dispatch(.accepted), .operation(Samples.seen("c1", .capture, .succeeded, 700)))
        #expect(!story.payment.openContradictions.isEmpty)
        #expect(story.openDispatches.map(\.purpose) == [.query])
    }

    @Test func `a question that waits to leave for another reason does not stand for news`() throws {
        var story = try paid()
        try story.poll()
        story.wait(1)
        try story.command(.sync)
        let waiting = try #require(story.openDispatches.last)
        #expect(waiting.notBefore > story.now && waiting.ground == .first)
        story.observe(.facts([], trust: .hint, dispatch: nil))
        let news = try #require(story.openDispatches.last)
        #expect(news.ground == .news && news.notBefore > waiting.notBefore)
        story.observe(.facts([], trust: .hint, dispatch: nil))
        #expect(story.openDispatches.count == 2)
    }
}

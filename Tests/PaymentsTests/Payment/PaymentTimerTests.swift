import Kernel
import Payments
import Testing

/// Expiry, holds and the schedule of questions.
struct PaymentTimerTests {
    /// Advances to each wake until nothing is due before `end`; each question is answered with `facts`.
    private func run(_ story: inout Story, for seconds: Int64, _ facts: Fact...) {
        let end = story.now.adding(.seconds(seconds))
        for _ in 0..<1000 {
            let timers = story.payment.timers(story.can)
            guard let next = [timers.machine, timers.business].compactMap(\.self).min(), next <= end else { break }
            story.now = max(story.now, next)
            story.observe(.timer)
            if story.openDispatches.contains(where: { $0.purpose == .query }) { story.answerQuery(facts) }
        }
        story.now = end
    }

    @Test func `expiry follows a last question and never the clock alone`() throws {
        var story = try Story(.sale)
        run(&story, for: 3600 + 1799, .attempt(.notRegistered))
        #expect(story.payment.expiryReached)
        #expect(story.payment.status == .requiresAction)
        run(&story, for: 3600, .attempt(.notRegistered))
        #expect(story.payment.status == .expired)
        let timers = story.payment.timers(story.can)
        #expect(timers.machine == nil && timers.business == nil)
    }

    @Test func `without an answer there is no expiry`() throws {
        var story = try Story(.sale)
        for _ in 0..<20 {
            story.wait(7200)
            story.observe(.timer)
            if let open = story.openDispatches.last { story.answer(open, [.dispatch(.unknown(reason: "timeout"))]) }
        }
        #expect(story.payment.expiryReached)
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.obligations.contains { $0.kind == .outcome && $0.owner == .operator })
    }

    @Test func `an abandoned try that was declined ends as failed, one that is alive does not end`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .declined(Samples.decline)))
        run(&story, for: 4 * 3600)
        #expect(story.payment.status == .failed)
        var alive = try Story(.sale)
        alive.see(Samples.seen("s1", .sale, .processing))
        run(&alive, for: 4 * 3600)
        #expect(alive.payment.status == .processing)
        alive.see(Samples.seen("s1", .sale, .succeeded, at: 9000))
        #expect(alive.payment.status == .captured)
        #expect(alive.payment.lateSuccesses.isEmpty)
    }

    @Test func `a cancelled payment is voided on the proof that nobody paid`() throws {
        var story = try Story(.sale)
        try story.command(.void(amount: nil, reason: nil))
        story.answerQuery([.attempt(.notRegistered)])
        #expect(story.payment.status == .requiresAction)
        #expect(story.obligations.map(\.kind) == [.cancellation])
        run(&story, for: 3 * 3600, .attempt(.notRegistered))
        #expect(story.payment.status == .voided)
        story.see(Samples.seen("s1", .sale, at: 9000))
        #expect(story.payment.lateSuccesses.count == 1)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.operation(.refund)])
    }

    @Test func `who asks again too early is heard as soon as the account allows it`() throws {
        let can = Samples.capabilities(
            polling: PollSchedule(first: .seconds(600), cap: .seconds(3600), atLeast: .seconds(30))
        )
        var story = try Story(.sale, 1999, can)
        try story.command(.sync)
        story.answerQuery([])
        story.wait(3)
        for _ in 0..<2 { story.observe(.browserReturn) }
        let asked = story.openDispatches.filter { $0.purpose == .query }
        #expect(asked.count == 1 && asked.first?.notBefore == Samples.noon.adding(.seconds(30)))
        try story.command(.sync)
        #expect(story.last.dispatches.isEmpty, "it is about to be asked")
    }

    @Test func `after the query window nothing is asked and an operator owes the outcome`() throws {
        var story = try Story(.sale)
        story.wait(90 * 86_400)
        story.observe(.timer)
        story.answerQuery([.attempt(.notRegistered)])
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.timers(story.can).machine == nil)
        #expect(story.obligations.map(\.owner) == [.operator])
    }

    @Test func `a hold is asked about at its end and then written off`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize, at: 10))
        let end = Samples.noon.adding(.seconds(10 + 7 * 86_400))
        #expect(story.payment.timers(story.can).machine == end)
        run(&story, for: 7 * 86_400 + 9)
        #expect(story.payment.status == .authorized)
        run(&story, for: 60)
        #expect(story.payment.status == .released)
        #expect(story.payment.amounts.holdExpired == 1999)
        #expect(story.payment.timers(story.can).machine == nil)
        let code = refusal { () throws(Rejection) in try story.command(.capture(amount: nil, reason: nil)) }
        #expect(code == "nothing_to_capture")
    }

    @Test func `evidence after a written-off hold corrects the books`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        run(&story, for: 8 * 86_400)
        story.see(Samples.seen("c1", .capture, .succeeded, 1500, at: 100))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.holdExpired == 499)
        #expect(story.payment.amounts.held == 0)
    }

    @Test func `the remainder of a single capture is owed until it is released or its hold ends`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: .cents(1500), reason: nil))
        story.see(Samples.seen("c1", .capture, .succeeded, 1500))
        #expect(story.payment.status == .partiallyCaptured)
        let owed = try #require(story.obligations.first)
        #expect(owed.kind == .remainder && owed.owner == .provider)
        #expect(owed.deadline == story.payment.holdEnd(story.can))
        run(&story, for: 8 * 86_400)
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.holdExpired == 499)
        #expect(story.obligations.isEmpty)
    }

    @Test func `a hold past the query window is written off without a question`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        story.wait(100 * 86_400)
        let late = Samples.capabilities()
        story.can = Capabilities(
            partialCapture: late.partialCapture,
            multipleCaptures: late.multipleCaptures,
            overCapture: late.overCapture,
            partialRefund: late.partialRefund,
            multipleRefunds: late.multipleRefunds,
            partialVoid: late.partialVoid,
            recovery: late.recovery,
            lifetimes: Capabilities.Lifetimes(
                payerWindow: .seconds(1),
                hold: .seconds(864_000),
                query: .seconds(86_400)
            ),
            polling: late.polling
        )
        story.observe(.timer)
        #expect(story.payment.status == .released)
        #expect(story.payment.queries.isEmpty)
    }

    @Test func `a question is never due sooner than the account allows`() throws {
        let can = Samples.capabilities(
            polling: PollSchedule(first: .seconds(1), cap: .seconds(2), atLeast: .seconds(60))
        )
        var story = try Story(.sale, 1999, can)
        try story.command(.sync)
        story.answerQuery([])
        #expect(story.payment.timers(can).machine == story.now.adding(.seconds(60)))
    }

    @Test func `news of money inside the pause between questions is asked about when the pause is over`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .succeeded))
        try story.poll()
        let asked = story.now
        story.wait(1)
        story.observe(.attempt(.reading(.moneyWithoutOperation("refund"))))
        #expect(story.openDispatches.map(\.notBefore) == [asked.adding(.seconds(5))])
        story.observe(.attempt(.reading(.moneyWithoutOperation("refund, again"))))
        #expect(story.openDispatches.count == 1)
    }

    @Test func `a question that is under way may be older than the news, so another one follows it`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .succeeded))
        story.wait(60)
        try story.command(.sync)
        story.wait(1)
        story.observe(.attempt(.reading(.moneyWithoutOperation("refund"))))
        #expect(story.openDispatches.count == 2)
        #expect(story.openDispatches.last?.notBefore == story.now.adding(.seconds(4)))
    }

    @Test func `a question that brought no answer is asked again, also by a payment at rest`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .succeeded))
        #expect(story.payment.timers(story.can).machine == nil)
        for outcome in [DispatchOutcome.notSent(reason: "unreachable"), .unknown(reason: "deadline")] {
            story.wait(60)
            try story.command(.sync)
            story.answer(.dispatch(outcome))
            let again = try #require(story.payment.timers(story.can).machine)
            #expect(again > story.now)
            story.now = again
            story.observe(.timer)
            #expect(story.openDispatches.map(\.purpose) == [.query])
            story.answerQuery([])
            #expect(story.payment.timers(story.can).machine == nil)
        }
    }

    @Test func `a question whose answer never comes stops no other one for ever`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .processing))
        story.wait(3600)
        story.observe(.timer)
        let stuck = try #require(story.openDispatches.first)
        let due = try #require(story.payment.timers(story.can).machine)
        #expect(due == stuck.sendBefore.adding(DispatchLicense.outcomeGrace))
        story.now = due.adding(.microseconds(-1))
        story.observe(.timer)
        #expect(story.openDispatches == [stuck])
        story.now = due
        story.observe(.timer)
        #expect(story.openDispatches.count == 2)
        // Its answer counts whenever it is decided after all.
        story.answer(stuck, [.dispatch(.answered), .operation(Samples.seen("s1", .sale))])
        #expect(story.payment.status == .captured)
    }

    @Test func `an outcome that is overdue is owed by a person`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        let refund = try #require(story.openDispatches.last)
        func owed() -> [Obligation] { story.obligations.filter { $0.kind == .operation } }
        #expect(owed().map(\.owner) == [.provider] && owed().map(\.deadline) == [refund.sendBefore])
        story.now = refund.outcomeDue
        #expect(owed().map(\.owner) == [.operator] && owed().map(\.reason) == ["answer_stuck"])
        story.answer(refund, [.dispatch(.accepted)])
        #expect(owed().map(\.owner) == [.provider])
    }

    @Test func `questions back off to the cap and begin again with news`() throws {
        let schedule = PollSchedule(first: .seconds(10), cap: .seconds(100), atLeast: .seconds(5))
        let pauses = (0..<6).map { schedule.delay(after: $0, seed: 7) }
        for (pause, least) in zip(pauses, [10, 20, 40, 80, 100, 100]) {
            #expect(pause >= .seconds(least) && pause < .seconds(least) * 11 / 10)
        }
        var story = try Story(.sale)
        run(&story, for: 600)
        #expect(story.payment.polls > 3)
        story.see(Samples.seen("s1", .sale, .processing))
        #expect(story.payment.polls == 0)
    }
}

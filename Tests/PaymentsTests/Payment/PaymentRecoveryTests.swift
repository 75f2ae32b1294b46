import Kernel
import Payments
import Testing

/// What follows when an answer was lost.
struct PaymentRecoveryTests {
    private let lost = Fact.dispatch(.unknown(reason: "timeout"))

    /// A hold whose capture was sent and whose answer was lost.
    private func lostCapture(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        story.wait(60)
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.answer(lost)
        return story
    }

    private var capture: (Story) -> Operation? { { $0.payment.operations.first { $0.kind == .capture } } }

    @Test func `a lost answer is followed by a question and stays open`() throws {
        let story = try lostCapture()
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(capture(story)?.state == .indeterminate)
        #expect(story.payment.pending(.capture) == 500)
        #expect(story.obligations.contains { $0.kind == .operation && $0.reason == "answer_lost" })
    }

    @Test func `the same key is sent while the provider knows it, and not a moment later`() throws {
        for (asked, until) in [(60, Int64?.some(660)), (3400, 3480), (3480, nil), (3590, nil)] {
            var story = try Story(.sale)
            story.can = Samples.capabilities(recovery: [.refund: .sameKey(lifetime: .seconds(3600))])
            story.see(Samples.seen("s1", .sale))
            let begun = story.now
            try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
            story.answer(lost)
            story.wait(Int64(asked))
            story.answerQuery([])
            let repeated = story.last.dispatches.first { $0.ground == .sameKey }
            if let until {
                let end = begun.adding(.seconds(until))
                #expect(try #require(repeated).sendBefore <= end.adding(.seconds(2)), "asked after \(asked)")
                #expect(try #require(repeated).sendBefore <= begun.adding(.seconds(3480)))
            } else {
                #expect(repeated == nil, "asked after \(asked)")
            }
        }
    }

    @Test func `absence is concluded after the proof time only, and ends in one more licence`() throws {
        var story = try lostCapture()
        story.answerQuery([])
        #expect(story.last.dispatches.isEmpty)
        story.wait(60)
        try story.poll()
        let request = try #require(story.last.dispatches.first)
        #expect(request.ground == .absent)
        #expect(request.ordinal == 2)
        story.answer(.dispatch(.accepted))
        story.see(Samples.seen("c1", .capture, .succeeded, 500, at: 300))
        #expect(story.payment.amounts.captured == 500)
    }

    @Test func `a query that began before the proof time proves nothing`() throws {
        var story = try lostCapture()
        story.wait(3600)
        story.answerQuery([])
        #expect(story.last.dispatches.isEmpty)
        #expect(capture(story)?.state == .indeterminate)
    }

    @Test func `a query that does not know the payment proves nothing about its operations`() throws {
        var story = try lostCapture()
        story.answerQuery([])
        story.wait(600)
        try story.poll(.attempt(.notRegistered))
        #expect(story.last.dispatches.isEmpty)
    }

    @Test func `an unexplained operation of the kind leaves the decision to an operator`() throws {
        var story = try lostCapture()
        story.answerQuery([])
        story.wait(600)
        try story.poll(.operation(Samples.seen("c9", .capture, .succeeded, 499, at: 61)))
        #expect(story.last.dispatches.isEmpty)
        #expect(capture(story)?.state == .indeterminate)
        #expect(story.obligations.contains { $0.reason == "unexplained" && $0.owner == .operator })
    }

    @Test func `what does not fit any more is not sent again`() throws {
        var story = try lostCapture()
        story.answerQuery([])
        story.wait(600)
        try story.poll(.operation(Samples.seen("v1", .void, .succeeded, 1999, at: 100)))
        #expect(story.last.dispatches.isEmpty)
        #expect(capture(story)?.state == .notExecuted("absent"))
    }

    @Test func `a frozen payment sends nothing again`() throws {
        var story = try lostCapture()
        story.answerQuery([.contradiction(.identity, detail: "project 7")])
        story.wait(600)
        try story.poll()
        #expect(story.last.dispatches.isEmpty)
        #expect(capture(story)?.state == .notExecuted("absent"))
    }

    @Test func `the same key may be sent again inside its lifetime only`() throws {
        let keyed = Samples.capabilities(recovery: [.capture: .sameKey(lifetime: .seconds(300))])
        var story = try lostCapture(keyed)
        story.answerQuery([])
        #expect(story.last.dispatches.map(\.ground) == [.sameKey])
        story.answer(lost)
        story.wait(300)
        try story.poll()
        #expect(story.last.dispatches.isEmpty)
        #expect(story.obligations.contains { $0.owner == .operator && $0.reason == "answer_lost" })
    }

    @Test func `without key and reference an operator decides`() throws {
        var story = try lostCapture(Samples.capabilities(recovery: [:]))
        story.answerQuery([])
        story.wait(86_400)
        try story.poll()
        #expect(story.last.dispatches.isEmpty)
        #expect(story.obligations.contains { $0.owner == .operator && $0.reason == "answer_lost" })
    }

    @Test func `a refusal of the second message says nothing about the first that was lost`() throws {
        let keyed = Samples.capabilities(recovery: [.capture: .sameKey(lifetime: .seconds(300))])
        var story = try lostCapture(keyed)
        story.answerQuery([])
        story.answer(.dispatch(.notExecuted(Samples.decline)))
        #expect(capture(story)?.state == .indeterminate)
        var unsent = try lostCapture(keyed)
        unsent.answerQuery([])
        unsent.answer(.dispatch(.notSent(reason: "expired")))
        #expect(capture(unsent)?.state == .indeterminate)
        #expect(unsent.payment.pending(.capture) == 500)
    }

    @Test func `a definitive refusal closes the operation`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(.dispatch(.notExecuted(Samples.decline)))
        story.confirmRefusal(.capture)
        #expect(capture(story)?.state == .failed(Samples.decline))
        #expect(story.payment.status == .authorized)
        #expect(story.payment.liveEffects.isEmpty)
    }

    @Test func `what never left is tried again when the provider was unreachable, and ends otherwise`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: nil, reason: nil))
        for ordinal in 2...Payment.licensesPerOperation {
            story.answer(.dispatch(.notSent(reason: "unreachable: connection refused")))
            #expect(story.last.dispatches.map(\.ground) == [.notExecuted])
            #expect(story.last.dispatches.map(\.ordinal) == [ordinal])
        }
        story.answer(.dispatch(.notSent(reason: "unreachable: connection refused")))
        #expect(capture(story)?.state == .notExecuted("unreachable: connection refused"))
        var expired = try Story(.authorize)
        expired.see(Samples.seen("a1", .authorize))
        try expired.command(.capture(amount: nil, reason: nil))
        expired.answer(.dispatch(.notSent(reason: "expired")))
        #expect(capture(expired)?.state == .notExecuted("expired"))
    }

    @Test func `a late answer replaces the news that there was none, never the reverse`() throws {
        var story = try lostCapture()
        let license = try #require(capture(story)?.dispatches.first?.license)
        story.answer(license, [.dispatch(.accepted)])
        #expect(capture(story)?.state == .pending)
        story.answer(license, [lost])
        #expect(capture(story)?.state == .pending)
        story.answer(license, [.dispatch(.notSent(reason: "expired"))])
        #expect(capture(story)?.state == .pending)
    }

    @Test func `news that nothing was sent does not undo news that something may have been`() throws {
        var story = try lostCapture()
        let license = try #require(capture(story)?.dispatches.first?.license)
        story.answer(license, [.dispatch(.notSent(reason: "unreachable"))])
        #expect(story.last.events.isEmpty)
        #expect(capture(story)?.state == .indeterminate)
        var other = try Story(.authorize)
        other.see(Samples.seen("a1", .authorize))
        try other.command(.capture(amount: nil, reason: nil))
        let first = try #require(other.openDispatches.last)
        other.answer(first, [.dispatch(.notSent(reason: "unreachable"))])
        other.answer(first, [lost])
        #expect(other.last.events.isEmpty)
    }

    /// A capture whose first message was lost, whose second is licensed, and which evidence closed before that left.
    private func closedWhileWaiting() throws -> (story: Story, second: DispatchLicense) {
        var story = try lostCapture()
        story.answerQuery([])
        story.wait(600)
        try story.poll()
        #expect(story.openDispatches.map(\.ground) == [.absent])
        let second = try #require(story.openDispatches.last)
        story.see(Samples.seen("c1", .capture, .succeeded, 500, at: 100))
        #expect(capture(story)?.state == .succeeded)
        return (story, second)
    }

    @Test func `a message whose operation is closed is owed an outcome until it is known that it never left`() throws {
        var (story, second) = try closedWhileWaiting()
        #expect(!story.log.contains { $0.isRevocation })
        #expect(story.openDispatches == [second])
        #expect(story.payment.needlessEffects == [second.effect])
        story.answer(second, [.dispatch(.notSent(reason: "expired"))])
        #expect(story.last.events.map(\.isRevocation) == [true])
        #expect(story.openDispatches.isEmpty)
        #expect(story.payment.liveEffects.isEmpty)
        story.answer(second, [.dispatch(.notSent(reason: "expired"))])
        story.answer(second, [lost])
        #expect(!story.last.events.contains { if case .dispatchObserved = $0 { true } else { false } })
    }

    @Test(arguments: [DispatchOutcome.unknown(reason: "timeout"), .accepted])
    func `a message that left although its operation was closed is never called revoked, and is asked about`(
        _ outcome: DispatchOutcome
    ) throws {
        var (story, second) = try closedWhileWaiting()
        story.wait(60)
        story.answer(second, [.dispatch(outcome)])
        #expect(!story.log.contains { $0.isRevocation })
        #expect(story.payment.liveEffects.contains(second.effect) == false)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        story.answerQuery([
            .operation(Samples.seen("c1", .capture, .succeeded, 500, at: 100)),
            .operation(Samples.seen("c2", .capture, .succeeded, 500, at: 700)),
        ])
        #expect(story.payment.amounts.captured == 1000)
    }

    @Test func `success of what was concluded absent contradicts and is booked`() throws {
        var story = try lostCapture()
        story.answerQuery([])
        story.wait(600)
        story.observe(.contradiction(.identity, detail: "project 7"))
        try story.poll()
        #expect(capture(story)?.state == .notExecuted("absent"))
        story.see(Samples.seen("c1", .capture, .succeeded, 500, at: 61))
        #expect(story.payment.amounts.captured == 500)
        #expect(story.payment.contradictions.contains(.outcome))
    }

    @Test func `an id that the provider knows already is looked up`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        story.answer(.dispatch(.duplicate(code: "3230")))
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(story.payment.pending(.refund) == 1999)
    }

    @Test func `where refunds have no key, one look at the provider comes before each licence`() throws {
        let can = Samples.capabilities(recovery: [.refund: .baselineDiff(quiet: .seconds(60))])
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        story.wait(60)
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(story.last.rehearsals.map(\.purpose) == [.operation(.refund)])
        #expect(throws: Rejection.self) {
            try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        }
        // Somebody gave the same amount back in the provider's cabinet: it was there before ours and is not ours.
        story.answerQuery([.operation(Samples.seen("cabinet", .refund, .succeeded, 500, at: 90))])
        #expect(story.openDispatches.map(\.purpose) == [.operation(.refund)])
        story.answer(.dispatch(.unknown(reason: "no answer")))
        try story.poll(.operation(Samples.seen("cabinet", .refund, .succeeded, 500, at: 90)))
        #expect(story.payment.amounts.refunded == 500)
        let ours = try #require(story.payment.operations.last { $0.origin == .commanded })
        #expect(!ours.isClosed)
        try story.poll(
            .operation(Samples.seen("cabinet", .refund, .succeeded, 500, at: 90)),
            .operation(Samples.seen("later", .refund, .succeeded, 500, at: 70))
        )
        #expect(story.payment.amounts.refunded == 1000)
        #expect(story.payment.operation(ours.id)?.state == .succeeded)
    }

    @Test func `a refund that no longer fits what the look shows is not sent`() throws {
        let can = Samples.capabilities(recovery: [.refund: .baselineDiff(quiet: .seconds(60))])
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        story.wait(60)
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        #expect(story.obligations.contains { $0.reason == "baseline" && $0.owner == .provider })
        story.answerQuery([.operation(Samples.seen("cabinet", .refund, .succeeded, 500, at: 90))])
        #expect(story.openDispatches.isEmpty)
        let ours = try #require(story.payment.operations.last { $0.origin == .commanded })
        #expect(ours.isClosed)
        #expect(story.payment.amounts.refunded == 500)
    }

    /// A captured payment where refunds wait for a look.
    private func looking() throws -> Story {
        var story = try Story(
            .sale,
            1999,
            Samples.capabilities(recovery: [.refund: .baselineDiff(quiet: .seconds(60))])
        )
        story.see(Samples.seen("s1", .sale))
        story.wait(60)
        return story
    }

    private static let sticky = Fact.contradiction(.outcome, detail: "committed after it was given up")

    @Test func `what two persons have dealt with holds no refund up, however often a look repeats it`() throws {
        var story = try looking()
        story.observe(Self.sticky)
        story.answerQuery([Self.sticky])
        story.wait(60)
        try story.resolve(.acknowledged)
        story.actor = Samples.merchantActor
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answerQuery([Self.sticky])
        #expect(story.openDispatches.map(\.purpose) == [.operation(.refund)])
        // Nor does it keep what was lost from being proved absent.
        story.answer(.dispatch(.unknown(reason: "no answer")))
        story.wait(60)
        try story.poll(Self.sticky)
        #expect(story.openDispatches.map(\.purpose) == [.operation(.refund)])
        #expect(story.openDispatches.map(\.ground) == [.absent])
    }

    @Test func `an operator's refund of a frozen payment begins behind the look, and is repeated`() throws {
        var story = try looking()
        story.observe(Self.sticky)
        story.answerQuery([Self.sticky])
        story.wait(60)
        story.actor = Story.alice
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.actor = Samples.merchantActor
        story.answerQuery([Self.sticky])
        #expect(story.openDispatches.map(\.purpose) == [.operation(.refund)])
        story.answer(.dispatch(.notSent(reason: "unreachable")))
        #expect(story.openDispatches.map(\.purpose) == [.operation(.refund)])
    }

    @Test func `behind a look that contradicts nothing begins that waited for it`() throws {
        var story = try looking()
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answerQuery([Self.sticky])
        #expect(story.payment.operations.last?.state == .requested)
        #expect(story.openDispatches.isEmpty)
    }
}

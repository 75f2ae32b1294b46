import Kernel
import Payments
import Testing

/// What can still be captured of a hold, and why nothing can.
struct CapturePlanTests {
    private func held(_ can: Capabilities) throws -> Story {
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        return story
    }

    private func plan(_ story: Story) throws -> CapturePlan { try #require(story.payment.capturePlan(story.can)) }

    @Test func `a hold can be captured until its end`() throws {
        let can = Samples.capabilities(multipleCaptures: true)
        let found = try plan(try held(can))
        #expect(found.authorized == 1999 && found.captured == 0 && found.capturable == 1999)
        #expect(!found.isFinal && found.refusal == nil && found.until != nil)
        #expect(found.can == can)
    }

    @Test func `what is under way is not capturable, and what was captured is told`() throws {
        var story = try held(Samples.capabilities(multipleCaptures: true))
        try story.command(.capture(amount: .cents(500), reason: nil))
        var found = try plan(story)
        #expect(found.underWay == 500 && found.capturable == 0 && found.refusal == "operation_in_progress")
        story.see(Samples.seen("c1", .capture, .succeeded, 500))
        found = try plan(story)
        #expect(found.captured == 500 && found.capturable == 1499 && found.underWay == 0 && !found.isFinal)
    }

    @Test func `an account that captures once is done after a part`() throws {
        var story = try held(Samples.capabilities())
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.see(Samples.seen("c1", .capture, .succeeded, 500))
        let found = try plan(story)
        #expect(found.isFinal && found.capturable == 0 && found.refusal == "partial_not_supported")
        #expect(found.until == nil)
    }

    @Test func `before anything is held nothing can be captured, and a sale has no plan`() throws {
        let waiting = try plan(try Story(.authorize, 1999, Samples.capabilities()))
        #expect(waiting.capturable == 0 && waiting.refusal == "nothing_to_capture" && !waiting.isFinal)
        let sale = try Story(.sale, 1999, Samples.capabilities())
        #expect(sale.payment.capturePlan(sale.can) == nil)
    }
}

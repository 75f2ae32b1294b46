import Kernel
import Payments
import Testing

/// What begins a payment is sent no more once somebody gave the payment up or its time is over, and only an answer that can
/// tell ends it.
struct UnwantedBeginningTests {
    private let lost = Fact.dispatch(.unknown(reason: "timeout"))
    private static let recoveries: [Capabilities.Recoveries] = [
        [.sale: .query(absenceAfter: .seconds(120))], [.sale: .sameKey(lifetime: .seconds(86_400))],
    ]

    /// A charge of ours whose message is under way.
    private func charge(_ recovery: Capabilities.Recoveries) throws -> Story {
        var story = Story(Samples.capabilities(recovery: recovery))
        story.opening = .request
        try story.command(.create(Samples.terms(.sale, method: .wallet)))
        return story
    }

    @Test(arguments: recoveries)
    func `a charge whose answer was lost is not sent again once the payment was given up`(
        _ recovery: Capabilities.Recoveries
    ) throws {
        var story = try charge(recovery)
        story.answer(lost)
        story.wait(200)
        try story.command(.void(amount: nil, reason: nil))
        story.answerQuery([.attempt(.notRegistered)])
        story.wait(200)
        try story.poll(.attempt(.notRegistered))
        #expect(story.payment.initial?.dispatches.count == 1)
        #expect(story.payment.amounts == PaymentAmounts())
    }

    @Test(arguments: recoveries)
    func `a charge whose answer was lost is not sent again once its time is over`(
        _ recovery: Capabilities.Recoveries
    ) throws {
        var story = try charge(recovery)
        story.answer(lost)
        story.wait(3600)
        story.observe(.timer)
        story.wait(1800)
        try story.poll(.attempt(.notRegistered))
        #expect(story.payment.initial?.dispatches.count == 1)
        #expect([.expired, .failed].contains(story.payment.status), "\(story.payment.status)")
    }

    @Test func `another licence ends with the payment's time`() throws {
        var story = try charge(Self.recoveries[1])
        story.answer(lost)
        story.wait(3500)
        story.answerQuery([.attempt(.notRegistered)])
        let repeated = try #require(story.last.dispatches.first { $0.ground == .sameKey })
        #expect(repeated.sendBefore == Samples.noon.adding(.seconds(3600)))
    }

    @Test func `a message that has not left when the payment is given up is taken back, and ends it as cancelled`()
        throws
    {
        var story = try charge(Self.recoveries[0])
        let license = try #require(story.openDispatches.first)
        try story.command(.void(amount: nil, reason: nil))
        #expect(story.payment.needlessEffects == [license.effect])
        #expect(story.payment.status.isOpen)
        story.answer(license, [.dispatch(.notSent(reason: "expired"))])
        #expect(story.payment.status == .voided)
        #expect(story.openDispatches.allSatisfy { $0.purpose == .query })
    }

    @Test func `what two persons send again behind the expiry is not taken back`() throws {
        var story = try charge(Self.recoveries[1])
        story.answer(lost)
        story.wait(3600)
        story.observe(.timer)
        let charge = try #require(story.payment.initial)
        try story.resolve(.sendAgain(charge.id))
        #expect(story.openDispatches.map(\.ground).contains(.operatorOverride))
        #expect(story.payment.needlessEffects.isEmpty)
    }

    @Test(arguments: [
        Fact.unrecognised(what: "operation", value: "novelty"), .attempt(.reading(.ambiguous)),
    ])
    func `an answer that says more than anybody can read ends nothing`(_ unread: Fact) throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .declined(Samples.decline)))
        story.wait(3600)
        story.observe(.timer)
        story.wait(1800)
        try story.poll(.operation(Samples.seen("s1", .sale, .declined(Samples.decline))), unread)
        #expect(story.payment.status.isOpen)
        try story.poll(.operation(Samples.seen("s1", .sale, .declined(Samples.decline))))
        #expect(story.payment.status == .failed)
    }
}

import EventSourcing
import Kernel
import Payments
import Testing

/// What nobody can read or answer is the provider's, and then a person's; never the payer's.
struct UnknownStatusTests {
    private static let unread: [[Fact]] = [
        [.unrecognised(what: "status", value: "frozen")],
        [
            .unrecognised(what: "orderStatus", value: "9"),
            .operation(Samples.seen("s1", .sale, .ambiguous, nil)),
        ],
        [.unrecognised(what: "status", value: "frozen"), .attempt(.reading(.ambiguous))],
    ]

    @Test(arguments: unread) func `an order in words that nobody knows is the provider's, and then a person's`(
        _ facts: [Fact]
    ) throws {
        var story = try Story(.sale)
        try story.poll()
        #expect(story.payment.payerAction == .handover)
        story.wait(60)
        try story.command(.sync)
        story.answerQuery(facts)
        #expect(story.payment.status == .indeterminate && story.payment.payerAction == nil)
        #expect(story.obligations.map(\.owner) == [.provider])
        #expect(story.obligations.map(\.reason) == ["status_unknown"])
        for _ in 0..<Payment.questionsBeforePerson {
            story.wait(4000)
            story.observe(.timer)
            guard let open = story.openDispatches.last else { continue }
            story.answer(open, [.dispatch(.answered)] + facts)
        }
        #expect(story.obligations.allSatisfy { $0.owner == .operator })
        #expect(story.payment.attempt?.isOpen == true)
    }

    @Test func `words that are known again give the payer the way back`() throws {
        var story = try Story(.sale)
        try story.poll(.unrecognised(what: "status", value: "frozen"))
        #expect(story.payment.status == .indeterminate)
        try story.poll(.operation(Samples.seen("s1", .sale, .waiting(.threeDSecure), nil)))
        #expect(story.payment.status == .requiresAction)
        #expect(story.obligations.map(\.owner) == [.payer])
    }

    @Test func `an unreadable look at a hold changes nothing, proves nothing and is owed`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        story.wait(60)
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.answerQuery([])
        story.wait(600)
        try story.poll(.unrecognised(what: "orderStatus", value: "9"))
        #expect(story.payment.status == .authorized)
        #expect(story.last.dispatches.isEmpty, "absence is not proved by words that nobody knows")
        #expect(story.obligations.contains { $0.kind == .inquiry && $0.owner == .provider })
        #expect(story.payment.timers(story.can).machine != nil)
    }

    @Test func `a look that is refused for ever reaches a person`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.sync)
        for _ in 0..<20 {
            if let open = story.openDispatches.last { story.answer(open, [.dispatch(.notExecuted(Samples.decline))]) }
            story.wait(4000)
            story.observe(.timer)
        }
        #expect(story.obligations.contains { $0.kind == .inquiry && $0.owner == .operator && $0.reason == "no_answer" })
        if let open = story.openDispatches.last { story.answer(open, [.dispatch(.answered)]) }
        #expect(!story.obligations.contains { $0.kind == .inquiry })
    }

    @Test func `a notification in words that nobody knows is asked about`() throws {
        var story = try Story(.sale)
        story.wait(60)
        story.observe(.unrecognised(what: "status", value: "frozen"))
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
    }

    // MARK: News

    @Test func `another time alone is no news: questions back off and a person looks in the end`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .processing))
        for round in 2..<40 {
            story.wait(4000)
            story.observe(.timer)
            guard story.openDispatches.last?.purpose == .query else { continue }
            story.answerQuery([.operation(Samples.seen("s1", .sale, .processing, 1999, at: Int64(round)))])
        }
        #expect(story.obligations.contains { $0.owner == .operator })
    }

    @Test func `a refusal that comes behind the success is no late success`() throws {
        let refused: [Fact] = [
            .operation(Samples.seen("t1", .sale, .declined(Samples.decline), 1999, at: 1)),
            .attempt(.closed(.declined(Samples.decline))),
        ]
        var stale = try Story(.sale)
        stale.see(Samples.seen("t2", .sale, .succeeded, 1999, at: 5))
        stale.observe(.facts(refused, trust: .verified, dispatch: nil))
        #expect(stale.payment.status == .captured && stale.payment.lateSuccesses.isEmpty)
        #expect(stale.obligations.isEmpty)
        var late = try Story(.sale)
        late.observe(.facts(refused, trust: .verified, dispatch: nil))
        late.see(Samples.seen("t2", .sale, .succeeded, 1999, at: 5))
        #expect(late.payment.lateSuccesses.count == 1)
    }

    // MARK: Addresses

    @Test func `where only the lost answer tells where the payer's bank waits, the message is repeated under its key`()
        throws
    {
        var story = Story(Samples.capabilities(recovery: [.sale: .sameKey(lifetime: .seconds(86_400))]))
        story.opening = .request
        try story.command(.create(Samples.terms(.sale, method: .sdk)))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        let seen = Fact.operation(Samples.seen("p1", .sale, .waiting(.redirect), nil))
        story.observe(.order(ProviderOrder(id: "p1")), seen)
        #expect(story.payment.payerAction == nil)
        #expect(story.obligations.map(\.reason) == ["address_lost"])
        story.wait(60)
        story.answerQuery([seen])
        #expect(story.openDispatches.map(\.ground) == [.sameKey])
        story.answer(.dispatch(.accepted), .order(ProviderOrder(id: "p1", handover: ["url": "u"])), seen)
        #expect(story.payment.payerAction == .redirect)
        #expect(story.obligations.map(\.owner) == [.payer])
    }

    @Test func `an order that was kept without its address is asked for again under its key, whatever the method`()
        throws
    {
        for method in [PaymentMethod.hosted, .sdk] {
            var story = Story(Samples.capabilities(recovery: [.sale: .sameKey(lifetime: .seconds(86_400))]))
            story.opening = .request
            try story.command(.create(Samples.terms(.sale, method: method)))
            story.answer(.dispatch(.accepted), .order(ProviderOrder(id: "p1", handover: ["url": .null, "id": "p1"])))
            #expect(story.payment.payerAction == nil)
            #expect(story.obligations.map(\.reason) == ["address_lost"])
            try story.poll()
            #expect(story.openDispatches.map(\.ground) == [.sameKey])
            #expect(story.obligations.map(\.reason) == ["message_on_its_way"])
            story.answer(.dispatch(.accepted), .order(ProviderOrder(id: "p1", handover: ["url": "u", "id": "p1"])))
            #expect(story.payment.payerAction == .handover)
        }
    }

    @Test(arguments: [ContradictionKind.amount, .currency, .identity])
    func `nobody is sent to an order that is over something else, until two persons have dealt with it`(
        _ kind: ContradictionKind
    ) throws {
        var story = Story()
        story.opening = .request
        try story.command(.create(Samples.terms(.sale)))
        story.answer(.dispatch(.accepted), .order(ProviderOrder(id: "p1", handover: ["url": "u"])))
        #expect(story.payment.payerAction == .handover)
        try story.poll(.contradiction(kind, detail: "the order is over 60"))
        #expect(story.payment.payerAction == nil && story.payment.isMisdirected)
        #expect(story.obligations.map(\.owner) == [.operator, .operator])
        #expect(story.obligations.map(\.reason).contains("contradicted"))
        try story.resolve(.acknowledged)
        #expect(story.payment.payerAction == .handover)
        #expect(story.obligations.map(\.owner) == [.payer])
    }

    @Test func `what is known already and then not found for good is sent again`() throws {
        var story = Story(Samples.capabilities(recovery: [.sale: .query(absenceAfter: .seconds(60))]))
        story.opening = .request
        try story.command(.create(Samples.terms(.sale)))
        story.answer(.dispatch(.duplicate(code: "409")))
        story.answerQuery([.attempt(.notRegistered)])
        story.wait(120)
        try story.poll(.attempt(.notRegistered))
        #expect(story.openDispatches.map(\.ground) == [.absent])
    }

    @Test func `an order that nobody wants is ended at the provider, once`() throws {
        var story = Story(Samples.capabilities(auxiliaryRequests: [.cancelOrder]))
        story.opening = .request
        try story.command(.create(Samples.terms(.sale)))
        story.answer(.dispatch(.accepted), .order(ProviderOrder(id: "o1", handover: ["url": "u"])))
        try story.command(.void(amount: nil, reason: nil))
        #expect(story.last.dispatches.map(\.planned.purpose).contains(.auxiliary(.cancelOrder)))
        story.observe(.timer)
        #expect(!story.last.dispatches.contains { $0.planned.purpose == .auxiliary(.cancelOrder) })
        story.observe(.attempt(.closed(.cancelled)))
        #expect(story.payment.status == .voided && story.obligations.isEmpty)
    }
}

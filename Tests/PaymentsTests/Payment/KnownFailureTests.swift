import Kernel
import Payments
import Testing

/// What other payment systems got wrong, one regression each, named after the report.
struct KnownFailureTests {
    private let lost = Fact.dispatch(.unknown(reason: "timeout"))

    private func operation(_ story: Story, _ kind: OperationKind) -> Operation? {
        story.payment.operations.first { $0.kind == kind }
    }

    @Test func `hyperswitch 9926: a status query moves no cancelled payment back to its payer`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.void(amount: nil, reason: nil))
        story.answer(.dispatch(.accepted))
        story.see(Samples.seen("v1", .void, at: 60))
        #expect(story.payment.status == .voided)
        try story.poll(.operation(Samples.seen("a1", .authorize, .processing, at: 1)))
        #expect(story.payment.status == .voided)
        try story.poll(.operation(Samples.seen("a1", .authorize, at: 1)))
        #expect(story.payment.status == .voided)
    }

    @Test
    func `hyperswitch 2772: an accepted refund whose answer was lost and whose question is forbidden is no failure`()
        throws
    {
        var story = try Story(
            .sale,
            1999,
            Samples.capabilities(recovery: [.refund: .query(absenceAfter: .seconds(120))])
        )
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        story.answer(lost)
        for _ in 0..<5 {
            story.wait(600)
            if story.openDispatches.isEmpty { try story.command(.sync) }
            story.answer(.dispatch(.unknown(reason: "403")))
        }
        #expect(operation(story, .refund)?.state == .indeterminate)
        #expect(story.payment.pending(.refund) == 1999)
        #expect(story.obligations.contains { $0.kind == .operation })
        story.see(Samples.seen("r1", .refund, reference: operation(story, .refund)?.reference, at: 60))
        #expect(story.payment.amounts.refunded == 1999)
    }

    @Test func `hyperswitch 3675: an order that does not exist ends by the declared proof, not never`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        story.wait(60)
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.answer(lost)
        story.answerQuery([])
        #expect(operation(story, .capture)?.isClosed == false)
        for ordinal: Int32 in 2...Payment.licensesPerOperation {
            story.wait(200)
            try story.poll()
            #expect(operation(story, .capture)?.dispatches.last?.license.ordinal == ordinal)
            story.answer(lost)
        }
        story.wait(200)
        try story.poll()
        #expect(operation(story, .capture)?.state == .notExecuted("absent"))
        #expect(story.obligations.allSatisfy { $0.kind != .operation })
    }

    @Test func `hyperswitch 3751: the provider's id of a refund is learned from whatever tells it`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        story.answer(lost)
        let ours = operation(story, .refund)?.reference
        story.see(Samples.seen("r-77", .refund, reference: ours, at: 60))
        #expect(operation(story, .refund)?.transactions.keys.contains("r-77") == true)
        #expect(story.payment.status == .refunded)
    }

    @Test func `killbill 660: a retry beside the janitor finds the open operation and asks for nothing`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(lost)
        #expect(throws: Rejection.self) { try story.command(.capture(amount: nil, reason: nil)) }
        #expect(story.payment.operations.count { $0.kind == .capture } == 1)
        #expect(story.payment.pending(.capture) == 1999)
    }

    @Test
    func `adyen-commercetools 1305: what a message is known by follows from its identity and not from its content`()
        throws
    {
        func names(_ reason: String?) throws -> [String?] {
            var story = try Story(.sale)
            story.see(Samples.seen("s1", .sale))
            try story.command(.refund(amount: nil, capture: nil, reason: reason))
            story.answer(lost)
            story.wait(60)
            story.answerQuery([])
            let refund = try #require(operation(story, .refund))
            #expect(refund.dispatches.count == 2)
            return [refund.reference] + refund.dispatches.map { "\($0.license.effect)" }
        }
        let plain = try names(nil)
        #expect(try names("another reason") == plain)
        #expect(plain[1] == plain[2])
    }

    @Test func `medusa 13301: a browser that comes back decides nothing`() throws {
        var story = try Story(.sale)
        story.observe(.browserReturn)
        #expect(story.payment.amounts.captured == 0)
        story.wait(60)
        story.answerQuery([])
        story.observe(.operation(Samples.seen("s1", .sale)), trust: .hint)
        #expect(story.payment.amounts.captured == 0)
        #expect(story.payment.status == .requiresAction)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
    }

    @Test func `worldline after a restart: a create that can't be built again is never made blindly, and stays open`()
        throws
    {
        var story = Story(Samples.capabilities(recovery: [.sale: .sameKey(lifetime: .seconds(86_400))]))
        story.opening = .request
        try story.command(.create(Samples.terms(.sale)))
        story.answer(lost)
        story.wait(60)
        story.answerQuery([])
        // The same message under the same key would be safe, and the encrypted input went with the process that had it.
        #expect(story.openDispatches.map(\.ground) == [.sameKey])
        story.answer(.dispatch(.notSent(reason: DispatchReason.secretLost.text)))
        for _ in 0..<3 {
            if story.openDispatches.isEmpty { try story.poll() } else { story.answerQuery([]) }
            #expect(story.payment.initial?.state == .indeterminate && story.payment.status == .indeterminate)
            #expect(story.payment.initial?.dispatches.count == 2)
            #expect(story.obligations.contains { $0.kind == .outcome })
        }
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.status == .captured && story.payment.amounts.captured == 1999)
    }

    @Test func `worldline after a restart: a refund that can't be built again is not sent again, and stays open`()
        throws
    {
        var story = try Story(.sale)
        story.can = Samples.capabilities(recovery: [.refund: .sameKey(lifetime: .seconds(86_400))])
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        story.answer(lost)
        story.wait(60)
        story.answerQuery([])
        story.answer(.dispatch(.notSent(reason: DispatchReason.secretLost.text)))
        #expect(operation(story, .refund)?.state == .indeterminate)
        for _ in 0..<3 {
            if story.openDispatches.isEmpty { try story.poll() } else { story.answerQuery([]) }
            #expect(operation(story, .refund)?.dispatches.count == 2)
        }
        #expect(story.obligations.contains { $0.kind == .operation })
    }

    @Test
    func `hyperswitch 2036: what a partial capture leaves is owed by the provider until it is seen or its hold ends`()
        throws
    {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: .cents(1500), reason: nil))
        story.see(Samples.seen("c1", .capture, .succeeded, 1500))
        #expect(story.payment.amounts.released == 0)
        #expect(story.obligations.map(\.kind) == [.remainder])
        story.see(Samples.seen("v1", .void, .succeeded, 499, at: 60))
        #expect(story.payment.amounts.released == 499)
        #expect(story.obligations.isEmpty)
    }

    @Test func `hyperswitch-control-center 4109: a refund and a chargeback give one customer's money back once`() throws
    {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        let dispute = PaymentCommand.recordDispute(
            id: DisputeId(Samples.uuid(1)),
            capture: nil,
            amount: .cents(1999),
            stage: .opened,
            reason: nil
        )
        try story.command(dispute)
        #expect(throws: Rejection.self) { try story.command(.refund(amount: .cents(1), capture: nil, reason: nil)) }
        story.see(Samples.seen("r1", .refund, .succeeded, 500, at: 60))
        #expect(story.payment.overReturned == 500)
        #expect(story.obligations.contains { $0.owner == .operator })
    }

    @Test func `hyperswitch 1898: notification, question and return end alike in whatever order they come`() throws {
        let paid = Fact.operation(Samples.seen("s1", .sale))
        let steps: [(inout Story) -> Void] = [
            { $0.observe(paid) }, { $0.observe(.browserReturn) },
            { story in
                if story.openDispatches.contains(where: { $0.purpose == .query }) { story.answerQuery([paid]) }
            },
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            var story = try Story(.sale)
            story.wait(60)
            for number in order { steps[number](&story) }
            #expect(story.payment.status == .captured, "\(order)")
            #expect(story.payment.amounts.captured == 1999, "\(order)")
            #expect(story.payment.operations.count { $0.kind == .sale } == 1, "\(order)")
            #expect(story.obligations.isEmpty, "\(order)")
        }
    }

    @Test func `lago-api 2962: what was refused blocks no other try, and the next one is known by another name`() throws
    {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        story.answer(.dispatch(.notExecuted(Samples.decline)))
        story.confirmRefusal(.refund)
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        let refunds = story.payment.operations.filter { $0.kind == .refund }
        #expect(refunds.count == 2)
        #expect(Set(refunds.compactMap(\.reference)).count == 2)
        #expect(Set(refunds.flatMap(\.dispatches).map(\.license.effect)).count == 2)
    }

    @Test func `saleor 14926: every message that moves money has a name to be recognised by`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize))
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.see(Samples.seen("c1", .capture, .succeeded, 500))
        try story.command(.refund(amount: .cents(200), capture: nil, reason: nil))
        try story.command(.refund(amount: .cents(100), capture: nil, reason: nil))
        let names = story.payment.operations.filter { $0.origin == .commanded }.compactMap(\.reference)
        #expect(names.count == 4)
        #expect(Set(names).count == 4)
        #expect(names.allSatisfy { $0.utf8.count <= 30 })
    }

    @Test func `blnk 374: a refund that is refused as a repetition moves no money`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        let before = story.payment
        #expect(throws: Rejection.self) { try story.command(.refund(amount: nil, capture: nil, reason: nil)) }
        #expect(story.payment == before)
        #expect(story.last.dispatches.isEmpty)
    }
}

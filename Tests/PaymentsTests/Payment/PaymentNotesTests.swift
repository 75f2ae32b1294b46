import Kernel
import Payments
import Testing

/// Receipts, disputes by the provider's word, and what completes an operation.
struct PaymentNotesTests {
    private func paid(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        return story
    }

    private func receipt(_ fields: [Receipt.Field: String?]) throws -> Receipt {
        try #require(Receipt("s1", fields))
    }

    @Test func `a receipt gathers what several messages tell, in any order`() throws {
        let parts = [
            try receipt([.authorizationCode: "A1", .paidAt: "2026-11-21"]),
            try receipt([.paidAt: "2026-11-21T10:00:00", .url: "https://r"]), try receipt([.payee: "Shop"]),
        ]
        var seen: Set<Receipt> = []
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            var story = try paid()
            for index in order { story.observe(.receipt(parts[index])) }
            story.observe(.receipt(parts[order[0]]))
            #expect(story.last.events.isEmpty, "what is known is not told again")
            seen.insert(try #require(story.payment.receipts["s1"]))
        }
        #expect(seen.count == 1)
        #expect(seen.first?.fields[.paidAt] == "2026-11-21T10:00:00")
        #expect(seen.first?.fields.count == 4)
    }

    @Test func `what an app claims to have been told stands apart`() throws {
        var story = try Story(.sale)
        let claimed = try receipt([.url: "https://r"])
        try story.command(.confirm(meaning: "success", code: "0", receipt: claimed))
        #expect(story.payment.claimedReceipts["s1"] == claimed)
        #expect(story.payment.receipts.isEmpty)
    }

    @Test func `a dispute that the provider tells moves from opened to its end and never back`() throws {
        var story = try paid()
        func told(_ stage: Dispute.Stage) -> Fact {
            .dispute(DisputeFact(providerId: "cb-1", charge: "s1", amount: .stated(.cents(500)), stage: stage))
        }
        story.observe(told(.opened))
        #expect(story.payment.status == .disputed)
        #expect(story.payment.amounts.disputed == 500)
        let left = story.payment.refundable(try #require(story.payment.captures.first))
        #expect(left == 1499)
        story.observe(told(.lost))
        story.observe(told(.opened))
        story.observe(told(.won))
        #expect(story.payment.amounts.chargedBack == 500)
        #expect(story.payment.amounts.disputed == 0)
        #expect(story.payment.disputes.count == 1)
    }

    private static let flagged = Samples.capabilities(unstatedAmounts: ["flag"])

    @Test func `a flag opens one dispute of the whole charge, and none where a person recorded it before`() throws {
        let flag = Fact.dispute(
            DisputeFact(providerId: nil, charge: "s1", amount: .unstated(in: "flag"), stage: .opened)
        )
        var story = try paid(Self.flagged)
        story.observe(flag)
        story.observe(flag)
        #expect(story.payment.disputes.values.map(\.amount) == [.cents(1999)])
        var known = try paid(Self.flagged)
        let id = DisputeId(Samples.uuid(0xD))
        try known.command(.recordDispute(id: id, capture: nil, amount: .cents(5), stage: .opened, reason: nil))
        known.observe(flag)
        #expect(Array(known.payment.disputes.keys) == [id])
    }

    @Test(arguments: [EvidenceAmount.absent, .unstated(in: "another message"), .unreadable("12,x")])
    func `a dispute whose amount nobody can tell books nothing, is asked about and owed by a person`(
        _ amount: EvidenceAmount
    ) throws {
        var story = try paid(Self.flagged)
        story.observe(.dispute(DisputeFact(providerId: "cb-1", charge: "s1", amount: amount, stage: .opened)))
        #expect(story.payment.disputes.isEmpty && story.payment.amounts.disputed == 0)
        #expect(story.payment.openContradictions.map(\.kind) == [.amount])
        #expect(story.obligations.contains { $0.kind == .contradiction && $0.owner == .operator })
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        let stated = EvidenceAmount.stated(.cents(700))
        story.observe(.dispute(DisputeFact(providerId: "cb-1", charge: "s1", amount: stated, stage: .opened)))
        story.observe(.dispute(DisputeFact(providerId: "cb-1", charge: "s1", amount: amount, stage: .lost)))
        #expect(story.payment.amounts.chargedBack == 700)
    }

    // MARK: What completes an operation

    private func waiting() throws -> Story {
        var story = Story()
        story.opening = .request
        try story.command(.create(Samples.terms(.sale, method: .wallet)))
        story.answer(
            .dispatch(.accepted),
            .order(ProviderOrder(id: "70", handover: ["md": "x"])),
            .operation(Samples.seen("70", .sale, .waiting(.threeDSecure)))
        )
        return story
    }

    private let completion = PaymentCommand.confirm(meaning: "unknown", code: "3ds", completion: ["$once": "x"])

    @Test func `the bank's answer is passed on once, while the payment waits for it`() throws {
        var story = try waiting()
        try story.command(completion)
        let sent = try #require(story.last.dispatches.first)
        #expect(sent.planned.completion == ["$once": "x"])
        #expect(sent.planned.purpose == .operation(.sale))
        let again = refusal { () throws(Rejection) in try story.command(completion) }
        #expect(again == "operation_in_progress")
        story.answer(.dispatch(.accepted), .operation(Samples.seen("70", .sale)))
        #expect(story.payment.status == .captured)
        let late = refusal { () throws(Rejection) in try story.command(completion) }
        #expect(late == "not_confirmable")
    }

    @Test func `a bank's answer that was lost in memory is asked for again, and a lost answer to it is a question`()
        throws
    {
        var story = try waiting()
        try story.command(completion)
        story.answer(.dispatch(.notSent(reason: "unsigned: erased")))
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.initial?.ending == nil)
        story.wait(60)
        try story.command(completion)
        story.answer(.dispatch(.unknown(reason: "timeout")))
        #expect(story.openDispatches.last?.purpose == .query)
        story.answerQuery([.operation(Samples.seen("70", .sale))])
        #expect(story.payment.status == .captured)
        #expect(!story.payment.isFrozen)
    }

    @Test func `a charge that the provider gives back by itself is asked about when it should be gone`() throws {
        let lifetimes = Capabilities.Lifetimes(
            payerWindow: .seconds(1800),
            hold: .seconds(7 * 86_400),
            query: .seconds(90 * 86_400),
            reversal: .seconds(2100)
        )
        var story = try Story(.sale, 1999, Samples.capabilities(lifetimes: lifetimes))
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.timers(story.can).machine == story.now.adding(.seconds(2100)))
        story.wait(2100)
        story.observe(.timer)
        story.answerQuery([.operation(Samples.seen("s1/cancelled", .refund))])
        #expect(story.payment.status == .refunded)
        #expect(story.payment.timers(story.can).machine == nil)
    }
}

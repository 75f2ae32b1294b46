import Kernel
import Payments
import Testing

/// An amount is stated, absent or unreadable: only a stated one books by itself.
struct EvidenceAmountTests {
    private static let silent = "a message that never states it"

    private func seen(
        _ amount: EvidenceAmount,
        _ kind: OperationKind = .sale,
        _ outcome: ProviderOutcome = .succeeded,
        id: String = "p1"
    ) -> ProviderOperation {
        ProviderOperation(providerId: id, kind: kind, outcome: outcome, amount: amount)
    }

    private func story(declaring messages: Set<String> = []) throws -> Story {
        try Story(.sale, 1999, Samples.capabilities(unstatedAmounts: messages))
    }

    private func isAsked(_ story: Story) -> Bool {
        story.openDispatches.contains { $0.purpose == .query }
    }

    @Test(arguments: [EvidenceAmount.absent, .unstated(in: silent), .unreadable("1,00")])
    func `a success without a stated amount books nothing and is asked about`(amount: EvidenceAmount) throws {
        var story = try story()
        story.see(seen(amount))
        #expect(story.payment.amounts == PaymentAmounts())
        #expect(story.payment.status == .indeterminate)
        #expect(isAsked(story))
        #expect(story.obligations.contains { $0.kind == .amount })
        story.answerQuery([.operation(seen(.stated(.cents(1999))))])
        #expect(story.payment.amounts.captured == 1999)
        #expect(story.payment.status == .captured)
        #expect(story.obligations.isEmpty)
    }

    @Test func `an unreadable amount is a contradiction that an operator owns, and evidence may clear it`() throws {
        var story = try story()
        story.see(seen(.unreadable("1,00")))
        #expect(story.payment.contradictions == [.amount])
        #expect(story.obligations.contains { $0.kind == .contradiction && $0.owner == .operator })
        #expect(story.log.contains(.unrecognisedReported(what: "amount", value: "1,00")))
        story.see(seen(.stated(.cents(1999))))
        #expect(story.payment.contradictions.isEmpty)
        #expect(story.payment.amounts.captured == 1999)
    }

    @Test func `what was asked for counts where a message is declared never to state it, and a look follows`() throws {
        var story = try story(declaring: [Self.silent])
        story.see(seen(.unstated(in: Self.silent)))
        #expect(story.payment.amounts.captured == 1999)
        #expect(isAsked(story))
        story.answerQuery([.operation(seen(.stated(.cents(500))))])
        #expect(story.payment.amounts.captured == 500)
        #expect(story.payment.contradictions == [.amount])
    }

    @Test func `a look that never states it is not repeated for its sake`() throws {
        var story = try story(declaring: [Self.silent])
        try story.poll(.operation(seen(.unstated(in: Self.silent))))
        #expect(story.payment.status == .captured)
        #expect(!isAsked(story))
    }

    @Test func `an unreadable amount is not made good by what an unfinished message says`() throws {
        for reversed in [false, true] {
            var story = try story(declaring: [Self.silent])
            let told = [
                seen(.stated(.cents(1999)), .sale, .processing), seen(.unreadable("+1")),
                seen(.unstated(in: Self.silent)),
            ]
            for one in reversed ? told.reversed() : told { story.see(one) }
            #expect(story.payment.amounts == PaymentAmounts())
            #expect(story.payment.contradictions == [.amount])
        }
    }

    @Test func `a refund of an untold amount lets nothing else go back`() throws {
        var story = try story()
        story.see(seen(.stated(.cents(1999))))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answer(.dispatch(.accepted), .operation(seen(.absent, .refund, id: "r1")))
        #expect(story.payment.amounts.refunded == 0)
        #expect(throws: Rejection.self) {
            try story.command(.refund(amount: .cents(1999), capture: nil, reason: nil))
        }
    }

    @Test func `two persons may say what nobody told`() throws {
        var story = try story()
        story.see(seen(.absent))
        let operation = try #require(story.payment.initial)
        story.actor = Story.alice
        try story.command(
            .propose(
                .succeeded(operation.id, .cents(1999)),
                evidence: "the provider's statement",
                seenVersion: story.payment.version
            )
        )
        let proposal = try #require(story.payment.proposals.keys.first)
        story.actor = Story.bob
        try story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
        #expect(story.payment.amounts.captured == 1999)
        #expect(story.obligations.isEmpty)
    }
}

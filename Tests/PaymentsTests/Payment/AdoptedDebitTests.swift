import EventSourcing
import Kernel
import Payments
import Testing

/// A debit that a provider made by itself is a payment like others.
struct AdoptedDebitTests {
    private static let name = "scheduled-9"

    private func debit(
        _ outcome: SeriesDebit.Outcome,
        operation: String = "op-1",
        of occurrence: OccurrenceName? = nil,
        amount: Money? = .cents(990)
    ) -> PaymentCommand {
        .adopt(
            PaymentTerms(
                mode: .sale,
                method: .instrument,
                amount: amount,
                reference: nil,
                description: nil,
                customer: "c-1",
                instrument: nil,
                expiresAt: Samples.noon,
                details: [:],
                metadata: [:],
                occurrence: occurrence,
                adopted: AdoptedDebit(name: Self.name, registeredBy: PaymentId(Samples.uuid(0x5B)))
            ),
            SeriesDebit(
                payment: Self.name,
                series: "1640000321",
                amount: amount,
                outcome: outcome,
                at: Samples.noon,
                operation: operation
            )
        )
    }

    @Test func `it is captured from its beginning, and is told once`() throws {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.captured == 990)
        #expect(story.payment.attempt?.reference == Self.name)
        #expect(story.payment.obligations.map(\.reason) == ["debit_unmatched"], "no occurrence explains it")
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query], "the provider tells what else came of it")
        try story.command(debit(.succeeded))
        #expect(story.last.events.isEmpty && story.last.dispatches.isEmpty)
        // The provider's own message about it names the operation as before.
        story.see(Samples.seen("op-1", .sale, .succeeded, 990))
        #expect(story.payment.amounts.captured == 990)
        #expect(story.payment.flags.announced.isEmpty)
    }

    @Test func `one that nothing explains is an operator's until two have seen it, and may be given back meanwhile`()
        throws
    {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded))
        try story.command(.refund(amount: .cents(90), capture: nil, reason: nil))
        story.actor = Story.alice
        try story.command(.propose(.acknowledged, evidence: "run by hand", seenVersion: story.payment.version))
        let proposal = try #require(story.payment.proposals.keys.first)
        story.actor = Story.bob
        try story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
        #expect(!story.obligations.contains { $0.reason == "debit_unmatched" })
        #expect(story.payment.openDebits.isEmpty)
    }

    @Test func `one that an occurrence explains is nobody's to look at`() throws {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded, of: OccurrenceName(schedule: Samples.uuid(0x5C), ordinal: 3, series: "1")))
        #expect(story.payment.obligations.isEmpty)
    }

    @Test func `the payment that registered a series for no schedule owes nothing for a debit that is a payment`()
        throws
    {
        var story = try Story(.sale)
        story.see(Samples.seen("op-0", .sale, .succeeded, 1999))
        func told(_ operation: String?) -> Fact {
            .seriesDebit(
                SeriesDebit(
                    payment: "d1",
                    series: "s",
                    amount: .cents(500),
                    outcome: .succeeded,
                    at: nil,
                    operation: operation
                )
            )
        }
        story.observe(told(nil))
        #expect(story.obligations.map(\.reason) == ["debit_unmatched"])
        // Told again with what took the money it is one; told a third time it is no news.
        story.observe(told("op-1"))
        #expect(story.last.events.count == 1 && story.obligations.isEmpty)
        story.observe(told("op-1"))
        #expect(story.last.events.isEmpty)
    }

    @Test func `it goes back by command, under the provider's name of it`() throws {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded))
        try story.command(.refund(amount: .cents(90), capture: nil, reason: nil))
        #expect(story.last.dispatches.map(\.planned.paymentReference) == [Self.name])
    }

    @Test func `one that was declined has failed, without a payer to try again, and a later success is booked`() throws
    {
        var story = Story(Samples.capabilities())
        try story.command(debit(.declined(Samples.decline)))
        #expect(story.payment.status == .failed)
        #expect(story.payment.payerAction == nil)
        try story.command(debit(.succeeded, operation: "op-2"))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.captured == 990)
    }

    @Test func `one whose amount nobody can read is asked about, and counts when it is told`() throws {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded, amount: nil))
        #expect(story.payment.amounts.captured == 0)
        #expect(story.obligations.contains { $0.reason == "amount_unknown" }, "nothing is not what it took")
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        story.answerQuery([.operation(Samples.seen("op-1", .sale, .succeeded, 990))])
        #expect(story.payment.amounts.captured == 990)
        #expect(story.obligations.map(\.reason) == ["debit_unmatched"])
    }

    @Test func `told again after a restore it takes note of the epoch before anything else`() throws {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded))
        story.wait(60)
        story.epoch = RecoveryEpoch(number: 1, begunAt: story.now)
        try story.command(debit(.succeeded))
        #expect(story.payment.recovery?.epoch.number == 1)
    }

    @Test func `what its schedule finds odd is an operator's until two have seen it`() throws {
        var story = Story(Samples.capabilities())
        try story.command(debit(.succeeded, of: OccurrenceName(schedule: Samples.uuid(0x5C), ordinal: 3, series: "1")))
        #expect(story.obligations.isEmpty)
        for concern in [ClaimConcern.amountDiffers, .paidTwice] {
            story.actor = Samples.merchantActor
            try story.command(.confirm(meaning: "schedule", code: "sch_1", concern: concern))
            #expect(story.obligations.map(\.reason) == [concern.rawValue] && !story.payment.isFrozen)
            story.actor = Story.alice
            try story.command(.propose(.acknowledged, evidence: "agreed", seenVersion: story.payment.version))
            story.actor = Story.bob
            let open = story.payment.proposals.keys.filter { !story.payment.approved.contains($0) }
            try story.command(.approve(proposal: try #require(open.first), seenVersion: story.payment.version))
            #expect(story.obligations.isEmpty)
        }
    }

    @Test func `a debit of another series than the one that was registered here is a contradiction`() throws {
        var story = try Story(.sale)
        story.observe(.series(SeriesFact(id: "ours", isActive: true, kind: nil)))
        story.observe(
            .seriesDebit(
                SeriesDebit(
                    payment: "d1",
                    series: "theirs",
                    amount: .cents(500),
                    outcome: .succeeded,
                    at: nil,
                    operation: "1"
                )
            )
        )
        #expect(story.payment.seriesDebits.isEmpty)
        #expect(story.payment.openContradictions.map(\.kind) == [.identity])
    }
}

import Kernel
import Payments
import Testing

/// What the look behind a refused capture, void or refund shows: ours where it can be, and never nobody's.
struct RefusedFollowUpTests {
    private static let refused = Fact.dispatch(.notExecuted(Samples.decline))

    /// A provider operation, made so many seconds after noon where it says when.
    private func seen(_ id: String, _ kind: OperationKind, _ minor: Int64, at seconds: Int64?) -> ProviderOperation {
        ProviderOperation(
            providerId: id,
            kind: kind,
            outcome: .succeeded,
            amount: .stated(.cents(minor)),
            createdAt: seconds.map { Samples.noon.adding(.seconds($0)) }
        )
    }

    /// A captured payment whose refund of 500 was just refused.
    private func refused(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        story.wait(60)
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.wait(2)
        story.answer(Self.refused)
        return story
    }

    private func ours(_ story: Story) throws -> Operation {
        try #require(story.payment.operations.first { $0.kind == .refund && $0.origin == .commanded })
    }

    private func adopted(_ story: Story) -> [Operation] { story.payment.operations.filter { $0.origin == .provider } }

    @Test(arguments: [nil, 61])
    func `what the look shows of the same kind and amount is ours, done after all`(_ made: Int64?) throws {
        var story = try refused()
        story.answerQuery([.operation(seen("r1", .refund, 500, at: made))])
        #expect(try ours(story).state == .succeeded)
        #expect(try ours(story).isShownAfterRefusal)
        #expect(adopted(story).isEmpty && story.payment.openContradictions.isEmpty)
        #expect(story.payment.amounts.refunded == 500 && story.obligations.isEmpty)
    }

    @Test func `a total that grew by as much is ours, too`() throws {
        var story = try refused()
        story.answerQuery([.statement(Statement(.refund, total: .books(.cents(500))))])
        #expect(try ours(story).state == .succeeded)
        #expect(adopted(story).isEmpty && story.payment.amounts.refunded == 500)
    }

    @Test func `an answer that was lost explains a growth before one that was refused`() throws {
        var story = try refused()
        story.answer(.dispatch(.unknown(reason: "no answer")))
        story.wait(60)
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.observe(.statement(Statement(.refund, total: .books(.cents(500)))))
        let refunds = story.payment.operations.filter { $0.kind == .refund }
        #expect(refunds.map(\.state) == [.indeterminate, .succeeded])
    }

    @Test func `another amount may be ours: it is booked, and a person tells whose it is`() throws {
        for shown in [
            Fact.operation(seen("r1", .refund, 400, at: nil)),
            .statement(Statement(.refund, total: .books(.cents(400)))),
        ] {
            var story = try refused()
            story.answerQuery([shown])
            #expect(try ours(story).state == .indeterminate)
            #expect(adopted(story).count == 1 && story.payment.amounts.refunded == 400)
            #expect(story.obligations.contains { $0.reason == "unexplained" && $0.owner == .operator })
        }
    }

    @Test func `a refusal counts behind a look that left after the proof time, and no sooner`() throws {
        var story = try refused()
        let proof = story.now.adding(story.can.patience(.refund))
        for _ in 0..<8 where story.now < proof {
            story.answerQuery([])
            #expect(try ours(story).state == .indeterminate)
            story.now = try #require(story.payment.timers(story.can).machine)
            story.observe(.timer)
        }
        #expect(story.now == proof)
        var late = story
        late.answerQuery([.operation(seen("r1", .refund, 500, at: nil))])
        #expect(try ours(late).state == .succeeded)
        #expect(adopted(late).isEmpty)
        story.answerQuery([])
        #expect(try ours(story).state == .failed(Samples.decline))
        #expect(story.payment.timers(story.can).machine == nil)
    }

    @Test(arguments: [
        Fact.unrecognised(what: "status", value: "99"), .attempt(.reading(.ambiguous)),
        .attempt(.reading(.moneyWithoutOperation("refunded"))),
        .operation(
            ProviderOperation(providerId: "s1", kind: .sale, outcome: .succeeded, amount: .unreadable("1,00x"))
        ),
    ])
    func `a look that could not tell confirms no refusal, and a person owns it in the end`(_ said: Fact) throws {
        var story = try refused()
        let hold = Fact.operation(Samples.seen("s1", .sale))
        story.answerQuery([hold, said])
        for _ in 0..<Payment.questionsBeforePerson {
            #expect(try ours(story).state == .indeterminate)
            story.now = try #require(story.payment.timers(story.can).machine)
            story.observe(.timer)
            story.answerQuery([hold, said])
        }
        #expect(try ours(story).state == .indeterminate)
        #expect(story.obligations.contains { $0.reason == "refusal_unproved" && $0.owner == .operator })
        story.wait(3600)
        try story.poll(hold)
        #expect(try ours(story).state == .failed(Samples.decline))
    }

    @Test func `a kind that declares no time is shown as soon as what is shown soonest`() throws {
        let declared = Samples.capabilities(recovery: [
            .capture: .query(absenceAfter: .seconds(600)), .void: .query(absenceAfter: .seconds(7200)),
            .refund: .sameKey(lifetime: .seconds(86_400)),
        ])
        #expect(declared.patience(.void) == .seconds(7200))
        #expect(declared.patience(.refund) == .seconds(600))
        let bare = Samples.capabilities(recovery: [.refund: .sameKey(lifetime: .seconds(86_400))])
        #expect(bare.patience(.refund) == Payment.undeclaredPatience)
        var story = try refused(declared)
        for _ in 0..<8 where story.now < Samples.noon.adding(.seconds(62 + 600)) {
            story.answerQuery([])
            #expect(try ours(story).state == .indeterminate)
            story.now = try #require(story.payment.timers(story.can).machine)
            story.observe(.timer)
        }
        story.answerQuery([])
        #expect(try ours(story).state == .failed(Samples.decline))
    }

    @Test func `a refusal that the look confirms takes nothing that somebody else does later`() throws {
        for made in [nil, Int64(3600)] {
            var story = try refused()
            story.confirmRefusal(.refund)
            #expect(try ours(story).state == .failed(Samples.decline))
            story.wait(3600)
            story.see(seen("r1", .refund, 500, at: made))
            #expect(try ours(story).state == .failed(Samples.decline))
            #expect(adopted(story).count == 1 && story.payment.openContradictions.isEmpty)
        }
    }

    @Test func `what was made while the message was on its way is ours, however late it shows, and contradicts`() throws
    {
        var story = try refused()
        story.confirmRefusal(.refund)
        story.wait(3600)
        story.see(seen("r1", .refund, 500, at: 61))
        #expect(adopted(story).isEmpty && story.payment.amounts.refunded == 500)
        #expect(story.payment.openContradictions.map(\.kind) == [.outcome])
    }

    @Test func `a look that contradicts what is known proves no absence`() throws {
        let other = Fact.contradiction(.amount, detail: "the order is over 60")
        var story = try refused()
        story.answerQuery([])
        story.wait(120)
        story.observe(.timer)
        story.answerQuery([other])
        #expect(try ours(story).state == .indeterminate)
        try story.resolve(.acknowledged)
        try story.poll(other)
        #expect(try ours(story).state == .failed(Samples.decline))
        var charge = Story(Samples.capabilities(recovery: [.sale: .query(absenceAfter: .seconds(60))]))
        charge.opening = .request
        try charge.command(.create(Samples.terms(.sale)))
        charge.answer(.dispatch(.unknown(reason: "timeout")))
        charge.answerQuery([other])
        charge.wait(3600)
        try charge.poll(other)
        #expect(charge.payment.status == .indeterminate && charge.payment.needsOperator)
    }

    @Test func `a whole look in words that nobody knows proves no absence`() throws {
        let can = Samples.capabilities(recovery: [.refund: .query(absenceAfter: .seconds(60))])
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.answerQuery([])
        story.wait(600)
        try story.poll(whole, .unrecognised(what: "status", value: "UNHEARD"))
        #expect(story.openDispatches.isEmpty)
        #expect(try ours(story).state == .indeterminate)
    }

    // MARK: A void that an answer has shown

    private static let proof = Duration.seconds(600)

    /// A hold whose void was answered with success.
    private func voided() throws -> Story {
        let can = Samples.capabilities(recovery: [.void: .query(absenceAfter: Self.proof)])
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        story.wait(60)
        try story.command(.void(amount: nil, reason: nil))
        story.answer(.dispatch(.accepted), .operation(seen("v1", .void, 1999, at: nil)))
        #expect(story.payment.status == .voided)
        return story
    }

    private let whole = Fact.complete([.authorize, .capture, .void, .refund])
    private let hold = Fact.operation(Samples.seen("a1", .authorize))

    @Test func `a void that only its answer has shown is looked at once, when it must show`() throws {
        var story = try voided()
        #expect(story.payment.timers(story.can).machine == story.now.adding(Self.proof))
        story.wait(600)
        story.observe(.timer)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        story.answerQuery([whole, hold, .operation(seen("v1", .void, 1999, at: nil))])
        #expect(story.payment.timers(story.can).machine == nil)
        #expect(story.payment.openContradictions.isEmpty && story.payment.status == .voided)
    }

    @Test func `a look that shows the hold again tells an operator, and one that fails is asked again`() throws {
        var story = try voided()
        story.wait(600)
        story.observe(.timer)
        story.answer(.dispatch(.unknown(reason: "no answer")))
        let again = try #require(story.payment.timers(story.can).machine)
        #expect(again > story.now)
        story.wait(7200)
        story.observe(.timer)
        story.answerQuery([whole, hold])
        #expect(story.payment.openContradictions.map(\.kind) == [.vanished])
        #expect(story.payment.needsOperator)
    }
}

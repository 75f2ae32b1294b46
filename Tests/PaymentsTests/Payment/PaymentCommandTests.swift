import Kernel
import Payments
import Testing

/// Commands and their guards.
struct PaymentCommandTests {
    private func authorized(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        return story
    }

    private func sold(_ can: Capabilities = Samples.capabilities()) throws -> Story {
        var story = try Story(.sale, 1999, can)
        story.see(Samples.seen("s1", .sale))
        return story
    }

    private func code(_ story: Story, _ command: PaymentCommand) -> String? {
        var story = story
        return refusal { () throws(Rejection) in try story.command(command) }
    }

    @Test func `creating records the terms and asks for a handover`() throws {
        let story = try Story(.sale)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.handover])
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.payerAction == .handover)
        #expect(story.payment.initial?.kind == .sale)
    }

    @Test func `a payment without its handover licence is created`() throws {
        var payment = Payment(id: PaymentId(Samples.uuid(1)))
        var story = Story()
        for event in try payment.decide(.create(Samples.terms(.sale)), story.context()).events { payment.evolve(event) }
        #expect(payment.status == .created)
    }

    @Test(arguments: [
        (PaymentMode.sale, Int64(0), "amount_not_positive"), (.sale, -1, "amount_not_positive"),
        (.authorize, 0, "amount_not_positive"),
    ])
    func `a payment takes more than zero`(mode: PaymentMode, minor: Int64, expected: String) {
        #expect(refusal { () throws(Rejection) in try Story(mode, minor) } == expected)
    }

    @Test func `verify takes zero, tokenize no amount, the others need one`() throws {
        func code(_ mode: PaymentMode, _ amount: Money?) -> String? {
            let shape = Samples.terms(.sale)
            let terms = PaymentTerms(
                mode: mode,
                method: .hosted,
                amount: amount,
                reference: nil,
                description: nil,
                customer: nil,
                instrument: nil,
                expiresAt: shape.expiresAt,
                details: [:],
                metadata: [:]
            )
            return self.code(Story(), .create(terms))
        }
        #expect(code(.verify, .cents(1)) == "amount_not_allowed")
        #expect(code(.verify, .cents(0)) == nil)
        #expect(code(.verify, nil) == "amount_missing")
        #expect(code(.sale, nil) == "amount_missing")
        #expect(code(.tokenize, .cents(0)) == "amount_not_allowed")
        #expect(code(.tokenize, nil) == nil)
    }

    @Test func `an expiry in the past and a second creation are refused`() throws {
        #expect(code(Story(), .create(Samples.terms(.sale, 1, expiresIn: 0))) == "already_expired")
        #expect(code(try Story(.sale), .create(Samples.terms(.sale))) == "payment_exists")
        #expect(code(Story(), .sync) == "payment_unknown")
    }

    @Test func `capture takes all that is held unless told otherwise`() throws {
        var story = try authorized()
        try story.command(.capture(amount: nil, reason: "shipped"))
        let planned = story.last.dispatches.first?.planned
        #expect(planned?.amount == .cents(1999))
        #expect(planned?.isFull == true)
        #expect(planned?.reason == "shipped")
        #expect(story.payment.status == .authorized)
        story.see(Samples.seen("c1", .capture))
        #expect(story.payment.status == .captured)
        #expect(story.payment.operations.count == 2)
    }

    @Test func `a capture never exceeds the hold unless the provider takes more`() throws {
        let wanted = PaymentCommand.capture(amount: .cents(2000), reason: nil)
        #expect(code(try authorized(), wanted) == "amount_exceeds_available")
        #expect(code(try authorized(Samples.capabilities(overCapture: true)), wanted) == nil)
    }

    @Test(arguments: [Int64(0), -5, .min])
    func `an operation takes more than zero`(minor: Int64) throws {
        let story = try authorized()
        #expect(code(story, .capture(amount: .cents(minor), reason: nil)) == "amount_not_positive")
        #expect(code(story, .void(amount: .cents(minor), reason: nil)) == "amount_not_positive")
        let refund = PaymentCommand.refund(amount: .cents(minor), capture: nil, reason: nil)
        #expect(code(try sold(), refund) == "amount_not_positive")
    }

    @Test func `another currency is refused`() throws {
        let dollars = Money(1, Samples.dollar)
        #expect(code(try authorized(), .capture(amount: dollars, reason: nil)) == "currency_mismatch")
        #expect(code(try sold(), .refund(amount: dollars, capture: nil, reason: nil)) == "currency_mismatch")
    }

    @Test func `pending captures and voids count against the hold`() throws {
        let keyed = Samples.capabilities(
            multipleCaptures: true,
            recovery: [.capture: .sameKey(lifetime: .seconds(60)), .void: .sameKey(lifetime: .seconds(60))]
        )
        var story = try authorized(keyed)
        try story.command(.capture(amount: .cents(1500), reason: nil))
        #expect(code(story, .capture(amount: .cents(500), reason: nil)) == "amount_exceeds_available")
        #expect(code(story, .capture(amount: .cents(499), reason: nil)) == nil)
        #expect(code(story, .void(amount: nil, reason: nil)) == "operation_in_progress")
        var other = try authorized(keyed)
        try other.command(.void(amount: .cents(1000), reason: nil))
        #expect(code(other, .capture(amount: .cents(1), reason: nil)) == "operation_in_progress")
        #expect(code(other, .void(amount: .cents(1000), reason: nil)) == "amount_exceeds_available")
        #expect(code(other, .void(amount: .cents(999), reason: nil)) == nil)
    }

    @Test func `one capture is under way where the provider can't tell two apart`() throws {
        var story = try authorized(Samples.capabilities(multipleCaptures: true))
        try story.command(.capture(amount: .cents(100), reason: nil))
        #expect(code(story, .capture(amount: .cents(100), reason: nil)) == "operation_in_progress")
        story.see(Samples.seen("c1", .capture, .succeeded, 100))
        #expect(code(story, .capture(amount: .cents(100), reason: nil)) == nil)
    }

    @Test func `an account with one capture refuses the second, also beside one under way with a key`() throws {
        let keyed = Samples.capabilities(recovery: [.capture: .sameKey(lifetime: .seconds(60))])
        var story = try authorized(keyed)
        try story.command(.capture(amount: .cents(100), reason: nil))
        #expect(code(story, .capture(amount: .cents(100), reason: nil)) == "operation_in_progress")
        story.see(Samples.seen("c1", .capture, .succeeded, 100))
        #expect(code(story, .capture(amount: .cents(100), reason: nil)) == "partial_not_supported")
        #expect(story.payment.status == .partiallyCaptured)
    }

    @Test func `parts are refused where the account can't do parts`() throws {
        let whole = Samples.capabilities(partialCapture: false, partialRefund: false, partialVoid: false)
        #expect(code(try authorized(whole), .capture(amount: .cents(1), reason: nil)) == "partial_not_supported")
        #expect(code(try authorized(whole), .void(amount: .cents(1), reason: nil)) == "partial_not_supported")
        let part = PaymentCommand.refund(amount: .cents(1), capture: nil, reason: nil)
        #expect(code(try sold(whole), part) == "partial_not_supported")
        #expect(code(try sold(whole), .refund(amount: nil, capture: nil, reason: nil)) == nil)
    }

    @Test func `nothing is captured, voided or refunded where nothing is`() throws {
        let created = try Story(.authorize)
        #expect(code(created, .capture(amount: nil, reason: nil)) == "nothing_to_capture")
        #expect(code(created, .refund(amount: nil, capture: nil, reason: nil)) == "nothing_to_refund")
        #expect(code(try sold(), .void(amount: nil, reason: nil)) == "nothing_to_void")
        #expect(code(created, .void(amount: .cents(5), reason: nil)) == "amount_not_allowed")
    }

    @Test func `voiding twice is a success with nothing to record`() throws {
        var story = try authorized()
        try story.command(.void(amount: nil, reason: nil))
        try story.command(.void(amount: nil, reason: nil))
        #expect(story.last == PaymentDecision())
        story.see(Samples.seen("v1", .void))
        #expect(story.payment.status == .voided)
        try story.command(.void(amount: nil, reason: nil))
        #expect(story.last == PaymentDecision())
    }

    @Test func `voiding an unpaid payment asks for its cancellation once and takes the payer's action away`() throws {
        var story = try Story(.sale)
        try story.command(.void(amount: nil, reason: nil))
        #expect(story.payment.cancelRequestedBy == "key:shop")
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.payerAction == nil)
        story.answer(.dispatch(.answered), .attempt(.notRegistered))
        story.wait(60)
        try story.command(.void(amount: nil, reason: nil))
        #expect(story.last.events.isEmpty)
    }

    @Test func `refunds never exceed a capture, pending ones and disputes included`() throws {
        var story = try sold()
        try story.command(.refund(amount: .cents(1000), capture: nil, reason: nil))
        let rest = PaymentCommand.refund(amount: .cents(1000), capture: nil, reason: nil)
        #expect(code(story, rest) == "amount_exceeds_available")
        let dispute = DisputeId(Samples.uuid(1))
        try story.command(
            .recordDispute(id: dispute, capture: nil, amount: .cents(900), stage: .opened, reason: nil)
        )
        #expect(code(story, .refund(amount: .cents(100), capture: nil, reason: nil)) == "amount_exceeds_available")
        #expect(code(story, .refund(amount: .cents(99), capture: nil, reason: nil)) == nil)
        try story.command(.recordDispute(id: dispute, capture: nil, amount: .cents(900), stage: .lost, reason: nil))
        #expect(code(story, .refund(amount: .cents(100), capture: nil, reason: nil)) == "amount_exceeds_available")
    }

    @Test func `a dispute with a deadline is owed until then, and overdue behind it`() throws {
        var story = try sold()
        let dispute = DisputeId(Samples.uuid(1))
        let end = Samples.noon.adding(.seconds(3600))
        func recorded(_ stage: Dispute.Stage, _ answerBy: Timestamp?) -> PaymentCommand {
            .recordDispute(
                id: dispute,
                capture: nil,
                amount: .cents(1999),
                stage: stage,
                reason: nil,
                answerBy: answerBy
            )
        }
        func owed() -> Obligation? { story.obligations.first { $0.kind == .dispute } }
        try story.command(recorded(.opened, nil))
        #expect(owed()?.reason == "dispute_opened" && owed()?.deadline == nil)
        // Whoever hears of the deadline later says so, once.
        try story.command(recorded(.opened, end))
        #expect(owed()?.deadline == end && owed()?.reason == "dispute_opened")
        try story.command(recorded(.opened, nil))
        #expect(story.last.events.isEmpty)
        story.now = end
        #expect(owed()?.reason == "answer_overdue" && owed()?.owner == .merchant)
        try story.command(recorded(.lost, nil))
        #expect(owed() == nil && story.payment.disputes[dispute]?.answerBy == end)
    }

    @Test func `a won dispute makes room for refunds again`() throws {
        var story = try sold()
        let dispute = DisputeId(Samples.uuid(1))
        for stage in [Dispute.Stage.opened, .won] {
            try story.command(
                .recordDispute(id: dispute, capture: nil, amount: .cents(1999), stage: stage, reason: nil)
            )
        }
        #expect(code(story, .refund(amount: nil, capture: nil, reason: nil)) == nil)
    }

    @Test func `a refund picks the first capture with room or the one that is named`() throws {
        var story = try authorized(Samples.capabilities(multipleCaptures: true))
        for (id, minor) in [("c1", Int64(500)), ("c2", 1499)] {
            try story.command(.capture(amount: .cents(minor), reason: nil))
            story.see(Samples.seen(id, .capture, .succeeded, minor))
        }
        let captures = story.payment.captures
        try story.command(.refund(amount: .cents(600), capture: nil, reason: nil))
        #expect(story.payment.operations.last?.target == captures[1].id)
        let tooMuch = PaymentCommand.refund(amount: .cents(501), capture: captures[0].id, reason: nil)
        #expect(code(story, tooMuch) == "amount_exceeds_available")
        let unknown = OperationId(Samples.uuid(77))
        #expect(code(story, .refund(amount: .cents(1), capture: unknown, reason: nil)) == "capture_unknown")
    }

    @Test func `an account with one refund per capture refuses the second`() throws {
        var story = try sold(Samples.capabilities(multipleRefunds: false))
        try story.command(.refund(amount: .cents(5), capture: nil, reason: nil))
        #expect(code(story, .refund(amount: .cents(5), capture: nil, reason: nil)) == "partial_not_supported")
    }

    @Test func `a claim is recorded while the payment is open and only asks`() throws {
        var story = try Story(.sale)
        try story.command(.confirm(meaning: "success", code: "0"))
        #expect(story.last.events == [.claimRecorded(meaning: "success", code: "0", at: story.now)])
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(story.payment.status == .requiresAction)
        var paid = try sold()
        try paid.command(.confirm(meaning: "declined", code: "100"))
        #expect(paid.last.events.isEmpty)
        #expect(paid.payment.status == .captured)
    }

    @Test func `questions are not asked twice at once nor too soon`() throws {
        var story = try Story(.sale)
        try story.command(.sync)
        #expect(story.last.dispatches.count == 1)
        try story.command(.sync)
        #expect(story.last.dispatches.isEmpty)
        story.answer(.dispatch(.answered))
        let asked = story.now
        story.wait(4)
        try story.command(.sync)
        #expect(story.last.dispatches.map(\.notBefore) == [asked.adding(.seconds(5))])
        try story.command(.sync)
        #expect(story.last.dispatches.isEmpty)
        story.wait(1)
        story.answer(.dispatch(.answered))
        story.wait(5)
        try story.command(.sync)
        #expect(story.last.dispatches.map(\.notBefore) == [story.now])
    }

    @Test func `a dispute follows opened, then won or lost`() throws {
        var story = try sold()
        func dispute(_ stage: Dispute.Stage, _ id: UInt64 = 1) -> PaymentCommand {
            .recordDispute(
                id: DisputeId(Samples.uuid(id)),
                capture: nil,
                amount: .cents(1999),
                stage: stage,
                reason: nil
            )
        }
        #expect(code(story, dispute(.lost)) == "dispute_unknown")
        try story.command(dispute(.opened))
        #expect(story.payment.status == .disputed)
        try story.command(dispute(.opened))
        #expect(story.last.events.isEmpty)
        try story.command(dispute(.lost))
        #expect(story.payment.status == .chargedBack)
        #expect(code(story, dispute(.won)) == "dispute_closed")
        #expect(code(try Story(.sale), dispute(.opened)) == "capture_unknown")
    }

    @Test func `what an app reports to a person is owed until two persons have dealt with it`() throws {
        var story = try Story(.sale)
        let report = PaymentCommand.confirm(
            meaning: "error",
            code: "event:noPartnerForClient",
            concern: .configuration
        )
        try story.command(report)
        story.see(Samples.seen("s1", .sale))
        let owed = story.obligations.filter { $0.kind == .report }
        #expect(owed.map(\.reason) == ["configuration"])
        #expect(owed.map(\.owner) == [.operator])
        // Again it is no news, and a decided payment keeps it all the same.
        try story.command(report)
        #expect(story.last.events.isEmpty)
        try story.command(.confirm(meaning: "error", code: "event:lessThanRuble", concern: .defect))
        #expect(story.obligations.filter { $0.kind == .report }.map(\.reason) == ["defect", "configuration"])
    }
}

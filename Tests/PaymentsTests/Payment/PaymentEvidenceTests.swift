import Kernel
import Payments
import Testing

/// Rules 4 to 10: nothing is refused, nothing is lost.
struct PaymentEvidenceTests {
    private let retry = AttemptReading.waiting(.retryInForm(attemptsLeft: 4, seconds: 500))

    @Test func `a sale goes from the payer's action over processing to captured`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .waiting(.threeDSecure)))
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.payerAction == .threeDSecure)
        story.see(Samples.seen("s1", .sale, .processing, at: 2))
        #expect(story.payment.status == .processing)
        story.see(Samples.seen("s1", .sale, .succeeded, at: 3))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.captured == 1999)
        #expect(!story.payment.isFrozen)
        #expect(story.obligations.isEmpty)
    }

    @Test func `verify and tokenize move no money`() throws {
        var verify = try Story(.verify)
        verify.see(Samples.seen("v1", .verify, .succeeded, 0))
        #expect(verify.payment.status == .verified)
        #expect(verify.payment.amounts == PaymentAmounts())
        var tokenize = try Story(.tokenize)
        tokenize.see(Samples.seen("t1", .tokenize, .succeeded, nil))
        #expect(tokenize.payment.status == .tokenized)
        #expect(tokenize.payment.amounts == PaymentAmounts())
        #expect(verify.payment.timers(verify.can).machine == nil)
    }

    @Test func `a check that took more than a provider holds for it is a person's`() throws {
        for kind in [OperationKind.verify, .tokenize] {
            let mode: PaymentMode = kind == .verify ? .verify : .tokenize
            var small = try Story(mode, nil, Samples.capabilities(checkHold: 100))
            small.see(Samples.seen("c1", kind, .succeeded, 100))
            #expect(!small.payment.isFrozen)
            var large = try Story(mode, nil, Samples.capabilities(checkHold: 100))
            large.see(Samples.seen("c1", kind, .succeeded, 101))
            #expect(large.payment.openContradictions.map(\.kind) == [.amount])
            #expect(large.payment.needsOperator)
            var unsaid = try Story(mode, nil)
            unsaid.see(Samples.seen("c1", kind, .succeeded, 101))
            #expect(!unsaid.payment.isFrozen)
        }
    }

    @Test func `a declined try leaves the form open until the provider closes it`() throws {
        var story = try Story(.sale)
        story.observe(.operation(Samples.seen("s1", .sale, .declined(Samples.decline))), .attempt(.reading(retry)))
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.payerAction == .retryInForm(attemptsLeft: 4, seconds: 500))
        story.observe(.attempt(.closed(.declined(Samples.decline))))
        #expect(story.payment.status == .failed)
        #expect(story.payment.timers(story.can).business == nil)
    }

    @Test func `a try that succeeds after a declined one counts once`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale, .declined(Samples.decline)), Samples.seen("s2", .sale, at: 60))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.captured == 1999)
        #expect(!story.payment.isFrozen)
    }

    @Test func `two tries that both took the money are booked and contradict`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale), Samples.seen("s2", .sale, at: 60))
        #expect(story.payment.amounts.captured == 3998)
        #expect(story.payment.contradictions == [.amount])
        #expect(story.payment.isFrozen)
    }

    @Test func `what nobody commanded is adopted and booked`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize), Samples.seen("c1", .capture, .succeeded, 500, at: 60))
        #expect(story.payment.operations.last?.origin == .provider)
        #expect(story.payment.amounts.captured == 500)
        story.see(Samples.seen("v1", .void, .succeeded, 1499, at: 90))
        #expect(story.payment.amounts.held == 0)
        story.see(Samples.seen("r1", .refund, .succeeded, 200, at: 120))
        #expect(story.payment.status == .partiallyRefunded)
        #expect(!story.payment.isFrozen)
    }

    @Test func `an automatic release leaves the payment released, a commanded one voided`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize), Samples.seen("v1", .void))
        #expect(story.payment.status == .released)
        var ours = try Story(.authorize)
        ours.see(Samples.seen("a1", .authorize))
        try ours.command(.void(amount: nil, reason: nil))
        ours.see(Samples.seen("v1", .void))
        #expect(ours.payment.status == .voided)
    }

    @Test func `a sale where a hold was asked for is booked and contradicts`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.held == 0)
        #expect(story.payment.contradictions == [.identity])
        #expect(story.payment.initial?.state == .succeeded)
        story.actor = Story.alice
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        #expect(story.last.dispatches.count == 1)
    }

    @Test func `another amount or currency than asked for is booked and freezes new licences`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize, .succeeded, 2500))
        #expect(story.payment.amounts.authorized == 2500)
        #expect(story.payment.contradictions == [.amount])
        let code = refusal { () throws(Rejection) in try story.command(.capture(amount: nil, reason: nil)) }
        #expect(code == "payment_frozen")
        var other = try Story(.authorize)
        other.see(Samples.seen("a1", .authorize, currency: Samples.dollar))
        #expect(other.payment.contradictions == [.currency])
        #expect(other.payment.status == .indeterminate)
        #expect(other.obligations.contains { $0.kind == .contradiction && $0.owner == .operator })
    }

    @Test func `a frozen payment still books evidence and an operator still refunds`() throws {
        var story = try Story(.sale)
        story.observe(.contradiction(.identity, detail: "project 7"), .operation(Samples.seen("s1", .sale)))
        #expect(story.payment.status == .captured)
        let refund = PaymentCommand.refund(amount: nil, capture: nil, reason: nil)
        #expect(refusal { () throws(Rejection) in try story.command(refund) } == "payment_frozen")
        story.actor = Story.alice
        try story.command(refund)
        story.see(Samples.seen("r1", .refund))
        #expect(story.payment.status == .refunded)
    }

    @Test func `one provider operation that succeeded and was declined contradicts, success counts`() throws {
        for order in [[0, 1], [1, 0]] {
            let seen = [Samples.seen("s1", .sale), Samples.seen("s1", .sale, .declined(Samples.decline), at: 9)]
            var story = try Story(.sale)
            for index in order { story.see(seen[index]) }
            #expect(story.payment.status == .captured)
            #expect(story.payment.contradictions == [.outcome])
        }
    }

    @Test func `success after a decline or expiry is a late success with an obligation until it is returned`() throws {
        for ending in [AttemptEnding.declined(Samples.decline), .expired] {
            var story = try Story(.sale)
            story.observe(.attempt(.closed(ending)))
            story.see(Samples.seen("s1", .sale))
            #expect(story.payment.status == .captured)
            #expect(story.payment.lateSuccesses.count == 1)
            #expect(story.obligations.map(\.kind) == [.lateSuccess])
            try story.command(.refund(amount: nil, capture: nil, reason: nil))
            story.see(Samples.seen("r1", .refund))
            #expect(story.obligations.isEmpty)
        }
    }

    @Test func `a payment that staff declines after it was paid waits for a person, whatever came first`() throws {
        let paid = Fact.operation(Samples.seen("s1", .sale))
        let declined = Fact.operation(Samples.seen("m1", .sale, .declined(Samples.decline), at: 60))
        let closed = Fact.attempt(.closed(.declined(Samples.decline)))
        for order in [[paid, declined, closed], [closed, declined, paid], [declined, paid, closed]] {
            var story = try Story(.sale)
            for fact in order { story.observe(fact) }
            #expect(story.payment.contradictions == [.outcome])
            #expect(story.payment.isFrozen)
            #expect(story.payment.amounts.captured == 1999)
            #expect(story.obligations.contains { $0.owner == .operator })
        }
    }

    @Test func `a cancelled hold does not make its own success a late one`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize), Samples.seen("v1", .void))
        story.observe(.attempt(.closed(.cancelled)))
        #expect(story.payment.lateSuccesses.isEmpty)
    }

    @Test func `money that arrives for a cancelled payment goes back by itself and once`() throws {
        var hold = try Story(.authorize)
        try hold.command(.void(amount: nil, reason: nil))
        hold.see(Samples.seen("a1", .authorize))
        #expect(hold.last.dispatches.map(\.planned.purpose) == [.operation(.void)])
        #expect(hold.payment.lateSuccesses.count == 1)
        hold.see(Samples.seen("v1", .void, .declined(Samples.decline)))
        #expect(hold.last.dispatches.isEmpty)
        #expect(hold.obligations.contains { $0.kind == .lateSuccess })
        var sale = try Story(.sale)
        try sale.command(.void(amount: nil, reason: nil))
        sale.see(Samples.seen("s1", .sale))
        #expect(sale.last.dispatches.map(\.planned.purpose) == [.operation(.refund)])
        #expect(sale.last.dispatches.first?.planned.isFull == true)
    }

    @Test func `news that comes close behind a question is asked about as soon as it may be, once`() throws {
        var story = try Story(.sale)
        try story.command(.sync)
        story.answerQuery([.operation(Samples.seen("s1", .sale))])
        let asked = story.payment.queries.count
        story.observe(.attempt(.reading(.processing)), trust: .hint)
        story.observe(.attempt(.reading(.processing)), trust: .hint)
        let owed = story.payment.queries.dropFirst(asked)
        #expect(owed.map(\.license.notBefore) == [story.now.adding(.seconds(5))])
        // A question that was answered leaves what it did not say to the schedule.
        story.wait(6)
        story.answerQuery([.question])
        #expect(story.payment.queries.count == asked + 1)
    }

    @Test func `what a proved message asks close behind a question is asked as soon as it may be, once`() throws {
        var story = try Story(.sale)
        try story.command(.sync)
        story.answerQuery([.operation(Samples.seen("s1", .sale))])
        let asked = story.payment.queries.count
        story.observe(.question)
        story.observe(.question)
        let owed = story.payment.queries.dropFirst(asked)
        #expect(owed.map(\.license.notBefore) == [story.now.adding(.seconds(5))])
    }

    @Test func `a hint only asks`() throws {
        var story = try Story(.sale)
        story.observe(.operation(Samples.seen("s1", .sale)), trust: .hint)
        #expect(story.last.events.isEmpty)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(story.payment.status == .requiresAction)
        var other = try Story(.sale)
        other.observe(.browserReturn)
        #expect(other.last.dispatches.map(\.planned.purpose) == [.query])
    }

    @Test func `a money word without an operation books nothing and asks`() throws {
        var story = try Story(.sale)
        story.observe(.attempt(.reading(.moneyWithoutOperation("success"))))
        #expect(story.payment.status == .indeterminate)
        #expect(story.payment.amounts.captured == 0)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.status == .captured)
    }

    @Test func `the same evidence twice decides nothing`() throws {
        var story = try Story(.sale)
        let fee = Fact.fee(.cents(30))
        for _ in 0..<2 {
            story.observe(
                .operation(Samples.seen("s1", .sale)),
                .method("card"),
                fee,
                .unrecognised(what: "status", value: "new word"),
                .contradiction(.identity, detail: "project 7")
            )
        }
        #expect(story.last.events.isEmpty)
        #expect(story.payment.unrecognised == ["status=new word"])
    }

    @Test func `the scheme of a card is told once, and a message without it takes none back`() throws {
        var story = try Story(.sale)
        story.observe(.method("card", scheme: "visa"))
        #expect(story.payment.cardScheme == "visa")
        story.observe(.method("card"))
        #expect(story.last.events.isEmpty && story.payment.cardScheme == "visa")
        story.observe(.method("card", scheme: "mastercard"))
        #expect(story.last.events == [.methodReported("card", scheme: "mastercard")])
        story.observe(.method("wallet"))
        #expect(story.payment.cardScheme == nil && story.payment.methodAtProvider == "wallet")
    }

    @Test(
        arguments: [
            ("VISA", "visa"), ("Master Card", "master card"), ("", nil), ("4111111111111111", nil), ("vi\u{0}sa", nil),
            (String(repeating: "a", count: 33), nil), ("карта", nil),
        ] as [(String, String?)]
    )
    func `a scheme is a short word`(_ pair: (String, String?)) { #expect(CardScheme.word(pair.0) == pair.1) }

    @Test func `totals of fee and commission never go back to an older message`() throws {
        var story = try Story(.sale)
        story.observe(.fee(.cents(50)), .commission(.cents(7)))
        story.observe(.fee(.cents(30)), .commission(.cents(5)))
        #expect(story.payment.fee == .cents(50))
        #expect(story.payment.commission == .cents(7))
    }

    @Test func `a refund that is seen before its capture is over-returned only until the capture is seen`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("r1", .refund, .succeeded, 1999, at: 60))
        #expect(story.payment.overReturned == 1999)
        #expect(story.obligations.contains { $0.kind == .overReturned })
        story.see(Samples.seen("s1", .sale))
        #expect(story.payment.overReturned == 0)
        #expect(story.payment.status == .refunded)
        #expect(!story.obligations.contains { $0.kind == .overReturned })
    }

    @Test func `an excess that the provider returned is booked and announced`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale), Samples.seen("r1", .refund), Samples.seen("r2", .refund, .succeeded, 1))
        #expect(story.last.events.contains(.overReturned(.cents(1))))
        #expect(story.payment.amounts.refunded == 2000)
    }

    @Test func `a refund and a lost dispute share one budget`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale), Samples.seen("r1", .refund, .succeeded, 1000))
        let id = DisputeId(Samples.uuid(1))
        try story.command(.recordDispute(id: id, capture: nil, amount: .cents(1999), stage: .opened, reason: nil))
        #expect(story.payment.overReturned == 1000)
    }

    @Test func `a refund reversal gives the money back and makes room again`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        let reference = story.payment.operations.last?.reference
        story.see(Samples.seen("r1", .refund, reference: reference))
        #expect(story.payment.status == .refunded)
        story.see(Samples.seen("x1", .refundReversal, reference: reference))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.refunded == 0)
        #expect(!story.payment.isFrozen)
        try story.command(.refund(amount: nil, capture: nil, reason: nil))
        #expect(story.last.dispatches.count == 1)
    }

    @Test func `an adopted refund leaves less of the payment whichever capture it took from`() throws {
        var story = try Story(.authorize, 1000, Samples.capabilities(multipleCaptures: true))
        story.see(Samples.seen("a1", .authorize, .succeeded, 1000))
        story.see(Samples.seen("c1", .capture, .succeeded, 500), Samples.seen("c2", .capture, .succeeded, 500))
        story.see(Samples.seen("r1", .refund, .succeeded, 700))
        let captures = story.payment.captures
        #expect(captures.map { story.payment.refundable($0) } == [300, 300])
        try story.command(.refund(amount: .cents(300), capture: captures[0].id, reason: nil))
        #expect(story.payment.refundable(captures[1]) == 0)
    }

    @Test func `a dispute of one capture and a refund that names none leave less of the other`() throws {
        var story = try Story(.authorize, 1000, Samples.capabilities(multipleCaptures: true))
        story.see(Samples.seen("a1", .authorize, .succeeded, 1000))
        story.see(Samples.seen("c1", .capture, .succeeded, 500), Samples.seen("c2", .capture, .succeeded, 500))
        story.see(Samples.seen("r1", .refund, .succeeded, 400))
        let captures = story.payment.captures
        let id = DisputeId(Samples.uuid(1))
        let target = captures[0].id
        try story.command(.recordDispute(id: id, capture: target, amount: .cents(500), stage: .opened, reason: nil))
        #expect(captures.map { story.payment.refundable($0) } == [0, 100])
    }

    @Test func `each capture of a cancelled payment goes back by a refund of its own`() throws {
        var story = try Story(.authorize, 1000, Samples.capabilities(multipleCaptures: true))
        try story.command(.void(amount: nil, reason: nil))
        story.observe(
            .operation(Samples.seen("a1", .authorize, .succeeded, 1000)),
            .operation(Samples.seen("c1", .capture, .succeeded, 400)),
            .operation(Samples.seen("c2", .capture, .succeeded, 600))
        )
        #expect(story.last.dispatches.map(\.planned.amount) == [.cents(400), .cents(600)])
        #expect(Set(story.last.dispatches.map(\.effect)).count == 2)
        #expect(Set(story.payment.operations.map(\.id)).count == story.payment.operations.count)
    }

    @Test func `an adopted success without an amount holds everything until the amount is known`() throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale), Samples.seen("r1", .refund, .succeeded, nil))
        let refund = PaymentCommand.refund(amount: nil, capture: nil, reason: nil)
        #expect(refusal { () throws(Rejection) in try story.command(refund) } == "operation_in_progress")
        #expect(story.obligations.map(\.kind) == [.amount])
        #expect(story.payment.timers(story.can).machine != nil)
        story.see(Samples.seen("r1", .refund, .succeeded, 999))
        try story.command(refund)
        #expect(story.last.dispatches.first?.planned.amount == .cents(1000))
    }

    @Test func `money in a payment without an amount takes the currency that was seen`() throws {
        var story = try Story(.tokenize)
        story.see(Samples.seen("s1", .sale, .succeeded, 100))
        #expect(story.payment.amounts.captured == 100)
        #expect(story.payment.contradictions == [.identity])
    }

    @Test func `a credential is saved once for each payer`() throws {
        var story = try Story(.tokenize)
        let fact = InstrumentFact(
            token: Samples.sealed,
            fingerprint: "f",
            masked: nil,
            scheme: nil,
            expiryYear: nil,
            expiryMonth: nil
        )
        story.observe(.instrument(fact))
        story.observe(.instrument(fact))
        #expect(story.payment.instruments.count == 1)
    }
}

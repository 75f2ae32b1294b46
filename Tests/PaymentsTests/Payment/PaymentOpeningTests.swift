import Kernel
import Payments
import Testing

/// Payments that begin with a message of ours: an order that is opened, or a saved instrument that is charged.
struct PaymentOpeningTests {
    private let order = ProviderOrder(id: "70906e55", handover: ["url": "https://provider.example/70906e55"])

    private func begin(_ can: Capabilities = Samples.capabilities()) throws(Rejection) -> Story {
        var story = Story(can)
        story.opening = .request
        try story.command(.create(Samples.terms(.sale, 1999)))
        return story
    }

    @Test func `the opening message belongs to the initial operation and is licensed with the payment`() throws {
        let story = try begin()
        let license = try #require(story.openDispatches.first)
        #expect(story.openDispatches.count == 1)
        #expect(license.purpose == .operation(.sale))
        #expect(license.operation == story.payment.initial?.id)
        #expect(license.sendBefore == story.now.adding(Payment.sendWindow))
        #expect(story.payment.handovers.isEmpty)
        #expect(story.payment.status == .created)
        #expect(story.payment.liveEffects == [license.effect])
    }

    @Test func `an opened order waits for its payer`() throws {
        var story = try begin()
        story.answer(.dispatch(.accepted), .order(order))
        #expect(story.payment.order == order)
        #expect(story.payment.status == .requiresAction)
        #expect(story.payment.payerAction == .handover)
        #expect(story.payment.plannedHandover.order == order)
    }

    @Test func `the same order again is no news and another one is a contradiction`() throws {
        var story = try begin()
        story.answer(.dispatch(.accepted), .order(order))
        let version = story.payment.version
        story.observe(.order(order))
        #expect(story.payment.version == version)
        story.observe(.order(ProviderOrder(id: "other")))
        #expect(story.payment.order == order)
        #expect(story.payment.openContradictions.map(\.kind) == [.identity])
    }

    @Test func `a lost opening is asked about, and opened again when the provider does not know it`() throws {
        let absenceAfter = Duration.seconds(30)
        var story = try begin(Samples.capabilities(recovery: [.sale: .query(absenceAfter: absenceAfter)]))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        #expect(story.payment.status == .indeterminate)
        #expect(story.openDispatches.map(\.purpose) == [.query])
        story.answerQuery([.attempt(.notRegistered)])
        #expect(story.openDispatches.isEmpty)
        try story.poll(.attempt(.notRegistered))
        let again = try #require(story.openDispatches.first)
        #expect(again.purpose == .operation(.sale))
        #expect(again.ordinal == 2)
        #expect(again.ground == .absent)
        story.answer(.dispatch(.accepted), .order(order))
        #expect(story.payment.status == .requiresAction)
    }

    @Test func `a lost opening under a key of ours is repeated with the same key`() throws {
        var story = try begin(Samples.capabilities(recovery: [.sale: .sameKey(lifetime: .seconds(3600))]))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.answerQuery([.attempt(.notRegistered)])
        let again = try #require(story.openDispatches.first)
        #expect(again.ground == .sameKey)
        #expect(again.effect == story.payment.initial?.dispatches.first?.license.effect)
    }

    @Test func `a lost opening is cleared up by how its payer pays, where the account declares that`() throws {
        let can = Samples.capabilities(
            recovery: Capabilities.Recoveries(
                [.sale: .sameKey(lifetime: .seconds(3600)), .capture: .query(absenceAfter: .seconds(120))],
                openings: [.wallet: .query(absenceAfter: .seconds(30))]
            )
        )
        for (method, ground) in [(PaymentMethod.hosted, DispatchLicense.Ground.sameKey), (.wallet, .absent)] {
            var story = Story(can)
            story.opening = .request
            try story.command(.create(Samples.terms(.sale, method: method)))
            story.answer(.dispatch(.unknown(reason: "timeout")))
            story.answerQuery([.attempt(.notRegistered)])
            if ground == .absent {
                #expect(story.openDispatches.isEmpty)
                try story.poll(.attempt(.notRegistered))
            }
            #expect(story.openDispatches.map(\.ground) == [ground], "\(method)")
        }
        #expect(can.recovery[.capture, by: .wallet] == .query(absenceAfter: .seconds(120)))
        // What is shown late is waited for as long as it may take, however the payer pays.
        #expect(can.patience(.sale) == .seconds(30))
    }

    @Test func `a refused opening fails the payment`() throws {
        var story = try begin()
        story.answer(
            .dispatch(.notExecuted(Samples.decline)),
            .attempt(.closed(.declined(Samples.decline)))
        )
        #expect(story.payment.status == .failed)
        #expect(story.openDispatches.isEmpty)
    }

    @Test func `an instrument that is charged at once is captured by the answer`() throws {
        var story = try begin()
        story.answer(
            .dispatch(.accepted),
            .operation(
                ProviderOperation(
                    providerId: "p1",
                    kind: .sale,
                    outcome: .succeeded,
                    amount: .stated(Money(1999, Samples.euro))
                )
            )
        )
        #expect(story.payment.status == .captured)
    }

    @Test func `a message that says too little is answered with a question and moves nothing`() throws {
        var story = try begin()
        story.answer(.dispatch(.accepted), .order(order))
        let status = story.payment.status
        story.observe(.question)
        #expect(story.openDispatches.map(\.purpose) == [.query])
        #expect(story.payment.status == status)
    }

    @Test func `nothing is opened after the expiry`() throws {
        var story = Story()
        story.opening = .request
        try story.command(.create(Samples.terms(.sale, 1999, expiresIn: 60)))
        #expect(story.openDispatches.map(\.sendBefore) == [story.now.adding(.seconds(60))])
    }

    @Test func `a message names the try that lives, and not one that was declined`() throws {
        func tried(_ id: String, _ outcome: ProviderOutcome) -> Fact {
            let amount = EvidenceAmount.stated(Money(1999, Samples.euro))
            return .operation(ProviderOperation(providerId: id, kind: .sale, outcome: outcome, amount: amount))
        }
        var story = try begin()
        story.answer(.dispatch(.accepted), .order(order), tried("p1", .declined(Samples.decline)))
        story.observe(.attempt(.reading(.moneyWithoutOperation("paid"))))
        #expect(story.last.dispatches.map(\.planned.initialAtProvider) == [nil])
        story.answerQuery([tried("p1", .declined(Samples.decline)), tried("p2", .waiting(.redirect))])
        story.now = story.now.adding(.seconds(3600))
        story.observe(.attempt(.reading(.moneyWithoutOperation("paid"))))
        #expect(story.last.dispatches.map(\.planned.initialAtProvider) == ["p2"])
    }

    @Test func `an opened order ends the search for an earlier message that was lost`() throws {
        var story = try begin(Samples.capabilities(recovery: [.sale: .sameKey(lifetime: .seconds(3600))]))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.answerQuery([.attempt(.notRegistered)])
        story.answer(.dispatch(.accepted), .order(order))
        try story.poll()
        #expect(story.openDispatches.isEmpty)
        #expect(story.payment.initial?.dispatches.count == 2)
    }

    @Test func `news of an order before its answer does not lose what the payer needs`() throws {
        var story = try Story(.sale)
        story.observe(.order(ProviderOrder(id: "o-1")))
        story.observe(.order(ProviderOrder(id: "o-1", handover: ["link": "sealed"])))
        #expect(story.payment.order?.handover == ["link": "sealed"])
        story.observe(.order(ProviderOrder(id: "o-1")))
        #expect(story.payment.order?.handover == ["link": "sealed"])
        #expect(story.payment.openContradictions.isEmpty)
    }
}

import EventSourcing
import Kernel
import Payments
import ProviderKit
import SberPay
import Testing

/// Whole payments: the gateway's answers through the adapter into the aggregate.
struct LifecycleTests {
    /// A payment with everything that is asked of the gateway, answered by hand.
    private struct Story {
        var payment = Payment(id: PaymentId(Uuid(high: 9, low: 1)))
        var now = Shop.now
        private let account = Shop.settings()
        private let capabilities: Capabilities
        private var inputs: UInt64 = 1

        init(_ mode: PaymentMode = .sale) throws {
            capabilities = try Shop.adapter.capabilities(account)
            try command(.create(Shop.terms(mode)))
        }

        private mutating func context() -> PaymentContext {
            inputs += 1
            return PaymentContext(
                now: now,
                input: Uuid(high: 8, low: inputs),
                actor: Actor(id: "shop", isOperator: false),
                account: account.account,
                capabilities: capabilities,
                adapterVersion: 1,
                opening: .request
            )
        }

        mutating func command(_ command: PaymentCommand) throws { apply(try payment.decide(command, context())) }

        mutating func observe(_ facts: [Fact], _ license: DispatchLicense? = nil, trust: Trust = .verified) {
            let ref = license.map { PaymentObservation.DispatchRef(effect: $0.effect, ordinal: $0.ordinal) }
            apply(payment.decide(.facts(facts, trust: trust, dispatch: ref), context()))
        }

        /// Takes a body for the answer to the message under way.
        mutating func answer(_ body: [UInt8], status: Int = 200) throws {
            let license = try #require(open.last)
            observe(
                Shop.adapter.interpret(
                    .answered(license.purpose, status: status, headers: [:], body: body),
                    interpretation
                ),
                license
            )
        }

        mutating func lose() throws {
            let license = try #require(open.last)
            observe(Shop.adapter.interpret(.sentNoAnswer(license.purpose, reason: "timeout"), interpretation), license)
        }

        mutating func poll(_ body: [UInt8]) throws {
            now = now.adding(.seconds(60))
            if open.isEmpty { try command(.sync) }
            try answer(body)
        }

        mutating func callBack(_ operation: String, trust: Trust = .verified) {
            let body: Json = [
                "mdOrder": .string(Shop.orderId), "orderNumber": .string(reference),
                "operation": .string(operation), "status": "1",
            ]
            observe(Shop.adapter.interpret(.notification(body: body.compactBytes), interpretation), trust: trust)
        }

        /// A status of the order under the payment's own number.
        func status(
            _ status: Int64,
            _ code: Int64 = 0,
            approved: Int64 = 0,
            deposited: Int64 = 0,
            refunded: Int64 = 0
        ) -> [UInt8] {
            Shop.status(
                status,
                actionCode: code,
                approved: approved,
                deposited: deposited,
                refunded: refunded,
                [("orderNumber", .string(reference))]
            )
        }

        mutating func register() throws {
            try answer(Array(#"{"orderId":"\#(Shop.orderId)","formUrl":"https://a.example/p"}"#.utf8))
        }

        var reference: String { payment.attempt?.reference ?? "" }

        var open: [DispatchLicense] {
            (payment.operations.flatMap(\.dispatches) + payment.queries).filter(\.isInFlight).map(\.license)
        }

        private var interpretation: InterpretContext {
            let terms = payment.terms ?? Shop.terms()
            return InterpretContext(
                settings: account,
                paymentReference: reference,
                terms: terms,
                isHandover: payment.order != nil,
                order: payment.order,
                operations: payment.operations.map { operation in
                    KnownOperation(
                        kind: operation.kind,
                        reference: operation.reference,
                        requested: operation.requested,
                        isAwaited: operation.origin == .commanded && !operation.isClosed,
                        moved: Shop.ruble(operation.booked(in: terms.amount?.currency ?? rouble))
                            .flatMap { $0.minor > 0 ? $0 : nil }
                    )
                }
            )
        }

        private var rouble: Currency { Shop.ruble(0).map(\.currency) ?? Currency.all[0] }

        private mutating func apply(_ decision: PaymentDecision) {
            for event in decision.events { payment.evolve(event) }
            for request in decision.dispatches {
                payment.evolve(
                    .dispatchLicensed(
                        DispatchLicense(
                            effect: request.effect,
                            purpose: request.planned.purpose,
                            operation: request.operation,
                            ordinal: request.ordinal,
                            ground: request.ground,
                            templateDigest: "00",
                            account: account.account.id,
                            accountVersion: 1,
                            adapterVersion: 1,
                            licensedAt: now,
                            notBefore: request.notBefore,
                            sendBefore: request.sendBefore
                        )
                    )
                )
            }
        }
    }

    @Test func `a sale is captured by the answer that its callback led to`() throws {
        var story = try Story()
        #expect(story.open.map(\.purpose) == [.operation(.sale)])
        try story.register()
        #expect(story.payment.status == .requiresAction)
        story.now = story.now.adding(.seconds(30))
        story.callBack("deposited")
        #expect(story.payment.status == .requiresAction)
        try story.answer(story.status(2, approved: 19900, deposited: 19900))
        #expect(story.payment.status == .captured)
        #expect(story.payment.openContradictions.isEmpty)
    }

    @Test func `an unsigned callback asks, too, and an app's waiting polls at once`() throws {
        var story = try Story()
        try story.register()
        story.now = story.now.adding(.seconds(30))
        story.callBack("deposited", trust: .hint)
        #expect(story.open.map(\.purpose) == [.query])
        try story.answer(story.status(0, -100))
        story.now = story.now.adding(.seconds(30))
        let claim = try Shop.adapter.appResult(["call": "pay", "state": "waiting"], of: Shop.issued())
        try story.command(.confirm(meaning: claim.meaning.rawValue, code: claim.code))
        #expect(story.open.map(\.purpose) == [.query])
        #expect(story.payment.status == .requiresAction)
    }

    @Test func `a token that was reported and never paid with expires with its order`() throws {
        var story = try Story()
        try story.register()
        let claim = try Shop.adapter.appResult(["call": "getPaymentToken", "state": "success"], of: Shop.issued())
        try story.command(.confirm(meaning: claim.meaning.rawValue, code: claim.code))
        try story.answer(story.status(0, -100))
        #expect(story.payment.status == .requiresAction)
        story.now = Shop.deadline.adding(.seconds(1))
        try story.poll(story.status(6, -2007))
        #expect(story.payment.status == .expired)
    }

    @Test func `a hold is captured in part, the rest released, and money returned in two refunds`() throws {
        var story = try Story(.authorize)
        try story.register()
        try story.poll(story.status(1, approved: 19900))
        #expect(story.payment.status == .authorized)
        try story.command(.capture(amount: Shop.ruble(6000), reason: nil))
        try story.answer(Array(#"{"errorCode":"0"}"#.utf8))
        try story.poll(story.status(2, approved: 19900, deposited: 6000))
        #expect(story.payment.status == .captured)
        #expect(story.payment.amounts.captured == 6000)
        for (refund, total) in [(1000, 1000), (5000, 6000)] as [(Int64, Int64)] {
            try story.command(.refund(amount: Shop.ruble(refund), capture: nil, reason: nil))
            try story.answer(Array(#"{"errorCode":"0"}"#.utf8))
            try story.poll(story.status(4, approved: 19900, deposited: 6000 - total, refunded: total))
        }
        #expect(story.payment.status == .refunded)
        #expect(story.payment.operations.filter { $0.origin == .provider }.map(\.kind) == [.void])
        #expect(story.payment.openContradictions.isEmpty)
    }

    @Test func `a void gives the whole hold back`() throws {
        var story = try Story(.authorize)
        try story.register()
        try story.poll(story.status(1, approved: 19900))
        try story.command(.void(amount: nil, reason: nil))
        try story.answer(Array(#"{"errorCode":"0"}"#.utf8))
        try story.poll(story.status(3, 400))
        #expect(story.payment.status == .voided)
    }

    @Test func `a lost registration is looked up by our number and sent again only when it is proved absent`() throws {
        var story = try Story()
        try story.lose()
        #expect(story.payment.status == .indeterminate)
        #expect(story.open.map(\.purpose) == [.query])
        try story.answer(Array(#"{"errorCode":"6"}"#.utf8))
        #expect(story.open.isEmpty)
        story.now = story.now.adding(.seconds(400))
        try story.poll(Array(#"{"errorCode":"6"}"#.utf8))
        #expect(story.open.map(\.ground) == [.absent])
        try story.answer(Array(#"{"errorCode":"1"}"#.utf8))
        try story.poll(story.status(0, -100))
        #expect(story.payment.order?.id == Shop.orderId)
        #expect(story.payment.status == .requiresAction)
    }

    @Test func `an order over another amount freezes the payment, and what it took is booked as it is`() throws {
        var story = try Story()
        try story.register()
        let body = Shop.status(
            2,
            approved: 5,
            deposited: 5,
            [("orderNumber", .string(story.reference)), ("amount", 5)]
        )
        try story.poll(body)
        #expect(story.payment.amounts.captured == 5)
        #expect(story.payment.openContradictions.map(\.kind) == [.amount, .amount])
        #expect(story.payment.needsOperator && story.payment.isFrozen)
    }

    @Test func `money that comes after the payment was closed is booked as late`() throws {
        var story = try Story()
        try story.lose()
        story.now = Shop.deadline.adding(.seconds(3600))
        story.observe([.attempt(.closed(.expired))])
        #expect(story.payment.status == .expired)
        try story.answer(story.status(2, approved: 19900, deposited: 19900))
        #expect(story.payment.status == .captured)
    }
}

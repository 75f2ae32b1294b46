import Kernel
import Payments
import ProviderKit
import SberPay
import TestKit
import Testing

/// What the gateway's answers say about an order.
struct StatusTests {
    private let order = Shop.opened()

    private func facts(
        _ body: [UInt8],
        _ mode: PaymentMode = .sale,
        _ operations: [KnownOperation] = []
    ) -> [Fact] {
        Shop.answered(body, Shop.context(mode, order: order, operations: operations))
    }

    private func sums(_ facts: [Fact]) -> [Int64] {
        var view = SberPayStates.view()
        _ = view.apply(facts)
        return [view.authorized, view.captured, view.refunded]
    }

    @Test func `a binding keeps what its payer allowed, to the end of the last day in Moscow`() throws {
        let terms = Shop.terms(details: ["recurrent": ["expiry": "20260401", "frequencyDays": 14]])
        let context = InterpretContext(
            settings: Shop.settings(),
            paymentReference: "pay-7",
            terms: terms,
            isHandover: false,
            order: order
        )
        let body: Json = [
            "errorCode": "0", "orderNumber": "pay-7", "orderStatus": 2, "actionCode": 0, "amount": 19900,
            "currency": "643", "attributes": ["mdOrder": .string(Shop.orderId)],
            "paymentAmountInfo": ["approvedAmount": 19900, "depositedAmount": 19900, "refundedAmount": 0],
            "bindingInfo": ["bindingId": "b-1", "clientId": "cust-7"],
        ]
        let mandates = Shop.answered(body.compactBytes, context).compactMap { fact -> InstrumentFact.Mandate? in
            if case .instrument(let instrument) = fact { instrument.mandate } else { nil }
        }
        let end = try #require(Timestamp("2026-04-01T21:00:00Z"))
        #expect(mandates == [InstrumentFact.Mandate(endsAt: end, days: 14, zoneHours: 3)])
    }

    @Test func `an order whose address was lost is given up, unless its payer needs none`() {
        let lost = [Shop.known(.sale, requested: 19900, isAnswerLost: true)]
        func ends(_ terms: PaymentTerms, _ account: AccountSettings, _ operations: [KnownOperation]) -> Bool {
            let context = InterpretContext(
                settings: account,
                paymentReference: "pay-7",
                terms: terms,
                isHandover: false,
                order: ProviderOrder(id: Shop.orderId),
                operations: operations
            )
            return Shop.answered(Shop.status(0, actionCode: -100), context).contains {
                if case .attempt(.closed(.declined(let decline))) = $0 { decline.code == "link_lost" } else { false }
            }
        }
        let sdk = Shop.terms(.sale, .sdk, details: Shop.app)
        #expect(ends(Shop.terms(), Shop.settings(), lost))
        #expect(ends(sdk, Shop.settings("legacy", Shop.shop), lost))
        #expect(!ends(sdk, Shop.settings("ecom", Shop.shop), lost))
        // News of the order that come before the registration's answer prove nothing.
        #expect(!ends(Shop.terms(), Shop.settings(), [Shop.known(.sale, requested: 19900, isAwaited: true)]))
        let pushed = Shop.terms(details: ["app": ["push": true], "payer": ["phone": "+79991112233"]])
        #expect(!ends(pushed, Shop.settings("legacy"), lost))
    }

    @Test func `each status has its outcome`() {
        let table: [([UInt8], PaymentMode, ProviderState, [Int64])] = [
            (Shop.status(0, actionCode: -100), .sale, .waiting, [0, 0, 0]),
            (Shop.status(5, actionCode: -9000), .sale, .waiting, [0, 0, 0]),
            (Shop.status(1, approved: 19900), .authorize, .held, [19900, 0, 0]),
            (Shop.status(2, approved: 19900, deposited: 19900), .sale, .captured, [0, 19900, 0]),
            (Shop.status(2, approved: 19900, deposited: 6000), .authorize, .captured, [6000, 6000, 0]),
            (Shop.status(3), .authorize, .released, [0, 0, 0]),
            (Shop.status(3), .sale, .released, [0, 0, 0]),
            (
                Shop.status(4, approved: 19900, deposited: 19400, refunded: 500), .sale, .partlyReturned,
                [0, 19900, 500]
            ),
            (Shop.status(4, approved: 19900, refunded: 19900), .sale, .returned, [0, 19900, 19900]),
            (Shop.status(6, actionCode: -2007), .sale, .lapsed, [0, 0, 0]),
            (Shop.status(6, actionCode: 4005), .sale, .released, [0, 0, 0]),
            (Shop.status(6, actionCode: 116), .sale, .declined, [0, 0, 0]),
        ]
        for (body, mode, state, amounts) in table {
            var view = SberPayStates.view()
            let read = facts(body, mode)
            #expect(view.apply(read) == [])
            #expect(view.state == state, "\(String(decoding: body, as: UTF8.self))")
            #expect([view.authorized, view.captured, view.refunded] == amounts)
            #expect(read.first == .dispatch(.answered))
        }
    }

    @Test func `a decline has its class and an unknown code none`() {
        func decline(_ code: Int64) -> Decline? {
            facts(Shop.status(6, actionCode: code)).operations.compactMap {
                if case .declined(let decline) = $0.outcome { decline } else { nil }
            }.first
        }
        #expect(decline(116)?.reason == .insufficientFunds)
        #expect(decline(208)?.reason == .instrumentInvalid)
        #expect(decline(-2000)?.reason == .fraud)
        #expect(decline(777_777) == Decline(reason: .unknown, code: "777777", tableVersion: 1))
        #expect(facts(Shop.status(6, actionCode: 777_777)).contains(.unrecognised(what: "actionCode", value: "777777")))
    }

    @Test func `a failed try leaves the order open`() {
        let read = facts(Shop.status(0, actionCode: 116))
        #expect(read.operations.map(\.outcome) == [.waiting(.retryInForm(attemptsLeft: nil, seconds: nil))])
        #expect(!read.contains { if case .attempt = $0 { true } else { false } })
    }

    @Test func `a status that nobody knows or that is missing is no outcome`() {
        let odd = facts(Shop.status(9))
        #expect(odd.operations.map(\.outcome) == [.ambiguous])
        #expect(odd.contains(.unrecognised(what: "orderStatus", value: "9")))
        let missing = facts(Shop.status(0, [("orderStatus", .null)]))
        #expect(missing == [.dispatch(.unknown(reason: "no order status in the answer"))])
        let empty = facts(Shop.status(0, [("orderStatus", "")]))
        #expect(empty == [.dispatch(.unknown(reason: "no order status in the answer"))])
    }

    @Test
    func `another currency, number or order is a contradiction and books nothing, another amount books what it took`() {
        for (change, kind) in [
            (("amount", 19800), ContradictionKind.amount), (("currency", "840"), ContradictionKind.currency),
            (("orderNumber", "pay-8"), .identity), (("attributes", ["mdOrder": "other"]), .identity),
        ] as [((String, Json), ContradictionKind)] {
            let read = facts(Shop.status(2, approved: 19900, deposited: 19900, [change]))
            #expect(sums(read) == (kind == .amount ? [0, 19900, 0] : [0, 0, 0]))
            #expect(read.contains { if case .contradiction(kind, _) = $0 { true } else { false } })
        }
        let old = facts(Shop.status(2, approved: 19900, deposited: 19900, [("currency", "810")]))
        #expect(sums(old) == [0, 19900, 0])
    }

    @Test func `refunds are told as the gateway tells them, whatever is known`() {
        let body = Shop.status(4, approved: 19900, deposited: 18700, refunded: 1200)
        for known in [[], [Shop.known(.refund, requested: 700, reference: "r2", isAwaited: true)]] {
            let read = facts(body, .sale, [Shop.known(.sale, moved: 19900)] + known)
            #expect(read.totals == [.refund: 1200])
            #expect(read.operations.map(\.kind) == [.sale])
        }
    }

    @Test func `listed refunds carry our own ids`() {
        let list: Json = [
            ["type": "AUTHORIZATION", "amount": 19900, "actionCode": 0],
            ["type": "REFUND", "amount": 500, "externalRefundId": "r1", "actionCode": 0],
            ["type": "REFUND", "amount": 300, "externalRefundId": "r2", "actionCode": 125],
        ]
        let body = Shop.status(4, approved: 19900, deposited: 19400, refunded: 500, [("operations", list)])
        let asked = [Shop.known(.refund, requested: 500, reference: "r1", isAwaited: true)]
        let refunds = facts(body, .sale, asked).operations.filter { $0.kind == .refund }
        #expect(refunds.map(\.providerId) == ["refund:r1", "refund:r2"])
        #expect(refunds.map(\.ourReference) == ["r1", nil])
        #expect(refunds.map { $0.outcome == .succeeded } == [true, false])
    }

    @Test func `a taken payment that was reversed went back whole`() {
        let read = facts(Shop.status(3), .sale, [Shop.known(.sale, moved: 19900)])
        #expect(read.operations == [] && read.totals == [.refund: 19900])
    }

    @Test func `a check ends reversed and saves its binding`() {
        let binding = Shop.sealed("fdbbc879-c171-4cff-b636-ceab16fd6fce")
        let body = Shop.status(
            3,
            [
                ("amount", 0), ("bindingInfo", ["bindingId": binding, "clientId": "cust-7"]),
                ("cardAuthInfo", ["maskedPan": "220138**0047", "expiration": "203012", "paymentSystem": "MIR"]),
            ]
        )
        let read = facts(body, .verify)
        #expect(read.operations.map(\.outcome) == [.succeeded])
        let saved = read.compactMap { if case .instrument(let fact) = $0 { fact } else { nil } }
        #expect(saved.map(\.masked) == ["220138**0047"])
        #expect(saved.map(\.scheme) == ["mir"])
        #expect(saved.map(\.expiryYear) == [2030])
        #expect(saved.map(\.token) == [binding])
        let foreign = Shop.status(3, [("amount", 0), ("bindingInfo", ["bindingId": binding, "clientId": "cust-8"])])
        #expect(facts(foreign, .verify).contains { if case .contradiction(.identity, _) = $0 { true } else { false } })
    }

    @Test func `a check that took money says how much`() {
        for mode in [PaymentMode.verify, .tokenize] {
            let took = facts(Shop.status(2, approved: 6000, deposited: 6000, [("amount", 0)]), mode)
            #expect(took.operations.map { $0.amount.money?.minor } == [6000])
            let none = facts(Shop.status(2, [("amount", 0)]), mode)
            #expect(none.operations.map(\.amount) == [.absent])
        }
    }

    @Test func `a success after an expiry of ours is a late one and no contradiction`() {
        var view = SberPayStates.view(ProviderView.Baseline(state: .lapsed))
        #expect(view.apply(facts(Shop.status(2, approved: 19900, deposited: 19900))) == [])
        #expect(view.state == .captured)
    }

    @Test func `answers in any order end in the same sums`() throws {
        let bodies = [
            Shop.status(0, actionCode: -100), Shop.status(5, actionCode: -9000), Shop.status(1, approved: 19900),
            Shop.status(2, approved: 19900, deposited: 19900),
        ]
        try forAll(runs: 100, seed: 7) { random in
            var view = SberPayStates.view()
            for body in (bodies + bodies).shuffled(using: &random) { _ = view.apply(facts(body, .authorize)) }
            #expect([view.authorized, view.captured, view.refunded] == [19900, 19900, 0])
        }
    }
}

import Kernel
import Payments
import ProviderKit
import SberPay
import Testing

/// What an answer says about the call that it answers.
struct AnswerTests {
    private let accepted = Json(
        dictionaryLiteral: ("orderId", .string(Shop.orderId)),
        ("formUrl", Shop.sealed(Shop.page)),
        (
            "externalParams",
            ["sbolDeepLink": Shop.sealed(Shop.link), "sbolBankInvoiceId": Shop.sealed(Shop.invoice)]
        )
    )

    private func register(_ body: Json, status: Int = 200, dialect: String = "ecom") -> [Fact] {
        Shop.answered(body.compactBytes, Shop.context(dialect: dialect), .operation(.sale), status: status)
    }

    @Test func `an opened order is kept with its sealed addresses`() {
        #expect(register(accepted) == [.dispatch(.accepted), .order(Shop.opened())])
    }

    @Test(arguments: [0, 5, 6], [151019, 433, 434, 435])
    func `an order whose bank has not answered is unknown, and no failed try`(_ status: Int64, _ code: Int64) {
        let facts = Shop.answered(Shop.status(status, actionCode: code), Shop.context())
        let tries = facts.compactMap { fact -> ProviderOutcome? in
            if case .operation(let operation) = fact { operation.outcome } else { nil }
        }
        #expect(tries == [.ambiguous])
        #expect(!facts.contains { if case .attempt(.closed) = $0 { true } else { false } })
    }

    @Test func `maintenance of the bank's app leaves the page`() {
        let body: Json = [
            "orderId": .string(Shop.orderId), "formUrl": "https://example.test/p",
            "externalParams": ["sbolInactive": "true", "sbolDeepLink": "sberpay://x"],
        ]
        let handover: Json = ["formUrl": "https://example.test/p", "sberPayInactive": true]
        #expect(register(body).contains(.order(ProviderOrder(id: Shop.orderId, handover: handover))))
    }

    @Test func `a number that is known already is looked up`() {
        #expect(register(["errorCode": "1"]) == [.dispatch(.duplicate(code: "1"))])
    }

    @Test func `a refused registration ends the attempt`() {
        for code in ["3", "4", "5", "12"] {
            let decline = Decline(reason: .configuration, code: code, tableVersion: 1)
            #expect(
                register(["errorCode": .string(code)])
                    == [.dispatch(.notExecuted(decline)), .attempt(.closed(.declined(decline)))]
            )
        }
    }

    @Test(arguments: [199, 302, 401, 403, 408, 429, 500, 502, 503, 504])
    func `an HTTP status that says nothing leaves it unknown`(_ status: Int) {
        let facts = register(accepted, status: status)
        #expect(facts.count == 1)
        #expect(facts.contains { if case .dispatch(.unknown) = $0 { true } else { false } })
    }

    @Test func `a lost, unreadable or unlisted answer leaves it unknown`() {
        let context = Shop.context()
        let lost: [[Fact]] = [
            Shop.adapter.interpret(.sentNoAnswer(.operation(.sale), reason: "timeout"), context),
            Shop.answered(Array("<html>".utf8), context, .operation(.sale)),
            Shop.answered([], context, .operation(.sale)), register(["errorCode": "7"]), register(["errorCode": "99"]),
            register(["errorCode": "0"]), register(["errorCode": "x"]),
        ]
        for facts in lost {
            #expect(facts.count == 1)
            #expect(facts.contains { if case .dispatch(.unknown) = $0 { true } else { false } })
        }
        #expect(
            Shop.adapter.interpret(.notSent(.operation(.sale), reason: "dns"), context)
                == [.dispatch(.notSent(reason: "dns"))]
        )
    }

    @Test func `a number that the gateway does not know was never registered`() {
        let facts = Shop.answered(Array(#"{"errorCode":"6"}"#.utf8), Shop.context())
        #expect(facts == [.dispatch(.answered), .attempt(.notRegistered)])
    }

    @Test func `an order that is found after a lost answer is ours without its link`() {
        let facts = Shop.answered(Shop.status(0, actionCode: -100), Shop.context())
        #expect(facts.contains(.order(ProviderOrder(id: Shop.orderId))))
        #expect(facts.operations.map(\.outcome) == [.waiting(.handover)])
    }

    @Test func `a question that fails concludes nothing`() {
        for body in [#"{"errorCode":"5"}"#, #"{"errorCode":"7"}"#, #"{"errorCode":"2"}"#, #"{"ErrorCode":"3"}"#, "[]"] {
            let facts = Shop.answered(Array(body.utf8), Shop.context(order: Shop.opened()))
            #expect(facts.count == 1)
            #expect(facts.contains { if case .dispatch(.unknown) = $0 { true } else { false } })
        }
    }

    @Test func `an accepted capture, void or refund is asked about`() {
        for kind in [OperationKind.capture, .void, .refund] {
            let context = Shop.context(.authorize, order: Shop.opened())
            let facts = Shop.answered(Array(#"{"errorCode":0}"#.utf8), context, .operation(kind))
            #expect(facts == [.dispatch(.accepted), .question])
            let doubtful = Shop.answered(Array(#"{"errorCode":"7"}"#.utf8), context, .operation(kind))
            #expect(doubtful.contains { if case .dispatch(.unknown) = $0 { true } else { false } })
            let refused = Shop.answered(Array(#"{"errorCode":"5"}"#.utf8), context, .operation(kind))
            #expect(refused.count == 1)
            #expect(refused.contains { if case .dispatch(.notExecuted) = $0 { true } else { false } })
        }
    }

    private func charge(_ body: Json) -> [Fact] {
        let context = InterpretContext(
            settings: Shop.settings(),
            paymentReference: "pay-7",
            terms: Shop.terms(.sale, .instrument),
            isHandover: false
        )
        return Shop.answered(body.compactBytes, context, .operation(.sale))
    }

    @Test func `a charged binding is decided by the order's status`() throws {
        func envelope(_ status: Int64, _ code: Int64) throws -> Json {
            [
                "success": true, "data": ["orderId": .string(Shop.orderId), "orderNumber": "pay-7"],
                "orderStatus": try Json(Shop.status(status, actionCode: code, approved: 19900, deposited: 19900)),
            ]
        }
        let paid = charge(try envelope(2, 0))
        #expect(paid.operations.map(\.outcome) == [.succeeded])
        #expect(paid.operations.map(\.amount.money) == [Shop.ruble(19900)])
        let declined = charge(try envelope(6, 116))
        #expect(declined.contains { if case .attempt(.closed(.declined)) = $0 { true } else { false } })
        let open = charge(try envelope(6, 151_019))
        #expect(open.operations == [])
        #expect(open.contains(.question))
        #expect(charge(["success": false, "error": ["code": "1"]]) == [.dispatch(.duplicate(code: "1"))])
    }
}

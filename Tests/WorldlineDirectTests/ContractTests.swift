import Kernel
import Payments
import ProviderKit
import Testing
import WorldlineDirect

/// What every provider's adapter keeps: outcomes, unknown words, repeated and late news, lost answers, wrong amounts.
struct ContractTests {
    private func facts(_ json: Json, _ context: InterpretContext = Shop.context()) -> [Fact] {
        Shop.adapter.interpret(.notification(body: json.compactBytes), context)
    }

    private func event(_ payment: Json, _ context: InterpretContext = Shop.context()) -> [Fact] {
        facts(Message.event("payment.any", payment), context)
    }

    private func answer(
        _ purpose: DispatchPurpose,
        _ status: Int,
        _ body: Json,
        _ context: InterpretContext = Shop.context()
    ) -> [Fact] {
        Shop.adapter.interpret(.answered(purpose, status: status, headers: [:], body: body.compactBytes), context)
    }

    private func state(_ facts: [Fact]) -> ProviderState {
        var view = WorldlineStates.view()
        _ = view.apply(facts)
        return view.state
    }

    // MARK: Outcomes

    @Test(arguments: [
        ("CREATED", 0, ProviderState.unregistered), ("REDIRECTED", 46, .waiting), ("PENDING_PAYMENT", 41, .processing),
        ("AUTHORIZATION_REQUESTED", 51, .processing), ("AUTHORIZATION_REQUESTED", 52, .indeterminate),
        ("PENDING_CAPTURE", 5, .held), ("CAPTURE_REQUESTED", 91, .processing), ("REJECTED_CAPTURE", 93, .held),
        ("REJECTED", 2, .declined), ("CANCELLED", 1, .declined), ("CANCELLED", 61, .held), ("CANCELLED", 6, .released),
        ("REJECTED", 63, .held), ("CAPTURED", 91, .processing), ("REFUNDED", 81, .held),
    ])
    func `a payment in two steps stands where its status says`(_ row: (String, Int64, ProviderState)) {
        #expect(state(event(Message.payment(row.0, row.1), Shop.context(.authorize))) == row.2)
    }

    @Test(arguments: [
        ("CAPTURED", 9, ProviderState.captured), ("CAPTURE_REQUESTED", 91, .processing),
        ("PENDING_CAPTURE", 5, .processing),
        ("REJECTED", 2, .declined), ("CANCELLED", 6, .released), ("REFUND_REQUESTED", 81, .captured),
        ("REJECTED", 83, .captured),
    ])
    func `a sale stands where its status says`(_ row: (String, Int64, ProviderState)) {
        #expect(state(event(Message.payment(row.0, row.1))) == row.2)
    }

    @Test func `operations are told apart by their own ids and carry our references`() {
        let payment = Message.payment(
            "CAPTURED",
            9,
            id: "3254564310_2",
            operations: [
                Message.entry("3254564310_0", "PENDING_CAPTURE", 5, amount: 1999),
                Message.entry("3254564310_1", "CAPTURED", 9, amount: 500, reference: "cap-1"),
                Message.entry("3254564310_2", "CAPTURED", 9, amount: 700),
                Message.entry("3254564310_3", "REFUND_REQUESTED", 81, amount: 100, reference: "ref-1"),
                Message.entry("3254564310_4", "REJECTED", 83, amount: 50),
            ]
        )
        let found = answer(.query, 200, payment, Shop.context(.authorize)).compactMap { fact -> ProviderOperation? in
            if case .operation(let operation) = fact { operation } else { nil }
        }
        let told = Dictionary(uniqueKeysWithValues: found.map { ($0.providerId, $0) })
        #expect(told["3254564310_0"]?.outcome == .succeeded)
        #expect(told["3254564310_0"]?.amount.money == Shop.euro(1999))
        #expect(told["capture:3254564310_1"]?.amount.money == Shop.euro(500))
        #expect(told["capture:3254564310_1"]?.ourReference == "cap-1")
        #expect(told["refund:3254564310_3"]?.outcome == .processing)
        #expect(told["refund:3254564310_4"]?.outcome.isFinal == true)
        #expect(told.count == 5)
    }

    @Test func `a capture that only the payment's own word tells is taken once`() {
        let entries = [Message.entry(Shop.paymentId, "CAPTURED", 9, amount: 1999)]
        let found = answer(
            .query,
            200,
            Message.payment("CAPTURED", 9, operations: entries),
            Shop.context(.authorize)
        )
        var view = WorldlineStates.view()
        _ = view.apply(found)
        _ = view.apply(found)
        #expect(view.state == .captured)
        #expect(view.captured == 1999)
    }

    @Test func `a refund that the payment's word told, and the list later, is there once`() {
        func look(_ word: String, _ entries: [Json], _ known: [ProviderOperation]) -> [ProviderOperation] {
            let body = Message.payment(word, 8, operations: entries)
            return answer(.query, 200, body, Shop.context(known: known)).compactMap { fact -> ProviderOperation? in
                if case .operation(let operation) = fact { operation } else { nil }
            }
        }
        let sale = Message.entry(Shop.paymentId, "CAPTURED", 9, amount: 1999)
        let refund = Message.entry("3254564310_1", "REFUNDED", 8, amount: 1999)
        let told = look("REFUNDED", [sale], [])
        #expect(told.map(\.kind) == [.sale, .refund])
        let listed = look("REFUNDED", [sale, refund], told)
        #expect(listed.map(\.providerId) == told.map(\.providerId))
        // The name stays, and another one beside it has its own.
        let another = Message.entry("3254564310_10", "REFUNDED", 8, amount: 1)
        let both = look("REFUNDED", [sale, another, refund], told)
        #expect(Set(both.map(\.providerId)) == Set(told.map(\.providerId) + ["refund:3254564310_10"]))
        #expect(both.first { $0.providerId == told[1].providerId }?.amount.money == Shop.euro(1999))
        // What is known by an id of its own is not told by the word, too.
        let own = look("REFUNDED", [sale, refund], [])
        #expect(look("REFUNDED", [sale], own).map(\.kind) == [.sale])
    }

    @Test func `an event about a refund asks for a query and books nothing`() {
        let refund: Json = [
            "id": "3254564310_1", "status": "REFUNDED", "statusOutput": ["statusCode": 8],
            "refundOutput": ["amountOfMoney": Message.money(1999), "references": ["merchantReference": "pay-7"]],
        ]
        let event: Json = ["apiVersion": "v1", "type": "refund.refund_requested", "refund": refund]
        #expect(facts(event) == [.attempt(.reading(.moneyWithoutOperation("refund:refunded")))])
    }

    // MARK: Unknown words

    @Test func `an unknown decline is a decline and an unknown status is kept and decides nothing`() {
        let declined = Message.payment("REJECTED", 2, more: [])
        #expect(state(event(declined)) == .declined)
        #expect(CodeTable.decline("31415926").reason == .unknown)
        let unknown = event(Message.payment("BRAND_NEW", 777, category: "BRAND_NEW"))
        #expect(unknown.contains(.unrecognised(what: "status", value: "BRAND_NEW")))
        #expect(state(unknown) == .indeterminate)
    }

    @Test func `a chargeback event is kept for a person`() {
        let found = facts(Message.event("payment.chargebacked", Message.payment("CHARGEBACKED", nil)))
        #expect(found == [.unrecognised(what: "event", value: "payment.chargebacked")])
    }

    // MARK: Order, repetition, identity

    @Test func `repeated and reordered events end in the same state`() {
        let context = Shop.context(.authorize)
        let steps = [("REDIRECTED", 46), ("AUTHORIZATION_REQUESTED", 51), ("PENDING_CAPTURE", 5)].map {
            event(Message.payment($0.0, Int64($0.1)), context)
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0, 2, 1], [2, 0, 0, 1]] {
            var view = WorldlineStates.view()
            for index in order { _ = view.apply(steps[index]) }
            #expect(view.state == .held)
            #expect(view.authorized == 1999)
        }
    }

    @Test func `a later id of the same payment is the same payment`() {
        #expect(ProviderPaymentId.root("3254564310_12") == "3254564310_0")
        #expect(ProviderPaymentId.root("30660197301") == "30660197300")
        #expect(ProviderPaymentId.root("abc") == "abc")
        #expect(ProviderPaymentId.root("_") == "_")
    }

    @Test func `a late success after a decline is told`() {
        var view = WorldlineStates.view()
        _ = view.apply(event(Message.payment("REJECTED", 2)))
        let found = view.apply(event(Message.payment("CAPTURED", 9)))
        #expect(view.state == .captured)
        #expect(found.map(\.kind) == [.outcome])
    }

    @Test func `a message about another payment contradicts, and a batch skips it`() {
        let foreign = Message.payment("CAPTURED", 9, reference: "pay-8")
        #expect(event(foreign) == [.contradiction(.identity, detail: "payment pay-8")])
        let batch: Json = .array([
            Message.event("payment.captured", foreign, id: "e-1"),
            Message.event("payment.captured", Message.payment("CAPTURED", 9), id: "e-2"),
        ])
        #expect(state(facts(batch)) == .captured)
    }

    @Test func `a message under a follow-up's id alone is a question, and says no amount of a payment that is known`() {
        let message = Message.payment("CAPTURED", 9, id: "3254564310_1", amount: 500)
        // Nothing says what it followed: whether `3254564310_0` began it is the provider's to tell.
        #expect(event(message, Shop.context(.authorize)) == [.question])
        let known = event(message, Shop.context(.authorize, order: ProviderOrder(id: Shop.paymentId)))
        guard case .operation(let operation)? = known.first else {
            Issue.record("no operation")
            return
        }
        #expect(operation.providerId == Shop.paymentId)
        #expect(operation.amount.money == nil)
    }

    @Test func `another amount is reported as the provider says it`() {
        let found = event(Message.payment("CAPTURED", 9, amount: 1))
        guard case .operation(let operation)? = found.first else {
            Issue.record("no operation")
            return
        }
        #expect(operation.amount.money == Shop.euro(1))
    }

    // MARK: Answers

    @Test func `a page is an order and its address goes to the payer`() {
        let body: Json = ["hostedCheckoutId": "15c09dac", "redirectUrl": "https://p.example/x", "RETURNMAC": "mac"]
        let found = answer(.operation(.sale), 201, body, Shop.context(.sale, .hosted))
        let handover: Json = ["returnMac": "mac", "url": "https://p.example/x"]
        #expect(found == [.dispatch(.accepted), .order(ProviderOrder(id: "15c09dac", handover: handover))])
    }

    @Test func `a redirection of a payment is an order that waits for its payer`() {
        let body: Json = [
            "merchantAction": [
                "actionType": "REDIRECT", "redirectData": ["RETURNMAC": "mac", "redirectURL": "https://p.example/3ds"],
            ], "payment": Message.payment("REDIRECTED", 46),
        ]
        let found = answer(.operation(.sale), 201, body)
        let handover: Json = ["returnMac": "mac", "url": "https://p.example/3ds"]
        #expect(found.contains(.order(ProviderOrder(id: Shop.paymentId, handover: handover))))
        #expect(state(found) == .waiting)
    }

    @Test func `an action that nobody can show is alerted`() {
        let body: Json = [
            "merchantAction": ["actionType": "CALL_THIRD_PARTY"], "payment": Message.payment("REDIRECTED", 46),
        ]
        #expect(
            answer(.operation(.sale), 201, body).contains(
                .unrecognised(what: "merchantAction", value: "CALL_THIRD_PARTY")
            )
        )
    }

    @Test func `a decline with a payment in it closes the attempt and is recorded`() {
        let body: Json = [
            "errors": [["errorCode": "30511001"]], "paymentResult": ["payment": Message.payment("REJECTED", 2)],
        ]
        let found = answer(.operation(.sale), 402, body)
        let decline = Decline(reason: .insufficientFunds, code: "30511001", tableVersion: 1)
        #expect(found.first == .dispatch(.notExecuted(decline)))
        #expect(found.contains(.attempt(.closed(.declined(decline)))))
    }

    @Test(arguments: [500, 502, 503, 408, 429, 302])
    func `an answer that says nothing leaves the outcome open`(_ status: Int) {
        for purpose in [DispatchPurpose.operation(.sale), .operation(.refund), .query] {
            guard case .dispatch(.unknown)? = answer(purpose, status, [:]).first else {
                Issue.record("\(status) decided something")
                return
            }
        }
    }

    @Test(arguments: ["1409", "30001002"])
    func `a repetition that is in progress is repeated under its key and any other conflict is final`(_ code: String) {
        let running: Json = ["errors": [["errorCode": .string(code)]]]
        guard case .dispatch(.unknown)? = answer(.operation(.capture), 409, running).first else {
            Issue.record("in progress is no outcome")
            return
        }
        let closed: Json = ["errors": [["errorCode": "50001130"]]]
        guard case .dispatch(.notExecuted)? = answer(.operation(.void), 409, closed).first else {
            Issue.record("a closed payment can't be cancelled")
            return
        }
    }

    @Test func `an error page that is no JSON is a refusal and no trap`() {
        let found = Shop.adapter.interpret(
            .answered(.operation(.sale), status: 404, headers: [:], body: Array("Not Found".utf8)),
            Shop.context()
        )
        guard case .dispatch(.notExecuted)? = found.first else {
            Issue.record("not a refusal")
            return
        }
    }

    @Test func `a capture's answer names its operation and a cancellation's asks for a query`() {
        let capture: Json = [
            "id": "3254564310_1", "status": "CAPTURE_REQUESTED", "statusOutput": ["statusCode": 91],
            "captureOutput": [
                "amountOfMoney": Message.money(500), "operationReferences": ["merchantReference": "op-7-1"],
            ],
        ]
        let found = answer(.operation(.capture), 201, capture, Shop.context(.authorize))
        guard case .operation(let operation)? = found.last else {
            Issue.record("no operation")
            return
        }
        #expect(operation.providerId == "capture:3254564310_1")
        #expect(operation.ourReference == "op-7-1")
        #expect(operation.outcome == .processing)
        let cancelled = answer(.operation(.void), 200, ["payment": Message.payment("CANCELLED", 61)])
        #expect(cancelled == [.dispatch(.accepted), .attempt(.reading(.moneyWithoutOperation("void accepted")))])
    }

    // MARK: Questions

    @Test func `a lost charge is never called absent and a lost page is`() {
        let ok: Json = ["result": "OK"]
        #expect(answer(.query, 200, ok, Shop.context(.sale, .instrument)) == [.dispatch(.answered)])
        #expect(
            answer(.query, 200, ok, Shop.context(.sale, .hosted)) == [.dispatch(.answered), .attempt(.notRegistered)]
        )
    }

    @Test func `what is not found is absent only where a payment was named, and in the provider's words`() {
        let error: Json = ["errors": [["errorCode": "1002"]]]
        let named = Shop.context(.sale, .instrument, order: ProviderOrder(id: "3254564310"))
        #expect(answer(.query, 404, error, named) == [.dispatch(.answered), .attempt(.notRegistered)])
        let unknown = [Fact.dispatch(.unknown(reason: "HTTP 404 of no payment"))]
        #expect(answer(.query, 404, [:], named) == unknown)
        #expect(answer(.query, 404, error, Shop.context(.sale, .instrument)) == unknown)
    }

    @Test func `a page that ended unpaid closes the attempt and one that vanished does not`() {
        let context = Shop.context(.sale, .hosted, order: ProviderOrder(id: "15c09dac"))
        #expect(answer(.query, 200, ["status": "IN_PROGRESS"], context) == [.dispatch(.answered)])
        #expect(answer(.query, 200, ["status": "CANCELLED_BY_CONSUMER"], context).last == .attempt(.closed(.expired)))
        #expect(answer(.query, 404, [:], context) == [.dispatch(.answered), .attempt(.reading(.ambiguous))])
    }

    @Test func `a declined try on a page leaves the page open until its tries are used up`() {
        let context = Shop.context(.sale, .hosted, order: ProviderOrder(id: "15c09dac"))
        let declined = event(Message.payment("REJECTED", 2), context)
        #expect(!declined.contains { if case .attempt(.closed) = $0 { true } else { false } })
        let page: Json = [
            "status": "PAYMENT_CREATED",
            "createdPaymentOutput": [
                "payment": Message.payment("REJECTED", 2), "paymentStatusCategory": "REJECTED",
            ],
        ]
        #expect(answer(.query, 200, page, context).contains { if case .attempt(.closed) = $0 { true } else { false } })
    }

    @Test func `a saved card comes with a payment`() {
        let card: Json = [
            "token": .string("a856de2a"), "paymentProductId": 1, "initialSchemeTransactionId": "SCH1",
            "card": ["cardNumber": "************4675", "expiryDate": "0129"],
        ]
        let found = event(Message.payment("CAPTURED", 9, more: [("cardPaymentMethodSpecificOutput", card)]))
        guard case .instrument(let instrument)? = found.last else {
            Issue.record("no card")
            return
        }
        #expect(instrument.scheme == "visa")
        #expect(instrument.expiryYear == 2029)
        #expect(instrument.expiryMonth == 1)
        #expect(instrument.networkReference == "SCH1")
        #expect(found.first == .method("1", scheme: "visa"), "before the money that it moved")
    }
}

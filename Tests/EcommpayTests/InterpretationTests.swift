import Ecommpay
import Kernel
import Payments
import ProviderKit
import Testing

struct InterpretationTests {
    private func facts(_ callback: Callback, _ context: InterpretContext = Shop.context()) -> [Fact] {
        Shop.adapter.interpret(.notification(body: callback.unsigned), context)
    }

    private func operation(_ facts: [Fact]) -> ProviderOperation? {
        facts.lazy.compactMap { if case .operation(let found) = $0 { found } else { nil } }.first
    }

    private func attempts(_ facts: [Fact]) -> [AttemptFact] {
        facts.compactMap { if case .attempt(let found) = $0 { found } else { nil } }
    }

    private func decline(_ reason: DeclineClass, _ code: String) -> Decline {
        Decline(reason: reason, code: code, tableVersion: Shop.adapter.declaration.tableVersion)
    }

    @Test(
        arguments: [
            ("sale", .sale), ("recurring", .sale), ("invoice", .sale), ("payment confirmation", .sale),
            ("auth", .authorize), ("account verification", .verify), ("capture", .capture), ("cancel", .void),
            ("refund", .refund), ("reversal", .refund), ("refund reverse", .refundReversal), (" SALE ", .sale),
        ] as [(String, OperationKind)]
    )
    func `operation types map to kinds`(_ pair: (String, OperationKind)) {
        #expect(operation(facts(Callback(type: pair.0)))?.kind == pair.1)
    }

    @Test func `a success carries id, echo, dates and method`() {
        let found = facts(Callback())
        #expect(
            operation(found)
                == ProviderOperation(
                    providerId: "5028800010128001",
                    kind: .sale,
                    outcome: .succeeded,
                    amount: EvidenceAmount(Shop.euro(1999)),
                    createdAt: Timestamp("2026-03-02T10:00:00Z"),
                    changedAt: Timestamp("2026-03-02T10:00:05Z")
                )
        )
        #expect(found.contains { if case .method("card", _) = $0 { true } else { false } })
        #expect(attempts(found) == [])
    }

    @Test(
        arguments: [
            ("awaiting 3ds result", .waiting(.threeDSecure)), ("awaiting redirect result", .waiting(.redirect)),
            ("awaiting customer action", .waiting(.customerAction)), ("awaiting merchant auth", .waiting(.approval)),
            ("awaiting approval", .waiting(.approval)), ("awaiting clarification", .waiting(.clarify(fields: []))),
            ("processing", .processing), ("external processing", .processing), ("awaiting confirmation", .processing),
            ("awaiting payment", .processing), ("awaiting finalization", .processing), ("invoice sent", .processing),
            ("internal error", .ambiguous), ("external error", .ambiguous), ("expired", .expired),
            ("Awaiting 3DS Result ", .waiting(.threeDSecure)),
        ] as [(String, ProviderOutcome)]
    )
    func `operation statuses map to outcomes`(_ pair: (String, ProviderOutcome)) {
        #expect(operation(facts(Callback(status: pair.0, payment: pair.0)))?.outcome == pair.1)
    }

    @Test func `an unknown status is kept and means that nobody knows`() {
        let found = facts(Callback(status: "quantum flux"))
        #expect(found.contains(.unrecognised(what: "operation.status", value: "quantum flux")))
        #expect(operation(found)?.outcome == .ambiguous)
    }

    @Test func `an unknown type is kept and leaves the word to the payment`() {
        let found = facts(Callback(type: "teleport", payment: "success"))
        #expect(found.contains(.unrecognised(what: "operation.type", value: "teleport")))
        #expect(operation(found) == nil)
        let unread = AttemptFact.reading(.moneyWithoutOperation("an operation of the type teleport"))
        #expect(attempts(found) == [unread, .reading(.moneyWithoutOperation("success"))])
    }

    @Test func `an operation of an unknown type that moved nothing yet leaves the payer where he is`() {
        let found = facts(Callback(type: "teleport", status: "awaiting 3ds result", payment: "awaiting 3ds result"))
        #expect(attempts(found) == [.reading(.waiting(.threeDSecure))])
    }

    @Test func `a declined try leaves the form open`() {
        let payment: Json = [
            "id": "pay-7", "status": "awaiting customer", "is_new_attempts_available": true, "attempts_timeout": 600,
        ]
        let found = facts(Callback(status: "decline", code: "10105", changes: [("payment", payment)]))
        #expect(operation(found)?.outcome == .declined(decline(.insufficientFunds, "10105")))
        #expect(attempts(found) == [.reading(.waiting(.retryInForm(attemptsLeft: nil, seconds: 600)))])
    }

    @Test func `a final decline closes the attempt`() {
        let found = facts(Callback(status: "decline", payment: "decline", code: "402"))
        #expect(operation(found)?.outcome == .declined(decline(.fraud, "402")))
        #expect(attempts(found) == [.closed(.declined(decline(.fraud, "402")))])
    }

    @Test func `a decline closes nothing while the provider offers another try`() {
        let payment: Json = ["id": "pay-7", "status": "decline", "is_new_attempts_available": true]
        #expect(attempts(facts(Callback(status: "decline", code: "100", changes: [("payment", payment)]))) == [])
    }

    @Test func `a declined try of a payment that has expired closes it as expired`() {
        let found = facts(Callback(status: "decline", payment: "expired", code: "100"))
        #expect(attempts(found) == [.closed(.expired)])
    }

    @Test(arguments: ["processing", "internal error", nil])
    func `a decline while the payment goes on, or says nothing, closes nothing`(_ payment: String?) {
        #expect(attempts(facts(Callback(status: "decline", payment: payment, code: "100"))) == [])
    }

    @Test func `a failed follow-up is about itself only`() {
        let found = facts(Callback(type: "refund", status: "decline", payment: "success", code: "10706"))
        #expect(
            operation(found)?.outcome
                == .declined(
                    Decline(
                        reason: .hard,
                        code: "10706",
                        tableVersion: Shop.adapter.declaration.tableVersion
                    )
                )
        )
        #expect(attempts(found) == [])
    }

    @Test func `a form's refused data leave the payment unregistered, Gate's fail it`() {
        let callback = Callback(status: "error", payment: "error", code: "2004")
        #expect(attempts(facts(callback)) == [.notRegistered])
        let gate = attempts(facts(callback, Shop.context(isHandover: false)))
        #expect(gate == [.closed(.declined(decline(.configuration, "2004")))])
    }

    @Test(arguments: [("invoice cancelled", AttemptEnding.cancelled), ("expired", .expired)])
    func `what closed unpaid is no decline`(_ pair: (String, AttemptEnding)) {
        let found = facts(Callback(type: "invoice", status: pair.0, payment: pair.0))
        #expect(operation(found)?.outcome == .expired)
        #expect(attempts(found) == [.closed(pair.1)])
    }

    @Test func `a refund is known by our reference`() {
        let payment: Json = ["id": "pay-7", "status": "partially refunded", "merchant_refund_id": "op-7-1"]
        let found = facts(Callback(type: "refund", amount: 500, changes: [("payment", payment)]))
        #expect(operation(found)?.ourReference == "op-7-1")
        #expect(operation(found)?.amount.money == Shop.euro(500))
    }

    @Test func `a refund's own reference counts, the payment's only where it has one refund`() {
        func refund(_ id: Int64, _ reference: String?) -> Json {
            .compact([
                ("id", .integer(id)), ("type", "refund"), ("status", "success"),
                ("sum_initial", ["amount": 100, "currency": "EUR"]),
                ("merchant_refund_id", reference.map(Json.string)),
            ])
        }
        func references(_ operations: [Json]) -> [String?] {
            let payment: Json = ["id": "pay-7", "status": "partially refunded", "merchant_refund_id": "op-7-9"]
            let callback = Callback(type: nil, changes: [("payment", payment), ("operations", .array(operations))])
            return facts(callback).compactMap { fact -> ProviderOperation? in
                if case .operation(let found) = fact { found } else { nil }
            }
            .map(\.ourReference)
        }
        #expect(references([refund(1, "op-7-1"), refund(2, "op-7-2")]) == ["op-7-1", "op-7-2"])
        #expect(references([refund(1, nil), refund(2, nil)]) == [nil, nil])
        #expect(references([refund(1, nil)]) == ["op-7-9"])
    }

    @Test func `clarification names its fields`() {
        let fields: Json = ["avs_data": ["avs_post_code", "avs_street_address"], "birthplace": ["city"]]
        let callback = Callback(
            status: "awaiting clarification",
            payment: "awaiting clarification",
            changes: [("clarification_fields", fields)]
        )
        let names = ["avs_data.avs_post_code", "avs_data.avs_street_address", "birthplace.city"]
        #expect(operation(facts(callback))?.outcome == .waiting(.clarify(fields: names)))
    }

    @Test(
        arguments: [
            ("decline", [.closed(.declined(Decline(reason: .unknown, code: nil, tableVersion: 1)))]),
            ("expired", [.closed(.expired)]), ("processing", [.reading(.processing)]),
            ("awaiting capture", [.reading(.moneyWithoutOperation("awaiting capture"))]),
            ("canceled", [.reading(.moneyWithoutOperation("canceled")), .closed(.cancelled)]),
            ("awaiting customer", [.reading(.waiting(.retryInForm(attemptsLeft: nil, seconds: nil)))]),
            ("partially paid", [.reading(.ambiguous)]), ("error", [.notRegistered]),
            ("partially paid out", [.reading(.ambiguous)]), ("brand new", [.reading(.ambiguous)]),
        ] as [(String, [AttemptFact])]
    )
    func `without an operation the payment's word counts and books nothing`(_ pair: (String, [AttemptFact])) {
        let found = facts(Callback(type: nil, payment: pair.0))
        #expect(attempts(found) == pair.1)
        #expect(operation(found) == nil)
    }

    @Test(
        arguments: [
            ("success", .sale, OperationKind.sale), ("success", .authorize, .capture),
            ("awaiting capture", .authorize, .authorize),
            ("canceled", .authorize, .void), ("refunded", .sale, .refund),
        ] as [(String, PaymentMode, OperationKind)]
    )
    func `a manual change is what the payment has become`(_ change: (String, PaymentMode, OperationKind)) {
        let found = facts(Callback(type: "manual change", payment: change.0), Shop.context(change.1))
        #expect(operation(found)?.kind == change.2)
        #expect(operation(found)?.outcome == .succeeded)
    }

    @Test func `a manual change that succeeded to a state without money moves none`() {
        let declined = facts(Callback(type: "manual change", payment: "decline", code: "100"))
        #expect(operation(declined)?.outcome == .declined(decline(.soft, "100")))
        #expect(attempts(declined) == [.closed(.declined(decline(.soft, "100")))])
        let expired = facts(Callback(type: "manual change", payment: "expired"))
        #expect(operation(expired)?.outcome == .expired)
        #expect(attempts(expired) == [.closed(.expired)])
        #expect(operation(facts(Callback(type: "manual change", payment: "processing")))?.outcome == .processing)
        #expect(operation(facts(Callback(type: "manual change", payment: "internal error")))?.outcome == .ambiguous)
    }

    @Test func `another project or payment is a contradiction and nothing else`() {
        let other = Callback(changes: [("payment", ["id": "pay-8", "status": "success"])])
        #expect(facts(other) == [.contradiction(.identity, detail: "payment pay-8")])
        let project = Callback(changes: [("project_id", 43)])
        #expect(facts(project) == [.contradiction(.identity, detail: "project 43")])
    }

    @Test func `numbers may come as text, and other amounts can not be read`() {
        #expect(operation(facts(Callback(amount: "1999")))?.amount.money == Shop.euro(1999))
        for odd: Json in ["19.99", -5, "+5", true, ["x": 1]] {
            let found = facts(Callback(amount: odd))
            guard case .unreadable? = operation(found)?.amount else {
                Issue.record("\(odd) was read")
                continue
            }
        }
    }

    @Test func `a credential is offered once something succeeded with it`() throws {
        let account: Json = [
            "number": "431422******0056", "token": "7e12", "type": "visa", "expiry_month": "11", "expiry_year": "2030",
        ]
        func instrument(_ callback: Callback) -> InstrumentFact? {
            facts(callback).lazy.compactMap { if case .instrument(let found) = $0 { found } else { nil } }.first
        }
        let found = try #require(instrument(Callback(changes: [("account", account)])))
        #expect(found.masked == "431422******0056")
        #expect(found.scheme == "visa")
        #expect(found.expiryYear == 2030)
        #expect(found.expiryMonth == 11)
        #expect(found.fingerprint.utf8.count == 64)
        let declined = Callback(status: "decline", payment: "decline", changes: [("account", account)])
        #expect(instrument(declined) == nil)
        var sealedAccount = try #require(account.members)
        sealedAccount["token"] = Shop.sealed("7e12")
        let sealed = try #require(instrument(Callback(changes: [("account", .object(sealedAccount))])))
        #expect(sealed.token == Shop.sealed("7e12"))
    }

    @Test func `a token callback saves an instrument and ends a tokenize payment`() {
        let body: Json = [
            "general": ["project_id": 42], "token": "759a1ac5", "token_status": "active", "request": ["id": "r-1"],
            "card": ["number": "400002******1488", "exp_month": 5, "exp_year": 2030],
        ]
        func kinds(_ context: InterpretContext) -> [Fact] {
            Shop.adapter.interpret(.notification(body: body.compactBytes), context)
        }
        #expect(kinds(Shop.context(.tokenize)).count == 2)
        #expect(operation(kinds(Shop.context(.tokenize)))?.kind == .tokenize)
        let saved = kinds(Shop.context()).compactMap { if case .instrument(let fact) = $0 { fact } else { nil } }
        #expect(saved.map(\.masked) == ["400002******1488"])
        #expect(saved.map(\.expiryMonth) == [5])
        #expect(saved.map(\.expiryYear) == [2030])
        #expect(kinds(Shop.context()).count == 1)
        var foreign = body.members
        foreign?["customer"] = ["id": "cust-8"]
        let other = Shop.adapter.interpret(
            .notification(body: foreign.map { Json.object($0).compactBytes } ?? []),
            Shop.context(.tokenize)
        )
        #expect(other == [.contradiction(.identity, detail: "customer of a token")])
    }

    @Test func `a series callback changes no payment`() {
        let body: Json = ["project_id": 42, "recurring": ["id": 321, "status": "active"]]
        #expect(Shop.adapter.interpret(.notification(body: body.compactBytes), Shop.context()) == [])
    }
}

import Kernel
import Payments
import Portmone
import ProviderKit
import Testing

/// What every provider's adapter must read alike, in this provider's words.
struct ContractTests {
    private func state(_ facts: [[Fact]]) -> ProviderState {
        var view = PortmoneStates.view()
        for facts in facts { _ = view.apply(facts) }
        return view.state
    }

    private func operations(_ facts: [Fact]) -> [ProviderOperation] {
        facts.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    }

    @Test(arguments: [
        ("PAYED", PaymentMode.sale, ProviderState.captured), ("PREAUTH", .authorize, .held),
        ("PAYED", .authorize, .captured), ("REJECTED", .sale, .declined), ("CREATED", .sale, .waiting),
        ("PREAUTH", .tokenize, .checked), ("CANCELED", .sale, .declined), ("", .sale, .indeterminate),
        ("HOLDED", .sale, .indeterminate),
    ])
    func `each word gives its state`(_ row: (String, PaymentMode, ProviderState)) {
        guard row.1 != .tokenize else {
            let facts = Shop.query([Shop.row(row.0, "1.00", with: [("token", "T")])], Shop.context(.tokenize))
            #expect(operations(facts).map(\.kind) == [.tokenize])
            #expect(facts.contains { if case .instrument = $0 { true } else { false } })
            return
        }
        #expect(state([Shop.query([Shop.row(row.0)], Shop.context(row.1))]) == row.2)
    }

    @Test func `an unknown word is kept and alerted and fails nothing`() {
        let facts = Shop.query([Shop.row("WARPED")])
        #expect(facts.contains(.unrecognised(what: "status", value: "WARPED")))
        #expect(operations(facts).map(\.outcome) == [.ambiguous])
    }

    @Test func `an unknown code declines for an unknown reason, and the account may know better`() {
        let row = Shop.row("REJECTED", with: [("errorCode", "777")])
        func reason(_ settings: AccountSettings) -> DeclineClass? {
            guard
                case .declined(let decline)? = operations(Shop.query([row], Shop.context(account: settings))).first?
                    .outcome
            else { return nil }
            #expect(decline.code == "777")
            return decline.reason
        }
        #expect(reason(Shop.settings()) == .unknown)
        #expect(reason(Shop.settings([("declineCodes", ["777": "fraud"])])) == .fraud)
    }

    @Test func `where wallets are relayed a wallet's charge is looked for, and a page is made again`() throws {
        let link = Capabilities.Recovery.sameKey(lifetime: .seconds(86_400))
        for mode in ["sdk", "relay"] {
            let can = try PortmoneAdapter().capabilities(Shop.settings([("walletMode", .string(mode))]))
            for method in [PaymentMethod.hosted, .instrument, .sdk] { #expect(can.recovery[.sale, by: method] == link) }
            let relayed = Capabilities.Recovery.query(absenceAfter: .seconds(600))
            #expect(can.recovery[.sale, by: .wallet] == (mode == "relay" ? relayed : link))
            #expect(can.recovery[.capture, by: .wallet] == relayed)
        }
    }

    @Test func `a rejected row is a decline before a hold and its release after`() {
        let rejected = Shop.row("REJECTED")
        #expect(state([Shop.query([rejected], Shop.context(.authorize))]) == .declined)
        let known = [Shop.seen(.authorize)]
        let after = Shop.query([rejected], Shop.context(.authorize, known: known))
        #expect(operations(after).map(\.kind) == [.authorize, .void])
        #expect(state([[.operation(known[0])], after]) == .released)
    }

    @Test func `a partial capture releases the rest`() {
        let known = [Shop.seen(.authorize)]
        let facts = Shop.answer(
            .operation(.capture),
            .array([Shop.row("PAYED", "40")]),
            Shop.context(.authorize, known: known)
        )
        let found = operations(facts)
        #expect(found.map(\.kind) == [.authorize, .capture, .void])
        #expect(found.map(\.amount.money) == [nil, Shop.hryvnia(4000), Shop.hryvnia(6000)])
    }

    @Test func `refunds are rows of their own and the paid row stays`() {
        let rows = [Shop.row("RETURN", "-9", id: "502"), Shop.row("PAYED", "50")]
        var view = PortmoneStates.view()
        for rows in [rows, rows.reversed(), rows] { _ = view.apply(Shop.query(rows)) }
        #expect([view.captured, view.refunded] == [5000, 900])
        #expect(view.state == .partlyReturned)
    }

    @Test func `a number that nobody knows is not registered, and a declined one may succeed later`() {
        #expect(Shop.query([]).contains(.attempt(.notRegistered)))
        let declined = Shop.query([Shop.row("REJECTED")])
        #expect(!declined.contains { if case .attempt(.closed) = $0 { true } else { false } })
        let late = Shop.query([Shop.row("REJECTED"), Shop.row("PAYED", id: "502")])
        #expect(state([declined, late]) == .captured)
    }

    @Test func `a lost answer proves nothing`() {
        for purpose in [DispatchPurpose.operation(.refund), .operation(.capture), .query, .operation(.sale)] {
            let lost = Shop.adapter.interpret(.sentNoAnswer(purpose, reason: "deadline"), Shop.context())
            #expect(lost == [.dispatch(.unknown(reason: "deadline"))])
            for body: Json in ["<html>", ["result": [:]]] {
                for status in [200, 502] {
                    let facts = Shop.answer(purpose, body, status: status)
                    #expect(!facts.contains { if case .dispatch(.notExecuted) = $0 { true } else { false } })
                    #expect(facts.allSatisfy { if case .operation = $0 { false } else { true } } || status == 200)
                }
            }
        }
    }

    @Test func `another amount, order or payee is told as it is`() {
        let short = operations(Shop.query([Shop.row("PAYED", "99.99")]))
        #expect(short.map(\.amount.money) == [Shop.hryvnia(9999)])
        for change in [("shopOrderNumber", "pay-8"), ("payee_id", "9999")] as [(String, Json)] {
            let facts = Shop.query([Shop.row("PAYED", with: [change])])
            #expect(operations(facts).isEmpty)
            #expect(facts.contains { if case .contradiction(.identity, _) = $0 { true } else { false } })
        }
    }

    @Test func `amounts of other currencies come back converted and are not compared`() {
        let facts = Shop.query([Shop.row("PAYED", "4150.00")], Shop.context(currency: "USD"))
        #expect(operations(facts).map(\.amount.money) == [nil])
    }

    @Test func `what the provider cancels by itself is a return in that mode only`() {
        let known = [Shop.seen(.sale)]
        let automatic = Shop.settings(mode: .liveAutoCancel)
        for rows in [[], [Shop.row("REJECTED")]] {
            let facts = Shop.query(rows, Shop.context(account: automatic, known: known))
            var view = PortmoneStates.view()
            #expect(view.apply([.operation(known[0])]).isEmpty)
            #expect(view.apply(facts).isEmpty)
            #expect(view.state == .returned)
        }
        var view = PortmoneStates.view()
        _ = view.apply([.operation(known[0])])
        #expect(!view.apply(Shop.query([Shop.row("REJECTED")], Shop.context(known: known))).isEmpty)
    }

    @Test func `the hold of a saved card ends by itself`() {
        let known = [Shop.seen(.tokenize, "501", 100)]
        #expect(operations(Shop.query([Shop.row("REJECTED", "1")], Shop.context(.tokenize, known: known))).isEmpty)
    }

    @Test func `a refusal of a changed order asks again and an earlier one is a duplicate`() {
        let capture = Shop.answer(
            .operation(.capture),
            ["error_code": "5", "error_message": "…"],
            Shop.context(.authorize)
        )
        #expect(capture.contains { if case .dispatch(.notExecuted) = $0 { true } else { false } })
        #expect(capture.contains(.attempt(.reading(.moneyWithoutOperation("changed")))))
        let void = Shop.answer(.operation(.void), ["errorCode": "6", "error": "…"], Shop.context(.authorize))
        #expect(void == [.dispatch(.duplicate(code: "6"))])
    }

    @Test func `a refund's answer under the payment's own id is not counted`() {
        let answer = Shop.row("RETURN", "-10", with: [("errorMessage", "Test return")])
        let counted = Shop.answer(.operation(.refund), answer, Shop.context(known: [Shop.seen(.sale, "400")]))
        #expect(operations(counted).map(\.amount.money) == [Shop.hryvnia(1000)])
        let doubtful = Shop.answer(.operation(.refund), answer, Shop.context(known: [Shop.seen(.sale)]))
        #expect(operations(doubtful).isEmpty)
        #expect(doubtful.first == .dispatch(.accepted))
    }

    @Test func `the answer to a link is the payer's page, sealed as it came`() {
        let address = Shop.sealed("https://www.portmone.com.ua/r3/pg/a?is=b")
        let facts = Shop.answer(.operation(.sale), ["errorCode": "0", "error": "", "linkPayment": address])
        #expect(facts == [.dispatch(.accepted), .order(ProviderOrder(id: "pay-7", handover: ["url": address]))])
    }

    @Test(arguments: ["linkPayment", "linkInvoice", "linkMoneyTransfer", "link"])
    func `whatever a page is called, its address is sealed, and one that no payer can be sent to is missing`(
        _ name: String
    ) {
        let declaration = Shop.adapter.declaration
        let address = Shop.sealed("https://www.portmone.com.ua/r3/pg/a?is=b")
        let page = Json.object(JsonObject([(name, address)]))
        for (path, answer) in [name: page, "result.\(name)": ["result": page]] {
            let facts: [Fact] = Shop.answer(.operation(.sale), answer)
            #expect(facts == [.dispatch(.accepted), .order(ProviderOrder(id: "pay-7", handover: ["url": address]))])
            #expect(declaration.personalPaths.contains(JsonPath(path)))
            #expect(declaration.payerAddressPaths.contains(JsonPath(path)))
        }
    }

    @Test func `commission of paid rows is one sum and repeated members do not hide it`() {
        let rows = [
            Shop.row("PAYED", with: [("commission", "1.25")]),
            Shop.row("RETURN", "-5", id: "502", with: [("commission", "1.00")]),
        ]
        #expect(Shop.query(rows).contains { $0 == Shop.hryvnia(125).map(Fact.commission) })
        let raw =
            "[{\"shopBillId\":\"501\",\"status\":\"PAYED\",\"billAmount\":\"100\",\"pay_order_date\":null,\"pay_order_date\":\"\"}]"
        let facts = Shop.adapter.interpret(
            .answered(.query, status: 200, headers: [:], body: Array(raw.utf8)),
            Shop.context()
        )
        #expect(operations(facts).map(\.outcome) == [.succeeded])
    }
}

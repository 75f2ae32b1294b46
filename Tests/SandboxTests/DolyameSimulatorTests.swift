import Dolyame
import Http
import Kernel
import Payments
import ProviderKit
import Sandbox
import Testing

/// The simulated provider, spoken to by the adapter: both were written from the document and not from each other.
struct DolyameSimulatorTests {
    private static let adapter = DolyameAdapter()
    private static let base = "http://127.0.0.1:1/dolyame"
    private static let items: Json = [
        ["name": "Sneakers", "price": "4600", "sku": "SN-1"], ["name": "Ball", "quantity": 4, "price": "600"],
    ]

    /// A shop with one payment, and all notifications that it was sent.
    private struct Shop {
        var simulator = DolyameSimulator(DolyameSimulator.Configuration(address: DolyameSimulatorTests.base))
        var payment = Payment(id: PaymentId(Uuid(high: 0, low: 7)))
        var notices: [String] = []
        var view = DolyameStates.view()
        var time = Timestamp(seconds: 1_772_445_600)
        let terms: PaymentTerms
        let settings = AccountSettings(
            account: AccountFacts(id: Uuid(high: 1, low: 2), name: "d", provider: "dolyame", mode: .test, version: 1),
            values: ["login": "shop", "baseUrl": .string(DolyameSimulatorTests.base), "partnerId": "p"],
            notificationUrl: "https://pay.example/notifications",
            returnUrl: "https://pay.example/return"
        )

        init(_ method: PaymentMethod = .hosted) {
            terms = PaymentTerms(
                mode: .authorize,
                method: method,
                amount: Currency("RUB").map { Money(700_000, $0) },
                reference: nil,
                description: nil,
                customer: "c",
                instrument: nil,
                expiresAt: .distantFuture,
                details: ["items": DolyameSimulatorTests.items],
                metadata: [:]
            )
        }

        private let materials = Materials(
            secrets: AccountSecrets([
                "password": Secret("s"), "clientCertificate": Secret("c"), "clientKey": Secret("k"),
            ]),
            open: { _ in nil },
            now: .epoch
        )

        func template(_ purpose: DispatchPurpose, _ kopecks: Int64?, _ details: Json?) throws -> RequestTemplate {
            let dispatch = PlannedDispatch(
                purpose: purpose,
                paymentReference: "order-7",
                operationReference: "op-1",
                amount: kopecks.flatMap { minor in Currency("RUB").map { Money(minor, $0) } },
                isFull: details == nil,
                deadline: .distantFuture,
                reason: nil,
                methodAtProvider: nil,
                details: details
            )
            return try DolyameSimulatorTests.adapter.plan(
                dispatch,
                PlanContext(terms: terms, settings: settings, instrumentToken: nil)
            )
        }

        mutating func play(_ method: String, _ path: String, _ body: [UInt8] = []) -> SandboxAnswer {
            var answer = SandboxAnswer.text500
            for action in simulator.received(SandboxRequest(method: method, path: path, body: body), at: time) {
                switch action {
                case .answer(let given): answer = given
                case .deliver(let delivery):
                    notices.append((try? Json(delivery.body))?["status"]?.text ?? "?")
                    _ = simulator.deliveryEnded(delivery.attempt, .status(200), at: time)
                }
            }
            return answer
        }

        /// Sends a message of ours and reads the answer.
        @discardableResult
        mutating func send(_ purpose: DispatchPurpose, _ kopecks: Int64? = nil, _ details: Json? = nil) throws -> [Fact]
        {
            let request = try DolyameSimulatorTests.adapter.finish(try template(purpose, kopecks, details), materials)
            let path = request.url.replacing("http://127.0.0.1:1", with: "")
            let answer = play(request.method.rawValue, path, request.body)
            let observation: Observation =
                answer.fate == .lost
                ? .sentNoAnswer(purpose, reason: "deadline")
                : .answered(purpose, status: answer.status, headers: [:], body: answer.bytes)
            let facts = DolyameSimulatorTests.adapter.interpret(
                observation,
                InterpretContext(
                    settings: settings,
                    paymentReference: "order-7",
                    terms: terms,
                    isHandover: terms.method == .sdk,
                    known: Array(view.operations.values)
                )
            )
            _ = view.apply(facts)
            return facts
        }

        mutating func choose(_ choice: String) {
            _ = play("POST", "/dolyame/form/order-7", Array("choice=\(choice)".utf8))
        }

        /// What the SDK says.
        mutating func app(_ ending: Int64) throws -> String? {
            guard
                case .parameters(let object) = try DolyameSimulatorTests.adapter.render(
                    try template(.handover, 700_000, nil),
                    materials
                )
            else { return nil }
            let body: Json = ["parameters": object, "ending": .integer(ending)]
            return (try Json(play("POST", "/dolyame/app", body.compactBytes).bytes))["result"]?.text
        }

        var totals: SandboxLedger.Totals {
            simulator.ledger.totals(of: SandboxLedger.Owner(account: "dolyame", payment: "order-7"))
        }
    }

    @Test func `an order is approved, committed in part and refunded in part`() throws {
        var shop = Shop()
        try shop.send(.operation(.authorize), 700_000)
        #expect(shop.view.state == .waiting)
        #expect(shop.play("GET", "/dolyame/form/order-7").status == 200)
        shop.choose("approve")
        try shop.send(.query)
        #expect(shop.view.state == .held)
        let part: Json = ["items": [["name": "Sneakers", "price": "4600"]]]
        try shop.send(.operation(.capture), 460_000, part)
        try shop.send(.query)
        #expect([shop.view.captured, shop.view.authorized] == [460_000, 460_000])
        let back: Json = ["items": [["name": "Sneakers", "price": "4600"]], "prepaidAmount": "4500"]
        #expect(throws: PlanFailure.self) { try shop.send(.operation(.refund), 10000, back) }
        #expect(shop.totals.reserved == 0)
        #expect(shop.notices == ["approved", "wait_for_commit", "committed"])
    }

    @Test func `a lost commit is found by a question and money moves once`() throws {
        var shop = Shop()
        try shop.send(.operation(.authorize), 700_000)
        shop.choose("approve")
        try shop.send(.query)
        _ = shop.play("POST", "/dolyame/control/faults", Array("{\"method\":\"commit\",\"fault\":\"lost\"}".utf8))
        try shop.send(.operation(.capture), 700_000)
        #expect(shop.view.state == .held)
        try shop.send(.query)
        #expect(shop.view.state == .captured)
        #expect(shop.totals.captured == 700_000)
        try shop.send(.operation(.capture), 700_000)
        #expect(shop.totals.captured == 700_000)
        let facts = try shop.send(.operation(.refund), 700_000)
        #expect(facts.first == .dispatch(.accepted))
        try shop.send(.query)
        #expect(shop.view.state == .returned)
        #expect(shop.totals.kept == 0)
    }

    @Test(arguments: [("decline", ProviderState.declined), ("abandon", .lapsed), ("score", .processing)])
    func `the form's other choices end as the provider says`(_ row: (String, ProviderState)) throws {
        var shop = Shop()
        try shop.send(.operation(.authorize), 700_000)
        shop.choose(row.0)
        try shop.send(.query)
        #expect(shop.view.state == row.1)
    }

    @Test(arguments: [
        (1, "failure", ProviderState.declined), (2, "success", .held), (3, "failure", .lapsed), (4, "pending", .held),
        (5, "pending", .lapsed),
    ])
    func `each of the SDK's endings is found by a question`(_ row: (Int64, String, ProviderState)) throws {
        var shop = Shop(.sdk)
        #expect(try shop.send(.query) == [.dispatch(.answered), .attempt(.notRegistered)])
        #expect(try shop.app(row.0) == row.1)
        if row.1 == "pending" {
            try shop.send(.query)
            #expect(shop.view.state == .waiting)
            shop.time = shop.time.adding(.seconds(3))
        }
        try shop.send(.query)
        #expect(shop.view.state == row.2)
        #expect(shop.notices.isEmpty == false)
    }

    @Test func `ledger and journal tell of one order what happened in its order`() throws {
        var shop = Shop()
        try shop.send(.operation(.authorize), 700_000)
        shop.choose("approve")
        let journal = try Json(shop.play("GET", "/dolyame/control/journal").bytes)
        let lines = (journal["entries"]?.items ?? []).map { "\($0["kind"]?.text ?? "") \($0["name"]?.text ?? "")" }
        #expect(lines == ["call create", "payer approve", "notice approved", "notice wait_for_commit"])
        let ledger = try Json(shop.play("GET", "/dolyame/control/ledger").bytes)
        #expect(ledger["entries"]?.items?.map { $0["kind"] } == ["hold"])
        #expect(shop.play("POST", "/dolyame/v1/orders/order-7/complete_delivery", Array("{}".utf8)).status == 409)
    }

    @Test func `what nobody commanded is adopted`() throws {
        var shop = Shop()
        try shop.send(.operation(.authorize), 700_000)
        shop.choose("approve")
        try shop.send(.query)
        _ = shop.play("POST", "/dolyame/control/orders/order-7/cancel")
        try shop.send(.query)
        #expect(shop.view.state == .released)
        #expect(shop.totals.reserved == 0)
    }
}

extension SandboxAnswer {
    fileprivate static let text500 = SandboxAnswer(status: 500, contentType: "text/plain", body: .bytes([]))
}

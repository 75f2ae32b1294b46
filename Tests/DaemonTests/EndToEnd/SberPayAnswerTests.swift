import EventSourcing
import Http
import Kernel
import Payments
import Testing

/// What Sber's gateways tell late, in part, in doubt or not at all: it is booked once, asked about, or a person's.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct SberPayAnswerTests {
    /// A sale that the payer has paid.
    private static func paid(
        _ stage: Stage,
        _ daemon: DaemonProcess,
        _ name: String,
        _ kopecks: Int64 = 1000
    ) async throws -> String {
        let id = try await stage.sberPay(daemon, name, kopecks)
        try await stage.press(daemon, id, ["approve"])
        try await stage.wait(daemon, id, for: "captured")
        return id
    }

    /// Gives money back in the bank's cabinet, and nobody hears of it.
    private static func giveBack(_ stage: Stage, _ daemon: DaemonProcess, _ id: String, _ kopecks: Int64) async throws {
        try await stage.sberPayFault("withheldCallback", on: "callback")
        let name = try await stage.providerName(daemon, id)
        try await stage.control("/sberpay/sandbox/orders/\(name)/refund", ["amount": .integer(kopecks)])
    }

    /// The names under which the provider's refunds of a payment were seen.
    private static func transactions(_ payment: Json) -> [String] {
        (payment["operations"]?.items ?? []).filter { $0["kind"] == "refund" }.flatMap { operation in
            (operation["sightings"]?.items ?? []).compactMap { $0["providerId"]?.text }
        }
    }

    @Test func `refunds that a total tells and a list names later are booked once`() async throws {
        try await Stage.run("e2esbertotals") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addSberPay(daemon, "ecom", [("baseUrl", .string(provider.address + "/sberpay"))])
            try await stage.control("/sberpay/sandbox/merchants/new", ["lists_operations": false])
            let theirs = try await Self.paid(stage, daemon, "theirs")
            try await Self.giveBack(stage, daemon, theirs, 300)
            let told = try await stage.look(daemon, theirs, until: "the total shows") { Stage.sum($0, "refunded") > 0 }
            #expect(Stage.operations(told, "refund") == ["provider succeeded 300"])

            let both = try await Self.paid(stage, daemon, "both")
            try await Self.giveBack(stage, daemon, both, 300)
            #expect(try await stage.payment(daemon, both)["status"] == "captured", "nobody has looked")
            let part: Json = ["amount": Stage.roubles(200)]
            try await stage.call(daemon, .post, "/v1/payments/\(both)/refund", part, key: "ours")
            let shared = try await stage.look(daemon, both, until: "both show") { Stage.sum($0, "refunded") == 500 }
            #expect(
                Stage.operations(shared, "refund").sorted() == ["commanded succeeded 200", "provider succeeded 300"]
            )

            try await stage.control("/sberpay/sandbox/merchants/new", ["lists_operations": true])
            for (id, sum) in [(theirs, Int64(300)), (both, 500)] {
                let named = try await stage.look(daemon, id, until: "the list names them") { payment in
                    Self.transactions(payment).contains { $0.hasPrefix("line:refund:") }
                }
                #expect(Stage.sum(named, "refunded") == sum, "\(named.canonicalText)")
                #expect(Stage.operations(named, "refund").count == (id == both ? 2 : 1), "\(named.canonicalText)")
                #expect(Stage.operatorOwes(named) == [])
            }
            #expect(try await stage.sberPayLedger(daemon, theirs) == ["charge 1000", "refund 300"])
            #expect(try await stage.sberPayLedger(daemon, both) == ["charge 1000", "refund 300", "refund 200"])
            #expect(provider.messages(naming: "/refund.do").count == 1)

            let less = try await Self.paid(stage, daemon, "less")
            let name = try await stage.providerName(daemon, less)
            let reversal: Json = [
                "type": "REVERSAL", "amount": 300, "actionCode": 0, "referenceNumber": "700000000001",
            ]
            let reversed = ToldProvider.Answer.edited { body in
                guard body["orderNumber"]?.text == name else { return body }
                let lines = (body["operations"]?.items ?? []) + [reversal]
                return body.setting(["operations"], .array(lines))
                    .setting(["paymentAmountInfo", "approvedAmount"], 700)
                    .setting(["paymentAmountInfo", "depositedAmount"], 700)
            }
            provider.tell(reversed, times: .max, on: "getOrderStatusExtended")
            let left = try await stage.look(daemon, less, until: "700 are left") {
                Stage.sum($0, "captured") - Stage.sum($0, "refunded") == 700
            }
            #expect(Stage.operatorOwes(left) == [])
            #expect(Stage.sum(left, "captured") == 1000 && Stage.sum(left, "refunded") == 300)
            let all: Json = ["amount": Stage.roubles(701)]
            let refused = try await stage.exchange(daemon, .post, "/v1/payments/\(less)/refund", all, key: "too-much")
            #expect((try? Json(refused.body))?["code"] == "amount_exceeds_available")
            #expect(provider.messages(naming: "/refund.do").count == 1)
            try await stage.verifyReplay()
        }
    }

    @Test func `a charge that the bank is unsure of is asked about, and a look that is refused for ever is a person's`()
        async throws
    {
        try await Stage.run("e2esberunsure") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addSberPay(
                daemon,
                "ecom",
                [("baseUrl", .string(provider.address + "/sberpay")), ("pollCapSeconds", 1)]
            )
            let first = try await stage.sberPay(daemon, "first", 1500)
            try await stage.press(daemon, first, ["save"])
            try await stage.wait(daemon, first, for: "captured")
            let card = try await stage.savedInstrument(daemon, first)

            let silent = try await stage.sberPay(daemon, "silent", 900)
            try await stage.wait(daemon, silent, for: "requiresAction")
            let page = try await stage.call(daemon, .get, "/v1/payments/\(silent)/next-action")["url"]?.text ?? ""
            let order = try #require(page.split(separator: "=").last.map(String.init))
            provider.tell(.said(.html(403, "<html>Forbidden</html>")), times: .max, on: "getOrderStatusExtended", order)

            let unsure = ToldProvider.Answer.edited { body in
                guard body["amount"] == 303 else { return body }
                return body.setting(["orderStatus"], 0).setting(["actionCode"], 151_019)
            }
            provider.tell(.lost, on: "/recurrentPayment.do")
            provider.tell(unsure, times: .max, on: "getOrderStatusExtended")
            let byCard: [(String, Json)] = [("method", "instrument"), ("instrument", .string(card))]
            let charge = try await stage.sberPay(daemon, "unsure", 303, byCard)
            let before = provider.messages(naming: "getOrderStatusExtended").count
            var said: Set<String> = []
            try await stage.until("it was asked about again and again") {
                said.insert(try await stage.agree(daemon, charge))
                let asked = provider.messages(naming: "getOrderStatusExtended").count - before
                return asked > 5 ? .done(()) : .notYet("\(asked)")
            }
            #expect(said.isSubset(of: ["created wait", "processing wait", "indeterminate wait"]), "\(said)")
            let looked = try await stage.payment(daemon, charge)
            #expect(looked["status"] == "indeterminate" && Stage.sum(looked, "captured") == 0)

            let refused = try await stage.until("nobody is told for ever") {
                let payment = try await stage.payment(daemon, silent)
                return Stage.operatorOwes(payment).isEmpty ? .notYet(payment.canonicalText) : .done(payment)
            }
            try await stage.wait(daemon, silent, operatorOwes: Stage.operatorOwes(refused)[0])
            #expect(provider.messages(naming: "getOrderStatusExtended", order).count >= Payment.questionsBeforePerson)
            try await stage.agree(daemon, silent)

            provider.forget()
            try await stage.look(daemon, charge, until: "is captured") { $0["status"] == "captured" }
            #expect(try await stage.sberPayLedger(daemon, charge) == ["charge 303"])
            #expect(provider.messages(naming: "/recurrentPayment.do").count == 1)
            try await stage.verifyReplay()
        }
    }

    @Test func `a signed callback that comes a second time asks a second time`() async throws {
        try await Stage.run("e2esbertwice") { stage, daemon in
            // Callbacks come to the provider, and to the daemon when the test brings them; nothing is asked by itself.
            let provider = try stage.toldProvider()
            provider.tell(.said(.text(200, "OK")), times: .max, on: "/v1/notifications/")
            let settings: [(String, Json)] = [
                ("baseUrl", .string(provider.address + "/sberpay")), ("pollFirstSeconds", 600), ("pollCapSeconds", 600),
            ]
            try await stage.addSberPay(daemon, "legacy", settings)
            let account = DerivedNames.account(MerchantNumber(1), name: Stage.sberPayAccount("legacy"))
            let url = "\(provider.address)/v1/notifications/sberpay/1/\(account.compact)"
            try await stage.control("/sberpay/sandbox/merchants/old-api", ["callback_url": .string(url)])
            let id = try await stage.sberPay(daemon, "twice", 1000, at: "legacy")
            try await stage.press(daemon, id, ["approve"])
            let told = try await stage.until("the bank has told of it") {
                let heard = provider.messages(naming: "/v1/notifications/", "operation=deposited")
                return heard.first.map { .done($0) } ?? .notYet("silence")
            }
            #expect(try await stage.payment(daemon, id)["status"] == "requiresAction", "nobody has looked")
            try await stage.bring(told, to: daemon)
            try await stage.wait(daemon, id, for: "captured")
            try await Self.giveBack(stage, daemon, id, 300)
            #expect(try await stage.payment(daemon, id)["status"] == "captured", "nobody has looked")
            try await stage.bring(told, to: daemon)
            try await stage.wait(daemon, id, for: "partiallyRefunded")
            #expect(try await stage.sberPayLedger(daemon, id) == ["charge 1000", "refund 300"])
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// Delivers a message that came to a provider.
    fileprivate func bring(_ message: ToldProvider.Message, to daemon: DaemonProcess) async throws {
        let headers = HttpHeaders([("Content-Type", message.headers["Content-Type"] ?? "text/plain")])
        let method = HttpMethod(rawValue: message.method) ?? .get
        let status = try await send(method, daemon.address + message.path, headers, message.body).status
        guard status == 200 else { throw Failure(description: "the callback is answered \(status)") }
    }
}

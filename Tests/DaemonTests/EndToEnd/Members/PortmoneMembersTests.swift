import Http
import Kernel
import Sandbox
import Testing

/// What Portmone's SDK and bills take, by the names of its guide.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct PortmoneMembersTests {
    @Test func `the SDK is told the masked card, what it shows and where it ends`() async throws {
        try await Stage.run("e2eportmonesdk") { stage, daemon in
            try await stage.addPortmone(daemon, ["tokenChargeMode": "sdk", "applePayMerchantId": "merchant.example"])
            let (_, card) = try await stage.saveCard(daemon)
            let details: Json = [
                "details": "Winter bill",
                "presentation": ["showReceiptScreen": false, "returnToDetailsDisabled": true],
            ]
            let paid = try await stage.portmone(daemon, "by-token", 1000, instrument: card, details: details)
            let given = try await stage.appParameters(daemon, paid, at: "payments")
            #expect(given["call"] == "payByToken")
            #expect(given.at("tokenParams", "cardNumberMasked")?.text == "444433******1111")
            #expect(given.at("tokenParams", "tokenData")?.text?.isEmpty == false)
            #expect(given.at("params", "details") == "Winter bill")
            #expect(given.at("params", "attribute4") == "by-token")
            #expect(given["showReceiptScreen"] == false)
            #expect(given["returnToDetailsDisabled"] == true)
            let body: Json = ["action": "approve", "parameters": given]
            try await stage.control("/portmone/sandbox/app", body)
            try await stage.call(daemon, .post, "/v1/payments/\(paid)/sync", [:], key: "sync")
            try await stage.wait(daemon, paid, for: "captured")

            let transfer: Json = [
                "account": "portmone-uah", "amount": Stage.hryvnias(500), "customer": "cust-1",
                "instrument": .string(card), "method": "instrument",
            ]
            let sent = try await stage.call(daemon, .post, "/v1/transfers", transfer, key: "transfer")
            let id = try #require(sent["id"]?.text)
            let moved = try await stage.appParameters(daemon, id)
            #expect(moved["call"] == "transfer")
            #expect(moved.at("tokenParams", "cardNumberMasked")?.text == "444433******1111")
            #expect(moved["showReceiptScreen"] == true)
        }
    }

    @Test func `a wallet needs the merchant's Apple id`() async throws {
        try await Stage.run("e2eportmonewallet") { stage, daemon in
            try await stage.addPortmone(daemon)
            for (name, method, details) in [
                ("wallet", "wallet", [:]), ("flow", "sdk", ["presentation": ["paymentFlowType": "byCardAndApplePay"]]),
            ] as [(String, String, Json)] {
                let body: Json = [
                    "account": "portmone-uah", "amount": Stage.hryvnias(500), "details": details,
                    "method": .string(method), "mode": "sale",
                ]
                let answer = try await stage.exchange(daemon, .post, "/v1/payments", body, key: name)
                #expect(answer.status == 422)
                #expect(String(decoding: answer.body, as: UTF8.self).contains("applePayMerchantId"))
            }
        }
    }

    @Test func `a card for bills is saved under the user's login and pays by the SDK's whole object`() async throws {
        try await Stage.run("e2ebillcards") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 5])
            let saving: Json = [
                "account": .string(Stage.billAccount), "credentials": .string(source.credentials), "language": "en",
            ]
            let asked = try await stage.call(daemon, .post, "/v1/bill-cards/app-parameters", saving)
            let params = asked.at("parameters", "params")
            #expect(asked.at("parameters", "call") == "saveBillCard")
            #expect(params?["contractNumber"] == "Login")
            #expect(params?["attribute1"]?.text?.isEmpty == false)
            #expect(params?["language"] == "en")

            var body: Json = [
                "account": .string(Stage.billAccount), "credentials": .string(source.credentials),
                "customer": "cust-1", "token": "OLDTOKEN",
            ]
            let refused = try await stage.exchange(daemon, .post, "/v1/bill-cards", body, key: "old")
            #expect(refused.status == 422 || refused.status == 410 || refused.status == 409)
            body = body.setting(["token"], "BILLTOKEN0001")
            let saved = try await stage.call(daemon, .post, "/v1/bill-cards", body, key: "card")
            let card = try #require(saved["id"]?.text)
            #expect(saved["masked"] == "444433******1111")
            #expect(try await stage.tablesHolding("BILLTOKEN0001").isEmpty)
            #expect(try await stage.tablesHolding("Login\"").isEmpty)

            let own = Stage.BillSource(instrument: card, credentials: source.credentials)
            let batch = try await stage.submitBills(daemon, own, ["10", "11"], name: "app")
            let given = try await stage.untilParameters(daemon, batch)
            let order = given["payParams"]
            #expect(order?["contractNumber"] == "Login")
            #expect(
                order?["paymentBills"] == [
                    ["billId": "10", "billAmount": "10.00"], ["billId": "11", "billAmount": "10.00"],
                ]
            )
            #expect(order?["billCurrency"] == "UAH")
            #expect(order?["paymentFlowType"] == "byCard")
            let token = given["tokenParams"]
            #expect(token?["cardNumberMasked"] == "444433******1111")
            #expect(token?["tokenData"] == "BILLTOKEN0001")
            #expect(token?["credentials"] == params?["attribute1"])
            let told = try await stage.control("/portmone/sandbox/bills", ["parameters": given])
            try await stage.call(daemon, .post, "/v1/bill-batches/\(batch)/claims", told, key: "claims")
            try await stage.until("the bill names its payee") { () -> Stage.Look<Void> in
                let bill = try await stage.call(daemon, .get, "/v1/bill-batches/\(batch)/bills/10")
                let isKept =
                    bill.at("standing", "payeeName") == "Water" && bill.at("standing", "contractNumber") == "0001"
                return isKept ? .done(()) : .notYet(bill.canonicalText)
            }
        }
    }

    @Test func `credentials that are saved again under a new password replace the old ones`() async throws {
        try await Stage.run("e2enewpassword") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 5])
            try await stage.control("/portmone/sandbox/users", ["login": "Login", "password": "Changed"])
            let again = try await stage.credentials(daemon, "Changed", key: "cred-2")
            #expect(again == source.credentials)
            let batch = try await stage.submitBills(daemon, source, ["20"], name: "new")
            let given = try await stage.untilParameters(daemon, batch)
            let told = try await stage.control("/portmone/sandbox/bills", ["parameters": given])
            #expect(told["bills"]?.items?.first?["status"] == "PAYED")
        }
    }
}

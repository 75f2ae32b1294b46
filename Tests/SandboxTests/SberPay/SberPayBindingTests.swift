import Kernel
import Sandbox
import Testing

/// Saved cards and the bank's app.
struct SberPayBindingTests {
    private static let client: (String, Json) = ("clientId", "cust-1")

    /// A card that was saved under a mandate; the newest binding.
    private static func saved(_ bank: inout SberPayBank, _ mandate: Json? = nil) -> String {
        let params: [(String, Json)] = mandate.map { [("jsonParams", $0)] } ?? []
        let id = bank.opened("save-\(bank.simulator.orders.count)", 100, [client] + params)
        _ = bank.press(id, "save")
        return bank.status(id).at("bindingInfo", "bindingId")?.text ?? ""
    }

    private static func debit(_ bank: inout SberPayBank, _ number: String, _ binding: String) -> Json {
        bank.ecom(
            "recurrentPayment",
            [("orderNumber", .string(number)), ("bindingId", .string(binding)), ("amount", 300), ("currency", "643")]
        )
    }

    @Test func `a saved card is listed, pays and is given up`() {
        var bank = SberPayBank()
        let binding = Self.saved(&bank)
        let listed = bank.ecom("getBindings", [Self.client])
        #expect(listed["bindings"]?.items?.first?["bindingId"]?.text == binding)
        let paid = Self.debit(&bank, "d-1", binding)
        #expect(paid["success"] == true)
        #expect(paid.at("orderStatus", "orderStatus") == 2)
        #expect(bank.ledger("d-1") == ["charge 300"])
        #expect(bank.ecom("unbindCard", [("bindingId", .string(binding))])["errorCode"] == "0")
        #expect(bank.ecom("getBindings", [Self.client])["errorCode"] == "2")
        #expect(Self.debit(&bank, "d-2", binding).at("error", "code") == "2")
        #expect(bank.ecom("bindCard", [("bindingId", .string(binding))])["errorCode"] == "0")
        #expect(Self.debit(&bank, "d-3", binding)["success"] == true)
    }

    @Test func `a mandate's days and end bound its debits`() {
        var bank = SberPayBank()
        let binding = Self.saved(&bank, ["recurringExpiry": "20260401", "recurringFrequency": "7"])
        #expect(Self.debit(&bank, "early", binding).at("orderStatus", "actionCode") == 341_014)
        bank.pass(.seconds(8 * 86_400))
        #expect(Self.debit(&bank, "due", binding).at("orderStatus", "orderStatus") == 2)
        #expect(Self.debit(&bank, "again", binding).at("orderStatus", "orderStatus") == 6)
        bank.pass(.seconds(30 * 86_400))
        #expect(Self.debit(&bank, "late", binding).at("orderStatus", "actionCode") == 341_014)
        #expect(bank.ledger("early") + bank.ledger("again") + bank.ledger("late") == [])
    }

    @Test func `the bank's calendar goes ahead by itself, as somebody else's clock wants it`() {
        var bank = SberPayBank()
        let binding = Self.saved(&bank, ["recurringExpiry": "20260401", "recurringFrequency": "7"])
        _ = bank.control("calendar", ["days": 6])
        #expect(Self.debit(&bank, "early", binding).at("orderStatus", "actionCode") == 341_014)
        _ = bank.control("calendar", ["days": 1])
        #expect(Self.debit(&bank, "due", binding).at("orderStatus", "orderStatus") == 2)
        _ = bank.control("calendar", ["days": 60])
        #expect(Self.debit(&bank, "late", binding).at("orderStatus", "actionCode") == 341_014)
        #expect(bank.ledger("early") + bank.ledger("late") == [])
    }

    @Test func `a debit whose outcome the gateway does not know has moved money`() {
        var bank = SberPayBank()
        let binding = Self.saved(&bank)
        _ = bank.control("faults", ["fault": "unknownOutcome"])
        let answer = Self.debit(&bank, "d-1", binding)
        #expect(answer.at("orderStatus", "actionCode") == 151_019)
        #expect(bank.ecom("getOrderStatusExtended", [("orderNumber", "d-1")])["orderStatus"] == 2)
        #expect(bank.ledger("d-1") == ["charge 300"])
    }

    @Test func `an open order is paid by a binding, with the issuer's check unless it is automatic`() {
        var bank = SberPayBank()
        let binding = Self.saved(&bank)
        let order = bank.opened("1", 500, [Self.client])
        let call: [(String, Json)] = [
            ("mdOrder", .string(order)), ("bindingId", .string(binding)), ("ip", "203.0.113.7"),
        ]
        #expect(bank.ecom("paymentOrderBinding", call)["acsUrl"] != nil)
        #expect(bank.press(order, "pass") == [303])
        let automatic = bank.opened("2", 500, [Self.client, ("features", "AUTO_PAYMENT")])
        let second: [(String, Json)] = [("mdOrder", .string(automatic))] + call.dropFirst()
        #expect(bank.ecom("paymentOrderBinding", second)["redirect"] == "https://shop.example/good")
        #expect(bank.ledger("1") + bank.ledger("2") == ["charge 500", "charge 500"])
    }

    @Test func `the app pays what it was started with and nothing else`() throws {
        var bank = SberPayBank()
        let params: Json = ["app2app": true, "app.osType": "ios", "app.deepLink": "shopapp://pay"]
        let order = bank.opened("1", 500, [Self.client, ("jsonParams", params)])
        let invoice = order.filter { $0 != "-" }
        var request = JsonObject([
            ("bankInvoiceId", .string(invoice)), ("apiKey", "sdk-key"), ("merchantLogin", "shop"),
            ("redirectUri", "shopapp://spay"), ("amount", 499), ("currency", 643), ("recurrentEnabled", true),
            ("recurrentFrequency", 14),
        ])
        func app(_ action: String) -> Json {
            [
                "action": .string(action),
                "parameters": ["getPaymentToken": .object(request), "pay": ["orderId": .string(invoice)]],
            ]
        }
        #expect(bank.control("app", app("approve")).status == 422)
        request["amount"] = 500
        #expect(bank.control("app", app("cancel")).body.at("getPaymentToken", "state") == "cancel")
        let token = bank.control("app", app("token")).body
        #expect(token["pay"] == nil)
        #expect(bank.ledger("1").isEmpty)
        #expect(bank.control("app", app("wait")).body.at("pay", "state") == "waiting")
        bank.pass(.seconds(10))
        #expect(bank.ledger("1") == ["charge 500"])
        let binding = try #require(bank.simulator.bindings.values.first)
        #expect(binding.mandate?.days == 14)
        let link: Json = ["action": "approve", "link": .string("sberpay://invoicing/v2?bankInvoiceId=\(invoice)")]
        #expect(bank.control("app", link).status == 409)
    }
}

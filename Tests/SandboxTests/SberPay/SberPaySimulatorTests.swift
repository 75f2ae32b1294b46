import Crypto
import Kernel
import Sandbox
import Testing

/// The simulated bank against the provider's document.
struct SberPaySimulatorTests {
    @Test func `the older gateway opens an order without a code and calls back with a checksum`() throws {
        var bank = SberPayBank()
        let answer = bank.legacy(
            "register",
            [("orderNumber", "1"), ("amount", "19900"), ("returnUrl", "https://shop.example/good")]
        )
        #expect(answer["errorCode"] == nil)
        let id = try #require(answer["orderId"]?.text)
        #expect(answer["formUrl"]?.text == "http://bank.example/sberpay/pp/pay_ru?orderId=\(id)")
        #expect(bank.press(id, "threeDS", "pass") == [303, 303])
        let status = bank.legacy("getOrderStatusExtended", [("orderNumber", "1")])
        #expect(status["orderStatus"] == 2)
        #expect(status.at("paymentAmountInfo", "depositedAmount") == 19900)
        #expect(status["attributes"] == [["name": "mdOrder", "value": .string(id)]])
        let callback = try #require(bank.callbacks.last)
        #expect(callback.kind == .get)
        let parameters = SberPayBank.parameters(callback)
        let signed = "amount;19900;mdOrder;\(id);operation;deposited;orderNumber;1;status;1;"
        let checksum = Hex.encode(Hmac.sha256(key: Secret(SberPayBank.callbackKey), Array(signed.utf8))).uppercased()
        #expect(parameters.first { $0.name == "checksum" }?.value == checksum)
        #expect(bank.ledger("1") == ["charge 19900"])
    }

    @Test func `an asymmetric checksum is of the key and of SHA-512 whatever its alias says`() throws {
        var bank = SberPayBank(.rsa(privateKey: SberPayBank.privateKey))
        let answer = bank.legacy(
            "register",
            [("orderNumber", "2"), ("amount", "100"), ("returnUrl", "https://shop.example/good")]
        )
        let id = try #require(answer["orderId"]?.text)
        #expect(bank.press(id, "approve") == [303])
        let parameters = SberPayBank.parameters(try #require(bank.callbacks.last))
        let claimed = try #require(parameters.first { $0.name == "checksum" }?.value)
        let signature = try #require(Hex.decode(claimed.lowercased()))
        let message = Array("amount;100;mdOrder;\(id);operation;deposited;orderNumber;2;status;1;".utf8)
        let key = try RsaVerifier(Array(SberPayBank.publicKey.utf8))
        #expect(key.verifies(signature, of: message, .sha512))
        #expect(!key.verifies(signature, of: message, .sha256))
        #expect(parameters.contains { $0.name == "sign_alias" && $0.value == "SHA-256 with RSA" })
    }

    @Test(arguments: [
        ("currency", Json.integer(643)), ("orderNumber", 7), ("unknown", "x"), ("language", "RU"),
        ("returnUrl", "ftp://shop.example/x"), ("amount", "100"), ("jsonParams", "{}"), ("features", "SOMETHING"),
    ])
    func `the newer gateway refuses what its schema does not know`(name: String, value: Json) {
        var bank = SberPayBank()
        var members = JsonObject([
            ("orderNumber", "1"), ("amount", 100), ("currency", "643"), ("returnUrl", "https://shop.example/good"),
        ])
        members[name] = value
        #expect(bank.ecom("register", members.members.map { ($0.name, $0.value) })["errorCode"] == "5")
        #expect(bank.simulator.orders.isEmpty)
    }

    @Test func `a number is registered once and asked about by itself`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 100)
        #expect(bank.opened("1", 100).contains("\"errorCode\":\"1\""))
        let status = bank.ecom("getOrderStatusExtended", [("orderNumber", "1")])
        #expect(status.at("attributes", "mdOrder")?.text == id)
        #expect(bank.ecom("getOrderStatusExtended", [("orderNumber", "9")])["errorCode"] == "6")
    }

    @Test func `a hold is taken in part and the rest is released`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 5000, call: "registerPreAuth")
        #expect(bank.press(id, "approve") == [303])
        #expect(bank.status(id)["orderStatus"] == 1)
        #expect(bank.ecom("deposit", [("orderId", .string(id)), ("amount", 6000)])["errorCode"] == "5")
        #expect(bank.ecom("deposit", [("orderId", .string(id)), ("amount", 3000)])["errorCode"] == "0")
        #expect(bank.ecom("deposit", [("orderId", .string(id)), ("amount", 1000)])["errorCode"] == "7")
        #expect(bank.ledger("1") == ["hold 5000", "capture 3000", "release 2000"])
        let whole = bank.opened("2", 700, call: "registerPreAuth")
        #expect(bank.press(whole, "approve") == [303])
        #expect(bank.ecom("deposit", [("orderId", .string(whole)), ("amount", 0)])["errorCode"] == "0")
        #expect(bank.ledger("2") == ["hold 700", "capture 700"])
    }

    @Test func `a refund under the same id is the same refund`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 5000)
        _ = bank.press(id, "approve")
        let refund: [(String, Json)] = [
            ("orderId", .string(id)), ("amount", 1000), ("jsonParams", ["externalRefundId": "r-1"]),
        ]
        #expect(bank.ecom("refund", refund)["errorCode"] == "0")
        #expect(bank.ecom("refund", refund)["errorCode"] == "0")
        #expect(bank.ledger("1") == ["charge 5000", "refund 1000"])
        var other = refund
        other[1].1 = 999
        #expect(bank.ecom("refund", other)["errorCode"] == "5")
        #expect(bank.status(id)["orderStatus"] == 4)
        #expect(bank.status(id).at("paymentAmountInfo", "depositedAmount") == 4000)
        #expect(bank.ecom("refund", [("orderId", .string(id)), ("amount", 4001)])["errorCode"] == "7")
    }

    @Test func `the older gateway takes one reversal, good or bad`() throws {
        var bank = SberPayBank()
        let answer = bank.legacy(
            "registerPreAuth",
            [("orderNumber", "1"), ("amount", "500"), ("returnUrl", "https://shop.example/good")]
        )
        let id = try #require(answer["orderId"]?.text)
        #expect(bank.legacy("reverse", [("orderId", id)])["errorCode"] == "7")
        _ = bank.press(id, "approve")
        #expect(bank.legacy("reverse", [("orderId", id)])["errorCode"] == "7")
        #expect(bank.ledger("1") == ["hold 500"])
    }

    @Test func `a failed try leaves the order open until the tries are used up`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 500)
        #expect(bank.press(id, "decline") == [303])
        #expect(bank.status(id)["orderStatus"] == 0)
        #expect(bank.status(id)["actionCode"] == 116)
        #expect(bank.press(id, "threeDS", "fail") == [303, 303])
        #expect(bank.status(id)["actionCode"] == -2006)
        #expect(bank.press(id, "decline", "approve") == [303, 409])
        #expect(bank.status(id)["orderStatus"] == 6)
        #expect(bank.status(id)["actionCode"] == -2013)
        #expect(bank.ledger("1").isEmpty)
    }

    @Test func `an order that nobody pays ends at its deadline`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 500, [("expirationDate", "2026-03-02T13:30:00")])
        #expect(bank.status(id)["orderStatus"] == 0)
        bank.pass(.seconds(3600))
        #expect(bank.status(id)["actionCode"] == -2007)
        let told = String(decoding: bank.callbacks.last?.body ?? [], as: UTF8.self)
        #expect(told.contains("declinedByTimeout"))
    }

    @Test func `what happened is the same after the journal is fed in again`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 500)
        _ = bank.press(id, "wait")
        bank.pass(.seconds(10))
        #expect(bank.status(id)["orderStatus"] == 2)
        var again = SberPayBank()
        #expect(again.opened("1", 500) == id)
        _ = again.press(id, "wait")
        again.pass(.seconds(10))
        #expect(again.status(id) == bank.status(id))
        #expect(again.simulator.ledger == bank.simulator.ledger)
    }

    @Test func `a fault strikes after the effect or before it`() {
        var bank = SberPayBank()
        let id = bank.opened("1", 500)
        _ = bank.press(id, "approve")
        #expect(bank.control("faults", ["fault": "errorAfter", "on": "refund"]).status == 201)
        #expect(bank.ecom("refund", [("orderId", .string(id)), ("amount", 100)]) == .null)
        #expect(bank.control("faults", ["fault": "errorBefore", "on": "refund"]).status == 201)
        #expect(bank.ecom("refund", [("orderId", .string(id)), ("amount", 100)]) == .null)
        #expect(bank.ledger("1") == ["charge 500", "refund 100"])
        #expect(bank.control("faults", ["fault": "nothing"]).status == 422)
    }
}

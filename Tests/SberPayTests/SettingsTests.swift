import Kernel
import Payments
import ProviderKit
import SberPay
import Testing

struct SettingsTests {
    @Test func `defaults follow the dialect`() throws {
        let ecom = try Shop.adapter.capabilities(Shop.settings("ecom"))
        let legacy = try Shop.adapter.capabilities(Shop.settings("legacy"))
        #expect(ecom.recovery[.refund, by: .hosted] == .sameKey(lifetime: .seconds(30 * 86_400)))
        #expect(legacy.recovery[.refund, by: .hosted] == .query(absenceAfter: .seconds(300)))
        #expect(ecom.recovery[.sale, by: .hosted] == .query(absenceAfter: .seconds(300)))
        #expect(legacy.recovery[.void, by: .hosted] == Capabilities.Recovery.none)
        #expect(!ecom.multipleCaptures)
        #expect(ecom.partialCapture)
    }

    @Test func `what is outside the schema is refused with its path`() {
        let table: [([(String, Json)], String, String)] = [
            ([("dialect", "new")], "dialect", "unknown_word"), ([("userName", .null)], "userName", "missing"),
            ([("userName", "a;b")], "userName", "missing"),
            ([("authorization", "token")], "authorization", "not_in_this_dialect"),
            ([("dialect", "legacy"), ("authorization", "token")], "userName", "given_beside_a_token"),
            ([("password", "p")], "password", "unknown_member"),
            ([("baseUrl", "http://a")], "baseUrl", "not_an_address"),
            ([("pathPrefix", "/a")], "pathPrefix", "not_a_path"),
            ([("paths", ["pay": "/a"])], "paths.pay", "unknown_member"),
            ([("currencyNumeric", "840")], "currencyNumeric", "unknown_word"),
            ([("features", ["a"])], "features", "not_a_word"), ([("methods", [])], "methods", "missing"),
            ([("callbackMode", "rsa")], "callbackPublicKey", "missing"),
            ([("callbackMode", "rsa"), ("callbackPublicKey", "x")], "callbackPublicKey", "not_a_key"),
            ([("codeClasses", ["116": "never"])], "codeClasses.116", "unknown_word"),
            ([("holdSeconds", 0)], "holdSeconds", "out_of_range"),
        ]
        for (changes, path, reason) in table {
            #expect(throws: SettingsFailure(path: path, reason: reason)) {
                try Shop.adapter.capabilities(Shop.settings("ecom", changes))
            }
        }
    }

    @Test func `a test account's host is the test gateway and an account may name another`() throws {
        #expect(
            try Shop.plan(Shop.dispatch(.query)).url.hasPrefix("https://ecomtest.sberbank.ru/ecomm/gw/partner/api/v1/")
        )
        let moved = Shop.settings(
            "legacy",
            [("baseUrl", "https://pay.example"), ("paths", ["getOrderStatusExtended": "/s.do"])]
        )
        #expect(try Shop.plan(Shop.dispatch(.query), Shop.terms(), moved).url == "https://pay.example/s.do")
    }

    @Test func `an account may read an action code in its own way`() {
        let context = InterpretContext(
            settings: Shop.settings("ecom", [("codeClasses", ["116": "exp"])]),
            paymentReference: "pay-7",
            terms: Shop.terms(),
            isHandover: true,
            order: Shop.opened()
        )
        #expect(Shop.answered(Shop.status(6, actionCode: 116), context).contains(.attempt(.closed(.expired))))
    }
}

import Http
import Kernel
import Payments
import ProviderKit
import Testing
import WorldlineDirect

/// Sessions, products, card prefixes and field rules.
struct ClientTests {
    private let setting = Currency("EUR").map {
        PaymentSetting(amount: Money(1000, $0), country: "BE", language: "nl-BE")
    }

    private func body(_ template: RequestTemplate) throws -> String {
        String(decoding: try Shop.adapter.finish(template, Shop.materials()).body, as: UTF8.self)
    }

    @Test func `account calls have the provider's addresses and no escape in them`() throws {
        let calls = try ClientCalls(Shop.settings())
        let setting = try #require(setting)
        let products = try calls.products(setting).url
        #expect(
            products.hasSuffix(
                "/v2/PSPID01/products?countryCode=BE&currencyCode=EUR&amount=1000&isRecurring=false&locale=nl_BE"
            )
        )
        #expect(!products.contains("%"))
        #expect(try calls.session(tokens: [Shop.sealed("t-1")]).url.hasSuffix("/v2/PSPID01/sessions"))
        #expect(try calls.deleteToken("a856de2a").method == "DELETE")
        #expect(throws: PlanFailure.self) { try calls.token("../x") }
        #expect(throws: PlanFailure.self) { try calls.session(tokens: Array(repeating: "t", count: 11)) }
        #expect(calls.testConnection().url.hasSuffix("/services/testconnection"))
    }

    @Test func `card digits are sent from memory alone, with their context, and never printed`() throws {
        let calls = try ClientCalls(Shop.settings())
        let setting = try #require(setting)
        guard case .usable(let prefix) = try CardPrefix.read("45673500") else {
            Issue.record("not usable")
            return
        }
        let template = try calls.cardPrefix(setting)
        #expect(!template.json.canonicalText.contains("45673500"))
        #expect(!"\(prefix) \(String(reflecting: prefix))".contains("4567"))
        let body = try self.body(template)
        #expect(body.contains("\"bin\":\"45673500\""))
        #expect(body.contains("paymentContext"))
        #expect(throws: PlanFailure.self) { try CardPrefix.read("456735001") }
        #expect(throws: PlanFailure.self) { try CardPrefix.read("45x735") }
        guard case .notEnoughDigits = try CardPrefix.read("45673") else {
            Issue.record("five digits are too few")
            return
        }
    }

    @Test func `a card with two allowed brands lets the payer choose`() {
        let body: Json = [
            "paymentProductId": 130, "isAllowedInContext": true, "countryCode": "99",
            "coBrands": [
                ["paymentProductId": 130, "isAllowedInContext": true],
                ["paymentProductId": 1, "isAllowedInContext": true],
            ],
        ]
        let answer = IinAnswer(status: 200, body: body)
        #expect(answer?.status == .supported)
        #expect(answer?.mustChooseBrand == true)
        #expect(answer?.country == nil)
        #expect(IinAnswer(status: 404, body: nil)?.status == .unknown)
        #expect(IinAnswer(status: 500, body: nil) == nil)
    }

    @Test func `a session is four texts and the tokens that are gone`() {
        let body: Json = [
            "assetUrl": "a", "clientApiUrl": "b", "clientSessionId": "c", "customerId": "d", "invalidTokens": ["t-9"],
            "surplus": 1,
        ]
        let answer = SessionAnswer(body)
        #expect(answer?.session == ["assetUrl": "a", "clientApiUrl": "b", "clientSessionId": "c", "customerId": "d"])
        #expect(answer?.invalidTokens == ["t-9"])
        #expect(SessionAnswer(["assetUrl": "a"]) == nil)
    }

    @Test func `a list with saved cards is its customer's own`() throws {
        let setting = try #require(setting)
        let id = Uuid(high: 1, low: 1)
        let open = try #require(
            ProductList(["paymentProducts": [["id": 3], ["id": 1, "displayHints": ["displayOrder": 1]]]])
        )
        #expect(open.products.compactMap { $0["id"]?.integer } == [1, 3])
        let key = { (customer: String?) in
            ProductCacheKey(account: id, accountVersion: 1, setting: setting, product: nil, customer: customer)
        }
        let everybodys = PaymentProducts(items: open.products, isOnePayers: open.hasAccountsOnFile)
        #expect(key("a").keeping(everybodys) == key("b").keeping(everybodys))
        let own = try #require(ProductList(["paymentProducts": [["id": 1, "accountsOnFile": [["id": 0]]]]]))
        let payers = PaymentProducts(items: own.products, isOnePayers: own.hasAccountsOnFile)
        #expect(key(nil).keeping(payers) == nil)
        #expect(key("a").keeping(payers) != key("b").keeping(payers))
    }

    @Test func `a field of a product comes with its rules and the keys of their texts`() {
        let field: Json = [
            "id": "cvv", "displayHints": ["tooltip": ["label": "three digits"], "mask": "{{999}}"],
            "dataRestrictions": ["validators": ["length": ["maxLength": 4]]],
        ]
        let shown = ProductList(["id": 1, "fields": [field]])?.products.first?["fields"]?.items?.first
        #expect(shown?["displayHints"] == field["displayHints"])
        let rule: Json = [
            "labelKey": "paymentProductFields.validationErrors.length.label", "onDeviceOnly": true,
            "parameters": ["maxLength": 4], "rule": "length",
        ]
        #expect(shown?["rules"] == [rule])
    }

    @Test func `answers to inquiries are read, and refusals are told apart from silence`() throws {
        let adapter = Shop.adapter
        #expect(adapter.read(.json(200, ["result": "OK"]), to: .connection) == .connected)
        let refusal: Json = ["errors": [["errorCode": "9002"]]]
        #expect(adapter.read(.json(403, refusal), to: .connection) == .refused(status: 403, code: "9002"))
        #expect(adapter.read(.json(500, refusal), to: .connection) == nil)
        #expect(adapter.read(.text(200, "<html>"), to: .session(tokens: [])) == nil)
        let setting = try #require(setting)
        #expect(adapter.read(.json(404, refusal), to: .product(1, setting)) == .unknown)
        guard case .cardPrefix(let reply)? = adapter.read(.text(404, "Not Found"), to: .cardPrefix(setting)) else {
            Issue.record("no reply")
            return
        }
        #expect(reply.status == .unknown)
        #expect(throws: PlanFailure.self) { try adapter.checkPresentation(["colour": "red"]) }
        #expect(adapter.cacheTimes(Shop.settings([("productsFreshSeconds", 5)])).fresh == .seconds(5))
    }

    @Test func `an error names field, rule, parameters and label, and card fields are never looked at`() {
        let product: Json = [
            "fields": [
                ["id": "cardNumber", "dataRestrictions": ["isRequired": true, "validators": ["luhn": [:]]]],
                [
                    "id": "zip",
                    "dataRestrictions": [
                        "isRequired": true, "validators": ["length": ["minLength": 4, "maxLength": 6], "luhn": [:]],
                    ],
                ], ["id": "terms", "dataRestrictions": ["validators": ["termsAndConditions": [:]]]],
                ["id": "name", "dataRestrictions": ["isRequired": true]],
            ]
        ]
        let errors = FieldCheck.errors(["cardNumber": "4242", "zip": "1", "terms": "true"], product: product)
        #expect(errors.map(\.field) == ["cardNumber", "zip", "name"])
        #expect(errors.map(\.rule) == ["notAccepted", "length", "required"])
        #expect(errors[1].parameters == ["minLength": 4, "maxLength": 6])
        #expect(errors[1].labelKey == "paymentProductFields.validationErrors.length.label")
        #expect(!errors.contains { $0.json.canonicalText.contains("4242") })
        #expect(FieldCheck.described(product)["cardNumber"] == [.luhn])
        #expect(FieldRule.allCases.filter(\.isForDeviceOnly) == [.expirationDate, .luhn])
    }
}

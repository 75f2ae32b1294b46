import Ecommpay
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Requests byte for byte, as they leave the house or reach the payer's device.
struct RequestTests {
    private static let rich: Json = [
        "payer": [
            "email": Shop.sealed("a+b@example.org"), "phone": "+15550100", "firstName": Shop.sealed("Zoë"),
            "billing": ["country": "DE", "city": Shop.sealed("Köln"), "postal": "50667"],
        ],
        "items": [
            ["name": "T-shirt", "amount": 999, "quantity": 2, "taxRate": 19, "taxAmount": 160],
            ["name": "Bag", "amount": 1],
        ],
        "urls": ["success": "https://shop.example/ok?x=1&y=2"],
        "language": "de-AT", "region": "DE",
        "additionalFields": ["customer_middle_name": "", "aps_account_security_code": ""],
        "presentation": ["forcePaymentMethod": "card", "hideSavedWallets": true, "hideDeclinePage": true],
    ]

    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let dispatch: PlannedDispatch
        var terms = Shop.terms()
        var settings = Shop.settings()
        var token: Json?

        var testDescription: String { name }
    }

    static let examples: [Example] = [
        Example(name: "page-sale", dispatch: Shop.dispatch(.handover)),
        Example(name: "page-sale-all-details", dispatch: Shop.dispatch(.handover), terms: Shop.terms(details: rich)),
        Example(name: "page-authorize", dispatch: Shop.dispatch(.handover), terms: Shop.terms(.authorize)),
        Example(name: "page-verify", dispatch: Shop.dispatch(.handover), terms: Shop.terms(.verify)),
        Example(name: "page-tokenize", dispatch: Shop.dispatch(.handover), terms: Shop.terms(.tokenize)),
        Example(
            name: "page-instrument",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.sale, .instrument),
            token: Shop.sealed("7e12077a71faf915bc4bda60f059854c7df4a46e7573057e52ece0801245666b")
        ),
        Example(
            name: "page-redirects-and-names",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.tokenize),
            settings: Shop.settings([
                ("returnMode", "redirect"), ("tokenizeMode", "tokenize"), ("callbackUrlPerPayment", false),
                ("interfaceType", 23), ("paymentPageUrl", "https://pay.white.example/payment"),
            ])
        ),
        Example(
            name: "page-old-operation-type",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.authorize, currency: "JPY"),
            settings: Shop.settings([("operationTypeName", "card_operation_type"), ("returnMode", "none")])
        ),
        Example(
            name: "sdk-sale-all-details",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.sale, .sdk, description: "A: b; c", details: rich)
        ),
        Example(
            name: "sdk-instrument-names",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.authorize, .sdk),
            settings: Shop.settings([("sdkTokenName", "account_token"), ("sdkBooleans", "words")]),
            token: Shop.sealed("7e12077a")
        ),
        Example(
            name: "sdk-wallet-verify",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(
                .verify,
                .wallet,
                details: ["presentation": ["applePayMerchantId": "merchant.example"], "region": "DE"]
            )
        ),
        Example(
            name: "page-series-by-calendar",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(recurring: Series.monthly)
        ),
        Example(
            name: "page-series-by-dates",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.verify, recurring: Series.dates)
        ),
        Example(
            name: "sdk-series-on-demand",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.authorize, .sdk, recurring: RecurringTerms(kind: .autopayment))
        ),
        Example(
            name: "sdk-series-by-calendar",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.sale, .sdk, recurring: Series.monthly)
        ),
        Example(name: "gate-status", dispatch: Shop.dispatch(.query)),
        Example(name: "gate-capture", dispatch: Shop.dispatch(.operation(.capture), amount: 1999)),
        Example(
            name: "gate-capture-applepay",
            dispatch: Shop.dispatch(.operation(.capture), amount: 1500, isFull: false, method: "etoken"),
            settings: Shop.settings([("callbackUrlPerPayment", false), ("interfaceType", 21)])
        ),
        Example(name: "gate-cancel-full", dispatch: Shop.dispatch(.operation(.void), amount: 1999)),
        Example(
            name: "gate-cancel-full-with-amount",
            dispatch: Shop.dispatch(.operation(.void), amount: 1999),
            settings: Shop.settings([("voidAmount", "send")])
        ),
        Example(
            name: "gate-cancel-part",
            dispatch: Shop.dispatch(.operation(.void), amount: 500, isFull: false),
            settings: Shop.settings([("partialVoid", true)])
        ),
        Example(
            name: "gate-refund",
            dispatch: Shop.dispatch(.operation(.refund), amount: 500, isFull: false, reason: "частичный возврат")
        ),
        Example(
            name: "gate-refund-neutral",
            dispatch: Shop.dispatch(.operation(.refund), amount: 1999, method: "ideal"),
            settings: Shop.settings([("refundPath", "neutral")])
        ),
        Example(
            name: "gate-sale-by-token",
            dispatch: Shop.dispatch(.operation(.sale), amount: 1999),
            terms: Shop.terms(
                .sale,
                .instrument,
                details: ["payer": ["email": Shop.sealed("a@example.org"), "ipAddress": Shop.sealed("203.0.113.7")]]
            ),
            settings: Shop.settings([("gateTokenPaths", ["sale": "/v2/payment/card/sale/token"])]),
            token: Shop.sealed("7e12077a")
        ),
    ]

    @Test(arguments: examples)
    func `each request is the golden one`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        #expect(GoldenFile("\(example.name).txt").difference(from: try Self.text(template)) == nil)
    }

    @Test(
        arguments: [
            ("card", "card"), ("etoken", "applepay"), ("applepay", "applepay"), ("etoken-google", "googlepay"),
            ("googlepay", "googlepay"), ("direct debit BACS", "directdebit/bacs"),
            ("direct debit SEPA", "directdebit/sepa"),
        ]
    )
    func `a method's word leads to its address`(_ pair: (String, String)) throws {
        let refund = Shop.dispatch(.operation(.refund), amount: 5, isFull: false, method: pair.0)
        #expect(try Shop.plan(refund).url == "https://api.ecommpay.com/v2/payment/\(pair.1)/refund")
    }

    @Test(
        arguments: [
            ("email", "customer_email"), ("phone", "customer_phone"), ("firstName", "customer_first_name"),
            ("lastName", "customer_last_name"), ("middleName", "customer_middle_name"),
            ("dayOfBirth", "customer_day_of_birth"),
        ]
    )
    func `a payer's field has its name at the provider`(_ pair: (String, String)) throws {
        var payer = JsonObject([("email", "a@example.org"), ("phone", "1")])
        payer[pair.0] = "x"
        let planned = try Shop.plan(Shop.dispatch(.handover), Shop.terms(details: ["payer": .object(payer)]))
        #expect(planned.content[pair.1] == "x")
    }

    @Test(arguments: examples)
    func `the same plan gives the same bytes and survives storage`(_ example: Example) throws {
        let first = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        let second = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        #expect(first.json.canonical == second.json.canonical)
        let stored = try #require(RequestTemplate(try Json(first.json.canonical)))
        #expect(stored == first)
    }

    @Test(arguments: examples)
    func `no template holds a key, an opened value or a signature`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        let text = template.json.canonicalText
        for secret in [Shop.key, "7e12077a", "Köln", "\"signature\""] { #expect(!text.contains(secret)) }
    }

    @Test func `a missing key and an erased payer stop a request`() throws {
        let gate = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.missingSecret("secretKey")) {
            try Shop.adapter.finish(gate, Shop.materials(key: nil))
        }
        let page = try Shop.plan(Shop.dispatch(.handover), Shop.terms(details: Self.rich))
        #expect(throws: FinishFailure.erased(path: "customer_email")) {
            try Shop.adapter.render(page, Shop.materials(erased: true))
        }
    }

    @Test func `a handover is never sent and a Gate request never handed over`() throws {
        let page = try Shop.plan(Shop.dispatch(.handover))
        #expect(throws: FinishFailure.self) { try Shop.adapter.finish(page, Shop.materials()) }
        let gate = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.self) { try Shop.adapter.render(gate, Shop.materials()) }
    }

    @Test func `a semicolon that was sealed is refused when it is opened`() throws {
        let details: Json = ["payer": ["email": Shop.sealed("a;b@example.org")]]
        let page = try Shop.plan(Shop.dispatch(.handover), Shop.terms(details: details))
        #expect(throws: FinishFailure.malformedTemplate("semicolon in customer_email")) {
            try Shop.adapter.render(page, Shop.materials())
        }
    }

    /// The request as a person reads it: method and address, headers, body.
    static func text(_ template: RequestTemplate) throws -> String {
        guard template.method == "POST" else {
            switch try Shop.adapter.render(template, Shop.materials()) {
            case .redirect(let url):
                let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
                return "GET \(parts[0])\n" + parts[1].split(separator: "&").map { "\($0)\n" }.joined()
            case .parameters(let object):
                return (object.members?.members ?? []).map { "\($0.name) = \($0.value.canonicalText)\n" }.joined()
            }
        }
        let request = try Shop.adapter.finish(template, Shop.materials())
        let headers = request.headers.fields.map { "\($0.name): \($0.value)\n" }.joined()
        let body = String(decoding: request.body, as: UTF8.self)
        return "\(request.method.rawValue) \(request.url)\n\(headers)\n\(body)\n"
    }
}

import Http
import Kernel
import Payments
import ProviderKit
import SberPay
import TestKit
import Testing

/// Requests byte for byte, as they leave the house or reach the payer's device.
struct RequestTests {
    private static let rich: Json = [
        "payer": ["email": Shop.sealed("a+b@example.org"), "phone": "+79261112233"], "language": "ru-RU",
        "urls": ["success": "https://shop.example/ok?x=1&y=2", "fail": "https://shop.example/fail"],
        "app": ["osType": "android", "deepLink": "android-app://shop/main", "backUrl": "https://shop.example/back"],
        "recurrent": ["expiry": "20301231", "frequencyDays": 28],
        "presentation": ["hideSberPay": true, "sdkMethod": "withBonuses"],
    ]

    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let dispatch: PlannedDispatch
        var terms = Shop.terms()
        var settings = Shop.settings()
        var binding: Json?

        var testDescription: String { name }
    }

    private static let shop = Shop.settings("ecom", Shop.shop)
    private static let binding = Shop.sealed("fdbbc879-c171-4cff-b636-ceab16fd6fce")

    static let examples: [Example] = [
        Example(name: "ecom-register", dispatch: Shop.dispatch(.operation(.sale), amount: 19900)),
        Example(
            name: "legacy-register",
            dispatch: Shop.dispatch(.operation(.sale), amount: 19900),
            settings: Shop.settings("legacy", [("currencyNumeric", "810")])
        ),
        Example(
            name: "ecom-preauth-app",
            dispatch: Shop.dispatch(.operation(.authorize), amount: 19900),
            terms: Shop.terms(.authorize, .sdk, details: rich),
            settings: Shop.settings(
                "ecom",
                Shop.shop + [("extraJsonParams", ["orderTag": "a"]), ("dynamicCallback", true)]
            )
        ),
        Example(
            name: "legacy-register-app-token",
            dispatch: Shop.dispatch(.operation(.sale), amount: 19900),
            terms: Shop.terms(.sale, .wallet, details: rich),
            settings: Shop.settings(
                "legacy",
                [("authorization", "token"), ("userName", .null), ("osTypeName", "osType")]
            )
        ),
        Example(
            name: "ecom-verify",
            dispatch: Shop.dispatch(.operation(.verify), amount: 0),
            terms: Shop.terms(.verify)
        ),
        Example(
            name: "ecom-tokenize",
            dispatch: Shop.dispatch(.operation(.tokenize)),
            terms: Shop.terms(.tokenize)
        ),
        Example(
            name: "ecom-recurrent",
            dispatch: Shop.dispatch(.operation(.sale), amount: 19900),
            terms: Shop.terms(.sale, .instrument),
            binding: binding
        ),
        Example(
            name: "legacy-register-binding",
            dispatch: Shop.dispatch(.operation(.sale), amount: 19900),
            terms: Shop.terms(.sale, .instrument),
            settings: Shop.settings("legacy"),
            binding: binding
        ),
        Example(name: "ecom-status-by-order", dispatch: Shop.dispatch(.query, order: Shop.opened())),
        Example(
            name: "legacy-status-by-number",
            dispatch: Shop.dispatch(.query),
            settings: Shop.settings("legacy")
        ),
        Example(
            name: "ecom-deposit-part",
            dispatch: Shop.dispatch(.operation(.capture), amount: 6000, isFull: false, order: Shop.opened()),
            terms: Shop.terms(.authorize)
        ),
        Example(
            name: "legacy-reverse",
            dispatch: Shop.dispatch(.operation(.void), amount: 19900, order: Shop.opened()),
            terms: Shop.terms(.authorize),
            settings: Shop.settings("legacy")
        ),
        Example(
            name: "ecom-refund",
            dispatch: Shop.dispatch(.operation(.refund), amount: 500, isFull: false, order: Shop.opened())
        ),
        Example(
            name: "legacy-refund",
            dispatch: Shop.dispatch(.operation(.refund), amount: 500, isFull: false, order: Shop.opened()),
            settings: Shop.settings("legacy")
        ),
        Example(name: "page", dispatch: Shop.dispatch(.handover, order: Shop.opened())),
        Example(
            name: "link",
            dispatch: Shop.dispatch(.handover, order: Shop.opened()),
            terms: Shop.terms(.sale, .wallet, details: Shop.app)
        ),
        Example(
            name: "sdk-purchase",
            dispatch: Shop.dispatch(.handover, order: Shop.opened()),
            terms: Shop.terms(.sale, .sdk, details: rich),
            settings: shop
        ),
        Example(
            name: "sdk-order",
            dispatch: Shop.dispatch(.handover, order: Shop.opened()),
            terms: Shop.terms(
                .sale,
                .sdk,
                details: ["app": ["osType": "ios", "deepLink": "shopapp://pay", "form": "order"]]
            ),
            settings: shop
        ),
    ]

    @Test func `a binding is switched off by its id, and one that is off already counts as removed`() throws {
        let removal = SavedCredential(token: Shop.sealed("bnd-7"), customer: "c")
        let template = try Shop.adapter.planRemoval(removal, Shop.settings())
        let request = try Shop.adapter.finish(template, Shop.materials())
        #expect(request.url.lowercased().hasSuffix("/unbindcard.do"))
        #expect(String(decoding: request.body, as: UTF8.self).contains("bnd-7"))
        func read(_ code: String) -> RemovalOutcome {
            Shop.adapter.readRemoval(
                .answered(status: 200, body: Array("{\"errorCode\":\"\(code)\"}".utf8)),
                Shop.settings()
            )
        }
        #expect(read("0") == .removed)
        #expect(read("2") == .removed)
        #expect(read("7") == .unknown(reason: "HTTP 200, code 7"))
    }

    @Test(arguments: examples)
    func `each request is the golden one`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings, binding: example.binding)
        #expect(GoldenFile("\(example.name).txt").difference(from: try Self.text(template)) == nil)
    }

    @Test(arguments: examples)
    func `the same plan gives the same bytes, survives storage and holds no secret`(_ example: Example) throws {
        let first = try Shop.plan(example.dispatch, example.terms, example.settings, binding: example.binding)
        let second = try Shop.plan(example.dispatch, example.terms, example.settings, binding: example.binding)
        #expect(first.json.canonical == second.json.canonical)
        let stored = try #require(RequestTemplate(try Json(first.json.canonical)))
        #expect(stored == first)
        for secret in [Shop.password, Shop.sdkKey, "fdbbc879", "a+b@example.org", Shop.link] {
            #expect(!first.json.canonicalText.contains(secret))
        }
    }

    @Test func `a missing secret and an erased payer stop a request`() throws {
        let query = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.missingSecret("apiSecret")) {
            try Shop.adapter.finish(query, Shop.materials([]))
        }
        let registration = try Shop.plan(
            Shop.dispatch(.operation(.sale), amount: 19900),
            Shop.terms(details: ["payer": ["email": Shop.sealed("a@example.org")]])
        )
        #expect(throws: FinishFailure.erased(path: "email")) {
            try Shop.adapter.finish(registration, Shop.materials(erased: true))
        }
    }

    @Test func `a handover is never sent and a request never handed over`() throws {
        let page = try Shop.plan(Shop.dispatch(.handover, order: Shop.opened()))
        #expect(throws: FinishFailure.self) { try Shop.adapter.finish(page, Shop.materials()) }
        let query = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.self) { try Shop.adapter.render(query, Shop.materials()) }
    }

    @Test func `an order whose link was lost is handed over to the SDK of ecom alone`() throws {
        let lost = Shop.dispatch(.handover, order: Shop.opened([:]))
        #expect(throws: PlanFailure.self) { try Shop.plan(lost) }
        let template = try Shop.plan(lost, Shop.terms(.sale, .sdk, details: Shop.app), Self.shop)
        guard case .parameters(let object) = try Shop.adapter.render(template, Shop.materials()) else {
            Issue.record("no parameters")
            return
        }
        #expect(object.at("pay", "orderId")?.text == Shop.orderId)
        let legacy = Shop.settings("legacy", Shop.shop)
        #expect(throws: PlanFailure.self) {
            try Shop.plan(lost, Shop.terms(.sale, .sdk, details: Shop.app), legacy)
        }
    }

    @Test func `nothing on the device is signed`() throws {
        let query = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: SignatureRefusal.self) { try Shop.adapter.sign("a", query, Shop.materials()) }
    }

    /// The request as a person reads it: method and address, headers, body.
    private static func text(_ template: RequestTemplate) throws -> String {
        guard template.method == "POST" else {
            switch try Shop.adapter.render(template, Shop.materials()) {
            case .redirect(let url): return "GET \(url)\n"
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

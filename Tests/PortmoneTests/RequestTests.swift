import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import TestKit
import Testing

/// Requests byte for byte, as they leave the house or reach the payer's device.
struct RequestTests {
    private static let rich: Json = [
        "payer": ["email": Shop.sealed("a+b@example.org")],
        "urls": ["success": "https://shop.example/ok", "fail": "https://shop.example/no"],
        "language": "uk-UA", "saveCard": true,
        "attributes": ["1": "one", "4": "чотири"],
        "split": [
            ["payeeId": "2001", "amount": 6000], ["payeeId": "2002", "amount": 4000, "description": "delivery"],
        ],
        "presentation": [
            "showEmail": false, "paymentTypes": ["card": true, "gpay": false], "priorityPaymentTypes": ["card": 1],
        ],
    ]

    private static let permitted = Shop.settings([
        ("permissions", ["withoutCvv": true, "biometrics": true]), ("billAmountWcvv", "500.00"),
        ("tokenChargeMode", "sdk"), ("customUid", "uid-5"), ("applePayMerchantId", "merchant.example"),
    ])

    private static let opened = ProviderOrder(
        id: "pay-7",
        handover: ["url": Shop.sealed("https://www.portmone.com.ua/r3/pg/abc?is=1")]
    )

    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let dispatch: PlannedDispatch
        var terms = Shop.terms()
        var settings = Shop.settings()
        var token: Json?

        var testDescription: String { name }
    }

    static let examples: [Example] = pages + devices + calls

    private static let pages: [Example] = [
        Example(name: "link-sale", dispatch: Shop.dispatch(.operation(.sale))),
        Example(
            name: "link-sale-all-details",
            dispatch: Shop.dispatch(.operation(.sale)),
            terms: Shop.terms(details: rich)
        ),
        Example(
            name: "link-authorize-minutes",
            dispatch: Shop.dispatch(.operation(.authorize)),
            terms: Shop.terms(.authorize),
            settings: Shop.settings([("expTimeUnit", "minutes"), ("dtTimeZone", "UTC"), ("shopSiteId", "9")])
        ),
        Example(
            name: "link-tokenize",
            dispatch: Shop.dispatch(.operation(.tokenize), amount: nil),
            terms: Shop.terms(.tokenize)
        ),
        Example(
            name: "link-instrument",
            dispatch: Shop.dispatch(.operation(.sale)),
            terms: Shop.terms(.sale, .instrument, details: ["cardMask": "444433******1111"]),
            token: Shop.sealed("ABCDEF0123")
        ),
        Example(
            name: "link-transfer-seller-token",
            dispatch: Shop.dispatch(.operation(.transfer)),
            terms: Shop.terms(.transfer, .hosted, details: ["transfer": ["sellerToken": Shop.sealed("FEDC")]]),
            settings: Shop.settings([("transferMode", "sellerToken")])
        ),
        Example(
            name: "link-money-transfer",
            dispatch: Shop.dispatch(.operation(.transfer)),
            terms: Shop.terms(.transfer, .hosted, details: ["transfer": ["recipientBillId": "77"]]),
            settings: Shop.settings([("transferMode", "linkMoneyTransfer")])
        ),
    ]

    private static let devices: [Example] = [
        Example(name: "page-address", dispatch: Shop.dispatch(.handover, order: opened)),
        Example(
            name: "sdk-sale",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.sale, .sdk, details: ["billType": "mobilePayment", "attributes": ["2": "b"]])
        ),
        Example(
            name: "sdk-save-card",
            dispatch: Shop.dispatch(.handover, amount: nil),
            terms: Shop.terms(.tokenize, .sdk),
            settings: permitted
        ),
        Example(
            name: "sdk-token-without-cvv",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(
                .sale,
                .instrument,
                details: ["withoutCvv": true, "presentation": ["biometrics": true], "cardMask": "444433******1111"]
            ),
            settings: permitted,
            token: Shop.sealed("ABCDEF0123")
        ),
        Example(
            name: "sdk-transfer",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.transfer, .instrument, details: ["attributes": ["3": "c"]]),
            settings: permitted,
            token: Shop.sealed("ABCDEF0123")
        ),
        Example(
            name: "sdk-apple-pay",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.sale, .wallet),
            settings: permitted
        ),
    ]

    private static let calls: [Example] = [
        Example(
            name: "wallet-apple-pay",
            dispatch: Shop.dispatch(.operation(.sale)),
            terms: Shop.terms(
                .sale,
                .wallet,
                details: ["wallet": ["kind": "applePay", "token": OnceHole.hole("blob")]]
            ),
            settings: Shop.settings([("walletMode", "relay"), ("applePayMerchantId", "merchant.example")])
        ),
        Example(
            name: "wallet-google-pay",
            dispatch: Shop.dispatch(.operation(.sale)),
            terms: Shop.terms(
                .sale,
                .wallet,
                details: ["wallet": ["kind": "googlePay", "token": OnceHole.hole("blob")]]
            ),
            settings: Shop.settings([("walletMode", "relay")])
        ),
        Example(name: "json-result", dispatch: Shop.dispatch(.query)),
        Example(
            name: "json-confirm",
            dispatch: Shop.dispatch(.operation(.capture), amount: 4000, isFull: false),
            terms: Shop.terms(.authorize)
        ),
        Example(
            name: "json-confirm-split",
            dispatch: Shop.dispatch(.operation(.capture)),
            terms: Shop.terms(.authorize, details: rich)
        ),
        Example(name: "json-reject", dispatch: Shop.dispatch(.operation(.void)), terms: Shop.terms(.authorize)),
        Example(
            name: "json-return",
            dispatch: Shop.dispatch(.operation(.refund), amount: 950, isFull: false, reason: "часткове повернення")
        ),
        Example(name: "xml-result", dispatch: Shop.dispatch(.query), settings: Shop.settings([("protocol", "xml")])),
        Example(
            name: "xml-confirm",
            dispatch: Shop.dispatch(.operation(.capture)),
            terms: Shop.terms(.authorize),
            settings: Shop.settings([("protocol", "xml")])
        ),
        Example(
            name: "xml-reject",
            dispatch: Shop.dispatch(.operation(.void)),
            terms: Shop.terms(.authorize),
            settings: Shop.settings([("protocol", "xml")])
        ),
        Example(
            name: "xml-return",
            dispatch: Shop.dispatch(.operation(.refund)),
            settings: Shop.settings([("protocol", "xml"), ("legacyLanguage", "en")])
        ),
    ]

    @Test(arguments: examples)
    func `each request is the golden one`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        #expect(GoldenFile("\(example.name).txt").difference(from: try Self.text(template)) == nil)
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
    func `no template holds a secret or an opened value`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        let text = template.json.canonicalText
        for secret in [Shop.password, Shop.signingKey, "ABCDEF0123", "a+b@example.org"] {
            #expect(!text.contains(secret))
        }
    }

    @Test(arguments: examples)
    func `the opening says who makes the first step`(_ example: Example) throws {
        guard example.dispatch.order == nil else { return }
        let opening = Shop.adapter.opening(example.terms, example.settings)
        switch example.dispatch.purpose {
        case .handover: #expect(opening == .handover)
        case .operation(let kind) where kind.isInitial: #expect(opening == .request)
        case .operation, .query, .auxiliary: break
        }
    }

    @Test func `missing secrets and an erased payer stop a request`() throws {
        let link = try Shop.plan(Shop.dispatch(.operation(.sale)))
        #expect(throws: FinishFailure.missingSecret("signingKey")) {
            try Shop.adapter.finish(link, Shop.materials(hasSecrets: false))
        }
        let query = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.missingSecret("password")) {
            try Shop.adapter.finish(query, Shop.materials(hasSecrets: false))
        }
        let rich = try Shop.plan(Shop.dispatch(.operation(.sale)), Shop.terms(details: Self.rich))
        #expect(throws: FinishFailure.erased(path: "payer.emailAddress")) {
            try Shop.adapter.finish(rich, Shop.materials(erased: true))
        }
    }

    @Test func `a handover is never sent, a request never handed over, and nothing is signed for a device`() throws {
        let page = try Shop.plan(Shop.dispatch(.handover, order: Self.opened))
        #expect(throws: FinishFailure.self) { try Shop.adapter.finish(page, Shop.materials()) }
        let query = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.self) { try Shop.adapter.render(query, Shop.materials()) }
        #expect(throws: SignatureRefusal.self) { try Shop.adapter.sign("a", page, Shop.materials()) }
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

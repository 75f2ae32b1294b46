import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing
import WorldlineDirect

/// Requests byte for byte, as they leave the house or reach the payer's device.
struct RequestTests {
    private static let rich: Json = [
        "payer": [
            "email": Shop.sealed("a+b@example.org"), "firstName": Shop.sealed("Zoë"), "lastName": "Doe",
            "billing": ["country": "BE", "city": Shop.sealed("Brussel"), "zip": "1000"],
            "device": [
                "ipAddress": Shop.sealed("203.0.113.7"), "userAgent": "Mozilla/5.0",
                "colorDepth": Shop.sealed(value: 24),
                "javaEnabled": Shop.sealed(value: false), "screenWidth": "1920",
            ],
        ],
        "language": "nl-BE", "saveCredential": true, "products": ["only": [1, 3], "without": [2]],
        "credential": ["kind": "recurring", "sequence": "first"],
    ]

    private static let app: Json = [
        "encryptedCustomerInput": ["$once": "blob-1"], "encodedClientMetaInfo": ["$once": "meta-1"],
        "urls": ["return": "shop-app://return"], "paymentProductId": 130, "cobrand": "alternative",
        "threeDSecure": ["challenge": "challenge-requested", "channel": "AppBased"],
    ]

    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let dispatch: PlannedDispatch
        var terms = Shop.terms()
        var settings = Shop.settings()
        var token: Json?

        var testDescription: String { name }
    }

    private static let order = ProviderOrder(id: Shop.paymentId)
    private static let page = ProviderOrder(
        id: "0000000000000012345",
        handover: ["url": Shop.sealed("https://payment.preprod.example/page?x=1")]
    )
    private static let recurring: Json = ["credential": ["kind": "recurring", "sequence": "subsequent"]]
    private static let successor: Json = [
        "credential": ["kind": "unscheduled", "sequence": "subsequent", "firstPayment": "3254564310_0"]
    ]

    static let examples: [Example] = [
        Example(name: "hosted-sale", dispatch: Shop.dispatch(.operation(.sale), amount: 1999)),
        Example(
            name: "hosted-authorize-all-details",
            dispatch: Shop.dispatch(.operation(.authorize), amount: 1999),
            terms: Shop.terms(.authorize, details: rich),
            settings: Shop.settings([("hostedVariant", "dark"), ("hostedAttempts", 3), ("hostedCheckoutKey", false)])
        ),
        Example(
            name: "app-sale",
            dispatch: Shop.dispatch(.operation(.sale), amount: 1999),
            terms: Shop.terms(.sale, .sdk, details: app)
        ),
        Example(
            name: "instrument-final-hold",
            dispatch: Shop.dispatch(.operation(.authorize), amount: 1999),
            terms: Shop.terms(.authorize, .instrument),
            settings: Shop.settings([("holdKind", "FINAL_AUTHORIZATION"), ("webhookUrlPerPayment", false)]),
            token: Shop.sealed("a856de2a")
        ),
        Example(
            name: "instrument-recurring",
            dispatch: Shop.dispatch(.operation(.sale), amount: 500),
            terms: Shop.terms(.sale, .instrument, details: recurring),
            token: Shop.sealed("a856de2a")
        ),
        Example(
            name: "instrument-subsequent",
            dispatch: Shop.dispatch(.operation(.sale), amount: 500),
            terms: Shop.terms(.sale, .instrument, details: successor),
            token: Shop.sealed("a856de2a")
        ),
        Example(name: "query-without-id", dispatch: Shop.dispatch(.query)),
        Example(name: "query-page", dispatch: Shop.dispatch(.query, order: page)),
        Example(name: "query-payment", dispatch: Shop.dispatch(.query, order: page, initial: Shop.paymentId)),
        Example(
            name: "capture-part",
            dispatch: Shop.dispatch(.operation(.capture), amount: 500, isFull: false, order: order),
            terms: Shop.terms(.authorize, .sdk, details: app)
        ),
        Example(
            name: "capture-all-yen",
            dispatch: Shop.dispatch(.operation(.capture), amount: 500, currency: "JPY", order: page, initial: "1_0"),
            terms: Shop.terms(.authorize, currency: "JPY")
        ),
        Example(
            name: "cancel",
            dispatch: Shop.dispatch(.operation(.void), amount: 1999, initial: Shop.paymentId),
            settings: Shop.settings([("operationReferences", false), ("sendServerMetaInfo", false)])
        ),
        Example(
            name: "refund-part",
            dispatch: Shop.dispatch(
                .operation(.refund),
                amount: 500,
                isFull: false,
                reason: "half",
                initial: Shop.paymentId
            )
        ),
    ]

    @Test(arguments: examples)
    func `each request is the golden one`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        #expect(GoldenFile("\(example.name).txt").difference(from: try Self.text(template)) == nil)
    }

    @Test(arguments: examples)
    func `the same plan gives the same bytes, survives storage and holds nothing secret`(_ example: Example) throws {
        let first = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        let second = try Shop.plan(example.dispatch, example.terms, example.settings, token: example.token)
        #expect(first.json.canonical == second.json.canonical)
        #expect(RequestTemplate(try Json(first.json.canonical)) == first)
        for secret in ["c0mp0sed", "a856de2a", "aaaa.bbbb", "Brussel", "GCS v1HMAC"] {
            #expect(!first.json.canonicalText.contains(secret))
        }
    }

    @Test func `a page of the provider is handed over by its address and keeps the return code to itself`() throws {
        let order = ProviderOrder(
            id: "1",
            handover: ["returnMac": Shop.sealed("mac"), "url": Shop.sealed("https://payment.example/page?x=1")]
        )
        let template = try Shop.plan(Shop.dispatch(.handover, order: order))
        guard case .redirect(let url) = try Shop.adapter.render(template, Shop.materials()) else {
            Issue.record("no address")
            return
        }
        #expect(url == "https://payment.example/page?x=1")
    }

    @Test func `a native challenge is handed over with the presentation as it came`() throws {
        let challenge: Json = ["acsTransactionId": Shop.sealed("acs-1")]
        let order = ProviderOrder(
            id: "1",
            handover: ["returnMac": Shop.sealed("mac"), "threeDSecureChallenge": challenge]
        )
        let details: Json = ["encryptedCustomerInput": ["$once": "b"], "presentation": ["productGrouping": true]]
        let template = try Shop.plan(Shop.dispatch(.handover, order: order), Shop.terms(.sale, .sdk, details: details))
        guard case .parameters(let object) = try Shop.adapter.render(template, Shop.materials()) else {
            Issue.record("no object")
            return
        }
        #expect(
            object == [
                "threeDSecureChallenge": ["acsTransactionId": "acs-1"], "presentation": ["productGrouping": true],
            ]
        )
        #expect(throws: FinishFailure.self) { try Shop.adapter.finish(template, Shop.materials()) }
    }

    @Test func `a missing key, an erased payer and a blob that memory lost stop a request`() throws {
        let query = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.missingSecret("secretApiKey")) {
            try Shop.adapter.finish(query, Shop.materials(secrets: ["apiKeyId": Secret("k")]))
        }
        let app = try Shop.plan(
            Shop.dispatch(.operation(.sale), amount: 1999),
            Shop.terms(.sale, .sdk, details: Self.app)
        )
        #expect(throws: FinishFailure.erased(path: "body.encryptedCustomerInput")) {
            try Shop.adapter.finish(app, Shop.materials(erased: true))
        }
        #expect(throws: FinishFailure.self) { try Shop.adapter.render(query, Shop.materials()) }
    }

    @Test func `nothing is signed for the device`() throws {
        let template = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: SignatureRefusal.self) { try Shop.adapter.sign("x", template, Shop.materials()) }
    }

    /// The request as a person reads it: method and address, headers, body.
    private static func text(_ template: RequestTemplate) throws -> String {
        let request = try Shop.adapter.finish(template, Shop.materials())
        let headers = request.headers.fields.map { "\($0.name): \($0.value)\n" }.joined()
        let body = String(decoding: request.body, as: UTF8.self)
        return "\(request.method.rawValue) \(request.url)\n\(headers)\n\(body)\n"
    }
}

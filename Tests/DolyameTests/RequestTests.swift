import Dolyame
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
            "firstName": Shop.sealed("Иван"), "lastName": "Петров", "birthdate": Shop.sealed("28.05.1991"),
            "phone": Shop.sealed("8 (913) 001-01-01"), "email": Shop.sealed("ivan@example.com"),
        ],
        "items": [
            [
                "name": "Sneakers", "price": "4600.00", "sku": "SN-1",
                "receipt": ["tax": "vat20", "paymentMethod": "full_payment"],
            ],
            ["name": "Ball", "quantity": 4, "price": 600, "sku": "BL-4"],
        ],
        "prepaidAmount": "300", "urls": ["success": "https://shop.example/ok"], "data": ["store": "17"],
        "language": "ru-RU", "presentation": ["callKit": false, "errorDebugScreen": true],
    ]
    private static let order = ProviderOrder(id: Shop.reference, handover: ["link": Shop.sealed("https://x.example/o")])

    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let dispatch: PlannedDispatch
        var terms = Shop.terms()
        var settings = Shop.settings()

        var testDescription: String { name }
    }

    static let examples: [Example] = [
        Example(name: "create", dispatch: Shop.dispatch(.operation(.authorize))),
        Example(
            name: "create-all-details",
            dispatch: Shop.dispatch(.operation(.authorize)),
            terms: Shop.terms(kopecks: 670_000, details: rich),
            settings: Shop.settings([("fiscalization", true), ("baseUrl", "https://demo.dolyame.example")])
        ),
        Example(
            name: "create-discount-and-strings",
            dispatch: Shop.dispatch(.operation(.authorize)),
            terms: Shop.terms(
                kopecks: 20000,
                details: ["items": [["name": "Cup", "quantity": 3, "price": "100.00"]], "discount": "100.00"]
            ),
            settings: Shop.settings([
                ("moneyEncoding", "string"), ("returnUrls", false), ("notificationUrlPerOrder", false),
            ])
        ),
        Example(name: "info", dispatch: Shop.dispatch(.query)),
        Example(name: "cancel", dispatch: Shop.dispatch(.operation(.void), kopecks: 700_000)),
        Example(name: "commit-full", dispatch: Shop.dispatch(.operation(.capture), kopecks: 700_000)),
        Example(
            name: "commit-part",
            dispatch: Shop.dispatch(
                .operation(.capture),
                kopecks: 460_000,
                isFull: false,
                details: ["items": [["name": "Sneakers", "price": "4600.00", "sku": "SN-1"]]]
            ),
            settings: Shop.settings([("fiscalization", true), ("commitReceipts", ["committed": true])])
        ),
        Example(name: "refund-full", dispatch: Shop.dispatch(.operation(.refund), kopecks: 700_000)),
        Example(
            name: "refund-part",
            dispatch: Shop.dispatch(
                .operation(.refund),
                kopecks: 60000,
                isFull: false,
                details: ["items": [["name": "Ball", "price": "600.00", "sku": "BL-4"]]]
            )
        ),
        Example(
            name: "correction",
            dispatch: Shop.dispatch(
                .operation(.refund),
                kopecks: 40000,
                isFull: false,
                details: [
                    "newItems": [
                        ["name": "Sneakers", "price": "4200.00", "sku": "SN-1"],
                        ["name": "Ball", "quantity": 4, "price": "600.00", "sku": "BL-4"],
                    ]
                ]
            ),
            settings: Shop.settings([("corrections", true)])
        ),
        Example(
            name: "sdk",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.authorize, .sdk, kopecks: 670_000, details: rich)
        ),
        Example(
            name: "sdk-demo-anonymous",
            dispatch: Shop.dispatch(.handover),
            terms: Shop.terms(.authorize, .sdk, customer: nil),
            settings: Shop.settings([("demoFlow", true), ("mcc", 5137), ("sdkCustomerName", "customerInfo")])
        ),
        Example(name: "link", dispatch: Shop.dispatch(.handover, order: order)),
    ]

    @Test(arguments: examples) func `a message is the same byte for byte`(_ example: Example) throws {
        let template = try Shop.plan(example.dispatch, example.terms, example.settings)
        #expect(RequestTemplate(template.json) == template)
        let text: String
        if case .handover = example.dispatch.purpose {
            switch try Shop.adapter.render(template, Shop.materials()) {
            case .redirect(let url): text = url
            case .parameters(let object): text = String(decoding: object.compactBytes, as: UTF8.self)
            }
        } else {
            let request = try Shop.adapter.finish(template, Shop.materials())
            let lines =
                ["\(request.method.rawValue) \(request.url)"] + request.headers.fields.map { "\($0.name): \($0.value)" }
            text = (lines + ["", String(decoding: request.body, as: UTF8.self)]).joined(separator: "\n")
        }
        #expect(GoldenFile("\(example.name).txt").difference(from: text) == nil)
    }

    @Test func `each request presents the account's certificate`() throws {
        let request = try Shop.adapter.finish(try Shop.plan(Shop.dispatch(.query)), Shop.materials())
        #expect(request.clientCertificate?.certificate == Array("PEM certificate".utf8))
        #expect(request.clientCertificate?.key == Secret("PEM key"))
        #expect("\(request)".contains("PEM key") == false)
    }

    @Test(arguments: ["password", "clientCertificate", "clientKey"])
    func `nothing is sent without its secrets`(_ name: String) throws {
        let template = try Shop.plan(Shop.dispatch(.query))
        #expect(throws: FinishFailure.missingSecret(name)) {
            try Shop.adapter.finish(template, Shop.materials(without: name))
        }
    }

    @Test func `an erased payer stops an order and a broken phone number is left out`() throws {
        let erased = try Shop.plan(
            Shop.dispatch(.operation(.authorize)),
            Shop.terms(details: ["items": Shop.items, "payer": ["email": Shop.sealed("a@b.example")]])
        )
        #expect(throws: FinishFailure.erased(path: "email")) {
            try Shop.adapter.finish(erased, Shop.materials(erased: true))
        }
        let broken = try Shop.plan(
            Shop.dispatch(.operation(.authorize)),
            Shop.terms(details: ["items": Shop.items, "payer": ["phone": Shop.sealed("+7913"), "firstName": "A"]])
        )
        let body = try Json(try Shop.adapter.finish(broken, Shop.materials()).body)
        #expect(body["client_info"] == ["first_name": "A"])
    }

    @Test func `a repetition carries the same correlation id and a question a new one`() throws {
        func id(_ purpose: DispatchPurpose, _ now: Timestamp = Shop.now) throws -> String? {
            let template = try Shop.plan(Shop.dispatch(purpose, kopecks: 700_000))
            let lent = Shop.materials()
            let materials = Materials(secrets: lent.secrets, open: lent.open, now: now)
            return try Shop.adapter.finish(template, materials).headers["X-Correlation-ID"]
        }
        let later = Shop.now.adding(.seconds(9))
        #expect(try id(.operation(.capture)) == (try id(.operation(.capture), later)))
        #expect(try id(.operation(.capture)) != (try id(.operation(.void))))
        #expect(try id(.query) != (try id(.query, later)))
    }

    @Test func `the web order is opened by us and the SDK's by the SDK`() throws {
        #expect(Shop.adapter.opening(Shop.terms(), Shop.settings()) == .request)
        let terms = Shop.terms(.authorize, .sdk)
        #expect(Shop.adapter.opening(terms, Shop.settings()) == .handover)
        #expect(throws: PlanFailure.self) { try Shop.plan(Shop.dispatch(.operation(.authorize)), terms) }
        let template = try Shop.plan(Shop.dispatch(.handover), terms)
        #expect(throws: SignatureRefusal.self) { try Shop.adapter.sign("x", template, Shop.materials()) }
    }
}

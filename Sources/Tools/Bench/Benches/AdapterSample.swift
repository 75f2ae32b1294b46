import Crypto
import Dolyame
import Ecommpay
import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import Sandbox
import SberPay
import WorldlineDirect

/// One provider's messages as a busy account has them: requests that are planned and signed, and a notification.
struct AdapterSample: Sendable {
    let adapter: any Adapter
    let account: AccountSettings
    let secrets: AccountSecrets
    let terms: PaymentTerms
    let order: ProviderOrder?
    /// The messages that are planned and signed, each by a name for people.
    let dispatches: [(name: String, dispatch: PlannedDispatch)]
    let notification: HttpRequest

    static let now = Timestamp(seconds: 1_772_445_600)
    static let reference = "abcdefghijklmnopqrstuvwx23"
    private static let deadline = now.adding(.seconds(3600))

    static var all: [AdapterSample] { [ecommpay, portmone, dolyame, sberPay, worldline] }

    private init(
        _ adapter: any Adapter,
        settings: Json,
        secrets: [String: Secret],
        amount: (Int64, String),
        method: PaymentMethod = .hosted,
        mode: PaymentMode = .sale,
        details: Json,
        order: ProviderOrder? = nil,
        messages: [(String, DispatchPurpose)],
        notification: HttpRequest
    ) {
        let money = Currency(amount.1).map { Money(amount.0, $0) }
        let terms = PaymentTerms(
            mode: mode,
            method: method,
            amount: money,
            reference: "order-1042",
            description: "Order 1042",
            customer: "customer-77",
            instrument: nil,
            expiresAt: Self.deadline,
            details: details,
            metadata: [:]
        )
        let facts = AccountFacts(
            id: Uuid(high: 1, low: 2),
            name: "bench",
            provider: adapter.declaration.id,
            mode: .live,
            version: 1
        )
        account = AccountSettings(
            account: facts,
            values: settings,
            notificationUrl: "https://pay.example/v1/notifications/\(adapter.declaration.id)/1/1",
            returnUrl: "https://pay.example/v1/return/1/1"
        )
        .read(by: adapter)
        self.adapter = adapter
        self.secrets = AccountSecrets(secrets)
        self.terms = terms
        self.order = order
        dispatches = messages.map { ($0.0, Self.planned($0.1, money, order)) }
        self.notification = notification
    }

    private static func planned(_ purpose: DispatchPurpose, _ money: Money?, _ order: ProviderOrder?)
        -> PlannedDispatch
    {
        let isQuery = purpose == .query
        return PlannedDispatch(
            purpose: purpose,
            paymentReference: reference,
            operationReference: isQuery ? nil : "op-7-1",
            amount: isQuery ? nil : money,
            isFull: true,
            deadline: deadline,
            reason: nil,
            methodAtProvider: nil,
            order: order,
            initialAtProvider: order?.id
        )
    }

    var planContext: PlanContext { PlanContext(terms: terms, settings: account, instrumentToken: nil) }

    var materials: Materials { Materials(secrets: secrets, open: { $0.text.map(Json.string) }, now: Self.now) }

    var interpretContext: InterpretContext {
        InterpretContext(
            settings: account,
            paymentReference: Self.reference,
            terms: terms,
            isHandover: true,
            order: order
        )
    }

    // MARK: Providers

    private static var ecommpay: AdapterSample {
        let key = Secret("bench-secret-key")
        let callback: Json = [
            "project_id": 42,
            "payment": [
                "id": .string(reference), "type": "purchase", "status": "success", "date": "2026-03-02T10:00:05+0000",
                "method": "card", "sum": ["amount": 1999, "currency": "EUR"], "description": "Order 1042",
            ],
            "account": [
                "number": "431422******0056", "type": "visa", "card_holder": "ANN EXAMPLE", "expiry_month": "11",
                "expiry_year": "2028",
            ], "customer": ["id": "customer-77", "phone": "4915112345678"],
            "operation": [
                "id": 5_028_800_010_128_001, "type": "sale", "status": "success", "date": "2026-03-02T10:00:05+0000",
                "created_date": "2026-03-02T10:00:00+0000", "request_id": "a1b2c3d4e5f60718293a4b5c6d7e8f90",
                "sum_initial": ["amount": 1999, "currency": "EUR"],
                "sum_converted": ["amount": 1999, "currency": "EUR"], "code": "0", "message": "Success",
                "eci": "05",
                "provider": [
                    "id": 414, "payment_id": "15555555555", "date": "2026-03-02T10:00:04+0000", "auth_code": "563253",
                    "endpoint_id": 414,
                ],
            ],
        ]
        var members = callback.members ?? JsonObject([])
        members["signature"] = .string(EcommpaySignature.sign(callback, key: key))
        return AdapterSample(
            EcommpayAdapter(),
            settings: ["currencies": ["EUR", "USD"], "projectId": 42],
            secrets: ["secretKey": key],
            amount: (1999, "EUR"),
            details: [
                "payer": [
                    "email": "ann@example.org", "firstName": "Ann", "lastName": "Example",
                    "billing": ["country": "DE", "city": "Berlin", "postal": "10115", "address": "Chausseestr. 1"],
                ], "urls": ["return": "https://shop.example/back"], "language": "de-DE",
            ],
            messages: [("page", .handover), ("status", .query), ("refund", .operation(.refund))],
            notification: post(Json.object(members).compactBytes)
        )
    }

    private static var portmone: AdapterSample {
        let notice =
            "<BILLS><BILL><PAYEE><NAME>Shop</NAME><CODE>1185</CODE></PAYEE><BANK><NAME>Bank</NAME><CODE>300711</CODE>"
            + "<ACCOUNT>26000000000001</ACCOUNT></BANK><BILL_ID>501</BILL_ID><BILL_NUMBER>\(reference)</BILL_NUMBER>"
            + "<BILL_DATE>2026-03-02</BILL_DATE><PAY_DATE>2026-03-02</PAY_DATE><BILL_PERIOD>0326</BILL_PERIOD>"
            + "<PAYED_AMOUNT>100.00</PAYED_AMOUNT><AUTH_CODE>563253</AUTH_CODE></BILL></BILLS>"
        return AdapterSample(
            PortmoneAdapter(),
            settings: ["payeeId": "1185", "login": "SHOP_LOGIN"],
            secrets: [
                "password": Secret("bench-password"), "signingKey": Secret("bench-signing-key"),
                "notificationKey": Secret("bench-notify"),
            ],
            amount: (10_000, "UAH"),
            details: [:],
            order: ProviderOrder(id: reference),
            messages: [("link", .operation(.sale)), ("result", .query), ("return", .operation(.refund))],
            notification: HttpRequest(method: .post, target: "/n?key=bench-notify", body: Array(notice.utf8))
        )
    }

    private static var dolyame: AdapterSample {
        var notice = post(
            Array("{\"id\":\"\(reference)\",\"status\":\"approved\",\"amount\":7000.00,\"residual_amount\":0}".utf8)
        )
        notice.peerAddress = "91.194.226.250"
        return AdapterSample(
            DolyameAdapter(),
            settings: ["login": "shop", "partnerId": "partner-1"],
            secrets: [
                "password": Secret("secret"), "clientCertificate": Secret("PEM certificate"),
                "clientKey": Secret("PEM key"),
            ],
            amount: (700_000, "RUB"),
            mode: .authorize,
            details: [
                "items": [
                    ["name": "Sneakers", "price": "4600.00", "sku": "SN-1"],
                    ["name": "Ball", "quantity": 4, "price": "600", "sku": "BL-4"],
                ]
            ],
            messages: [("create", .operation(.authorize)), ("info", .query), ("commit", .operation(.capture))],
            notification: notice
        )
    }

    private static var sberPay: AdapterSample {
        let token = Secret("bench-callback-token")
        let pairs: [(name: String, value: String)] = [
            ("amount", "19900"), ("mdOrder", "a67b0ced-c9a4-4cfb-bce3-b9595afaafc1"), ("operation", "deposited"),
            ("orderNumber", reference), ("status", "1"),
        ]
        let text = pairs.map { "\($0.name);\($0.value);" }.joined()
        let checksum = Hex.encode(Hmac.sha256(key: token, Array(text.utf8))).uppercased()
        return AdapterSample(
            SberPayAdapter(),
            settings: ["dialect": "legacy", "userName": "shop-api", "callbackMode": "hmac"],
            secrets: ["apiSecret": Secret("bench-password"), "callbackToken": token],
            amount: (19_900, "RUB"),
            details: [:],
            order: ProviderOrder(id: "a67b0ced-c9a4-4cfb-bce3-b9595afaafc1"),
            messages: [("register", .operation(.sale)), ("status", .query), ("refund", .operation(.refund))],
            notification: HttpRequest(
                method: .get,
                target: "/n?" + FormEncoding.encode(pairs + [(name: "checksum", value: checksum)]),
                body: []
            )
        )
    }

    private static var worldline: AdapterSample {
        let event: Json = [
            "apiVersion": "v1", "id": "e-1", "created": "2026-11-20T09:05:03.0000000+01:00", "merchantId": "PSPID01",
            "type": "payment.captured",
            "payment": [
                "id": "3254564310_0", "status": "CAPTURED",
                "paymentOutput": [
                    "amountOfMoney": ["amount": 1999, "currencyCode": "EUR"],
                    "references": ["merchantReference": .string(reference)],
                    "cardPaymentMethodSpecificOutput": [
                        "paymentProductId": 1, "authorisationCode": "725373",
                        "card": ["cardNumber": "************0056", "expiryDate": "1128"],
                        "fraudResults": ["fraudServiceResult": "no-advice"],
                    ],
                ], "statusOutput": ["isCancellable": false, "statusCategory": "COMPLETED", "statusCode": 9],
            ],
        ]
        let body = event.compactBytes
        let signature = Base64.encode(Hmac.sha256(key: Secret("bench-webhook"), body))
        return AdapterSample(
            WorldlineAdapter(),
            settings: ["merchantId": "PSPID01", "currencies": ["EUR"]],
            secrets: [
                "apiKeyId": Secret("KEYID0001"), "secretApiKey": Secret("bench-secret-api-key"),
                "webhookKeys": Secret("key-1:bench-webhook"),
            ],
            amount: (1999, "EUR"),
            details: [:],
            order: ProviderOrder(id: "3254564310_0"),
            messages: [("page", .operation(.sale)), ("status", .query), ("refund", .operation(.refund))],
            notification: HttpRequest(
                method: .post,
                target: "/",
                headers: HttpHeaders([("X-GCS-KeyId", "key-1"), ("X-GCS-Signature", signature)]),
                body: body
            )
        )
    }

    private static func post(_ body: [UInt8]) -> HttpRequest { HttpRequest(method: .post, target: "/", body: body) }
}

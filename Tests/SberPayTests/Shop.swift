import Kernel
import Payments
import ProviderKit
import SberPay
import TestKit

/// A merchant's account, orders and secrets as the tests need them.
enum Shop {
    static let adapter = SberPayAdapter()
    static let password = "s3cret-p@ss w0rd"
    static let token = "callback-token-1"
    static let sdkKey = "sdk-key-0123456789"
    static let now = Timestamp(seconds: 1_772_445_600)
    static let deadline = Timestamp(seconds: 1_772_449_200)
    static let orderId = "a67b0ced-c9a4-4cfb-bce3-b9595afaafc1"
    static let invoice = "a67b0cedc9a44cfbbce3b9595afaafc1"
    static let page = "https://ecomtest.sberbank.ru/pp/pay_ru?orderId=a67b0ced-c9a4-4cfb-bce3-b9595afaafc1"
    static let link = "sberpay://invoicing/v2?bankInvoiceId=a67b0cedc9a44cfbbce3b9595afaafc1"

    static func settings(_ dialect: String = "ecom", _ changes: [(String, Json)] = []) -> AccountSettings {
        var values = JsonObject([("dialect", .string(dialect)), ("userName", "shop-api")])
        for (name, value) in changes { values[name] = value }
        return AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 1, low: 2),
                name: "sberpay-rub",
                provider: "sberpay",
                mode: .test,
                version: 1
            ),
            values: .object(values),
            notificationUrl: "https://pay.example/notifications/sberpay",
            returnUrl: "https://pay.example/return"
        )
    }

    static func issued(_ changes: [(String, Json)] = []) -> IssuedPayment {
        IssuedPayment(reference: "pay-7", terms: terms(.sale, .sdk), settings: settings("ecom", changes).values)
    }

    /// What the SDK needs beside an account.
    static let shop: [(String, Json)] = [
        ("merchantLogin", "shop"), ("clientName", "Любимый магазин"), ("redirectUri", "shopapp://spay"),
    ]

    static let app: Json = ["app": ["osType": "ios", "deepLink": "shopapp://pay"]]

    static func terms(
        _ mode: PaymentMode = .sale,
        _ method: PaymentMethod = .hosted,
        amount: Int64 = 19900,
        currency: String = "RUB",
        description: String? = "Заказ № 7",
        customer: String? = "cust-7",
        details: Json = [:]
    ) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: mode == .tokenize ? nil : Currency(currency).map { Money(mode == .verify ? 0 : amount, $0) },
            reference: "7",
            description: description,
            customer: customer,
            instrument: nil,
            expiresAt: deadline,
            details: details,
            metadata: [:]
        )
    }

    static func opened(_ handover: Json? = nil) -> ProviderOrder {
        ProviderOrder(
            id: orderId,
            handover: handover
                ?? ["formUrl": sealed(page), "deepLink": sealed(link), "bankInvoiceId": sealed(invoice)]
        )
    }

    static func dispatch(
        _ purpose: DispatchPurpose,
        amount: Int64? = nil,
        isFull: Bool = true,
        order: ProviderOrder? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: "pay-7",
            operationReference: "op-7-1",
            amount: amount.flatMap(ruble),
            isFull: isFull,
            deadline: deadline,
            reason: nil,
            methodAtProvider: nil,
            order: order
        )
    }

    /// A sealed value that `materials` opens.
    static func sealed(_ text: String) -> Json { SpelledSeal.seal(text) }

    static func materials(erased: Bool = false, _ names: [String] = ["apiSecret", "sdkApiKey"]) -> Materials {
        let all = ["apiSecret": Secret(password), "sdkApiKey": Secret(sdkKey)]
        return SpelledSeal.materials(all.filter { names.contains($0.key) }, erased: erased, at: now)
    }

    static func plan(
        _ dispatch: PlannedDispatch,
        _ terms: PaymentTerms = terms(),
        _ settings: AccountSettings = settings(),
        binding: Json? = nil
    ) throws -> RequestTemplate {
        try adapter.plan(dispatch, PlanContext(terms: terms, settings: settings, instrumentToken: binding))
    }

    static func context(
        _ mode: PaymentMode = .sale,
        order: ProviderOrder? = nil,
        dialect: String = "ecom",
        operations: [KnownOperation] = []
    ) -> InterpretContext {
        InterpretContext(
            settings: settings(dialect),
            paymentReference: "pay-7",
            terms: terms(mode),
            isHandover: order != nil,
            order: order,
            operations: operations
        )
    }

    /// A status answer of the gateway.
    static func status(
        _ status: Int64,
        actionCode: Int64 = 0,
        approved: Int64 = 0,
        deposited: Int64 = 0,
        refunded: Int64 = 0,
        _ changes: [(String, Json)] = []
    ) -> [UInt8] {
        var body = JsonObject([
            ("errorCode", "0"), ("orderNumber", "pay-7"), ("orderStatus", .integer(status)),
            ("actionCode", .integer(actionCode)), ("amount", 19900), ("currency", "643"),
            ("attributes", ["mdOrder": .string(orderId)]),
            (
                "paymentAmountInfo",
                [
                    "approvedAmount": .integer(approved), "depositedAmount": .integer(deposited),
                    "refundedAmount": .integer(refunded),
                ]
            ),
        ])
        for (name, value) in changes { body[name] = value }
        return Json.object(body).compactBytes
    }

    static func answered(
        _ body: [UInt8],
        _ context: InterpretContext,
        _ purpose: DispatchPurpose = .query,
        status: Int = 200
    ) -> [Fact] {
        adapter.interpret(.answered(purpose, status: status, headers: [:], body: body), context)
    }

    static func known(
        _ kind: OperationKind,
        moved: Int64? = nil,
        requested: Int64? = nil,
        reference: String = "op",
        isAwaited: Bool = false,
        isAnswerLost: Bool = false
    ) -> KnownOperation {
        KnownOperation(
            kind: kind,
            reference: reference,
            requested: requested.flatMap(ruble),
            isAwaited: isAwaited,
            moved: moved.flatMap(ruble),
            isAnswerLost: isAnswerLost
        )
    }

    static func ruble(_ minor: Int64) -> Money? { Currency("RUB").map { Money(minor, $0) } }
}

extension [Fact] {
    var operations: [ProviderOperation] {
        flatMap { fact -> [ProviderOperation] in
            switch fact {
            case .operation(let operation): [operation]
            case .statement(let statement): statement.operations
            default: []
            }
        }
    }

    /// The running totals that the answer tells, in minor units.
    var totals: [OperationKind: Int64] {
        reduce(into: [:]) { totals, fact in
            if case .statement(let statement) = fact, let total = statement.total?.amount?.minor {
                totals[statement.kind] = total
            }
        }
    }
}

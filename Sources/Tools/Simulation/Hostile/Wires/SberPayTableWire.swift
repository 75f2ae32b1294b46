package import Http
package import Kernel
import Payments
import SberPay

/// Sber's newer gateway in the words of its reference; `lists` where the account may see an order's operations.
package struct SberPayTableWire: HostileWire {
    private let lists: Bool

    package init(lists: Bool) { self.lists = lists }

    package var name: String { lists ? "sberpay" : "sberpay-totals" }

    package let provider = SimulatedProvider(
        adapter: SberPayAdapter(),
        settings: ["depositedIsNet": "no", "dialect": "ecom", "pollCapSeconds": 14_400, "userName": "shop-api"],
        currency: "RUB"
    )

    package let secrets: [String: Secret] = ["apiSecret": Secret("password-1")]

    package let scenes = [
        HostileScene("charge", .sale, method: .instrument, without: [.twice]),
        HostileScene("order", .sale, without: [.twice, .undone]),
        HostileScene("order-hold", .authorize, mode: .authorize, without: [.twice, .undone]),
        HostileScene("order", .sale).paid(), HostileScene("order-hold", .authorize, mode: .authorize).paid(),
        HostileScene("verify", .verify, mode: .verify).paid(),
        HostileScene("tokenize", .tokenize, mode: .tokenize).paid(),
        HostileScene("deposit", .capture, mode: .authorize, before: .held),
        HostileScene("deposit-part", .capture, mode: .authorize, before: .held, minor: 3000),
        HostileScene("reverse", .void, mode: .authorize, before: .held, without: [.twice, .otherAmount]),
        HostileScene("refund", .refund, before: .captured),
        HostileScene("refund-part", .refund, before: .captured, minor: 3000),
    ]

    private static let order = "a67b0ced-c9a4-4cfb-bce3-b9595afaafc1"

    package func read(_ request: OutgoingRequest) -> HostileAsk? {
        guard request.method == .post, let body = try? Json(request.body),
            let file = request.url.split(separator: "/").last
        else { return nil }
        let number = body["orderNumber"]?.text
        let minor = body["amount"]?.integer
        switch file {
        case "register.do", "registerPreAuth.do":
            return HostileAsk(.open, reference: number, name: number, minor: minor)
        case "recurrentPayment.do": return HostileAsk(.move(.sale), reference: number, name: number, minor: minor)
        case "getOrderStatusExtended.do": return HostileAsk(.look, reference: number)
        case "deposit.do": return HostileAsk(.move(.capture), minor: minor)
        case "reverse.do": return HostileAsk(.move(.void), minor: minor)
        case "refund.do":
            return HostileAsk(.move(.refund), name: body.at("jsonParams", "externalRefundId")?.text, minor: minor)
        default: return nil
        }
    }

    package func knowsName(of purpose: HostileAsk.Purpose) -> Bool { true }
    package let releasesRest = true

    /// Refusals are codes under 200; an address that is not known is told by whatever stands there.
    package func documents(_ status: Int, _ body: HostileAnswer.Body, of scene: HostileScene) -> Bool { false }
    package var oddBody: Json { ["errorCode": "977", "errorMessage": "Unheard of"] }

    private func refused(_ code: String) -> HttpResponse {
        .json(200, ["errorCode": .string(code), "errorMessage": "Refused"])
    }

    /// An order number is taken once; a refund under a known id gets its first answer.
    package func known(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        switch ask.purpose {
        case .open: refused("1")
        case .move(.sale): .json(200, ["error": ["code": "1", "message": "Known"], "success": false])
        case .move, .look, .other: success(ask, ledger)
        }
    }

    package func success(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        switch ask.purpose {
        case .open:
            return .json(
                200,
                [
                    "errorCode": "0", "errorMessage": "Success", "formUrl": "https://pay.example/pp/pay_ru?orderId=1",
                    "orderId": .string(Self.order),
                ]
            )
        case .move(.sale):
            return .json(
                200,
                [
                    "data": ["orderId": .string(Self.order), "orderNumber": .string(ledger.reference)],
                    "orderStatus": status(ledger), "success": true,
                ]
            )
        case .move, .look, .other: return .json(200, ["errorCode": "0", "errorMessage": "Success"])
        }
    }

    package func refusals(_ scene: HostileScene) -> [(name: String, response: HttpResponse)] {
        guard scene.method == .instrument else {
            let codes = scene.before == .nothing ? ["3", "4", "5"] : ["5", "6", "7"]
            return codes.map { ("code-\($0)", refused($0)) }
        }
        func answered(_ action: Int64) -> HttpResponse {
            let status: Json = [
                "actionCode": .integer(action), "amount": .integer(HostileScene.total), "currency": "643",
                "errorCode": "0", "orderStatus": action == 151_019 ? 0 : 6,
            ]
            return .json(
                200,
                [
                    "data": ["orderId": .string(Self.order)], "orderStatus": status, "success": true,
                ]
            )
        }
        let failed: Json = ["error": ["code": "4", "message": "No such binding"], "success": false]
        return [
            ("declined-116", answered(116)), ("code-4", .json(200, failed)), ("unclear-151019", answered(151_019)),
        ]
    }

    package func absent(_ ask: HostileAsk) -> HttpResponse { refused("6") }

    package func look(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        ledger.isEmpty ? absent(ask) : .json(200, status(ledger))
    }

    private func status(_ ledger: HostileLedger) -> Json {
        let word: Int64
        if ledger.refunded > 0 {
            word = 4
        } else if ledger.captured > 0 {
            word = 2
        } else if ledger.released > 0 || ledger.isChecked {
            // A check ends as an authorization that was cancelled.
            word = 3
        } else {
            word = ledger.authorized > 0 ? 1 : 0
        }
        let first = ledger.entries.first?.minor ?? ledger.order ?? 0
        let binding: Json? =
            ledger.keepsCard
            ? ["bindingId": "b67b0ced-c9a4-4cfb-bce3-b9595afaafc2", "clientId": "customer"] : nil
        let operations: [Json] = ledger.entries.compactMap { entry in
            let type: String
            switch entry.kind {
            case .authorize: type = "PREAUTHORIZATION"
            case .capture: type = "COMPLETION"
            case .void: type = "REVERSAL"
            case .refund: type = "REFUND"
            case .sale, .verify, .tokenize, .transfer, .refundReversal: type = "AUTHORIZATION"
            }
            // What a completion leaves over is given back without a word.
            if entry.kind == .void, ledger.captured > 0 { return nil }
            return .compact([
                ("actionCode", 0), ("amount", .integer(entry.minor)), ("date", .integer(entry.at.seconds * 1000)),
                ("externalRefundId", entry.kind == .refund ? entry.ours.map(Json.string) : nil),
                ("referenceNumber", .string("11122233344\(entry.number)")), ("type", .string(type)),
            ])
        }
        return .compact([
            ("actionCode", word == 0 ? -100 : 0), ("amount", .integer(first)),
            ("attributes", [["name": "mdOrder", "value": .string(Self.order)]]), ("bindingInfo", binding),
            ("currency", "643"), ("errorCode", "0"), ("operations", lists ? .array(operations) : nil),
            ("orderNumber", .string(ledger.reference)), ("orderStatus", .integer(word)),
            (
                "paymentAmountInfo",
                [
                    "approvedAmount": .integer(ledger.authorized > 0 ? ledger.authorized : ledger.captured),
                    "depositedAmount": .integer(ledger.captured), "refundedAmount": .integer(ledger.refunded),
                ]
            ),
        ])
    }
}

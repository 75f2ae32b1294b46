package import Http
package import Kernel
import Payments
import WorldlineDirect

/// Worldline's server interface in the words of its reference.
package struct WorldlineTableWire: HostileWire {
    package init() {}

    package let name = "worldline"
    package let provider = SimulatedProvider(
        adapter: WorldlineAdapter(),
        settings: ["currencies": ["EUR"], "merchantId": "shop", "pollCapSeconds": 14_400],
        currency: "EUR"
    )

    package let secrets: [String: Secret] = [
        "apiKeyId": Secret("key-1"), "secretApiKey": Secret("secret-1"), "webhookKeys": Secret("hook:secret-2"),
    ]

    /// A look names one payment: who was charged twice can't be seen by it.
    package let scenes = [
        HostileScene("charge", .sale, method: .instrument, without: [.twice]),
        HostileScene("hold", .authorize, mode: .authorize, method: .instrument, without: [.twice]),
        HostileScene("page", .sale, without: [.twice, .undone]),
        HostileScene("capture", .capture, mode: .authorize, method: .instrument, before: .held),
        HostileScene("capture-part", .capture, mode: .authorize, method: .instrument, before: .held, minor: 3000),
        HostileScene(
            "void",
            .void,
            mode: .authorize,
            method: .instrument,
            before: .held,
            without: [.twice, .otherAmount]
        ),
        HostileScene("refund", .refund, method: .instrument, before: .captured),
        HostileScene("refund-part", .refund, method: .instrument, before: .captured, minor: 3000),
    ]

    /// The first payment's id at the provider.
    private static let first: Int64 = 3_254_564_310
    private static let page = "page-1"

    package func read(_ request: OutgoingRequest) -> HostileAsk? {
        let path = request.url.split(separator: "/", omittingEmptySubsequences: true).map(String.init).dropFirst(4)
        let body = try? Json(request.body)
        let key = request.headers["X-GCS-Idempotence-Key"]
        let reference = body?.at("order", "references", "merchantReference")?.text
        let minor = body?.at("order", "amountOfMoney", "amount")?.integer
        // Tokens are kept by the provider, and no table asks what it keeps.
        if path.first == "tokens" { return HostileAsk(.other) }
        if path.first == "payments", path.count == 3 {
            guard let number = Self.number(path[path.startIndex + 1]) else { return nil }
            return followUp(request.method, path.last ?? "", key, number, body)
        }
        switch (request.method, Array(path)) {
        case (.get, ["services", "testconnection"]): return HostileAsk(.other)
        case (.get, ["hostedcheckouts", Self.page]): return HostileAsk(.look, name: path.first)
        case (.post, ["hostedcheckouts"]): return HostileAsk(.open, reference: reference, name: key, minor: minor)
        case (.post, ["payments"]):
            let mode = body?.at("cardPaymentMethodSpecificInput", "authorizationMode")?.text
            let kind: OperationKind = mode == "SALE" ? .sale : .authorize
            return HostileAsk(.move(kind), reference: reference, name: key, minor: minor)
        default: return nil
        }
    }

    /// Reads a request about a payment that the address names: a question, or a change.
    private func followUp(_ method: HttpMethod, _ word: String, _ key: String?, _ number: Int64, _ body: Json?)
        -> HostileAsk?
    {
        let minor = body?.at("amountOfMoney", "amount")?.integer
        switch (method, word) {
        case (.get, "details"): return HostileAsk(.look, name: "payments", number: number)
        case (.post, "capture"):
            return HostileAsk(.move(.capture), name: key, minor: body?["amount"]?.integer, number: number)
        case (.post, "cancel"): return HostileAsk(.move(.void), name: key, minor: minor, number: number)
        case (.post, "refund"): return HostileAsk(.move(.refund), name: key, minor: minor, number: number)
        default: return nil
        }
    }

    private static func number(_ id: String) -> Int64? {
        guard id.hasSuffix("_0"), let digits = Int64(id.dropLast(2)), digits >= first else { return nil }
        return digits - first
    }

    private func id(_ ledger: HostileLedger, _ step: Int = 0) -> Json {
        .string("\(Self.first + ledger.number)_\(step)")
    }

    package func knowsName(of purpose: HostileAsk.Purpose) -> Bool { true }

    /// Parts of a hold are captured until one is said to be the last; nothing is given back by itself.
    package let releasesRest = false

    /// Errors are objects; a conflict turns away what follows, and says nothing of what opens.
    package func documents(_ status: Int, _ body: HostileAnswer.Body, of scene: HostileScene) -> Bool {
        body == .json && ([400, 401, 403, 404].contains(status) || status == 409 && scene.before != .nothing)
    }

    package var oddBody: Json { ["errorId": "e-1", "errors": [["errorCode": "99999999", "id": "UNHEARD_OF"]]] }

    // MARK: Answers

    package func success(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        switch ask.purpose {
        case .other, .look: return .json(200, ["result": "OK"])
        case .open:
            return .json(
                200,
                [
                    "RETURNMAC": "mac-1", "hostedCheckoutId": .string(Self.page), "merchantReference": "unused",
                    "partialRedirectUrl": "pay1.example/page", "redirectUrl": "https://payment.pay1.example/page",
                ]
            )
        case .move(.sale), .move(.authorize):
            return .json(201, ["creationOutput": ["externalReference": "ext-1"], "payment": payment(ledger)])
        case .move(.void): return .json(200, ["payment": payment(ledger)])
        case .move(let kind):
            let entry = ledger.entries.last { $0.kind == kind }
            let output: Json = .compact([
                ("amountOfMoney", entry.map { money($0.minor, ledger) }),
                ("operationReferences", entry?.ours.map { ["merchantReference": .string($0)] }),
            ])
            let isCapture = kind == .capture
            return .json(
                201,
                [
                    isCapture ? "captureOutput" : "refundOutput": output,
                    "id": id(ledger, entry.map { $0.number - 1 } ?? 1),
                    "status": isCapture ? "CAPTURED" : "REFUNDED",
                    "statusOutput": ["statusCode": isCapture ? 9 : 8],
                ]
            )
        }
    }

    package func refusals(_ scene: HostileScene) -> [(name: String, response: HttpResponse)] {
        func errors(_ code: String) -> Json {
            ["errorId": "e-2", "errors": [["category": "PAYMENT_PLATFORM_ERROR", "errorCode": .string(code)]]]
        }
        guard scene.before == .nothing, scene.method == .instrument else {
            return [("property-400", .json(400, errors("50001087"))), ("closed-409", .json(409, errors("50001111")))]
        }
        let declined: Json = [
            "errorId": "e-3", "errors": [["errorCode": "30511001", "httpStatusCode": 402]],
            "paymentResult": [
                "payment": [
                    "id": .string("\(Self.first)_0"), "paymentOutput": ["paymentMethod": "card"],
                    "status": "REJECTED",
                    "statusOutput": ["isAuthorized": false, "statusCategory": "UNSUCCESSFUL", "statusCode": 2],
                ]
            ],
        ]
        return [("declined-402", .json(402, declined)), ("property-400", .json(400, errors("50001087")))]
    }

    package func absent(_ ask: HostileAsk) -> HttpResponse {
        .json(404, ["errorId": "e-4", "errors": [["errorCode": "50001130", "httpStatusCode": 404]]])
    }

    package func look(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        if ask.name == "hostedcheckouts" {
            guard ledger.order != nil else { return absent(ask) }
            guard !ledger.entries.isEmpty else { return .json(200, ["status": "IN_PROGRESS"]) }
            return .json(
                200,
                [
                    "createdPaymentOutput": ["payment": payment(ledger), "paymentStatusCategory": "SUCCESSFUL"],
                    "status": "PAYMENT_CREATED",
                ]
            )
        }
        guard !ledger.entries.isEmpty else { return absent(ask) }
        var body = payment(ledger).members ?? JsonObject([])
        body["Operations"] = .array(ledger.entries.map { operation($0, ledger) })
        return .json(200, .object(body))
    }

    // MARK: A payment

    private func money(_ minor: Int64, _ ledger: HostileLedger) -> Json {
        ["amount": .integer(minor), "currencyCode": .string(ledger.currency.code)]
    }

    private func payment(_ ledger: HostileLedger) -> Json {
        let first = ledger.entries.first?.minor ?? 0
        let word: (String, String, Int64)
        if ledger.refunded > 0 {
            word = ("REFUNDED", "REFUNDED", 8)
        } else if ledger.captured > 0 {
            word = ("CAPTURED", "COMPLETED", 9)
        } else if ledger.released > 0 {
            word = ("CANCELLED", "UNSUCCESSFUL", 6)
        } else {
            word = ("PENDING_CAPTURE", "PENDING_MERCHANT", 5)
        }
        return [
            "id": id(ledger),
            "paymentOutput": [
                "amountOfMoney": money(first, ledger), "paymentMethod": "card",
                "references": ["merchantReference": .string(ledger.reference)],
            ],
            "status": .string(word.0),
            "statusOutput": ["statusCategory": .string(word.1), "statusCode": .integer(word.2)],
        ]
    }

    private func operation(_ entry: HostileLedger.Entry, _ ledger: HostileLedger) -> Json {
        let word: (String, Int64)
        switch entry.kind {
        case .authorize: word = ("PENDING_CAPTURE", 5)
        case .void: word = ("CANCELLED", 6)
        case .refund: word = ("REFUNDED", 8)
        case .sale, .capture, .verify, .tokenize, .transfer, .refundReversal: word = ("CAPTURED", 9)
        }
        let isFirst = entry.kind == ledger.begins
        let reference = isFirst ? ledger.reference : entry.ours
        return .compact([
            ("amountOfMoney", money(entry.minor, ledger)),
            ("id", id(ledger, entry.number - 1)), ("paymentMethod", "card"),
            ("references", reference.map { ["merchantReference": .string($0)] }),
            ("status", .string(word.0)), ("statusOutput", ["statusCode": .integer(word.1)]),
        ])
    }
}

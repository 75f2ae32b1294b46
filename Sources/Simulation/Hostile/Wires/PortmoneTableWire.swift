package import Http
package import Kernel
import Payments
import Portmone

/// Portmone's JSON gateway in the words of its reference.
package struct PortmoneTableWire: HostileWire {
    package init() {}

    package let name = "portmone"
    package let provider = SimulatedProvider(
        adapter: PortmoneAdapter(),
        settings: [
            "login": "shop", "payeeId": "1185", "pollCapSeconds": 14_400, "refundAbsenceSeconds": 7200,
            "walletMode": "relay",
        ],
        currency: "UAH"
    )

    package let secrets: [String: Secret] = [
        "notificationKey": Secret("notice"), "password": Secret("password-1"), "signingKey": Secret("signing"),
    ]

    package let scenes = [
        HostileScene("page", .sale, without: [.twice, .undone]),
        HostileScene(
            "wallet",
            .sale,
            method: .wallet,
            details: ["wallet": ["kind": "googlePay", "token": "e30="]],
            without: [.twice]
        ),
        HostileScene("capture", .capture, mode: .authorize, before: .held, without: [.twice]),
        HostileScene("capture-part", .capture, mode: .authorize, before: .held, minor: 3000, without: [.twice]),
        HostileScene("reject", .void, mode: .authorize, before: .held, without: [.twice, .otherAmount]),
        HostileScene("return", .refund, before: .taken),
        HostileScene("return-part", .refund, before: .taken, minor: 3000),
    ]

    package func read(_ request: OutgoingRequest) -> HostileAsk? {
        guard request.method == .post, let body = try? Json(request.body), let method = body["method"]?.text else {
            return nil
        }
        let data = body.at("params", "data")
        let number = data?["shopOrderNumber"]?.text
        switch method {
        case "createLinkPayment":
            let own = body.at("order", "shopOrderNumber")?.text
            return HostileAsk(.open, reference: own, name: own, minor: kopecks(body.at("order", "billAmount")))
        case "GPay":
            return HostileAsk(.move(.sale), reference: number, name: number, minor: kopecks(data?["billAmount"]))
        case "result": return HostileAsk(.look, reference: number)
        case "confirmPreauth":
            return HostileAsk(.move(.capture), reference: number, minor: kopecks(data?["postauthAmount"]))
        case "rejectPreauth": return HostileAsk(.move(.void), reference: number)
        case "return": return HostileAsk(.move(.refund), reference: number, minor: kopecks(data?["returnAmount"]))
        default: return nil
        }
    }

    /// A page can be made again under its number as long as nobody paid.
    package func knowsName(of purpose: HostileAsk.Purpose) -> Bool { purpose == .open }
    package let releasesRest = true

    /// Refusals are told by a code, whatever the status; no complete list of them is public.
    package func documents(_ status: Int, _ body: HostileAnswer.Body, of scene: HostileScene) -> Bool {
        body == .json && [400, 401, 403, 404, 409, 422].contains(status)
    }
    package var oddBody: Json { ["error": ["code": "9977", "message": "Unheard of"]] }

    private func kopecks(_ json: Json?) -> Int64? {
        guard let text = json?.scalarText, let hryvnia = Currency("UAH") else { return nil }
        return try? Money(decimal: text, hryvnia).minor
    }

    private func decimal(_ minor: Int64) -> Json {
        let size = abs(minor)
        return .string("\(minor < 0 ? "-" : "")\(size / 100).\(size % 100 < 10 ? "0" : "")\(size % 100)")
    }

    package func success(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        guard case .move(let kind) = ask.purpose else {
            return .json(200, ["errorCode": "0", "linkPayment": "https://pay.example/r3/link/1"])
        }
        let refund = ledger.entries.last { $0.kind == .refund }
        let row = kind == .refund ? refund.map { self.refund($0, ledger) } : bill(ledger)
        return .json(200, row ?? ["errorCode": "0"])
    }

    package func refusals(_ scene: HostileScene) -> [(name: String, response: HttpResponse)] {
        func row(_ code: String) -> HttpResponse {
            .json(200, ["error_code": .string(code), "error_message": "Refused"])
        }
        switch scene.kind {
        case .capture: return [("code-5", row("5"))]
        case .void: return [("code-6", row("6")), ("code-5", row("5"))]
        case .refund: return [("code-1", row("1")), ("code-51", row("51"))]
        case .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal: return [("code-2", row("2"))]
        }
    }

    package func absent(_ ask: HostileAsk) -> HttpResponse { .json(200, []) }

    package func look(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        guard let bill = bill(ledger) else { return absent(ask) }
        let refunds = ledger.entries.filter { $0.kind == .refund }.map { refund($0, ledger) }
        return .json(200, .array([bill] + refunds))
    }

    /// The order's own row; nothing is registered before somebody pays.
    private func bill(_ ledger: HostileLedger) -> Json? {
        guard let first = ledger.entries.first else { return nil }
        if ledger.captured > 0 { return row("867962100", "PAYED", ledger.captured, ledger) }
        return row("867962100", ledger.released > 0 ? "REJECTED" : "PREAUTH", first.minor, ledger)
    }

    private func refund(_ entry: HostileLedger.Entry, _ ledger: HostileLedger) -> Json {
        row("86796213\(entry.number)", "RETURN", -entry.minor, ledger)
    }

    private func row(_ id: String, _ status: String, _ minor: Int64, _ ledger: HostileLedger) -> Json {
        [
            "authCode": "111111", "billAmount": decimal(minor), "errorCode": "0", "errorMessage": "",
            "shopBillId": .string(id), "shopOrderNumber": .string(ledger.reference), "status": .string(status),
        ]
    }
}

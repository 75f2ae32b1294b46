package import Http
package import Kernel
import Payments
import Portmone

/// Portmone's JSON gateway in the words of its reference.
package struct PortmoneTableWire: HostileWire {
    /// How an account sends its payers' money on to other cards, in the account's words.
    package enum Transfers: String, Hashable, Sendable {
        case sellerToken, linkMoneyTransfer, sdk
    }

    private let transfers: Transfers

    package init(_ transfers: Transfers) { self.transfers = transfers }

    package var name: String {
        switch transfers {
        case .sellerToken: "portmone"
        case .linkMoneyTransfer: "portmone-links"
        case .sdk: "portmone-sdk"
        }
    }

    /// An account whose pages hand transfers over relays wallets; the others leave wallets to the SDK.
    package var provider: SimulatedProvider {
        SimulatedProvider(
            adapter: PortmoneAdapter(),
            settings: [
                "login": "shop", "payeeId": "1185", "pollCapSeconds": 14_400, "refundAbsenceSeconds": 7200,
                "transferMode": .string(transfers.rawValue),
                "walletMode": transfers == .sellerToken ? "relay" : "sdk",
            ],
            currency: "UAH"
        )
    }

    package let secrets: [String: Secret] = [
        "notificationKey": Secret("notice"), "password": Secret("password-1"), "signingKey": Secret("signing"),
    ]

    package var scenes: [HostileScene] {
        switch transfers {
        case .sellerToken: Self.scenes
        case .linkMoneyTransfer:
            [
                HostileScene("page", .sale, without: [.twice, .undone]), Self.page.paid(), Self.saving.paid(),
                HostileScene(
                    "transfer",
                    .transfer,
                    mode: .transfer,
                    details: ["transfer": ["recipientBillId": "77"]]
                )
                .paid(without: []),
            ]
        case .sdk:
            [
                HostileScene("sale", .sale, method: .sdk).handedOver(),
                HostileScene("hold", .authorize, mode: .authorize, method: .sdk).handedOver(),
                HostileScene("save-card", .tokenize, mode: .tokenize, method: .sdk).handedOver(),
                HostileScene("transfer", .transfer, mode: .transfer, method: .sdk).handedOver(without: []),
            ]
        }
    }

    private static let page = HostileScene("page", .sale)
    private static let saving = HostileScene("save-card", .tokenize, mode: .tokenize)

    private static let scenes = [
        HostileScene("page", .sale, without: [.twice, .undone]),
        page.paid(), HostileScene("page-hold", .authorize, mode: .authorize).paid(), saving.paid(),
        HostileScene("transfer", .transfer, mode: .transfer, details: ["transfer": ["sellerToken": "3138A"]])
            .paid(without: []),
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
        HostileScene("return", .refund, before: .captured),
        HostileScene("return-part", .refund, before: .captured, minor: 3000),
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
        case "getLinkMoneyTransfer":
            guard request.url.hasSuffix("/r3/api/gateway/") else { return nil }
            return HostileAsk(.open, reference: number, name: number, minor: kopecks(data?["billAmount"]))
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
    /// It writes to the payer's address itself.
    package let findsPayer = true

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
            guard ledger.begins == .transfer, transfers == .linkMoneyTransfer else {
                return .json(200, ["errorCode": "0", "linkPayment": "https://pay.example/r3/link/1"])
            }
            return .json(200, ["id": "1", "result": ["linkMoneyTransfer": "https://pay.example/r3/link/1"]])
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
        // A number that was paid twice has two bills.
        let begun = ledger.entries.filter { $0.kind == ledger.begins }.dropFirst()
        let others = begun.map { row("86796219\($0.number)", "PAYED", $0.minor, ledger) }
        return .json(200, .array([bill] + others + refunds))
    }

    /// The order's own row; nothing is registered before somebody pays.
    private func bill(_ ledger: HostileLedger) -> Json? {
        guard let first = ledger.entries.first else { return nil }
        if ledger.isCheck {
            if ledger.captured > 0 { return row("867962100", "PAYED", ledger.captured, ledger, token: true) }
            let word = ledger.isGivenBack ? "REJECTED" : "PREAUTH"
            return row("867962100", word, first.minor, ledger, token: true)
        }
        if ledger.transferred > 0 { return row("867962100", "PAYED", first.minor, ledger) }
        if ledger.begins == .sale, ledger.captured > 0 { return row("867962100", "PAYED", first.minor, ledger) }
        if ledger.captured > 0 { return row("867962100", "PAYED", ledger.captured, ledger) }
        return row("867962100", ledger.released > 0 ? "REJECTED" : "PREAUTH", first.minor, ledger)
    }

    private func refund(_ entry: HostileLedger.Entry, _ ledger: HostileLedger) -> Json {
        row("86796213\(entry.number)", "RETURN", -entry.minor, ledger)
    }

    private func row(
        _ id: String,
        _ status: String,
        _ minor: Int64,
        _ ledger: HostileLedger,
        token: Bool = false
    ) -> Json {
        [
            "authCode": "111111", "billAmount": decimal(minor), "cardMask": "444433******1111", "errorCode": "0",
            "errorMessage": "", "shopBillId": .string(id), "shopOrderNumber": .string(ledger.reference),
            "status": .string(status), "token": token ? "43D9EA31F1D94A1D9D2D8A3C" : "",
        ]
    }
}

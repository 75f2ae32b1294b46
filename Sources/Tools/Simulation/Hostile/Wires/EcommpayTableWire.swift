import Crypto
import Ecommpay
package import Http
package import Kernel
import Payments

/// ecommpay's Gate in the words of its reference.
package struct EcommpayTableWire: HostileWire {
    package init() {}

    package let name = "ecommpay"
    package let provider = SimulatedProvider(
        adapter: EcommpayAdapter(),
        settings: [
            "currencies": ["EUR"],
            "gateTokenPaths": ["authorize": "/v2/payment/card/auth/token", "sale": "/v2/payment/card/sale/token"],
            "pollCapSeconds": 14_400, "projectId": 42,
        ],
        currency: "EUR"
    )

    package let secrets: [String: Secret] = ["secretKey": Secret("table-key")]

    private static let payer: Json = ["payer": ["email": "payer@example.org", "ipAddress": "192.0.2.7"]]

    package let scenes = [
        HostileScene("page", .sale, details: EcommpayTableWire.payer).handedOver(without: []),
        HostileScene("page-hold", .authorize, mode: .authorize, details: EcommpayTableWire.payer)
            .handedOver(without: []),
        HostileScene("page-verify", .verify, mode: .verify, details: EcommpayTableWire.payer)
            .handedOver(without: [.undone]),
        HostileScene("page-tokenize", .tokenize, mode: .tokenize, details: EcommpayTableWire.payer)
            .handedOver(without: [.twice, .undone, .otherAmount]),
        HostileScene("charge", .sale, method: .instrument, details: EcommpayTableWire.payer, isOccurrence: true),
        HostileScene(
            "hold",
            .authorize,
            mode: .authorize,
            method: .instrument,
            details: EcommpayTableWire.payer,
            isOccurrence: true
        ),
        HostileScene("capture", .capture, mode: .authorize, before: .held, details: EcommpayTableWire.payer),
        HostileScene(
            "capture-part",
            .capture,
            mode: .authorize,
            before: .held,
            minor: 3000,
            details: EcommpayTableWire.payer
        ),
        HostileScene(
            "cancel",
            .void,
            mode: .authorize,
            before: .held,
            details: EcommpayTableWire.payer,
            without: [.twice, .otherAmount]
        ),
        HostileScene("refund", .refund, before: .captured, details: EcommpayTableWire.payer),
        HostileScene("refund-part", .refund, before: .captured, minor: 3000, details: EcommpayTableWire.payer),
    ]

    package func read(_ request: OutgoingRequest) -> HostileAsk? {
        guard request.method == .post, let body = try? Json(request.body) else { return nil }
        let path = request.url.split(separator: "/").dropFirst(2)
        guard path.prefix(2) == ["v2", "payment"] else { return nil }
        let number = body.at("general", "payment_id")?.text
        let minor = body.at("payment", "amount")?.integer
        switch path.dropFirst(2).joined(separator: "/") {
        case "status": return HostileAsk(.look, reference: number)
        case "card/sale/token": return HostileAsk(.move(.sale), reference: number, name: number, minor: minor)
        case "card/auth/token": return HostileAsk(.move(.authorize), reference: number, name: number, minor: minor)
        case "card/capture": return HostileAsk(.move(.capture), reference: number, minor: minor)
        case "card/cancel": return HostileAsk(.move(.void), reference: number, minor: minor)
        case "card/refund":
            let name = body.at("payment", "merchant_refund_id")?.text
            return HostileAsk(.move(.refund), reference: number, name: name, minor: minor)
        default: return nil
        }
    }

    package func knowsName(of purpose: HostileAsk.Purpose) -> Bool { true }
    package let releasesRest = false

    /// Refusals are told by a code, whatever the status.
    package func documents(_ status: Int, _ body: HostileAnswer.Body, of scene: HostileScene) -> Bool {
        body == .json && [400, 401, 403, 404, 409, 422].contains(status)
    }
    package var oddBody: Json { ["code": "99999", "message": "Unheard of", "status": "error"] }

    private func error(_ code: String) -> HttpResponse {
        .json(400, ["code": .string(code), "message": "Refused", "project_id": 42, "status": "error"])
    }

    package func known(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        switch ask.purpose {
        case .move(.refund): error("3230")
        case .move, .open, .look, .other: error("3041")
        }
    }

    package func success(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        .json(
            200,
            [
                "payment_id": .string(ledger.reference), "project_id": 42, "request_id": "r-1", "status": "success",
            ]
        )
    }

    package func refusals(_ scene: HostileScene) -> [(name: String, response: HttpResponse)] {
        [("signature-3261", error("3261")), ("invalid-3001", error("3001"))]
    }

    package func absent(_ ask: HostileAsk) -> HttpResponse {
        .json(200, ["errors": [["code": "3061", "message": "Transaction not found"]], "project_id": 42])
    }

    package func look(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        // What saves a card alone is no payment.
        guard !ledger.entries.isEmpty, ledger.begins != .tokenize else { return absent(ask) }
        return .json(200, message(ledger))
    }

    /// The payment with all its operations.
    private func message(_ ledger: HostileLedger) -> Json {
        let word: String
        if ledger.refunded > 0 {
            word = ledger.refunded >= ledger.captured ? "refunded" : "partially refunded"
        } else if ledger.captured > 0 || ledger.isChecked {
            word = "success"
        } else {
            word = ledger.released > 0 ? "cancelled" : "awaiting capture"
        }
        return .compact([
            ("account", ledger.keepsCard ? ["number": "431422******0056", "token": .string(Self.token)] : nil),
            ("operations", .array(ledger.entries.map { operation($0, ledger) })),
            ("payment", ["id": .string(ledger.reference), "method": "card", "status": .string(word)]),
            ("project_id", 42),
        ])
    }

    private static let token = String(repeating: "a1b2c3d4", count: 8)

    // MARK: Callbacks

    package let tells = true

    /// A callback about the payment, or about the token where it saves a card alone; that one names the payment in its
    /// address.
    package func notice(_ ledger: HostileLedger) -> HttpRequest? {
        let body: Json =
            ledger.begins == .tokenize
            ? [
                "customer": ["id": "customer"], "project_id": 42, "request": ["id": "r-1", "status": "success"],
                "token": .string(Self.token), "token_status": "active",
            ] : message(ledger)
        guard var signed = body.members else { return nil }
        signed["signature"] = .string(signature(body))
        return HttpRequest(
            method: .post,
            target: "/callback?payment=\(ledger.reference)",
            body: Json.object(signed).compactBytes
        )
    }

    /// The leaves by their paths in order, under the key's text.
    private func signature(_ body: Json) -> String {
        func leaves(_ json: Json, _ path: String) -> [String] {
            let parent = path.isEmpty ? "" : "\(path):"
            if let items = json.items { return items.enumerated().flatMap { leaves($1, "\(parent)\($0)") } }
            if let object = json.members { return object.members.flatMap { leaves($0.value, parent + $0.name) } }
            return ["\(path):\(json.scalarText ?? "")"]
        }
        let text = leaves(body, "").sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let key = secrets["secretKey"] ?? Secret("")
        return Base64.encode(Hmac.sha512(key: key, Array(text.joined(separator: ";").utf8)))
    }

    private func operation(_ entry: HostileLedger.Entry, _ ledger: HostileLedger) -> Json {
        let type: String
        switch entry.kind {
        case .authorize: type = "auth"
        case .capture: type = "capture"
        case .void: type = "cancel"
        case .refund: type = "refund"
        case .verify: type = "account verification"
        case .sale, .tokenize, .transfer, .refundReversal: type = "sale"
        }
        let date = Json.string(String(entry.at.wholeSeconds.dropLast()) + "+0000")
        return .compact([
            ("code", "0"), ("created_date", date), ("date", date),
            ("id", .integer(5_028_800_010_128_000 + Int64(entry.number))),
            ("merchant_refund_id", entry.kind == .refund ? entry.ours.map(Json.string) : nil), ("status", "success"),
            ("sum_initial", ["amount": .integer(entry.minor), "currency": .string(ledger.currency.code)]),
            ("type", .string(type)),
        ])
    }
}

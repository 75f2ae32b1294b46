import Dolyame
package import Http
package import Kernel
import Payments

/// Dolyame's Partner API in the words of its reference.
package struct DolyameTableWire: HostileWire {
    package init() {}

    package let name = "dolyame"
    package let provider = SimulatedProvider(
        adapter: DolyameAdapter(),
        settings: ["login": "shop", "pollCapSeconds": 14_400],
        currency: "RUB"
    )

    package let secrets: [String: Secret] = [
        "clientCertificate": Secret("certificate"), "clientKey": Secret("key"), "password": Secret("password-1"),
    ]

    private static let basket: Json = items(10)
    private static let part: Json = items(3)

    private static func items(_ quantity: Int64) -> Json {
        ["items": [["name": "Ball", "price": "10.00", "quantity": .integer(quantity)]]]
    }

    package let scenes =
        [
            HostileScene(
                "order",
                .authorize,
                mode: .authorize,
                details: DolyameTableWire.basket,
                without: [.twice, .undone]
            ),
            HostileScene(
                "commit",
                .capture,
                mode: .authorize,
                before: .held,
                details: DolyameTableWire.basket,
                without: [.twice]
            ),
            HostileScene(
                "commit-part",
                .capture,
                mode: .authorize,
                before: .held,
                minor: 3000,
                details: DolyameTableWire.basket,
                commandDetails: DolyameTableWire.part
            ),
            HostileScene(
                "cancel",
                .void,
                mode: .authorize,
                before: .held,
                details: DolyameTableWire.basket,
                without: [.twice, .otherAmount]
            ),
        ] + [
            HostileScene(
                "refund",
                .refund,
                mode: .authorize,
                before: .captured,
                details: DolyameTableWire.basket
            ),
            HostileScene(
                "refund-part",
                .refund,
                mode: .authorize,
                before: .captured,
                minor: 3000,
                details: DolyameTableWire.basket,
                commandDetails: DolyameTableWire.part
            ),
        ]

    package func read(_ request: OutgoingRequest) -> HostileAsk? {
        let path = request.url.split(separator: "/").map(String.init).dropFirst(4)
        let body = try? Json(request.body)
        guard request.url.contains("/v1/orders/"), let last = path.last else { return nil }
        switch (request.method, last) {
        case (.post, "create"):
            let number = body?.at("order", "id")?.text
            return HostileAsk(.open, reference: number, name: number, minor: kopecks(body?.at("order", "amount")))
        case (.get, "info"): return HostileAsk(.look, reference: path.first)
        case (.post, "commit"): return HostileAsk(.move(.capture), minor: kopecks(body?["amount"]))
        case (.post, "cancel"): return HostileAsk(.move(.void))
        case (.post, "refund"): return HostileAsk(.move(.refund), minor: kopecks(body?["amount"]))
        default: return nil
        }
    }

    /// Only an order has a name of ours.
    package func knowsName(of purpose: HostileAsk.Purpose) -> Bool { purpose == .open }
    package let releasesRest = true

    package func documents(_ status: Int, _ body: HostileAnswer.Body, of scene: HostileScene) -> Bool {
        body == .json && [400, 401, 403, 404, 422].contains(status) || status == 429
    }
    package func isUnread(_ answer: HostileAnswer) -> Bool { answer == .status(429, .json) }
    package var oddBody: Json { ["code": "UNHEARD_OF", "message": "?"] }

    package func known(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse { error(409, "CONFLICT") }

    private func error(_ status: Int, _ code: String, detail: String? = nil) -> HttpResponse {
        .json(
            status,
            .compact([
                ("code", .string(code)), ("errorDetailCode", detail.map(Json.string)), ("message", "Refused"),
            ])
        )
    }

    private func kopecks(_ json: Json?) -> Int64? {
        guard let text = json?.scalarText, let rubles = Currency("RUB") else { return nil }
        return try? Money(decimal: text, rubles).minor
    }

    private func rubles(_ minor: Int64) -> Json {
        let text = "\(minor / 100).\(minor % 100 < 10 ? "0" : "")\(minor % 100)"
        return (try? Json(Array(text.utf8))) ?? .null
    }

    package func success(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        guard case .move(.refund) = ask.purpose else { return .json(200, order(ledger)) }
        let id = ledger.entries.last { $0.kind == .refund }?.number ?? 0
        return .json(
            200,
            ["amount": rubles(max(0, ledger.captured - ledger.refunded)), "refund_id": .string("r-\(id)")]
        )
    }

    package func refusals(_ scene: HostileScene) -> [(name: String, response: HttpResponse)] {
        guard scene.before != .nothing else { return [("bad-400", error(400, "BAD_REQUEST"))] }
        return [
            ("conflict-409", error(409, "CONFLICT")),
            ("money-422", error(422, "UNPROCESSABLE_ENTITY", detail: "NOT_ENOUGH_MONEY")),
        ]
    }

    package func absent(_ ask: HostileAsk) -> HttpResponse { error(404, "NOT_FOUND") }

    package func look(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse {
        ledger.isEmpty ? absent(ask) : .json(200, order(ledger))
    }

    private func order(_ ledger: HostileLedger) -> Json {
        let refunds: [Json] = ledger.entries.filter { $0.kind == .refund }.map { entry in
            [
                "refund_id": .string("r-\(entry.number)"), "refunded_amount": rubles(entry.minor),
                "refunded_prepaid_amount": 0, "status": "processed",
            ]
        }
        let word: String
        if ledger.captured > 0 {
            word = "committed"
        } else if ledger.released > 0 {
            word = "canceled"
        } else {
            word = ledger.authorized > 0 ? "wait_for_commit" : "new"
        }
        let amount = ledger.captured > 0 ? ledger.captured : ledger.order ?? 0
        return .compact([
            ("amount", rubles(amount)), ("link", "https://dolyame.example/order/1"),
            ("refund_info", ["items": .array(refunds), "total_refunded_amount": rubles(ledger.refunded)]),
            ("residual_amount", rubles(max(0, amount - ledger.refunded))), ("status", .string(word)),
        ])
    }
}

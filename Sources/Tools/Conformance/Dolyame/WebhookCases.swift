import Conformance
import Dolyame
import Http
import Kernel
import Payments
import ProviderKit

/// Where a notification comes from, and what becomes of it.
enum WebhookCases {
    static func sourceNetwork(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        func networks(_ name: String) -> [SourceNetwork]? {
            input[name]?.items?.compactMap { $0.text.flatMap { SourceNetwork($0) } }
        }
        let client = SourceChain.client(
            peer: (input["peer"] ?? input["remote_ip"])?.text ?? "",
            forwarded: [input["x_forwarded_for"]?.text].compactMap(\.self),
            trusted: networks("trusted_proxies") ?? []
        )
        let allowed = networks("cidrs") ?? DolyameSettings.defaultNetworks.compactMap { SourceNetwork($0) }
        return Comparison.violations(
            item["expect"],
            [
                "allowed": .bool(client.map { here in allowed.contains { $0.contains(here) } } ?? false),
                "client_ip": client.map { .string("\($0)") } ?? .null,
            ]
        )
    }

    static func webhook(_ item: Json) -> [String] {
        let body = Array((item["body_raw"]?.text ?? "").utf8)
        var request = HttpRequest(method: .post, target: "/", body: body)
        request.peerAddress = item["remote_ip"]?.text
        if let chain = item["x_forwarded_for"]?.text { request.head.headers.append("X-Forwarded-For", chain) }
        let bench = BenchAccount()
        let adapter = DolyameAdapter()
        let status: Int
        var isStored = false
        switch adapter.authenticate(request, bench.account, bench.materials.secrets) {
        case .rejected(let reason): status = adapter.reply(.rejected(reason: reason), to: request).status
        case .verified, .unsigned, .unrecognised:
            isStored = true
            status = adapter.reply(.stored, to: request).status
        }
        var actual: [String: Json] = [
            "http": .integer(Int64(status)), "stored": .bool(isStored), "follow_up": .null, "transition": false,
        ]
        var found: [String] = []
        if isStored {
            // What leads to no payment waits in the account's arrivals, where somebody is told.
            let isKnown = item["order_known"]?.flag ?? true
            let heard = isKnown ? hear(item, body, bench) : Heard(isAlert: true)
            actual["follow_up"] = heard.asks ? "info" : .null
            actual["alert"] = .bool(heard.isAlert)
            actual["transition"] = .bool(heard.hasMoved)
            found = heard.violations
        }
        return found + Comparison.violations(item["expect"], actual)
    }

    /// A payment's reaction to a notification.
    private struct Heard {
        var asks = false
        var isAlert = false
        var hasMoved = false
        var violations: [String] = []
    }

    /// Tells a payment of that order.
    private static func hear(_ item: Json, _ body: [UInt8], _ bench: BenchAccount) -> Heard {
        guard let json = (try? Json(body))?.members else { return Heard() }
        let amount = json["amount"].flatMap { try? Rubles.kopecks($0) } ?? 100
        let number = CaseNumber(item, told: json["id"]?.text, fallback: BenchAccount.order)
        guard var story = Story(kopecks: amount, account: bench, number: number.text) else { return Heard() }
        let before = (story.word, story.payment.status)
        let asks = story.asks(after: body)
        return Heard(
            asks: asks,
            isAlert: story.isAlert,
            hasMoved: (story.word, story.payment.status) != before,
            violations: number.violations(story.lastFacts)
        )
    }
}

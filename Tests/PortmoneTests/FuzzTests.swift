import Kernel
import Payments
import Portmone
import ProviderKit
import TestKit
import Testing

/// Whatever comes in, the adapter answers and nothing is taken for proof.
struct FuzzTests {
    private static let seeds: [[UInt8]] = [
        Json.array([Shop.row("PAYED"), Shop.row("RETURN", "-9", id: "502")]).compactBytes,
        Shop.row("REJECTED").compactBytes,
        Json(dictionaryLiteral: ("errorCode", "0"), ("linkPayment", "https://p.example/a")).compactBytes,
        Json(dictionaryLiteral: ("result", Shop.row("CREATED", with: [("isNeed3DS", "Y"), ("md", "m")]))).compactBytes,
        Array(Shop.noticeXml.utf8),
        Array(
            ("<?xml version=\"1.0\"?><portmoneresult><orders type=\"list\"><order><shop_bill_id>501</shop_bill_id>"
                + "<status>PAYED</status><bill_amount>100</bill_amount><error_message><![CDATA[x]]></error_message>"
                + "</order></orders></portmoneresult>").utf8
        ),
        Array("data=%3CBILLS%3E%3CBILL%3E%3CBILL_ID%3E1%3C%2FBILL_ID%3E%3C%2FBILL%3E%3C%2FBILLS%3E".utf8),
    ]

    /// A body that is broken at random: bytes changed, cut, replaced, or all new.
    private static func body(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 1: return Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        case 2:
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...20, using: &random))
            bytes.replaceSubrange(start..<end, with: Array("{}[]\",:<>&;/%-".utf8).shuffled(using: &random).prefix(4))
        case 3:
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        default:
            let words = ["null", "\"\"", "[]", "{}", "-1", "1e9", "99999999999999999999", "-9223372036854775808", " "]
            let text = String(decoding: bytes, as: UTF8.self)
            let from = ["100", "PAYED", "\"501\"", "pay-7", "-9", "order", "BILL"].randomElement(using: &random) ?? ""
            return Array(text.replacing(from, with: words.randomElement(using: &random) ?? "").utf8)
        }
        return bytes
    }

    @Test func `any body is interpreted without an end of the process`() throws {
        print("portmone fuzz, interpret: seed 1101")
        let purposes: [DispatchPurpose] = [
            .query, .operation(.refund), .operation(.capture), .operation(.void), .operation(.sale),
        ]
        try forAll(runs: 4000, seed: 1101) { random in
            let body = Self.body(&random)
            let mode = [PaymentMode.sale, .authorize, .tokenize].randomElement(using: &random) ?? .sale
            let known = Bool.random(using: &random) ? [Shop.seen(mode.operation)] : []
            let account = Shop.settings(mode: Bool.random(using: &random) ? .live : .liveAutoCancel)
            let context = Shop.context(mode, account: account, known: known)
            let purpose = purposes.randomElement(using: &random) ?? .query
            let status = [200, 201, 204, 302, 400, 500].randomElement(using: &random) ?? 200
            let facts = Shop.adapter.interpret(
                .answered(purpose, status: status, headers: [:], body: body),
                context
            )
            var view = PortmoneStates.view()
            _ = view.apply(known.map(Fact.operation) + facts)
            #expect(facts.contains { if case .dispatch = $0 { true } else { false } })
            _ = BillAnswer(body)
        }
    }

    @Test func `no notification is ever verified and none moves money`() throws {
        print("portmone fuzz, authenticate: seed 2202")
        try forAll(runs: 4000, seed: 2202) { random in
            let body = Self.body(&random)
            let request = Shop.notice(String(decoding: body, as: UTF8.self))
            switch Shop.adapter.authenticate(request, Shop.settings(), AccountSecrets(Shop.secrets)) {
            case .verified: Issue.record("an unsigned notification was verified")
            case .unsigned, .unrecognised, .rejected: break
            }
            #expect(Shop.adapter.interpret(.notification(body: body), Shop.context()) == [])
            _ = Shop.adapter.reply(.stored, to: request)
        }
    }
}

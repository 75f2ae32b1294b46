import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing
import WorldlineDirect

/// Whatever comes in, the adapter answers and nothing is taken for the provider's own.
struct FuzzTests {
    private static let seeds: [[UInt8]] = [
        Message.event("payment.captured", Message.payment("CAPTURED", 9)).compactBytes,
        Json.array([Message.event("payment.captured", Message.payment("CAPTURED", 9))]).compactBytes,
        Message.payment(
            "CAPTURED",
            9,
            operations: [
                Message.entry("3254564310_0", "PENDING_CAPTURE", 5, amount: 1999),
                Message.entry("3254564310_1", "CAPTURED", 9, amount: 1999, reference: "op-7-1"),
            ]
        ).compactBytes,
        Json(
            dictionaryLiteral: ("errors", [["errorCode": "30511001"]]),
            ("paymentResult", ["payment": Message.payment("REJECTED", 2)])
        ).compactBytes,
        Json(
            dictionaryLiteral: ("merchantAction", ["actionType": "REDIRECT", "redirectData": ["redirectURL": "x"]]),
            ("payment", Message.payment("REDIRECTED", 46))
        ).compactBytes,
        Json(dictionaryLiteral: ("hostedCheckoutId", "1"), ("redirectUrl", "https://x.example")).compactBytes,
        Json(dictionaryLiteral: ("status", "PAYMENT_CREATED"), ("createdPaymentOutput", [:])).compactBytes,
    ]

    /// A body that is broken at random: bytes changed, cut, doubled, or all new.
    private static func body(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 1: return Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        case 2:
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...20, using: &random))
            bytes.replaceSubrange(start..<end, with: Array("{}[]\",:0e-null".utf8).shuffled(using: &random).prefix(4))
        case 3:
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        default:
            let words = [
                "null", "\"\"", "[]", "{}", "-1", "1e9", "9223372036854775807", "true", "\"_0\"", "\"\\u0000\"",
            ]
            let text = String(decoding: bytes, as: UTF8.self)
            let from =
                ["1999", "\"EUR\"", "\"CAPTURED\"", "9", "\"3254564310_0\"", "\"pay-7\""].randomElement(using: &random)
                ?? ""
            return Array(text.replacing(from, with: words.randomElement(using: &random) ?? "").utf8)
        }
        return bytes
    }

    @Test func `any body is interpreted without an end of the process`() throws {
        print("worldline fuzz, interpret: seed 1001")
        try forAll(runs: 4000, seed: 1001) { random in
            let body = Self.body(&random)
            let mode = [PaymentMode.sale, .authorize].randomElement(using: &random) ?? .sale
            let method = PaymentMethod.allCases.randomElement(using: &random) ?? .sdk
            let context = Shop.context(mode, method)
            var view = WorldlineStates.view()
            _ = view.apply(Shop.adapter.interpret(.notification(body: body), context))
            let purposes: [DispatchPurpose] = [
                .query, .operation(.refund), .operation(.capture), .operation(.void), .operation(mode.operation),
            ]
            let purpose = purposes.randomElement(using: &random) ?? .query
            let status = [200, 201, 400, 402, 403, 404, 409, 500].randomElement(using: &random) ?? 200
            let facts = Shop.adapter.interpret(
                .answered(purpose, status: status, headers: [:], body: body),
                context
            )
            _ = view.apply(facts)
            #expect(facts.contains { if case .dispatch = $0 { true } else { false } })
        }
    }

    @Test func `no broken body is verified`() throws {
        print("worldline fuzz, authenticate: seed 2002")
        let secrets = AccountSecrets(["webhookKeys": Secret(Shop.webhookKeys)])
        try forAll(runs: 4000, seed: 2002) { random in
            let genuine = Self.seeds.randomElement(using: &random) ?? []
            var request = Message.request(genuine)
            request.body = Self.body(&random)
            guard case .verified = Shop.adapter.authenticate(request, Shop.settings(), secrets) else { return }
            #expect(request.body == genuine)
        }
    }
}

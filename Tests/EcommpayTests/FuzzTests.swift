import Ecommpay
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Whatever comes in, the adapter answers and nothing is taken for the provider's own.
struct FuzzTests {
    private static let secrets = AccountSecrets(["secretKey": Secret(Shop.key)])

    private static let seeds: [[UInt8]] = [
        Callback().signed(),
        Callback(type: "auth", status: "decline", payment: "awaiting customer", code: "10105").signed(),
        Callback(type: "refund", changes: [("clarification_fields", ["a": ["b"]])]).signed(),
        Json(dictionaryLiteral: ("project_id", 42), ("errors", [["code": "3061"]])).compactBytes,
        Json(
            dictionaryLiteral: ("project_id", 42),
            ("payment", ["id": "pay-7", "status": "success"]),
            ("operations", [["id": 1, "type": "sale", "status": "success"]])
        ).compactBytes,
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
            let words = ["null", "\"\"", "[]", "{}", "-1", "1e9", "9999999999999999999", "true", "\"\\u0000\""]
            let text = String(decoding: bytes, as: UTF8.self)
            let from =
                ["1999", "\"EUR\"", "\"sale\"", "\"success\"", "42", "\"pay-7\""].randomElement(using: &random) ?? ""
            return Array(text.replacing(from, with: words.randomElement(using: &random) ?? "").utf8)
        }
        return bytes
    }

    @Test func `any body is interpreted without an end of the process`() throws {
        print("ecommpay fuzz, interpret: seed 1001")
        try forAll(runs: 4000, seed: 1001) { random in
            let body = Self.body(&random)
            let context = Shop.context(PaymentMode.allCases.randomElement(using: &random) ?? .sale)
            var view = EcommpayStates.view()
            _ = view.apply(Shop.adapter.interpret(.notification(body: body), context))
            let purposes: [DispatchPurpose] = [.query, .operation(.refund), .operation(.capture)]
            let purpose = purposes.randomElement(using: &random) ?? .query
            let status = [200, 400, 403, 404, 500].randomElement(using: &random) ?? 200
            let facts = Shop.adapter.interpret(
                .answered(purpose, status: status, headers: [:], body: body),
                context
            )
            _ = view.apply(facts)
            #expect(facts.contains { if case .dispatch = $0 { true } else { false } })
        }
    }

    @Test func `no broken body is verified`() throws {
        print("ecommpay fuzz, authenticate: seed 2002")
        let genuine = try Self.seeds.map { try Json($0) }
        try forAll(runs: 4000, seed: 2002) { random in
            let body = Self.body(&random)
            let verdict = Shop.adapter.authenticate(Callback.request(body), Shop.settings(), Self.secrets)
            guard case .verified = verdict else { return }
            // Only what signs alike may pass: the content of a seed, whatever its JSON types.
            let leaves = Set(Callback.leaves(try Json(body)))
            #expect(genuine.contains { Set(Callback.leaves($0)) == leaves })
        }
    }

    @Test func `any device string is refused or is ours`() throws {
        let terms = Shop.terms(.sale, .sdk, description: "a:b;c")
        let template = try Shop.plan(Shop.dispatch(.handover), terms)
        let ours =
            "customer_id:cust-7;payment_amount:1999;payment_currency:EUR;payment_description:a:b;c;"
            + "payment_id:pay-7;project_id:42"
        let expected = try Shop.adapter.sign(ours, template, Shop.materials())
        print("ecommpay fuzz, sign: seed 3003")
        try forAll(runs: 4000, seed: 3003) { random in
            var bytes = Array(ours.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 32...126, using: &random)
            }
            let device = String(decoding: bytes, as: UTF8.self)
            if let signed = try? Shop.adapter.sign(device, template, Shop.materials()) {
                #expect(signed == expected)
            }
        }
    }
}

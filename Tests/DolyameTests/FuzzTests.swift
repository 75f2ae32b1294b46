import Conformance
import Dolyame
import DolyameConformance
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Whatever comes in, the adapter answers and the process goes on.
struct FuzzTests {
    private static let seeds: [[UInt8]] = [
        Shop.order("committed", refunds: [("r-1", "600.00"), ("r-2", "1.5")]), Shop.order("canceled"),
        Array("{\"id\":\"\(Shop.reference)\",\"status\":\"approved\",\"amount\":7000.00,\"demo\":false}".utf8),
        Array("{\"amount\":6400.00,\"refund_id\":\"r-1\"}".utf8),
        Array("{\"code\":\"CONFLICT\",\"message\":\"m\",\"details\":{\"a\":\"b\"}}".utf8),
    ]

    /// A body that is broken at random: bytes changed, cut, replaced, or all new.
    private static func body(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 1: return Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        case 2:
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            return bytes
        default:
            let words = [
                "null", "\"\"", "[]", "{}", "-1", "1e9", "9223372036854775807", "92233720368547758.07", "-0.01",
                "1e-30", "1e30", "true", "\"\\u0000\"",
            ]
            let from =
                ["7000.00", "600.00", "\"committed\"", "\"r-1\"", "1.5", "\"approved\""].randomElement(using: &random)
                ?? ""
            let word = words.randomElement(using: &random) ?? ""
            return Array(String(decoding: bytes, as: UTF8.self).replacing(from, with: word).utf8)
        }
    }

    @Test func `any body is interpreted without an end of the process`() throws {
        print("dolyame fuzz, interpret: seed 1001")
        let known: [[ProviderOperation]] = [
            [], [Shop.seen("hold", .authorize)], [Shop.seen("hold", .authorize), Shop.seen("commit", .capture)],
        ]
        try forAll(runs: 4000, seed: 1001) { random in
            let body = Self.body(&random)
            let settings = Shop.settings([("amountAfterRefund", "reduced")])
            let context = Shop.context(Shop.terms(), settings, known: known.randomElement(using: &random) ?? [])
            var view = DolyameStates.view()
            _ = view.apply(Shop.adapter.interpret(.notification(body: body), context))
            let purposes: [DispatchPurpose] = [
                .query, .operation(.authorize), .operation(.refund), .operation(.capture), .operation(.void),
            ]
            let status = [200, 400, 404, 409, 422, 429, 500].randomElement(using: &random) ?? 200
            let facts = Shop.answer(purposes.randomElement(using: &random) ?? .query, body, status: status, context)
            _ = view.apply(facts)
            #expect(facts.contains { if case .dispatch = $0 { true } else { false } })
        }
    }

    @Test func `no notification is ever taken for proved`() throws {
        print("dolyame fuzz, authenticate: seed 2002")
        try forAll(runs: 4000, seed: 2002) { random in
            var request = HttpRequest(method: .post, target: "/", body: Self.body(&random))
            let octets = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Array("0123456789abcdef:./,% ".utf8).randomElement(using: &random) ?? 0
            }
            let isGenuine = Bool.random(using: &random)
            request.peerAddress = isGenuine ? "91.194.226.9" : String(decoding: octets, as: UTF8.self)
            switch Shop.adapter.authenticate(request, Shop.settings(), AccountSecrets([:])) {
            case .verified: Issue.record("verified")
            case .unsigned, .unrecognised: #expect(isGenuine)
            case .rejected: break
            }
        }
    }

    @Test func `any discount that fits keeps the units and the sum`() throws {
        try forAll(runs: 500, seed: 3003) { random in
            let lines = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (Int64.random(in: 1...9, using: &random), Int64.random(in: 0...99999, using: &random))
            }
            let sum = lines.reduce(0) { $0 + $1.0 * $1.1 }
            let total = Int64.random(in: 0...sum, using: &random)
            func decimal(_ kopecks: Int64) -> Json { .string(Shop.rubles(kopecks)?.decimal ?? "") }
            let items = lines.map { line -> Json in ["quantity": .integer(line.0), "price": decimal(line.1)] }
            let item: Json = [
                "input": ["items": .array(items), "payable_total": decimal(total)],
                "expect": ["sum": decimal(total), "every_price_two_decimals": true],
            ]
            #expect(DolyameSuite().violations(kind: "discount_spreading", item: item, file: [:]) == [])
        }
    }
}

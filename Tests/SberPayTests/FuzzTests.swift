import Http
import Kernel
import Payments
import ProviderKit
import SberPay
import TestKit
import Testing

/// Whatever comes in, the adapter answers and nothing is taken for the bank's own.
struct FuzzTests {
    private static let seeds: [[UInt8]] = [
        Shop.status(2, approved: 19900, deposited: 19900), Shop.status(4, approved: 19900, refunded: 500),
        Shop.status(6, actionCode: 116), Array(#"{"orderId":"a","formUrl":"https://a.example"}"#.utf8),
        Array("mdOrder=a&orderNumber=pay-7&operation=deposited&status=1&checksum=00".utf8),
        Array(#"{"mdOrder":"a","orderNumber":"pay-7","operation":"created","status":1}"#.utf8),
    ]

    /// A body that is broken at random: bytes changed, cut, doubled, or all new.
    private static func body(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
        for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place...)
            case 2: bytes.insert(contentsOf: bytes[place...].prefix(24), at: place)
            case 3: bytes.insert(contentsOf: Array("9223372036854775807".utf8), at: place)
            default: bytes = (0..<place).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
        }
        return bytes
    }

    @Test func `no body breaks the reading`() throws {
        print("sberpay fuzz, interpret: seed 3101")
        let modes = PaymentMode.allCases
        try forAll(runs: 4000, seed: 3101) { random in
            let bytes = Self.body(&random)
            let mode = modes[Int.random(in: 0..<modes.count, using: &random)]
            let context = Shop.context(
                mode,
                order: Bool.random(using: &random) ? Shop.opened() : nil,
                dialect: Bool.random(using: &random) ? "ecom" : "legacy",
                operations: [Shop.known(.sale, moved: .max), Shop.known(.refund, moved: .max)]
            )
            let status = Bool.random(using: &random) ? 200 : Int.random(in: 100...599, using: &random)
            for purpose in [DispatchPurpose.query, .operation(mode.operation), .operation(.refund), .handover] {
                let facts = Shop.answered(bytes, context, purpose, status: status)
                var view = SberPayStates.view()
                _ = view.apply(facts)
                if status != 200 { #expect(facts.operations == []) }
            }
            #expect(Shop.adapter.interpret(.notification(body: bytes), context).operations == [])
        }
    }

    @Test func `no body is taken for the bank's`() throws {
        print("sberpay fuzz, authenticate: seed 3102")
        let secrets = AccountSecrets(["callbackToken": Secret(Shop.token)])
        let settings = Shop.settings("legacy", [("callbackMode", "hmac")])
        try forAll(runs: 4000, seed: 3102) { random in
            let bytes = Self.body(&random)
            let isQuery = Bool.random(using: &random)
            let text = String(decoding: bytes.filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
            let request = HttpRequest(
                method: isQuery ? .get : .post,
                target: isQuery ? "/n?\(text)" : "/n",
                body: isQuery ? [] : bytes
            )
            if case .rejected = Shop.adapter.authenticate(request, settings, secrets) { return }
            Issue.record("taken: \(text)")
        }
    }
}

import Crypto
import Http
import Kernel
import Payments
import ProviderKit
import SberPay
import Testing

/// What the gateway's words hide, as its reference and its callbacks tell.
struct KnownSberFailureTests {
    private func facts(_ body: [UInt8]) -> [Fact] { Shop.answered(body, Shop.context(.sale, order: Shop.opened())) }

    @Test func `sber: amounts decide and not the status alone`() {
        for (body, state, refunded) in [
            (Shop.status(4, approved: 19900, deposited: 19400, refunded: 500), ProviderState.partlyReturned, 500),
            (Shop.status(4, approved: 19900, refunded: 19900), .returned, 19900),
        ] as [([UInt8], ProviderState, Int64)] {
            var view = SberPayStates.view()
            _ = view.apply(facts(body))
            #expect(view.state == state && view.refunded == refunded)
        }
        let failedTry = facts(Shop.status(0, actionCode: 116))
        #expect(!failedTry.contains { if case .attempt(.closed) = $0 { true } else { false } })
        #expect(failedTry.operations.allSatisfy { !$0.outcome.isFinal })
    }

    @Test func `sber: sign_alias names the digest wrongly, and the account's setting counts`() {
        let settings = Shop.settings("legacy", [("callbackMode", "hmac")])
        let pairs = [
            (name: "mdOrder", value: Shop.orderId), (name: "orderNumber", value: "pay-7"),
            (name: "operation", value: "deposited"), (name: "status", value: "1"),
        ]
        let text = pairs.sorted { $0.name < $1.name }.map { "\($0.name);\($0.value);" }.joined()
        let checksum = Hex.encode(Hmac.sha256(key: Secret(Shop.token), Array(text.utf8))).uppercased()
        for alias in ["SHA-512 with RSA", "SHA-256 with RSA", "anything"] {
            let query = FormEncoding.encode(
                pairs + [(name: "sign_alias", value: alias), (name: "checksum", value: checksum)]
            )
            let read = Shop.adapter.authenticate(
                HttpRequest(method: .get, target: "/n?\(query)", body: []),
                settings,
                AccountSecrets(["callbackToken": Secret(Shop.token)])
            )
            guard case .verified = read else {
                Issue.record("not verified: \(alias)")
                continue
            }
        }
    }
}

import Kernel
import Payments
import Portmone
import ProviderKit
import Testing

/// What is refused before anything moved.
struct RefusalTests {
    private func code(
        _ terms: PaymentTerms,
        _ changes: [(String, Json)] = []
    ) -> String? {
        do { try Shop.adapter.check(terms, Shop.settings(changes), at: Shop.now) } catch { return error.code }
        return nil
    }

    @Test func `a refusal that names a member twice is in the provider's form, too`() {
        let form = Shop.adapter.declaration.refusals
        #expect(form.holds(400, Array(#"{"error": {"code": "14", "code": "14"}}"#.utf8)))
        #expect(!form.holds(400, Array(#"{"error": {"code": "14", "code": "15"}}"#.utf8)))
        #expect(!form.holds(400, Array("<html></html>".utf8)))
    }

    @Test func `currencies, modes and methods outside the account are refused`() {
        #expect(code(Shop.terms()) == nil)
        #expect(code(Shop.terms(currency: "USD")) == "currency_not_supported")
        #expect(code(Shop.terms(currency: "USD"), [("currencies", ["UAH", "USD"])]) == nil)
        #expect(code(Shop.terms(.verify)) == "mode_not_supported")
        #expect(code(Shop.terms(.sale, .sdk), [("methods", ["hosted"])]) == "method_not_supported")
        #expect(code(Shop.terms(.tokenize, .hosted, customer: nil)) == "customer_missing")
    }

    @Test func `the parts of a split payment make up the amount exactly`() {
        let parts: Json = ["split": [["payeeId": "1", "amount": 9999]]]
        #expect(code(Shop.terms(details: parts)) == "split_sum_differs")
        let odd: Json = ["split": [["payeeId": "1", "amount": 10_000, "description": "a;b"]]]
        #expect(code(Shop.terms(details: odd)) == "details_invalid")
    }

    @Test(arguments: [("100.00", false), ("100.01", true), ("0.00", false)])
    func `the CVV is spared strictly below the ceiling`(_ row: (String, Bool)) {
        let terms = Shop.terms(.sale, .instrument, details: ["withoutCvv": true])
        let permitted: [(String, Json)] = [
            ("permissions", ["withoutCvv": true]), ("billAmountWcvv", .string(row.0)), ("tokenChargeMode", "sdk"),
        ]
        #expect(code(terms, permitted) == (row.1 ? nil : "cvv_needed"))
        #expect(code(terms, Array(permitted.dropFirst())) == "cvv_needed")
    }

    @Test func `biometrics need a permission and a relayed wallet its token`() {
        let looks: Json = ["presentation": ["biometrics": true]]
        #expect(code(Shop.terms(.sale, .sdk, details: looks)) == "not_permitted")
        #expect(code(Shop.terms(.sale, .wallet), [("walletMode", "relay")]) == "value_missing")
    }

    @Test func `split payments and foreign currencies are refunded by the provider's staff`() {
        let split: Json = ["split": [["payeeId": "1", "amount": 10_000]]]
        #expect(throws: PlanFailure.self) {
            try Shop.plan(Shop.dispatch(.operation(.refund), amount: 1, isFull: false), Shop.terms(details: split))
        }
        #expect(throws: PlanFailure.self) {
            try Shop.plan(Shop.dispatch(.operation(.refund), currency: "USD"), Shop.terms(currency: "USD"))
        }
        let transfer = Shop.terms(.transfer, .instrument)
        #expect(throws: PlanFailure.self) { try Shop.plan(Shop.dispatch(.operation(.refund)), transfer) }
    }

    @Test func `a transfer names its recipient exactly where the provider keeps the card`() {
        let seller: Json = ["transfer": ["sellerToken": Shop.sealed("FEDC")]]
        let bill: Json = ["transfer": ["recipientBillId": "77"]]
        let bySeller: [(String, Json)] = [("transferMode", "sellerToken")]
        let byBill: [(String, Json)] = [("transferMode", "linkMoneyTransfer")]
        #expect(code(Shop.terms(.transfer, .sdk)) == nil)
        #expect(code(Shop.terms(.transfer, .sdk, details: seller)) == "value_not_allowed")
        #expect(code(Shop.terms(.transfer, .hosted)) == "method_not_supported")
        #expect(code(Shop.terms(.transfer, .hosted), bySeller) == "value_missing")
        #expect(code(Shop.terms(.transfer, .hosted, details: seller), bySeller) == nil)
        #expect(code(Shop.terms(.transfer, .hosted, details: bill), bySeller) == "value_missing")
        #expect(code(Shop.terms(.transfer, .hosted, details: bill), byBill) == nil)
        #expect(code(Shop.terms(.transfer, .sdk, details: bill), byBill) == "method_not_supported")
        #expect(code(Shop.terms(.sale, .hosted, details: seller), bySeller) == "value_not_allowed")
        #expect(code(Shop.terms(.transfer, .sdk, details: ["attributes": ["1": "x"]])) == "value_not_allowed")
    }

    @Test(
        arguments: [
            ("payeeId", ""), ("dtTimeZone", "Mars/Olympus"), ("currencies", "UAH"),
            ("gatewayUrl", "https://a.example/g"),
            ("billAmountWcvv", "1.001"), ("protocol", "soap"), ("surprise", "x"),
        ] as [(String, Json)]
    )
    func `settings outside the schema are refused by name`(_ row: (String, Json)) {
        #expect {
            try Shop.adapter.capabilities(Shop.settings([row]))
        } throws: { error in
            (error as? SettingsFailure)?.path.hasPrefix(row.0) == true
        }
    }
}

import Kernel
import Payments
import ProviderKit
import Testing
import WorldlineDirect

/// What is refused before anything moves, and what an account can do.
struct RefusalTests {
    private func refusal(_ terms: PaymentTerms, _ settings: AccountSettings = Shop.settings()) -> String? {
        do throws(PlanFailure) {
            try Shop.adapter.check(terms, settings, at: Shop.now)
            return nil
        } catch {
            return error.code + (error.path.map { ":\($0)" } ?? "")
        }
    }

    @Test func `what the provider takes passes`() {
        #expect(refusal(Shop.terms()) == nil)
        #expect(refusal(Shop.terms(.authorize, .instrument)) == nil)
        #expect(refusal(Shop.terms(.sale, .sdk, details: Shop.appDetails)) == nil)
    }

    @Test func `modes, methods, currencies and amounts outside the account are refused`() {
        #expect(refusal(Shop.terms(.verify, amount: 0)) == "mode_not_supported:mode")
        #expect(refusal(Shop.terms(.tokenize)) == "mode_not_supported:mode")
        #expect(refusal(Shop.terms(.sale, .wallet)) == "value_missing:details.wallet")
        #expect(refusal(Shop.terms(currency: "USD")) == "currency_not_supported:amount.currency")
        #expect(refusal(Shop.terms(amount: 1_000_000_000_000)) == "amount_too_large:amount")
        #expect(refusal(Shop.terms(expiresAt: Shop.now.adding(.seconds(86_460)))) == nil, "clocks differ a little")
        let late = Shop.terms(expiresAt: Shop.now.adding(.seconds(86_461)))
        #expect(refusal(late) == "expiry_too_far:expiresAt")
        #expect(refusal(Shop.terms(.sale, .instrument, customer: nil)) == "customer_missing:customer")
    }

    @Test func `the app's blob is needed for its payment and never taken in plain or sealed`() throws {
        #expect(refusal(Shop.terms(.sale, .sdk)) == "customer_input_missing:details.encryptedCustomerInput")
        for blob: Json in ["aaaa.bbbb.cccc.dddd.eeee", Shop.sealed("a.b.c.d.e")] {
            let details: Json = ["encryptedCustomerInput": blob]
            #expect(
                refusal(Shop.terms(.sale, .sdk, details: details)) == "details_invalid:details.encryptedCustomerInput"
            )
            #expect(throws: PlanFailure.self) { try Shop.adapter.checkPlain(details, for: .sdk) }
        }
        #expect(refusal(Shop.terms(details: Shop.appDetails)) == "value_not_allowed:details.encryptedCustomerInput")
    }

    @Test(
        arguments: [
            (["nonsense": 1], "details.nonsense"), (["language": "?"], "details.language"),
            (["urls": ["return": "nowhere"]], "details.urls.return"),
            (["presentation": ["shade": "blue"]], "details.presentation.shade"),
            (["payer": ["device": ["colorDepth": "24"]]], "details.payer.device.colorDepth"),
            (["credential": ["kind": "recurring"]], "details.credential.sequence"),
            (["cobrand": "default"], "details.paymentProductId"),
        ] as [(Json, String)]
    )
    func `details outside the schema are refused with their place`(_ row: (Json, String)) {
        #expect(refusal(Shop.terms(details: row.0)) == "details_invalid:\(row.1)")
    }

    @Test func `a series begins with the payer and goes on with a saved card`() {
        let first: Json = ["credential": ["kind": "recurring", "sequence": "first"]]
        let next: Json = ["credential": ["kind": "recurring", "sequence": "subsequent"]]
        #expect(refusal(Shop.terms(details: first)) == nil)
        #expect(refusal(Shop.terms(details: next)) == "details_invalid:details.credential.sequence")
        #expect(refusal(Shop.terms(.sale, .instrument, details: next)) == nil)
        #expect(
            refusal(Shop.terms(.sale, .instrument, details: first)) == "details_invalid:details.credential.sequence"
        )
    }

    @Test func `a follow-up without the provider's id and a part in an unproved unit are refused`() {
        #expect(throws: PlanFailure(code: "reference_missing", detail: "the provider has named no payment yet")) {
            try Shop.plan(Shop.dispatch(.operation(.refund), amount: 1))
        }
        #expect(throws: PlanFailure.self) {
            try Shop.plan(
                Shop.dispatch(.operation(.capture), amount: 1, currency: "KWD", isFull: false, initial: Shop.paymentId)
            )
        }
        #expect(throws: PlanFailure.self) {
            try Shop.plan(Shop.dispatch(.operation(.refund), amount: 1, initial: "../tokens"))
        }
    }

    @Test(
        arguments: [
            ([("merchantId", "a/b")], "merchantId"), ([("endpoint", "https://x.example/path")], "endpoint"),
            ([("currencies", [])], "currencies"), ([("methods", ["cash"])], "methods"), ([("what", 1)], "what"),
        ] as [([(String, Json)], String)]
    )
    func `settings outside the schema are refused with their place`(_ row: ([(String, Json)], String)) {
        do throws(SettingsFailure) {
            _ = try Shop.adapter.capabilities(Shop.settings(row.0))
            Issue.record("not refused")
        } catch {
            #expect(error.path == row.1)
        }
    }

    @Test func `a reversible hold is captured in parts and a final one whole`() throws {
        let able = try Shop.adapter.capabilities(Shop.settings())
        #expect(able.multipleCaptures)
        #expect(able.lifetimes.hold == .seconds(2_592_000))
        #expect(able.recovery[.sale, by: .hosted] == .sameKey(lifetime: .seconds(86_400)))
        let final = try Shop.adapter.capabilities(Shop.settings([("holdKind", "FINAL_AUTHORIZATION")]))
        #expect(!final.partialCapture)
        #expect(final.lifetimes.hold == .seconds(604_800))
    }

    @Test func `an app's claim never says that money moved`() throws {
        #expect(try Shop.adapter.appResult(["call": "redirect", "result": "completed"]).meaning == .unknown)
        #expect(try Shop.adapter.appResult(["call": "encrypt", "result": "cancelled"]).meaning == .cancelled)
        #expect(try Shop.adapter.appResult(["call": "threeDSecure", "result": "odd"]).meaning == .unknown)
        #expect(throws: ClaimFailure.self) { try Shop.adapter.appResult(["call": "pay", "result": "ok"]) }
        #expect(throws: ClaimFailure.self) { try Shop.adapter.appResult(["call": "encrypt", "result": "x", "y": 1]) }
    }
}

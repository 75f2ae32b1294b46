import Ecommpay
import Kernel
import Payments
import ProviderKit
import Testing

struct SettingsTests {
    private func failure(_ changes: [(String, Json)]) -> SettingsFailure? {
        do throws(SettingsFailure) {
            _ = try Shop.adapter.capabilities(Shop.settings(changes))
            return nil
        } catch {
            return error
        }
    }

    @Test func `defaults are conservative`() throws {
        let able = try Shop.adapter.capabilities(Shop.settings())
        #expect(!able.multipleCaptures)
        #expect(!able.partialVoid)
        #expect(!able.overCapture)
        #expect(able.partialCapture)
        #expect(able.partialRefund)
        #expect(able.multipleRefunds)
        #expect(able.lifetimes.payerWindow == .seconds(2400))
        #expect(able.lifetimes.hold == .seconds(604_800))
        #expect(able.lifetimes.query == .seconds(31_536_000))
        #expect(able.recovery[.refund, by: .hosted] == .sameKey(lifetime: .seconds(2_592_000)))
        #expect(able.recovery[.capture, by: .hosted] == .query(absenceAfter: .seconds(600)))
        #expect(able.recovery[.void, by: .hosted] == .query(absenceAfter: .seconds(600)))
    }

    @Test func `an account can widen and time what it can do`() throws {
        let able = try Shop.adapter.capabilities(
            Shop.settings([
                ("multipleCaptures", true), ("partialVoid", true), ("formRetrySeconds", 60),
                ("threeDSecureSeconds", 30), ("holdSeconds", 3600), ("pollFirstSeconds", 1),
            ])
        )
        #expect(able.multipleCaptures)
        #expect(able.partialVoid)
        #expect(able.lifetimes.payerWindow == .seconds(90))
        #expect(able.lifetimes.hold == .seconds(3600))
        #expect(able.polling.first == .seconds(1))
    }

    @Test(
        arguments: [
            ("projectId", .null, "missing"), ("projectId", "42", "not_an_integer"), ("projectId", 0, "out_of_range"),
            ("currencies", .null, "missing"), ("currencies", [], "missing"),
            ("currencies", ["EURO"], "unknown_currency"),
            ("methods", ["cash"], "unknown_word"), ("contactPolicy", "ignore", "unknown_word"),
            ("gateUrl", "http://gate.example", "not_an_address"),
            ("gateUrl", "https://gate.example/", "not_an_address"),
            ("paymentPageUrl", "https://u@page.example/p", "not_an_address"), ("multipleCaptures", 1, "not_a_flag"),
            ("holdSeconds", 0, "out_of_range"), ("colour", "red", "unknown_member"),
            ("gateTokenPaths", ["sale": "/v1/x"], "not_a_path"),
            ("gateTokenPaths", ["payout": "/v2/x"], "unknown_member"),
            ("methodSegments", ["ideal": "../x"], "not_a_segment"),
        ] as [(String, Json, String)]
    )
    func `settings outside the schema name the member and the reason`(_ wrong: (String, Json, String)) {
        let found = failure([(wrong.0, wrong.1)])
        #expect(found?.reason == wrong.2)
        #expect(found?.path.hasPrefix(wrong.0) == true)
    }

    @Test func `a loopback address may do without encryption`() {
        #expect(
            failure([("gateUrl", "http://127.0.0.1:8080"), ("paymentPageUrl", "http://localhost:8080/payment")]) == nil
        )
    }

    @Test func `the declaration names its secret and its personal paths`() {
        let declaration = Shop.adapter.declaration
        #expect(declaration.secrets == ["secretKey"])
        #expect(declaration.notifications == .hmac)
        #expect(declaration.personalPaths.contains("account.token"))
        #expect(declaration.personalDetailPaths.contains("payer.email"))
        #expect(declaration.personalDetailPaths.contains("additionalFields.customer_ssn"))
        #expect(!declaration.personalDetailPaths.contains("additionalFields.aps_account_security_code"))
    }
}

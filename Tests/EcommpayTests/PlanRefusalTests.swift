import Ecommpay
import Kernel
import Payments
import ProviderKit
import Testing

struct PlanRefusalTests {
    private func code(
        _ terms: PaymentTerms,
        _ settings: AccountSettings = Shop.settings(),
        at now: Timestamp = Shop.now
    ) -> String? {
        code { () throws(PlanFailure) in try Shop.adapter.check(terms, settings, at: now) }
    }

    private func code(_ check: () throws(PlanFailure) -> Void) -> String? {
        do throws(PlanFailure) {
            try check()
            return nil
        } catch {
            return error.path.map { "\(error.code) \($0)" } ?? error.code
        }
    }

    @Test func `a card payment without e-mail and phone is refused by policy`() {
        #expect(code(Shop.terms(details: [:])) == "contact_missing details.payer")
        #expect(code(Shop.terms(.sale, .sdk, details: [:])) == "contact_missing details.payer")
        #expect(code(Shop.terms(details: [:]), Shop.settings([("contactPolicy", "warn")])) == nil)
        #expect(code(Shop.terms(details: ["payer": ["phone": Shop.sealed("+1")]])) == nil)
    }

    @Test func `asking the payer for the contact, a wallet or another method satisfies the policy`() {
        #expect(code(Shop.terms(details: ["additionalFields": ["customer_email": ""]])) == nil)
        #expect(code(Shop.terms(.sale, .wallet, details: [:])) == nil)
        #expect(code(Shop.terms(details: ["presentation": ["forcePaymentMethod": "ideal"]])) == nil)
    }

    @Test func `a currency that the account does not take is refused`() {
        #expect(code(Shop.terms(currency: "USD")) == "currency_not_supported amount.currency")
        #expect(code(Shop.terms(.verify, currency: "USD")) == "currency_not_supported amount.currency")
        #expect(code(Shop.terms(currency: "KWD")) == nil)
    }

    @Test func `a method that the account does not take is refused`() {
        let settings = Shop.settings([("methods", ["hosted"])])
        #expect(code(Shop.terms(), settings) == nil)
        #expect(code(Shop.terms(.sale, .sdk), settings) == "method_not_supported method")
    }

    @Test func `saved credentials need a customer`() {
        #expect(code(Shop.terms(.tokenize, customer: nil)) == "customer_missing customer")
        #expect(code(Shop.terms(.sale, .instrument, customer: nil)) == "customer_missing customer")
        #expect(code(Shop.terms(.tokenize, .instrument)) == "mode_not_supported mode")
    }

    @Test(
        arguments: [
            (["payer": ["billing": ["country": "XX"]]], "details.payer.billing.country"),
            (["payer": ["billing": ["country": "de"]]], "details.payer.billing.country"),
            (["region": "EU"], "details.region"),
            (["additionalFields": ["customer_country": "XX"]], "details.additionalFields.customer_country"),
            (
                ["additionalFields": ["aps_account_security_code": "123"]],
                "details.additionalFields.aps_account_security_code"
            ),
            (["additionalFields": ["payment_amount": "1"]], "details.additionalFields.payment_amount"),
            (
                ["payer": ["email": "a@b.c"], "additionalFields": ["customer_email": ""]],
                "details.additionalFields.customer_email"
            ),
            (["payer": ["email": ""]], "details.payer.email"),
            (["payer": ["email": 5]], "details.payer.email"),
            (["payer": ["nickname": "x"]], "details.payer.nickname"),
            (["colour": "red"], "details.colour"),
            (["language": "d"], "details.language"),
            (["language": "de_AT"], "details.language"),
            (["urls": ["success": "javascript:alert(1)"]], "details.urls.success"),
            (["urls": ["success": "http://shop.example/"]], "details.urls.success"),
            (["items": [["amount": 5]]], "details.items.0.name"),
            (["items": [["name": "x", "amount": -5]]], "details.items.0.amount"),
            (["items": [["name": "x", "amount": 5, "quantity": "2"]]], "details.items.0.quantity"),
            (["presentation": ["forcePaymentMethod": "card;x"]], "details.presentation.forcePaymentMethod"),
            (["presentation": ["theme": "dark"]], "details.presentation.theme"),
        ] as [(Json, String)]
    )
    func `details outside the schema are refused by path`(_ pair: (Json, String)) {
        #expect(code(Shop.terms(details: pair.0)) == "details_invalid \(pair.1)")
    }

    @Test func `a sealed security code is refused: nobody can see that it is empty`() {
        let details: Json = ["additionalFields": ["aps_account_security_code": Shop.sealed("")]]
        #expect(
            code(Shop.terms(details: details)) == "details_invalid details.additionalFields.aps_account_security_code"
        )
    }

    @Test func `the payment page takes no semicolon and the SDK does`() {
        #expect(code(Shop.terms(description: "a;b")) == "value_not_allowed description")
        #expect(code(Shop.terms(.sale, .sdk, description: "a;b")) == nil)
        #expect(code(Shop.terms(customer: "c;d")) == "value_not_allowed customer")
        #expect(code(Shop.terms(details: ["payer": ["email": "a;b"]])) == "value_not_allowed details.payer.email")
    }

    @Test func `a personal value with a semicolon is refused while it is plain`() {
        func code(_ details: Json, _ method: PaymentMethod = .hosted) -> String? {
            self.code { () throws(PlanFailure) in try Shop.adapter.checkPlain(details, for: method) }
        }
        #expect(code(["payer": ["lastName": "a;b"]]) == "value_not_allowed details.payer.lastName")
        #expect(code(["payer": ["lastName": "a;b"]], .instrument) == "value_not_allowed details.payer.lastName")
        #expect(code(["payer": ["billing": ["city": ";"]]]) == "value_not_allowed details.payer.billing.city")
        #expect(
            code(["additionalFields": ["customer_birthplace": "a;b"]])
                == "value_not_allowed details.additionalFields.customer_birthplace"
        )
        #expect(code(["payer": ["lastName": "a;b"]], .sdk) == nil)
        #expect(code(["payer": ["lastName": "a b"]]) == nil)
        let long = Json.string(String(repeating: "a", count: 1025))
        #expect(code(["payer": ["lastName": long]], .sdk) == "details_invalid details.payer.lastName")
    }

    @Test func `a payment page lives 30 days at most, or as the account says`() {
        let month = Shop.deadline.adding(.seconds(-30 * 86_400))
        #expect(code(Shop.terms(), at: month) == nil)
        let earlier = month.adding(.microseconds(-1))
        #expect(code(Shop.terms(), at: earlier) == "expiry_too_far expiresAt")
        #expect(code(Shop.terms(.tokenize, .hosted), at: earlier) == "expiry_too_far expiresAt")
        #expect(code(Shop.terms(.sale, .instrument), at: earlier) == "expiry_too_far expiresAt")
        #expect(code(Shop.terms(.sale, .sdk), at: earlier) == nil)
        #expect(code(Shop.terms(), Shop.settings([("linkSeconds", 3_000_000)]), at: earlier) == nil)
        #expect(code(Shop.terms(), Shop.settings([("linkSeconds", 60)])) == "expiry_too_far expiresAt")
    }

    @Test func `languages map by their primary subtag and unknown ones become English`() throws {
        func language(_ tag: Json) throws -> Json? {
            let details: Json = ["payer": ["phone": "1"], "language": tag]
            return try Shop.plan(Shop.dispatch(.handover), Shop.terms(details: details)).content["language_code"]
        }
        for own in ["ru", "en", "es", "it", "de", "fr"] { #expect(try language(.string(own)) == .string(own)) }
        #expect(try language("FR-ca") == "fr")
        #expect(try language("zh-Hant-TW") == "en")
        #expect(try language(.null) == nil)
    }

    private func planCode(
        _ dispatch: PlannedDispatch,
        _ terms: PaymentTerms = Shop.terms(),
        _ settings: AccountSettings = Shop.settings()
    ) -> String? {
        do throws(PlanFailure) {
            let context = PlanContext(terms: terms, settings: settings, instrumentToken: nil)
            _ = try Shop.adapter.plan(dispatch, context)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `requests that the account or provider does not know are refused before anything moved`() {
        #expect(planCode(Shop.dispatch(.operation(.void), amount: 5, isFull: false)) == "partial_not_supported")
        #expect(planCode(Shop.dispatch(.operation(.capture))) == "amount_missing")
        #expect(planCode(Shop.dispatch(.operation(.capture), amount: 5, method: "ideal")) == "method_not_supported")
        #expect(planCode(Shop.dispatch(.operation(.refundReversal), amount: 5)) == "operation_not_supported")
        #expect(
            planCode(Shop.dispatch(.operation(.sale), amount: 5), Shop.terms(.sale, .instrument))
                == "method_not_supported"
        )
        #expect(planCode(Shop.dispatch(.handover), Shop.terms(.sale, .instrument)) == "instrument_missing")
        #expect(planCode(Shop.dispatch(.handover), Shop.terms(currency: "USD")) == "currency_not_supported")
        #expect(
            planCode(Shop.dispatch(.query), Shop.terms(), Shop.settings([("projectId", 0)]))
                == "account_settings_invalid"
        )
    }
}

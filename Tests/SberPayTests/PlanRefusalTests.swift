import Kernel
import Payments
import ProviderKit
import SberPay
import Testing

/// What is refused before any state moves.
struct PlanRefusalTests {
    private func failure(_ terms: PaymentTerms, _ settings: AccountSettings = Shop.settings()) -> PlanFailure? {
        do {
            try Shop.adapter.check(terms, settings, at: Shop.now)
            return nil
        } catch { return error }
    }

    private func detail(_ details: Json, _ method: PaymentMethod = .hosted) -> String? {
        failure(Shop.terms(.sale, method, details: details), Shop.settings("ecom", Shop.shop))?.path
    }

    @Test func `amount, currency and texts are held against the gateway's limits`() {
        #expect(failure(Shop.terms()) == nil)
        #expect(failure(Shop.terms(amount: 999_999_999_999)) == nil)
        #expect(failure(Shop.terms(amount: 1_000_000_000_000))?.code == "amount_out_of_range")
        #expect(failure(Shop.terms(currency: "EUR"))?.code == "currency_not_supported")
        #expect(failure(Shop.terms(description: String(repeating: "я", count: 512))) == nil)
        #expect(failure(Shop.terms(description: String(repeating: "я", count: 513)))?.path == "description")
        #expect(failure(Shop.terms(description: "日本"))?.path == "description")
        #expect(failure(Shop.terms(customer: "клиент"))?.path == "customer")
        #expect(failure(Shop.terms(.sale, .instrument, customer: nil))?.code == "customer_missing")
        #expect(failure(Shop.terms(.tokenize, customer: nil))?.code == "customer_missing")
        #expect(failure(Shop.terms(.verify, .instrument))?.code == "mode_not_supported")
        #expect(failure(Shop.terms(), Shop.settings("ecom", [("methods", ["sdk"])]))?.code == "method_not_supported")
        #expect(failure(Shop.terms(), Shop.settings("new"))?.code == "account_settings_invalid")
    }

    @Test func `a mandate recurs every 1 to 28 days until a day that exists`() {
        func mandate(_ json: Json) -> String? { detail(["recurrent": json]) }
        #expect(mandate(["expiry": "20301231", "frequencyDays": 1]) == nil)
        #expect(mandate(["frequencyDays": 28]) == nil)
        #expect(mandate(["enabled": false, "frequencyDays": 0]) == nil)
        #expect(mandate(["frequencyDays": 0]) == "details.recurrent.frequencyDays")
        #expect(mandate(["frequencyDays": 29]) == "details.recurrent.frequencyDays")
        #expect(mandate([:]) == "details.recurrent.frequencyDays")
        #expect(mandate(["enabled": false, "frequencyDays": 1]) == "details.recurrent.frequencyDays")
        #expect(mandate(["expiry": "20300230", "frequencyDays": 1]) == "details.recurrent.expiry")
        #expect(mandate(["expiry": "2030-12-31", "frequencyDays": 1]) == "details.recurrent.expiry")
        // The gateway's clock is three hours ahead: there the test's day is the second of March 2026.
        #expect(mandate(["expiry": "20260302", "frequencyDays": 1]) == nil)
        #expect(mandate(["expiry": "20260301", "frequencyDays": 1]) == "details.recurrent.expiry")
    }

    @Test func `a payer in an app needs the app's system and link`() {
        #expect(detail(Shop.app, .sdk) == nil)
        #expect(detail([:], .sdk) == "details.app")
        #expect(detail(["app": ["osType": "ios"]], .wallet) == "details.app")
        #expect(detail(["app": ["osType": "symbian"]]) == "details.app.osType")
        #expect(detail(["app": ["web": true]], .wallet) == nil)
        #expect(detail(["app": ["push": true]]) == "details.app.push")
        let push: Json = ["app": ["push": true], "payer": ["phone": "+79261112233"]]
        #expect(failure(Shop.terms(details: push), Shop.settings("legacy")) == nil)
        #expect(failure(Shop.terms(.sale, .sdk, details: Shop.app))?.code == "account_settings_invalid")
    }

    @Test func `what is outside the details' schema is refused with its path`() {
        #expect(detail(["colour": "red"]) == "details.colour")
        #expect(detail(["payer": ["phone": "8 (999) 888"]]) == "details.payer.phone")
        #expect(detail(["payer": ["email": "a"]]) == "details.payer.email")
        #expect(detail(["language": "russian"]) == "details.language")
        #expect(detail(["urls": ["success": "ftp://a.example"]]) == "details.urls.success")
        #expect(detail(["presentation": ["theme": "dark"]]) == "details.presentation.theme")
        #expect(detail(["features": ["force"]]) == "details.features")
        #expect(detail(["paymentToken": "eyJ"]) == "details.paymentToken")
    }

    @Test func `an operation needs its order, and a part of a hold the account's leave`() {
        for kind in [OperationKind.capture, .void, .refund] {
            #expect(throws: PlanFailure.self) { try Shop.plan(Shop.dispatch(.operation(kind), amount: 5)) }
        }
        let part = Shop.dispatch(.operation(.void), amount: 5, isFull: false, order: Shop.opened())
        #expect(throws: PlanFailure.self) { try Shop.plan(part) }
        #expect(throws: Never.self) {
            try Shop.plan(part, Shop.terms(), Shop.settings("ecom", [("partialVoid", true)]))
        }
        #expect(throws: PlanFailure.self) {
            try Shop.plan(Shop.dispatch(.operation(.capture), amount: 0, order: Shop.opened()))
        }
        #expect(throws: PlanFailure.self) { try Shop.plan(Shop.dispatch(.operation(.refundReversal), amount: 5)) }
        #expect(throws: PlanFailure.self) {
            try Shop.plan(Shop.dispatch(.operation(.sale), amount: 19900), Shop.terms(.sale, .instrument))
        }
        #expect(throws: PlanFailure.self) { try Shop.plan(Shop.dispatch(.handover)) }
    }
}

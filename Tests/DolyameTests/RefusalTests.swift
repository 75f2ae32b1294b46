import Dolyame
import Kernel
import Payments
import ProviderKit
import Testing

struct RefusalTests {
    private func refusal(_ terms: PaymentTerms, _ settings: AccountSettings = Shop.settings()) -> String? {
        do throws(PlanFailure) {
            try Shop.adapter.check(terms, settings, at: Shop.now)
            return nil
        } catch {
            return "\(error.code) \(error.path ?? "")"
        }
    }

    private func refusal(_ dispatch: PlannedDispatch, _ settings: AccountSettings = Shop.settings()) -> String? {
        do throws(PlanFailure) {
            _ = try Shop.plan(dispatch, Shop.terms(), settings)
            return nil
        } catch {
            return "\(error.code) \(error.detail)"
        }
    }

    @Test func `what can't recur or be saved is refused before anything moves`() {
        #expect(refusal(Shop.terms(.tokenize)) == "mode_not_supported mode")
        #expect(refusal(Shop.terms(.verify)) == "mode_not_supported mode")
        #expect(refusal(Shop.terms(.authorize, .instrument)) == "method_not_supported method")
        #expect(refusal(Shop.terms(.authorize, .wallet)) == "method_not_supported method")
    }

    @Test func `sale needs a shop whose orders the provider commits`() {
        #expect(refusal(Shop.terms(.sale)) == "mode_not_supported mode")
        #expect(refusal(Shop.terms(.sale), Shop.settings([("captureMode", "providerAuto")])) == nil)
    }

    @Test(
        arguments: [
            (699_999, "items_invalid details.items"), (700_000, nil), (700_001, "items_invalid details.items"),
        ] as [(Int64, String?)]
    )
    func `amount and positions agree to the kopeck`(_ row: (Int64, String?)) {
        #expect(refusal(Shop.terms(kopecks: row.0)) == row.1)
    }

    @Test func `orders outside the account's limits, currencies and names are refused`() {
        let limits = Shop.settings([("minAmount", "100"), ("maxAmount", "6999.99")])
        #expect(refusal(Shop.terms(), limits) == "items_invalid details.items")
        #expect(refusal(Shop.terms(currency: "EUR")) == "currency_not_supported amount.currency")
        #expect(refusal(Shop.terms(), Shop.settings([("itemNameMax", 5)])) == "items_invalid details.items")
        #expect(refusal(Shop.terms(details: [:])) == "items_invalid details.items")
        #expect(refusal(Shop.terms(details: ["items": Shop.items, "colour": 1])) == "details_invalid details.colour")
    }

    @Test func `a part of a capture or refund names its positions`() {
        #expect(
            refusal(Shop.dispatch(.operation(.capture), kopecks: 1000, isFull: false))?.hasPrefix("items_missing")
                == true
        )
        #expect(
            refusal(Shop.dispatch(.operation(.refund), kopecks: 1000, isFull: false))?.hasPrefix("items_missing")
                == true
        )
        #expect(
            refusal(Shop.dispatch(.operation(.void), kopecks: 1000, isFull: false))?.hasPrefix("partial_not") == true
        )
    }

    @Test func `positions that came back before don't come back again`() {
        let balls: (Int64) -> Json = { ["items": [["name": "Ball", "quantity": .integer($0), "price": "600"]]] }
        func refund(_ count: Int64, after earlier: [Json]) -> String? {
            refusal(
                Shop.dispatch(
                    .operation(.refund),
                    kopecks: count * 60000,
                    isFull: false,
                    details: balls(count),
                    earlier: earlier.map { EarlierOperation(kind: .refund, amount: Shop.rubles(60000), details: $0) }
                )
            )
        }
        #expect(refund(3, after: [balls(1)]) == nil)
        #expect(refund(4, after: [balls(1)]) == "items_invalid REFUND_ITEMS")
        #expect(refund(2, after: [balls(1), balls(1)]) == nil)
    }

    @Test func `a refund is held against what was committed and not against the order`() {
        let shoes: Json = ["items": [["name": "Sneakers", "price": "4600", "sku": "SN-1"]]]
        let committed = EarlierOperation(kind: .capture, amount: Shop.rubles(460_000), details: shoes)
        let ball: Json = ["items": [["name": "Ball", "price": "600"]]]
        let part = Shop.dispatch(
            .operation(.refund),
            kopecks: 60000,
            isFull: false,
            details: ball,
            earlier: [committed]
        )
        #expect(refusal(part) == "items_invalid REFUND_ITEMS")
        #expect(refusal(Shop.dispatch(.operation(.refund), kopecks: 460_000, earlier: [committed])) == nil)
    }

    @Test func `corrections are off unless the account switches them on`() {
        let dispatch = Shop.dispatch(.operation(.refund), kopecks: 700_000, details: ["correction": true])
        #expect(refusal(dispatch)?.hasPrefix("operation_not_supported") == true)
        #expect(refusal(dispatch, Shop.settings([("corrections", true)])) == nil)
    }

    @Test(
        arguments: [
            ([("login", "a:b")], "login"), ([("login", "")], "login"), ([("baseUrl", "http://x.example")], "baseUrl"),
            ([("webhookNetworks", ["1.2.3.4"])], "webhookNetworks"), ([("colour", 1)], "colour"),
            ([("demoFlow", true), ("notificationUrlPerOrder", false)], "demoFlow"),
            ([("extraStatuses", ["x": "y"])], "extraStatuses.x"), ([("minAmount", "0.005")], "minAmount"),
        ] as [([(String, Json)], String)]
    )
    func `settings that can't work are refused by name`(_ row: ([(String, Json)], String)) {
        #expect { try Shop.adapter.capabilities(Shop.settings(row.0)) } throws: { error in
            (error as? SettingsFailure)?.path == row.1
        }
    }

    @Test func `an account without a partner id has no SDK payments`() {
        let settings = Shop.settings([("partnerId", .null)])
        #expect(refusal(Shop.terms(.authorize, .sdk), settings) == "method_not_supported method")
    }
}

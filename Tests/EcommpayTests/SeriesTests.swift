import Ecommpay
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Series of debits that tests of this target register.
enum Series {
    static func day(_ text: String) -> CivilDate {
        guard let day = CivilDate(text) else { preconditionFailure("\(text) is a day") }
        return day
    }

    static let monthly = RecurringTerms(
        kind: .regular,
        plan: .calendar(
            RecurringTerms.Calendar(period: .month, interval: 3, start: day("2026-04-30"), time: "09:30:00")
        ),
        amount: Shop.euro(990),
        expiry: day("2028-02-29")
    )

    static let dates = RecurringTerms(
        kind: .regular,
        plan: .dates([
            RecurringTerms.Instalment(date: day("2026-04-01"), amount: euro(500)),
            RecurringTerms.Instalment(date: day("2026-12-31"), amount: euro(700)),
        ]),
        reference: "series-7"
    )

    static func euro(_ minor: Int64) -> Money {
        guard let money = Shop.euro(minor) else { preconditionFailure("the table has EUR") }
        return money
    }
}

/// Registration, change and end of a series, what is refused, and what callbacks tell of it.
struct SeriesTests {
    private func context(_ recurring: RecurringTerms? = Series.monthly) -> InterpretContext {
        InterpretContext(
            settings: Shop.settings(),
            paymentReference: "pay-7",
            terms: Shop.terms(recurring: recurring),
            isHandover: true
        )
    }

    private func read(_ body: Json, _ recurring: RecurringTerms? = Series.monthly) -> [Fact] {
        Shop.adapter.interpret(.notification(body: body.compactBytes), context(recurring))
    }

    private func refusal(_ terms: PaymentTerms, _ changes: [(String, Json)] = []) -> String? {
        do throws(PlanFailure) {
            try Shop.adapter.check(terms, Shop.settings(changes), at: Shop.now)
            return nil
        } catch { return error.code }
    }

    // MARK: Requests

    @Test(arguments: ["debit", "update", "cancel"])
    func `each request about a series is the golden one`(name: String) throws {
        let context = SeriesContext(series: "1640000321", registeredBy: "pay-7", settings: Shop.settings())
        let request: SeriesRequest =
            switch name {
            case "debit": .debit(Series.euro(990), customer: "cust-7", reference: "pay-8")
            case "update": .update(Series.monthly)
            default: .cancel
            }
        let template = try Shop.adapter.plan(request, context)
        #expect(GoldenFile("gate-series-\(name).txt").difference(from: try RequestTests.text(template)) == nil)
    }

    @Test func `a series that is no number and a foreign currency are refused`() {
        func code(_ series: String, _ request: SeriesRequest) -> String? {
            let context = SeriesContext(series: series, registeredBy: "pay-7", settings: Shop.settings())
            do throws(PlanFailure) {
                _ = try Shop.adapter.plan(request, context)
                return nil
            } catch { return error.code }
        }
        #expect(code("x", .cancel) == "series_invalid" && code("-1", .cancel) == "series_invalid")
        guard let dollar = Currency("USD") else { return }
        let debit = SeriesRequest.debit(Money(5, dollar), customer: "c", reference: "p")
        #expect(code("321", debit) == "currency_not_supported")
    }

    // MARK: Refusals

    @Test func `a series is refused with saving a card and with methods that can't recur; Apple Pay can`() {
        func terms(_ mode: PaymentMode, _ looks: Json) -> PaymentTerms {
            Shop.terms(
                mode,
                details: ["payer": ["email": "a@example.org"], "presentation": looks, "region": "DE"],
                recurring: RecurringTerms(kind: .oneClick)
            )
        }
        #expect(refusal(terms(.tokenize, [:])) == "recurring_not_allowed")
        #expect(refusal(terms(.sale, ["forcePaymentMethod": "skrill-wallet"])) == "recurring_not_supported")
        #expect(refusal(terms(.sale, ["forcePaymentGroup": "openbanking"])) == "recurring_not_supported")
        #expect(refusal(terms(.sale, ["forcePaymentMethod": "apple_pay_core"])) == nil)
        #expect(refusal(terms(.sale, ["forcePaymentMethod": "card"])) == nil)
    }

    // MARK: Methods

    @Test(
        arguments: [
            ("doku", "payer_method_currency"), ("online-malaysian-banks", "payer_method_currency"),
            ("online-thailand-banks", "payer_method_currency"), ("blik", "payer_method_currency"),
            ("ideal", "payer_method_country"), ("neteller-wallet", nil), ("alipay", nil), ("skrill-wallet", nil),
            ("brand-new", "payer_method_unknown"),
        ] as [(String, String?)]
    )
    func `a method is held against currency, country and table`(code: String, refused: String?) {
        let details: Json = ["presentation": ["forcePaymentMethod": .string(code)], "region": "DE"]
        #expect(refusal(Shop.terms(details: details)) == refused)
        #expect(
            refusal(Shop.terms(.authorize, details: details))
                == (refused == "payer_method_unknown" ? refused : "payer_method_mode")
        )
    }

    @Test func `a code that nobody knows passes where the account lists it`() {
        let details: Json = ["presentation": ["forcePaymentMethod": "brand-new"]]
        #expect(refusal(Shop.terms(details: details), [("payerMethods", ["brand-new"])]) == nil)
    }

    @Test func `Apple Pay demands its currencies, and of an app the region and the merchant id`() {
        func terms(_ currency: String, _ looks: Json, region: Json? = "DE") -> PaymentTerms {
            let details: Json = .compact([("presentation", looks), ("region", region)])
            return Shop.terms(.sale, .wallet, currency: currency, details: details)
        }
        let apple: Json = ["forcePaymentMethod": "apple_pay_core", "applePayMerchantId": "merchant.example"]
        #expect(refusal(terms("EUR", apple)) == nil)
        #expect(refusal(terms("JPY", apple)) == "payer_method_currency")
        #expect(refusal(terms("EUR", apple, region: nil)) == "region_missing")
        #expect(refusal(terms("EUR", ["forcePaymentMethod": "apple_pay_core"])) == "apple_pay_merchant_missing")
    }

    @Test func `Apple Pay's description falls back to the payment's own name`() throws {
        let looks: Json = ["applePayMerchantId": "merchant.example"]
        let terms = Shop.terms(.sale, .wallet, details: ["presentation": looks, "region": "DE"])
        let planned = try Shop.plan(Shop.dispatch(.handover), terms)
        #expect(planned.content["applePayDescription"] == "pay-7")
    }

    // MARK: Callbacks

    @Test func `a payment that registers a series tells its id, and a later message its end`() {
        let callback = Callback(changes: [("recurring", ["id": 321, "currency": "EUR"])]).json
        #expect(read(callback).contains(.series(SeriesFact(id: "321", isActive: nil, kind: nil))))
        #expect(!read(callback, nil).contains { if case .series = $0 { true } else { false } })
        let ended: Json = ["project_id": 42, "recurring": ["id": 321, "status": "cancelled", "type": "R"]]
        #expect(read(ended) == [.series(SeriesFact(id: "321", isActive: false, kind: .regular))])
    }

    @Test func `a debit that the platform made is kept and is no contradiction of the payment that registered it`() {
        var debit = Callback(type: "recurring", changes: [("recurring", ["id": 321])]).members
        debit["payment"] = ["id": "series-7-2", "status": "success", "method": "card"]
        guard case .seriesDebit(let seen)? = read(.object(debit)).first else {
            Issue.record("no debit")
            return
        }
        #expect(seen.payment == "series-7-2" && seen.series == "321" && seen.outcome == .succeeded)
        // The same debit has the same name here, whichever of its messages tells of it.
        let account = Shop.settings().account.id
        #expect(
            seen.id(at: account)
                == SeriesDebit(
                    payment: "series-7-2",
                    series: "321",
                    amount: Series.euro(5),
                    outcome: .succeeded,
                    at: nil
                ).id(at: account)
        )
        // Without the operation nothing is booked, and the payment is asked about; what says nothing is kept for a person.
        debit["operation"] = nil
        let untold = SeriesDebit(payment: "series-7-2", series: "321", amount: nil, outcome: .succeeded, at: nil)
        #expect(read(.object(debit)) == [.seriesDebit(untold)])
        debit["payment"] = ["id": "series-7-2", "status": "processing"]
        #expect(read(.object(debit)) == [])
        debit["payment"] = ["id": "series-7-2", "status": "odd"]
        #expect(read(.object(debit)) == [.unrecognised(what: "series.debit", value: "series-7-2")])
    }

    @Test func `of a debit's tries the one that took money counts, wherever it is listed`() {
        func tried(_ id: Int, _ status: String, _ minute: Int) -> Json {
            [
                "code": .string(status == "success" ? "0" : "10105"),
                "created_date": .string("2027-01-15T08:0\(minute):00+0000"),
                "id": .integer(Int64(id)), "status": .string(status), "type": "recurring",
                "sum_initial": ["amount": 500, "currency": "EUR"],
            ]
        }
        func told(_ tries: Json...) -> [Fact] {
            var debit = Callback(type: "recurring", changes: [("recurring", ["id": 321])]).members
            debit["payment"] = ["id": "series-7-2", "status": "success", "method": "card"]
            debit["operation"] = nil
            debit["operations"] = .array(tries)
            return read(.object(debit))
        }
        let (declined, taken) = (tried(1, "decline", 1), tried(2, "success", 2))
        #expect(told(declined, taken) == told(taken, declined))
        guard case .seriesDebit(let seen)? = told(taken, declined).first else {
            Issue.record("no debit")
            return
        }
        #expect(seen.outcome == .succeeded && seen.operation == "2")
    }

    @Test func `a repeated name of scheduled debits is a duplicate and no failure`() {
        let body: Json = ["status": "error", "code": "3182", "message": "scheduled payment id is used"]
        let facts = Shop.adapter.interpret(
            .answered(.operation(.sale), status: 200, headers: [:], body: body.compactBytes),
            context()
        )
        #expect(facts == [.dispatch(.duplicate(code: "3182"))])
        // On the page it is an operation that took nothing, by a word of its own.
        let repeated = Callback(status: "decline", payment: "decline", code: "3182")
        guard
            case .operation(let operation)? = read(.object(repeated.members)).first(where: { fact in
                if case .operation = fact { true } else { false }
            })
        else {
            Issue.record("no operation")
            return
        }
        let decline = Decline(reason: .hard, code: "series_registered", tableVersion: 1)
        #expect(operation.outcome == .declined(decline))
    }
}

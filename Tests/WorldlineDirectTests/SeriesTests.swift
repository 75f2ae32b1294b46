import Kernel
import Payments
import ProviderKit
import Schedules
import Testing
import WorldlineDirect

/// A series in the words of the card's network: its first payment, and the charges that the merchant begins.
struct SeriesTests {
    private func schedule(_ rule: ScheduleRule?, expiresOn: String? = nil) throws -> ScheduleTerms {
        ScheduleTerms(
            kind: rule == nil ? .autopayment : .regular,
            runner: .paystream,
            presence: .unattended,
            account: Uuid(high: 1, low: 2),
            instrument: nil,
            fallback: nil,
            customer: "cust-7",
            reference: nil,
            description: nil,
            amount: nil,
            rule: rule,
            mandate: Mandate(expiresOn: try expiresOn.map { try #require(CivilDate($0)) }),
            activation: .sale,
            activateBy: Timestamp(seconds: 0),
            policy: FiringPolicy(),
            details: [:],
            metadata: [:]
        )
    }

    private func rule(_ every: Int, _ period: Period) throws -> ScheduleRule {
        ScheduleRule(
            cadence: .every(every, period),
            start: try #require(CivilDate("2026-12-01")),
            time: try #require(TimeOfDay("10:00")),
            zone: "Europe/Brussels"
        )
    }

    private func enrolled(
        _ method: PaymentMethod,
        ordinal: Int,
        _ schedule: ScheduleTerms,
        details: Json = [:]
    ) throws -> PaymentTerms {
        let base = Shop.terms(.sale, method, details: details)
        let payment = PaymentTerms(
            mode: base.mode,
            method: base.method,
            amount: base.amount,
            reference: base.reference,
            description: base.description,
            customer: base.customer,
            instrument: nil,
            expiresAt: base.expiresAt,
            details: base.details,
            metadata: base.metadata,
            occurrence: OccurrenceName(schedule: Uuid(high: 5, low: 6), ordinal: ordinal)
        )
        return try Shop.adapter.enrol(payment, in: schedule, Shop.settings())
    }

    private func card(_ terms: PaymentTerms, reference: String?) throws -> Json {
        let context = PlanContext(
            terms: terms,
            settings: Shop.settings(),
            instrumentToken: terms.method == .instrument ? "tok-42" : nil,
            instrumentReference: reference
        )
        let amount = terms.amount?.minor ?? 0
        let template = try Shop.adapter.plan(Shop.dispatch(.operation(.sale), amount: amount), context)
        return try #require(template.content.at("body", "cardPaymentMethodSpecificInput"))
    }

    @Test func `the payment that activates a schedule says that it begins a series, and keeps the card`() throws {
        let monthly = try schedule(rule(1, .month), expiresOn: "2027-11-30")
        let terms = try enrolled(.hosted, ordinal: 0, monthly)
        let input = try card(terms, reference: nil)
        #expect(input["isRecurring"] == true && input["tokenize"] == true)
        #expect(input.at("recurring", "recurringPaymentSequenceIndicator") == "first")
        #expect(input["cardOnFileRecurringFrequency"] == "Monthly")
        #expect(input["cardOnFileRecurringExpiration"] == "20271130")
        #expect(input["unscheduledCardOnFileRequestor"] == nil && input["initialSchemeTransactionId"] == nil)
    }

    @Test func `a series without a calendar is unscheduled`() throws {
        let terms = try enrolled(.hosted, ordinal: 0, try schedule(nil))
        let input = try card(terms, reference: nil)
        #expect(input["unscheduledCardOnFileRequestor"] == "cardholderInitiated")
        #expect(input["unscheduledCardOnFileSequenceIndicator"] == "first")
        #expect(input["isRecurring"] == nil && input["cardOnFileRecurringFrequency"] == nil)
    }

    @Test func `a charge of the series names the first payment's reference and asks nobody for 3-D Secure`() throws {
        let regular = try enrolled(.instrument, ordinal: 3, try schedule(rule(1, .month)))
        let input = try card(regular, reference: "SCH77")
        #expect(input.at("recurring", "recurringPaymentSequenceIndicator") == "recurring")
        #expect(input["initialSchemeTransactionId"] == "SCH77")
        #expect(input.at("threeDSecure", "skipAuthentication") == true)
        let onDemand = try card(try enrolled(.instrument, ordinal: 1, try schedule(nil)), reference: nil)
        #expect(onDemand["unscheduledCardOnFileRequestor"] == "merchantInitiated")
        #expect(onDemand["unscheduledCardOnFileSequenceIndicator"] == "subsequent")
        #expect(onDemand["initialSchemeTransactionId"] == nil)
    }

    @Test func `what the payment says of itself stays`() throws {
        let own: Json = [
            "credential": [
                "initiator": "merchant", "kind": "recurring", "schemeTransactionId": "OWN", "sequence": "subsequent",
            ]
        ]
        let input = try card(
            try enrolled(.instrument, ordinal: 2, try schedule(rule(1, .week)), details: own),
            reference: "SCH77"
        )
        #expect(input["initialSchemeTransactionId"] == "OWN")
    }

    @Test func `a first payment of another kind, or one that goes on with something, is refused`() throws {
        let monthly = try schedule(rule(1, .month))
        for credential in [
            ["kind": "unscheduled", "sequence": "first"], ["kind": "recurring", "sequence": "subsequent"],
        ] as [Json] {
            #expect(throws: PlanFailure.self) {
                try enrolled(.hosted, ordinal: 0, monthly, details: ["credential": credential])
            }
        }
    }

    @Test(
        arguments: [
            (1, Period.day, "Daily"), (1, .week, "Weekly"), (1, .month, "Monthly"), (3, .month, "Quarterly"),
            (1, .quarter, "Quarterly"), (1, .year, "Yearly"), (12, .month, "Yearly"), (2, .week, nil),
            (1, .halfYear, nil),
        ] as [(Int, Period, String?)]
    )
    func `only what the provider has words for is said of the rule`(every: Int, period: Period, word: String?) throws {
        let terms = try enrolled(.hosted, ordinal: 0, try schedule(rule(every, period)))
        #expect(try card(terms, reference: nil)["cardOnFileRecurringFrequency"]?.text == word)
    }

    @Test func `an account takes series where it takes saved cards`() {
        #expect(Shop.adapter.recurrence(Shop.settings()).unattended)
        #expect(!Shop.adapter.recurrence(Shop.settings([("methods", ["hosted"])])).unattended)
    }
}

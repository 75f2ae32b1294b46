import Ecommpay
import Kernel
import Payments
import ProviderKit
import Schedules
import TestKit
import Testing

/// A schedule in the platform's words, and what it has no words for.
struct SeriesTermsTests {
    private let id = Uuid(high: 0x5CED, low: 7)

    private func rule(
        _ cadence: Cadence = .every(1, .month),
        start: String = "2026-04-30",
        anchorDay: Int? = nil,
        zone: String = "UTC",
        end: RuleEnd = RuleEnd(),
        businessDays: BusinessDayRule? = nil
    ) throws -> ScheduleRule {
        let day: CivilDate = try #require(CivilDate(start))
        return ScheduleRule(
            cadence: cadence,
            start: day,
            anchorDay: anchorDay,
            time: try #require(TimeOfDay("09:30")),
            zone: zone,
            end: end,
            businessDays: businessDays
        )
    }

    private func schedule(
        _ rule: ScheduleRule?,
        kind: ScheduleKind = .regular,
        runner: ScheduleRunner = .provider,
        presence: Presence = .unattended,
        mandate: Mandate = Mandate(),
        amount: Money? = Series.euro(990)
    ) -> ScheduleTerms {
        ScheduleTerms(
            kind: kind,
            runner: runner,
            presence: presence,
            account: Uuid(high: 1, low: 2),
            instrument: nil,
            fallback: nil,
            customer: "cust-7",
            reference: nil,
            description: nil,
            amount: amount,
            rule: rule,
            mandate: mandate,
            activation: .sale,
            activateBy: Shop.deadline,
            policy: FiringPolicy(),
            details: [:],
            metadata: [:]
        )
    }

    private func registration(_ schedule: ScheduleTerms) throws -> RecurringTerms {
        try Shop.adapter.registration(of: schedule, Shop.settings())
    }

    private func refusal(_ schedule: ScheduleTerms, _ changes: [(String, Json)] = []) -> String? {
        do throws(PlanFailure) {
            _ = try Shop.adapter.registration(of: schedule, Shop.settings(changes))
            return nil
        } catch { return "\(error.code) \(error.path ?? "")" }
    }

    private func payment(_ ordinal: Int = 0, recurring: RecurringTerms? = nil) -> PaymentTerms {
        let base = Shop.terms(recurring: recurring)
        return PaymentTerms(
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
            recurring: recurring,
            occurrence: OccurrenceName(schedule: id, ordinal: ordinal)
        )
    }

    @Test func `a rule becomes period, interval, start, time and expiry; half a year is two quarters`() throws {
        let last: CivilDate = try #require(CivilDate("2028-02-29"))
        let terms = try registration(schedule(rule(.every(2, .halfYear), end: RuleEnd(lastDate: last))))
        let start: CivilDate = try #require(CivilDate("2026-04-30"))
        #expect(
            terms.plan
                == .calendar(RecurringTerms.Calendar(period: .quarter, interval: 4, start: start, time: "09:30:00"))
        )
        #expect(terms.expiry == last && terms.amount == Series.euro(990) && terms.kind == .regular)
    }

    @Test func `the earlier of the rule's end and the mandate's is the series' last day`() throws {
        let rules: CivilDate = try #require(CivilDate("2028-02-29"))
        let mandates: CivilDate = try #require(CivilDate("2027-01-31"))
        let both = schedule(try rule(end: RuleEnd(lastDate: rules)), mandate: Mandate(expiresOn: mandates))
        #expect(try registration(both).expiry == mandates)
    }

    @Test func `an explicit list goes as dates with their amounts`() throws {
        let days: [CivilDate] = try ["2026-04-30", "2026-12-31"].map { text in
            let day: CivilDate = try #require(CivilDate(text))
            return day
        }
        let list = [DatedAmount(days[0], Series.euro(500)), DatedAmount(days[1], Series.euro(700))]
        let terms = try registration(schedule(try rule(.dates(list)), amount: nil))
        #expect(
            terms.plan
                == .dates([
                    RecurringTerms.Instalment(date: days[0], amount: Series.euro(500)),
                    RecurringTerms.Instalment(date: days[1], amount: Series.euro(700)),
                ])
        )
    }

    @Test func `what the platform has no words for is refused, with its place`() throws {
        #expect(refusal(schedule(nil)) == "rule_missing rule")
        #expect(refusal(schedule(try rule(), kind: .autopayment)) == "rule_not_allowed kind")
        #expect(refusal(schedule(try rule(zone: "Europe/Riga"))) == "zone_not_of_account rule.zone")
        #expect(refusal(schedule(try rule(zone: "Europe/Riga")), [("seriesZone", "Europe/Riga")]) == nil)
        #expect(refusal(schedule(try rule(end: RuleEnd(count: 3)))) == "rule_not_allowed rule.end")
        #expect(refusal(schedule(try rule(end: RuleEnd(total: Series.euro(9))))) == "rule_not_allowed rule.end")
        #expect(refusal(schedule(try rule(.every(101, .day)))) == "interval_out_of_range rule.every")
        #expect(refusal(schedule(try rule(.every(51, .halfYear)))) == "interval_out_of_range rule.every")
        #expect(refusal(schedule(try rule(anchorDay: 31))) == "rule_not_allowed rule.anchorDay")
        #expect(refusal(schedule(try rule(anchorDay: 30))) == nil)
        let distance = Mandate(minimumDays: 5)
        #expect(refusal(schedule(try rule(), mandate: distance)) == "rule_not_allowed mandate.minimumDays")
        let shift = BusinessDayRule(shift: .following, calendar: "riga")
        #expect(refusal(schedule(try rule(businessDays: shift))) == "rule_not_allowed rule.businessDays")
    }

    @Test func `every first payment of a schedule registers under one name, so a second series can't be`() throws {
        let wanted = schedule(try rule())
        let terms = try Shop.adapter.enrol(payment(), in: wanted, Shop.settings())
        let name = try #require(terms.recurring?.reference)
        #expect(name.hasPrefix("s") && name.utf8.count == 27)
        #expect(try Shop.adapter.enrol(payment(), in: wanted, Shop.settings()).recurring?.reference == name)
        try terms.recurring?.check(with: terms, on: CivilDate(Shop.now))
        // The payments that follow register nothing.
        #expect(try Shop.adapter.enrol(payment(2), in: wanted, Shop.settings()).recurring == nil)
        #expect(throws: PlanFailure.self) {
            try Shop.adapter.enrol(payment(recurring: RecurringTerms(kind: .oneClick)), in: wanted, Shop.settings())
        }
    }

    @Test func `a series of ours is registered where its charges are debits, and not where they go by token`() throws {
        let ours = schedule(try rule(), runner: .paystream)
        #expect(try Shop.adapter.enrol(payment(), in: ours, Shop.settings()).recurring?.kind == .autopayment)
        let byToken = Shop.settings([("gateTokenPaths", ["sale": "/v2/payment/card/sale/token"])])
        #expect(try Shop.adapter.enrol(payment(), in: ours, byToken).recurring == nil)
        let present = schedule(try rule(), runner: .paystream, presence: .customerPresent)
        #expect(try Shop.adapter.enrol(payment(), in: present, Shop.settings()).recurring == nil)
    }

    @Test(
        arguments: [
            (
                200, #"{"status":"success","request_id":"r","project_id":42,"payment_id":"pay-7"}"#, SeriesAsk.update,
                "done"
            ),
            (200, #"{"status":"error","code":"3181"}"#, .cancel, "refused 3181"),
            (200, #"{"status":"error","code":"3184"}"#, .cancel, "done"),
            (200, #"{"status":"error","code":"3301"}"#, .cancel, "done"),
            (200, #"{"status":"error","code":"3184"}"#, .update, "refused 3184"),
            (502, "<html>", .cancel, "unknown"), (200, "<html>", .update, "unknown"),
        ] as [(Int, String, SeriesAsk, String)]
    )
    func `an answer about a series ends it, refuses it, or says nothing`(
        status: Int,
        body: String,
        ask: SeriesAsk,
        expected: String
    ) {
        let outcome = Shop.adapter.readSeries(.answered(status: status, body: Array(body.utf8)), ask, Shop.settings())
        let word =
            switch outcome {
            case .done: "done"
            case .refused(let code): "refused \(code ?? "")"
            case .unknown: "unknown"
            }
        #expect(word == expected)
    }
}

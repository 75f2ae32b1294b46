import Kernel
import Schedules
import TestKit
import Testing

/// What is refused at registration, and with which code.
struct ScheduleRefusalTests {
    private func refusal(
        _ terms: ScheduleTerms,
        _ limits: RecurrenceLimits = RecurrenceLimits(runners: [.paystream, .provider]),
        change: (inout ScheduleStory) -> Void = { _ in }
    ) throws -> ScheduleRejection.Code? {
        var story = try ScheduleStory()
        story.limits = limits
        change(&story)
        do {
            try story.command(.create(terms))
            return nil
        } catch let rejection as ScheduleRejection { return rejection.code }
    }

    private func list(_ dates: [String], _ amounts: [Money] = []) -> ScheduleTerms {
        let lines = dates.enumerated().compactMap { index, text in
            CivilDate(text).map { DatedAmount($0, amounts.indices.contains(index) ? amounts[index] : .rubles(5)) }
        }
        return Terms.monthly(dates.first ?? "2026-02-01", cadence: .dates(lines))
    }

    @Test func `good terms are registered once, and again without an event`() throws {
        var story = try ScheduleStory()
        try story.command(.create(Terms.monthly()))
        #expect(story.names == ["schedule.registered.v1"])
        try story.command(.create(Terms.monthly()))
        #expect(story.last == ScheduleDecision())
        #expect(throws: ScheduleRejection.self) { try story.command(.create(Terms.monthly(amount: 7))) }
    }

    @Test func `a method that can't recur declines clearly`() throws {
        #expect(try refusal(Terms.monthly(), .none) == .recurrenceNotSupported)
        #expect(try refusal(Terms.monthly(), RecurrenceLimits(kinds: [.autopayment])) == .recurrenceNotSupported)
        #expect(
            try refusal(Terms.make(runner: .provider, rule: Terms.monthly().rule), RecurrenceLimits())
                == .runnerNotSupported
        )
    }

    @Test func `saving a credential alone never begins a series`() throws {
        #expect(try refusal(Terms.make(rule: Terms.monthly().rule, activation: .tokenize)) == .cannotActivate)
        var story = try ScheduleStory()
        try story.command(.create(Terms.monthly()))
        let tokenized = Activation(
            payment: ScheduleStory.first,
            mode: .tokenize,
            instrument: ScheduleStory.card,
            series: nil
        )
        #expect(throws: ScheduleRejection.self) { try story.command(.activate(tokenized)) }
    }

    @Test func `a repeated registration at the provider is a success with nothing to record`() throws {
        var story = try ScheduleStory(Terms.monthly())
        try story.command(.activate(ScheduleStory.activation))
        #expect(story.last == ScheduleDecision())
    }

    @Test func `an account that can't charge unattended takes customer-present series by explicit choice only`() throws
    {
        let limits = RecurrenceLimits(unattended: false)
        #expect(try refusal(Terms.monthly(), limits) == .unattendedNotSupported)
        let present = Terms.make(presence: .customerPresent, rule: Terms.monthly().rule)
        #expect(try refusal(present, limits) == nil)
        var story = try ScheduleStory(present)
        story.wait(until: "2026-01-31T07:00:00Z")
        #expect(story.orders.last?.started.presence == .customerPresent)
        story.observe(.payment(story.orders[0].started.payment, .waitsForCustomer))
        #expect(story.names == ["occurrence.step_up_requested.v1"])
    }

    @Test func `the mandate's last day lies after the start and not in the past`() throws {
        func until(_ day: String) -> ScheduleTerms { Terms.monthly(mandate: Mandate(expiresOn: CivilDate(day))) }
        #expect(try refusal(until("2025-12-31")) == .expiryInPast)
        #expect(try refusal(until("2026-01-30")) == .expiryBeforeStart)
        #expect(try refusal(until("2026-01-31")) == nil)
        #expect(try refusal(Terms.monthly(), RecurrenceLimits(needsExpiry: true)) == .expiryMissing)
    }

    @Test func `a list is sorted, named once and as long as the account allows`() throws {
        #expect(try refusal(list(["2026-02-01", "2026-03-01"])) == nil)
        #expect(try refusal(list(["2026-03-01", "2026-02-01"])) == .datesUnsorted)
        #expect(try refusal(list(["2026-02-01", "2026-02-01"])) == .datesRepeated)
        #expect(try refusal(list([])) == .seriesEmpty)
        #expect(try refusal(list(["2026-02-01", "2026-03-01"]), RecurrenceLimits(dates: 1)) == .datesTooMany)
        let dollars = Money(5, try #require(Currency("USD")))
        #expect(try refusal(list(["2026-02-01", "2026-03-01"], [.rubles(5), dollars])) == .currencyMismatch)
    }

    @Test func `an amount outside the account's limits is refused, one that differs from the first payment's is not`()
        throws
    {
        let limits = RecurrenceLimits(amounts: 100...1000)
        #expect(try refusal(Terms.monthly(amount: 99), limits) == .amountOutOfRange)
        #expect(try refusal(Terms.monthly(amount: 1001), limits) == .amountOutOfRange)
        #expect(try refusal(Terms.monthly(amount: 0)) == .amountOutOfRange)
        #expect(try refusal(Terms.monthly(amount: 777), limits) == nil)
        #expect(try refusal(Terms.make(rule: Terms.monthly().rule, amount: nil)) == .amountMissing)
    }

    @Test func `intervals, periods and the mandate's distance stay in the provider's ranges`() throws {
        let ecommpay = RecurrenceLimits(intervals: 1...100)
        func every(_ interval: Int, _ period: Period, days: Int? = nil) -> ScheduleTerms {
            Terms.monthly(
                mandate: Mandate(expiresOn: CivilDate("2027-01-01"), minimumDays: days),
                cadence: .every(interval, period)
            )
        }
        #expect(try refusal(every(101, .day), ecommpay) == .intervalOutOfRange)
        #expect(try refusal(every(100, .day), ecommpay) == nil)
        #expect(try refusal(every(0, .day)) == .intervalOutOfRange)
        let sberPay = RecurrenceLimits(minimumDays: 1...28, needsExpiry: true)
        #expect(try refusal(every(1, .month), sberPay) == .minimumDaysOutOfRange)
        #expect(try refusal(every(1, .month, days: 29), sberPay) == .minimumDaysOutOfRange)
        #expect(try refusal(every(1, .month, days: 28), sberPay) == nil)
        #expect(try refusal(every(1, .week, days: 8), sberPay) == .tooClose)
        #expect(try refusal(every(1, .week, days: 7), sberPay) == nil)
        #expect(try refusal(every(1, .day), RecurrenceLimits(periods: [.month])) == .periodNotSupported)
    }

    @Test func `a rule says what it is, in a zone that is known`() throws {
        #expect(try refusal(Terms.make(rule: nil)) == .ruleMissing)
        #expect(
            try refusal(Terms.make(kind: .oneClick, presence: .customerPresent, rule: Terms.monthly().rule))
                == .ruleNotAllowed
        )
        #expect(try refusal(Terms.make(kind: .oneClick, rule: nil)) == .unattendedNotSupported)
        #expect(try refusal(Terms.monthly()) { $0.calendar = nil } == .zoneUnknown)
        #expect(try refusal(Terms.monthly("2025-12-31")) == .startInPast)
        #expect(try refusal(Terms.monthly(end: RuleEnd(lastDate: CivilDate("2026-01-30")))) == .seriesEmpty)
        #expect(try refusal(Terms.monthly(end: RuleEnd(count: 0))) == .seriesEmpty)
        #expect(try refusal(Terms.monthly(end: RuleEnd(total: .rubles(499)))) == .seriesEmpty)
    }

    @Test func `a series that nobody could activate in time is refused`() throws {
        let end = Terms.monthly().activateBy
        #expect(try refusal(Terms.monthly()) { $0.now = end } == .activateByInPast)
        #expect(try refusal(Terms.monthly()) { $0.now = end.adding(.seconds(-1)) } == nil)
    }

    @Test func `policies stay in range`() throws {
        let catchUp = CatchUp(mode: .all, cap: 32, graceSeconds: 0, spreadSeconds: 0)
        #expect(try refusal(Terms.monthly(catchUp: catchUp)) == .policyInvalid)
        let quiet = QuietHours(from: .noon, to: .noon, zone: "Europe/Moscow")
        #expect(try refusal(Terms.monthly(quiet: quiet)) == .policyInvalid)
        for delay in [0, 59, 61 * 86_400] as [Int64] {
            let policy = DunningPolicy(
                name: "p",
                version: 1,
                steps: [.soft: .retry(afterSeconds: [delay])],
                caps: [],
                giveUp: .mark,
                endsAtNext: true
            )
            #expect(try refusal(Terms.monthly(dunning: policy)) == .policyInvalid)
        }
    }
}

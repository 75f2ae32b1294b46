import Kernel
import Schedules
import TestKit
import Testing

/// Series that the provider runs: watched, never fired.
struct ScheduleProviderTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private func story(_ end: RuleEnd = RuleEnd(), _ mandate: Mandate = Mandate()) throws -> ScheduleStory {
        try ScheduleStory(Terms.make(runner: .provider, rule: Terms.monthly(end: end).rule, mandate: mandate))
    }

    private func payment(_ number: UInt64) -> PaymentId { PaymentId(Uuid(high: 7, low: number)) }

    private func debit(
        _ story: inout ScheduleStory,
        _ number: UInt64,
        _ time: String,
        series: String = "4711",
        amount: Money = .rubles(500),
        _ result: ScheduleObservation.PaymentResult? = nil
    ) throws {
        let moment = try at(time)
        story.wait(until: moment)
        let result = result ?? .succeeded(amount)
        story.observe(.debit(payment(number), series: series, amount: amount, result, at: moment))
    }

    @Test func `nothing is ever started, and a year of debits is matched by day`() throws {
        var story = try story()
        for (index, day) in ["01-31", "02-28", "03-31", "04-30", "05-31", "06-30"].enumerated() {
            try debit(&story, UInt64(index), "2026-\(day)T07:00:05Z")
        }
        #expect(story.orders.isEmpty)
        #expect(
            story.schedule.paid == [
                1: payment(0), 2: payment(1), 3: payment(2), 4: payment(3), 5: payment(4), 6: payment(5),
            ]
        )
        #expect(throws: ScheduleRejection.self) {
            try story.command(.run(ordinal: nil, amount: nil, presence: .unattended))
        }
    }

    @Test func `a daily series' debits pay their own days, a little early or late`() throws {
        let start: CivilDate = try #require(CivilDate("2026-01-31"))
        let rule = ScheduleRule(
            cadence: .every(1, .day),
            start: start,
            time: try #require(TimeOfDay("10:00")),
            zone: "Europe/Moscow"
        )
        var story = try ScheduleStory(Terms.make(runner: .provider, rule: rule))
        for (index, time) in ["01-31T07:00:05", "02-01T06:59:50", "02-02T09:00:00"].enumerated() {
            try debit(&story, UInt64(index), "2026-\(time)Z")
        }
        #expect(story.schedule.paid == [1: payment(0), 2: payment(1), 3: payment(2)])
    }

    @Test func `the provider's own retries are tries of the same occurrence`() throws {
        var story = try story()
        let failed = ScheduleObservation.PaymentResult.failed(
            ScheduleEvent.Failure(kind: .insufficientFunds, code: "51")
        )
        try debit(&story, 1, "2026-01-31T07:00:00Z", failed)
        #expect(Array(story.names.prefix(2)) == ["occurrence.started.v1", "occurrence.failed.v1"])
        try debit(&story, 2, "2026-01-31T19:00:00Z", failed)
        try debit(&story, 3, "2026-02-01T07:00:00Z")
        #expect(story.schedule.paid == [1: payment(3)])
        #expect(story.orders.isEmpty)
    }

    @Test func `a debit of another series, a second one, and one past the mandate are alerts, once each`() throws {
        var story = try story(RuleEnd(), Mandate(expiresOn: CivilDate("2026-03-15")))
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        try debit(&story, 2, "2026-01-31T09:00:00Z")
        #expect(story.names == ["schedule.debit_unmatched.v1"])
        try debit(&story, 2, "2026-01-31T09:00:00Z")
        #expect(story.last == ScheduleDecision())
        try debit(&story, 3, "2026-02-28T07:00:00Z", series: "9")
        #expect(story.names == ["schedule.debit_unmatched.v1"])
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        #expect(story.last == ScheduleDecision())
        try debit(&story, 4, "2026-02-28T07:00:00Z")
        #expect(story.schedule.paid[2] == payment(4))
        try debit(&story, 5, "2026-03-31T07:00:00Z")
        #expect(story.names.first == "schedule.debit_unmatched.v1")
        #expect(story.schedule.unmatched == [payment(2), payment(3), payment(5)])
        #expect(story.schedule.anomalies == [.debitUnmatched: 3] && story.schedule.collected == 1000)
    }

    @Test
    func `a debit of another amount pays what it paid and is an alert, and one in another currency is no debit of it`()
        throws
    {
        var story = try story()
        try debit(&story, 1, "2026-01-31T07:00:00Z", amount: .rubles(600))
        #expect(story.schedule.paid[1] == payment(1) && story.schedule.collected == 600)
        #expect(story.schedule.anomalies == [.amountDiffers: 1])
        let dollars = Money(500, try #require(Currency("USD")))
        try debit(&story, 2, "2026-02-28T07:00:00Z", amount: dollars)
        #expect(story.schedule.paid[2] == nil && story.schedule.collected == 600)
        #expect(story.schedule.anomalies == [.amountDiffers: 1, .debitUnmatched: 1])
    }

    @Test func `a debit after the last one is an alert`() throws {
        var story = try story(RuleEnd(count: 1))
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        #expect(story.schedule.status == .completed)
        try debit(&story, 2, "2026-02-28T07:00:00Z")
        #expect(story.schedule.anomalies == [.debitUnmatched: 1] && story.schedule.collected == 500)
    }

    @Test func `the next run is the next occurrence's day, and not the end of the wait for its debit`() throws {
        var story = try story(RuleEnd(count: 2))
        #expect(try story.schedule.nextAt == at("2026-01-31T07:00:00Z"))
        #expect(try story.schedule.nextTimer == at("2026-02-01T07:00:00Z"))
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        #expect(try story.schedule.nextAt == at("2026-02-28T07:00:00Z"))
        #expect(try story.schedule.nextTimer == at("2026-03-07T07:00:00Z"))
    }

    @Test func `a debit that never came is an alert when the next one is due`() throws {
        var story = try story()
        story.wait(until: "2026-03-02T00:00:00Z")
        let skipped = story.events.compactMap { event -> Int? in
            if case .skipped(let first, _, .unobserved, _) = event { first } else { nil }
        }
        #expect(skipped == [1] && story.schedule.anomalies == [.debitMissing: 1])
        try debit(&story, 1, "2026-03-02T00:00:00Z")
        #expect(story.schedule.paid == [2: payment(1)])
    }

    @Test func `a series of the provider's ends after its last debit, or a week after it should have come`() throws {
        var story = try story(RuleEnd(count: 2))
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        var missed = story
        try debit(&story, 2, "2026-02-28T07:00:00Z")
        #expect(story.schedule.status == .completed)
        missed.wait(until: "2026-03-08T00:00:00Z")
        #expect(missed.schedule.status == .completed)
        #expect(missed.events.contains { $0.name == .skipped })
    }
}

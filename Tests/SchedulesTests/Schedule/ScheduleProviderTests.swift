import Kernel
import Schedules
import TestKit
import Testing

/// Series that the provider runs: watched, never fired.
struct ScheduleProviderTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private func story(_ end: RuleEnd = RuleEnd()) throws -> ScheduleStory {
        var terms = Terms.monthly(end: end)
        terms = Terms.make(runner: .provider, rule: terms.rule)
        return try ScheduleStory(terms)
    }

    private func payment(_ number: UInt64) -> PaymentId { PaymentId(Uuid(high: 7, low: number)) }

    private func debit(
        _ story: inout ScheduleStory,
        _ number: UInt64,
        _ time: String,
        series: String = "4711",
        _ result: ScheduleObservation.PaymentResult = .succeeded(.rubles(500))
    ) throws {
        let moment = try at(time)
        story.wait(until: moment)
        story.observe(.debit(payment(number), series: series, amount: .rubles(500), result, at: moment))
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
        var story = try story()
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        try debit(&story, 2, "2026-01-31T09:00:00Z")
        #expect(story.names == ["schedule.debit_unmatched.v1"])
        try debit(&story, 2, "2026-01-31T09:00:00Z")
        #expect(story.last == ScheduleDecision())
        try debit(&story, 3, "2026-02-28T07:00:00Z", series: "9")
        #expect(story.names == ["schedule.debit_unmatched.v1"])
        try debit(&story, 1, "2026-01-31T07:00:00Z")
        #expect(story.last == ScheduleDecision())
    }

    @Test func `a debit that never came is an alert when the next one is due`() throws {
        var story = try story()
        story.wait(until: "2026-03-02T00:00:00Z")
        let skipped = story.events.compactMap { event -> Int? in
            if case .skipped(let first, _, .unobserved, _) = event { first } else { nil }
        }
        #expect(skipped == [1])
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

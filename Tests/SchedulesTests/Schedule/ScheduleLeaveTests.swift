import Kernel
import Schedules
import TestKit
import Testing

/// The leave that stands with a card, which other series and payments charge, too.
struct ScheduleLeaveTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private func card(from: String? = nil, ends: String? = nil) throws -> ScheduleContext.Card {
        ScheduleContext.Card(
            expiry: nil,
            scheme: nil,
            chargeableFrom: try from.map { try at($0) },
            mandateEndsAt: try ends.map { try at($0) }
        )
    }

    @Test func `an occurrence waits for the day on which the card may be charged again, at its time of day`() throws {
        var story = try ScheduleStory(
            Terms.monthly(catchUp: CatchUp(mode: .all, cap: 3, graceSeconds: 3600, spreadSeconds: 0))
        )
        story.cards[ScheduleStory.card] = try card(from: "2026-02-02T21:00:00Z")
        story.wait(until: try at("2026-01-31T07:00:00Z"))
        #expect(story.orders.isEmpty)
        // The third in Moscow begins at 21:00Z on the second; ten o'clock there is seven here.
        #expect(story.schedule.nextTimer == (try at("2026-02-03T07:00:00Z")))
        story.wait(until: try at("2026-02-03T07:00:00Z"))
        #expect(story.orders.count == 1)
    }

    @Test func `nobody charges by hand before that day`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.cards[ScheduleStory.card] = try card(from: "2026-01-20T21:00:00Z")
        #expect(throws: ScheduleRejection.self) {
            try story.command(.run(ordinal: nil, amount: nil, presence: .unattended))
        }
    }

    @Test func `once the leave is over the card is charged no more`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.cards[ScheduleStory.card] = try card(ends: "2026-01-30T21:00:00Z")
        story.wait(until: try at("2026-01-31T07:00:00Z"))
        #expect(story.orders.isEmpty && story.schedule.status == .paused)
    }

    @Test func `a series without a card is charged by its id`() throws {
        var story = try ScheduleStory()
        try story.command(.create(Terms.monthly()))
        let first = Activation(payment: ScheduleStory.first, mode: .verify, instrument: nil, series: "4711")
        try story.command(.activate(first))
        story.wait(until: try at("2026-01-31T07:00:00Z"))
        #expect(story.orders.count == 1 && story.orders.first?.started.instrument == nil)
    }
}

import Kernel
import Schedules
import TestKit
import Testing

/// What a schedule says that it is going to charge.
struct SchedulePreviewTests {
    private func preview(_ story: ScheduleStory, _ count: Int = 12) -> SchedulePreview {
        story.schedule.preview(count: count, story.context)
    }

    private func days(_ preview: SchedulePreview) -> [String] { preview.items.map(\.date.text) }

    @Test func `what is planned comes first, then what the rule gives, until the total is at its end`() throws {
        let story = try ScheduleStory(Terms.monthly(end: RuleEnd(total: .rubles(1400))))
        let preview = preview(story)
        #expect(days(preview) == ["2026-01-31", "2026-02-28"])
        #expect(preview.items.map(\.state) == [.decided, .expected])
        #expect(preview.items.map(\.amount) == [.rubles(500), .rubles(500)])
        #expect(preview.items[1].reasons == [.shortMonth])
        #expect(preview.end == .over && preview.holds.isEmpty)
    }

    @Test func `it is what is charged in the end`() throws {
        var story = try ScheduleStory(Terms.monthly(end: RuleEnd(count: 5)))
        let expected = preview(story).items
        #expect(expected.count == 5)
        var charged: [Timestamp] = []
        for item in expected {
            story.wait(until: item.dueAt)
            #expect(story.orders.last?.started.ordinal == item.ordinal)
            charged.append(try #require(story.orders.last?.started.at))
            story.succeed()
        }
        #expect(charged == expected.map(\.startAt))
        #expect(story.schedule.status == .completed)
        #expect(preview(story) == preview(story, 0) && preview(story).end == .over)
    }

    @Test func `a moved day and another rule show with the ordinals that they will have`() throws {
        var story = try ScheduleStory(Terms.monthly())
        try story.command(.change(ScheduleChange(nextDate: CivilDate("2026-02-03"))))
        #expect(days(preview(story, 2)) == ["2026-02-03", "2026-02-28"])
        #expect(preview(story, 1).items[0].reasons == [.moved])
        try story.command(.change(ScheduleChange(rule: Terms.monthly("2026-06-15").rule)))
        #expect(days(preview(story, 2)) == ["2026-06-15", "2026-07-15"])
        #expect(preview(story, 2).items.map(\.ordinal) == [2, 3])
    }

    @Test func `the mandate ends it, and its distance moves the next charge`() throws {
        let mandate = Mandate(expiresOn: CivilDate("2026-03-15"))
        #expect(preview(try ScheduleStory(Terms.monthly(mandate: mandate))).end == .mandate)
        var story = try ScheduleStory(Terms.monthly(mandate: Mandate(minimumDays: 28)))
        story.wait(until: "2026-01-31T07:00:00Z")
        #expect(preview(story, 2).holds == [.outcomeAwaited])
        story.fail(.soft)
        story.wait(until: "2026-02-01T07:00:00Z")
        story.succeed()
        let next = preview(story, 1).items[0]
        #expect(next.dueAt == Timestamp("2026-02-28T07:00:00Z") && next.startAt == Timestamp("2026-03-01T07:00:00Z"))
    }

    @Test func `a pause holds everything, and what falls due in it is left out`() throws {
        var story = try ScheduleStory(Terms.monthly())
        try story.command(.pause(reason: "asked"))
        story.now = try #require(Timestamp("2026-03-10T00:00:00Z"))
        let preview = preview(story, 2)
        #expect(preview.holds == [.paused] && days(preview) == ["2026-03-31", "2026-04-30"])
        try story.command(.resume(.skip))
        #expect(days(self.preview(story, 2)) == days(preview))
    }

    @Test func `a series that waits for its first payment says so, one without its zone's data, too`() throws {
        var story = try ScheduleStory()
        try story.command(.create(Terms.monthly()))
        #expect(preview(story, 1).holds == [.notActivated])
        #expect(days(preview(story, 1)) == ["2026-01-31"])
        story.now = try #require(Timestamp("2026-02-01T00:00:00Z"))
        #expect(days(preview(story, 1)) == ["2026-02-28"], "what falls due before the consent is not charged")
        story.calendar = nil
        #expect(preview(story, 1).holds == [.notActivated, .zoneUnknown])
    }

    @Test func `terms alone are previewed from any ordinal, with what the total leaves`() throws {
        let story = try ScheduleStory()
        let terms = Terms.monthly(end: RuleEnd(total: .rubles(2000)))
        let preview = terms.preview(from: 3, count: 12, story.context)
        #expect(preview.items.map(\.ordinal) == [3, 4] && preview.end == .over && preview.holds.isEmpty)
        let many = Terms.monthly(amount: .max / 2, cadence: .every(1, .day))
        #expect(many.preview(from: 100, count: 3, story.context).items.map(\.ordinal) == [100, 101, 102])
    }

    @Test func `occurrences that fall on one day show once as charged`() throws {
        var story = try ScheduleStory(zone: "Pacific/Apia")
        story.now = try #require(Timestamp("2011-12-01T00:00:00Z"))
        let terms = Terms.monthly("2011-12-29", cadence: .every(1, .day))
        let items = terms.preview(from: 1, count: 4, story.context).items
        #expect(items.count { $0.state == .skipped } == 1)
        #expect(items.first { $0.state == .skipped }?.reasons.contains(.coincides) == true)
    }
}

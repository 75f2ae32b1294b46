import Kernel
import Schedules
import TestKit
import Testing

/// What an outage, a pause or a late consent held up: limits hold at the moment of the charge, too.
struct ScheduleLatenessTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private static let night = QuietHours(
        from: TimeOfDay("22:00") ?? .noon,
        to: TimeOfDay("08:00") ?? .noon,
        zone: "Europe/Moscow"
    )

    private func declined(_ terms: ScheduleTerms = Terms.monthly(), _ kind: DeclineKind = .soft) throws -> ScheduleStory
    {
        var story = try ScheduleStory(terms)
        story.wait(until: "2026-01-31T07:00:00Z")
        story.fail(kind)
        return story
    }

    private func gaveUp(_ story: ScheduleStory) -> [Int] {
        story.events.compactMap { event in
            if case .gaveUp(let ordinal, .mark, _, _) = event { ordinal } else { nil }
        }
    }

    // MARK: retries

    @Test func `a retry that an outage held up beyond the next occurrence is not made, and the series goes on`() throws
    {
        for mode in [CatchUp.Mode.latest, .none] {
            let late = CatchUp(mode: mode, cap: 1, graceSeconds: 3600, spreadSeconds: 3600)
            var story = try declined(Terms.monthly(catchUp: late))
            story.outage(until: "2026-04-05T12:00:00Z")
            story.wait(until: "2026-04-06T12:00:00Z")
            #expect(gaveUp(story) == [1] && story.schedule.status == .active)
            #expect(story.started == (mode == .latest ? [1, 3] : [1]))
        }
    }

    @Test func `a retry that fell due in a pause ends with it, whatever the resume says`() throws {
        for missed in ScheduleEvent.Missed.allCases {
            var story = try declined()
            try story.command(.pause(reason: "asked"))
            story.now = try at("2026-04-05T12:00:00Z")
            try story.command(.resume(missed))
            #expect(gaveUp(story) == [1] && story.schedule.status == .active)
            story.wait(until: "2026-04-06T12:00:00Z")
            #expect(story.started == (missed == .catchUp ? [1, 3] : [1]))
        }
        // Before the next occurrence it is what was missed that decides.
        for missed in ScheduleEvent.Missed.allCases {
            var story = try declined()
            try story.command(.pause(reason: "asked"))
            story.now = try at("2026-02-05T12:00:00Z")
            try story.command(.resume(missed))
            story.wait(until: "2026-02-06T12:00:00Z")
            #expect(story.started == (missed == .catchUp ? [1, 1] : [1]))
        }
    }

    @Test func `a retry on its own day is made, held up or not`() throws {
        var story = try declined()
        story.outage(until: "2026-02-01T07:40:00Z")
        #expect(story.started == [1], "it is spread over as long as it was held up")
        story.wait(until: "2026-02-01T08:20:00Z")
        #expect(story.started == [1, 1])
    }

    @Test func `a retry is not made on or after a day to which the next occurrence was moved`() throws {
        var story = try declined(Terms.monthly(), .insufficientFunds)
        story.wait(until: "2026-02-01T07:00:00Z")
        story.fail(.insufficientFunds)
        #expect(try story.schedule.open[1]?.startAt == at("2026-02-03T07:00:00Z"))
        try story.command(.change(ScheduleChange(nextDate: CivilDate("2026-02-02"))))
        story.wait(until: "2026-02-10T07:00:00Z")
        #expect(story.started == [1, 1, 2] && gaveUp(story) == [1])
    }

    // MARK: quiet hours

    @Test func `what was held up into the quiet hours waits for their end`() throws {
        let late = CatchUp(mode: .latest, cap: 1, graceSeconds: 3600, spreadSeconds: 0)
        let evening = Terms.monthly(time: "21:00", catchUp: late, quiet: Self.night)
        var story = try ScheduleStory(evening)
        story.wait(until: "2026-01-31T18:00:00Z")
        story.fail(.soft)
        #expect(try story.schedule.nextTimer == at("2026-02-01T18:00:00Z"))
        // Half past eleven in the evening; five o'clock in UTC is eight in Moscow.
        story.outage(until: "2026-02-01T20:30:00Z")
        #expect(story.started == [1])
        #expect(try story.schedule.nextTimer == at("2026-02-02T05:00:00Z"))
        story.wait(until: "2026-02-02T05:00:00Z")
        #expect(story.started == [1, 1])
        // The same for an occurrence that is late, and for one that was late before.
        story.succeed()
        story.outage(until: "2026-02-28T20:30:00Z")
        #expect(try story.schedule.nextTimer == at("2026-03-01T05:00:00Z"))
        story.outage(until: "2026-03-01T21:00:00Z")
        #expect(story.started == [1, 1])
        #expect(try story.schedule.nextTimer == at("2026-03-02T05:00:00Z"))
    }

    @Test func `what is on time is charged at its time of day, quiet or not`() throws {
        var story = try ScheduleStory(Terms.monthly(time: "23:00", quiet: Self.night))
        story.wait(until: "2026-01-31T20:00:00Z")
        #expect(story.orders.map(\.started.at) == [try at("2026-01-31T20:00:00Z")])
    }

    // MARK: spreading

    @Test func `an outage within the grace is spread over its own length, and a moment's delay is none`() throws {
        var places: Set<Int64> = []
        let back = try at("2026-01-31T07:50:00Z")
        for low in 0..<50 as Range<UInt64> {
            var story = try ScheduleStory()
            story.schedule = Schedule(id: ScheduleId(Uuid(high: 1, low: low)))
            try story.command(
                .create(Terms.monthly(catchUp: CatchUp(mode: .none, cap: 1, graceSeconds: 3600, spreadSeconds: 3600)))
            )
            try story.command(.activate(ScheduleStory.activation))
            story.now = back
            story.drain()
            let start = story.orders.first?.started.at ?? story.schedule.nextTimer
            let place = try #require(start).since(back).components.seconds
            #expect((0..<3000).contains(place))
            places.insert(place)
            story.wait(until: back.adding(.seconds(3000)))
            #expect(story.started == [1], "within the grace nothing is left out")
        }
        #expect(places.count > 40)
        var prompt = try ScheduleStory(Terms.monthly())
        prompt.outage(until: "2026-01-31T07:01:59Z")
        #expect(prompt.started == [1])
    }

    // MARK: consent, chosen days, step-ups

    @Test func `what fell due before the customer agreed is not charged`() throws {
        for mode in CatchUp.Mode.allCases {
            var story = try ScheduleStory()
            let late = CatchUp(mode: mode, cap: 31, graceSeconds: 3600, spreadSeconds: 3600)
            try story.command(.create(Terms.monthly("2026-01-02", catchUp: late, cadence: .every(1, .day))))
            story.now = try at("2026-01-05T07:00:00Z")
            try story.command(.activate(ScheduleStory.activation))
            #expect(story.events.contains(.skipped(first: 1, last: 3, .beforeActivation, at: story.now)))
            // The fourth falls due at this very moment.
            #expect(story.started == [4])
            story.wait(until: "2026-01-06T12:00:00Z")
            #expect(story.started == [4, 5])
        }
    }

    @Test func `a day that somebody chose stays chosen when an outage holds it up`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.wait(until: "2026-01-31T07:00:00Z")
        story.succeed()
        try story.command(.change(ScheduleChange(nextDate: CivilDate("2026-02-03"))))
        story.outage(until: "2026-02-03T09:00:00Z")
        let plan = try #require(story.schedule.open[2]?.plan)
        #expect(plan.date == CivilDate("2026-02-03") && plan.reasons == [.moved] && plan.isLate)
        story.wait(until: "2026-02-03T11:00:00Z")
        #expect(story.started == [1, 2])
    }

    @Test func `a step-up whose deadline passed in a pause is marked, and the resume resumes`() throws {
        for missed in ScheduleEvent.Missed.allCases {
            var story = try declined(Terms.monthly(), .stepUpRequired)
            try story.command(.pause(reason: "asked"))
            story.now = try at("2026-02-10T07:00:00Z")
            try story.command(.resume(missed))
            #expect(story.schedule.status == .active && gaveUp(story) == [1])
        }
    }
}

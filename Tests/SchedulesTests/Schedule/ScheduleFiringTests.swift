import Kernel
import Schedules
import TestKit
import Testing

/// Firing: planned before charged, once per ordinal, late ones by policy.
struct ScheduleFiringTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test func `an occurrence is an event before it is charged, and the next one is planned with the charge`() throws {
        var story = try ScheduleStory(Terms.monthly())
        #expect(story.names == ["schedule.activated.v1", "occurrence.planned.v1"])
        #expect(try story.schedule.nextTimer == at("2026-01-31T07:00:00Z"))
        story.wait(until: "2026-01-31T07:00:00Z")
        #expect(story.names == ["occurrence.started.v1", "occurrence.planned.v1"])
        #expect(try story.schedule.nextTimer == at("2026-02-28T07:00:00Z"))
        let order = try #require(story.orders.first)
        #expect(order.started.amount == .rubles(500) && order.started.instrument == ScheduleStory.card)
        #expect(order.started.payment == story.schedule.payment(1, attempt: 1))
    }

    @Test func `the payment of an ordinal is the same whoever fires it and however often`() throws {
        var one = try ScheduleStory(Terms.monthly())
        var other = one
        one.wait(until: "2026-01-31T07:00:00Z")
        other.now = try at("2026-02-03T00:00:00Z")
        other.drain()
        other.wait(until: "2026-02-04T00:00:00Z")
        #expect(one.orders.first?.input == other.orders.first?.input)
        #expect(one.orders.first?.started.payment == other.orders.first?.started.payment)
    }

    @Test func `a clock that is moved back charges nothing again`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.wait(until: "2026-03-01T00:00:00Z")
        #expect(story.started == [1, 2])
        story.now = try at("2026-01-15T00:00:00Z")
        story.observe(.timer)
        #expect(story.last == ScheduleDecision())
        story.wait(until: "2026-03-30T00:00:00Z")
        #expect(story.started == [1, 2])
    }

    @Test func `a timer that comes twice changes nothing`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.wait(until: "2026-01-31T07:00:00Z")
        story.observe(.timer)
        #expect(story.last == ScheduleDecision())
    }

    @Test func `a decade of a monthly series falls on the anchor every time`() throws {
        var story = try ScheduleStory(Terms.monthly())
        for month in 0..<120 {
            story.wait(until: try at("2026-01-31T12:00:00Z").adding(.seconds(2_629_800 * Int64(month))))
            while let open = story.orders.first(where: { story.schedule.isInFlight($0.started.payment) }) {
                story.succeed(open.started.payment)
            }
        }
        let dates = story.events.compactMap { event -> CivilDate? in
            if case .planned(let plan) = event { plan.date } else { nil }
        }
        #expect(dates.count > 118)
        #expect(dates.allSatisfy { $0.day == $0.lengthOfMonth })
    }

    // MARK: catch-up

    private func late(_ mode: CatchUp.Mode, cap: Int = 31) -> CatchUp {
        CatchUp(mode: mode, cap: cap, graceSeconds: 600, spreadSeconds: 1800)
    }

    private func afterOutage(_ catchUp: CatchUp) throws -> ScheduleStory {
        var story = try ScheduleStory(Terms.monthly("2026-01-02", catchUp: catchUp, cadence: .every(1, .day)))
        story.wait(until: "2026-01-03T08:00:00Z")
        story.outage(until: "2026-01-08T12:00:00Z")
        story.wait(until: "2026-01-09T06:00:00Z")
        return story
    }

    @Test func `after an outage all late occurrences are charged, the newest of them, or none, as the policy says`()
        throws
    {
        #expect(try afterOutage(late(.all)).started == [1, 2, 3, 4, 5, 6, 7])
        #expect(try afterOutage(late(.all, cap: 3)).started == [1, 2, 5, 6, 7])
        #expect(try afterOutage(late(.latest)).started == [1, 2, 7])
        #expect(try afterOutage(late(.none)).started == [1, 2])
    }

    @Test func `late occurrences are spread over windows and never start in one storm`() throws {
        let story = try afterOutage(late(.all))
        let times = story.orders.dropFirst(2).map { $0.started.at }
        let begin = try at("2026-01-08T12:00:00Z")
        for (index, time) in times.enumerated() {
            let seconds = time.since(begin).components.seconds
            #expect((Int64(index) * 1800..<Int64(index + 1) * 1800).contains(seconds))
        }
        var places: Set<Int64> = []
        for low in 0..<50 as Range<UInt64> {
            var other = try ScheduleStory()
            other.schedule = Schedule(id: ScheduleId(Uuid(high: 1, low: low)))
            try other.command(.create(Terms.monthly("2026-01-02", catchUp: late(.latest))))
            try other.command(.activate(ScheduleStory.activation))
            other.outage(until: "2026-01-02T12:00:00Z")
            places.insert(
                try #require(other.schedule.nextTimer).since(try at("2026-01-02T12:00:00Z")).components.seconds
            )
        }
        #expect(places.count > 40)
    }

    @Test func `what is skipped says why, however long the outage was`() throws {
        var story = try ScheduleStory(Terms.monthly("2026-01-02", catchUp: late(.latest), cadence: .every(1, .day)))
        story.now = try at("2036-01-02T12:00:00Z")
        story.observe(.timer)
        #expect(story.last.events.count <= 6)
        let skipped = story.last.events.compactMap { event -> Int? in
            if case .skipped(let first, let last, .late, _) = event { last - first + 1 } else { nil }
        }
        #expect(skipped.reduce(0, +) == 3652)
    }

    @Test func `an occurrence within the grace is charged, whatever the policy says of late ones`() throws {
        var story = try ScheduleStory(Terms.monthly("2026-01-02", catchUp: late(.none)))
        story.outage(until: "2026-01-02T07:10:00Z")
        story.wait(until: "2026-01-02T07:20:00Z")
        #expect(story.started == [1])
    }

    // MARK: ends

    @Test func `a series ends by count, by date and by what was taken`() throws {
        let ends: [RuleEnd] = [
            RuleEnd(count: 3), RuleEnd(lastDate: CivilDate("2026-04-29")), RuleEnd(total: .rubles(1700)),
        ]
        for end in ends {
            var story = try ScheduleStory(Terms.monthly(end: end))
            for month in ["2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01"] {
                story.wait(until: "\(month)T00:00:00Z")
                story.succeed()
            }
            #expect(story.started == [1, 2, 3])
            #expect(story.schedule.status == .completed)
            #expect(story.schedule.nextTimer == nil)
        }
    }

    @Test func `a total counts what was taken and not what was tried`() throws {
        var story = try ScheduleStory(Terms.monthly(end: RuleEnd(total: .rubles(1000)), dunning: Terms.marking))
        story.wait(until: "2026-02-01T00:00:00Z")
        story.fail(.fraud)
        story.wait(until: "2026-03-01T00:00:00Z")
        story.succeed()
        story.wait(until: "2026-04-01T00:00:00Z")
        #expect(story.schedule.status == .active)
        story.succeed()
        #expect(story.started == [1, 2, 3])
        #expect(story.schedule.collected == 1000 && story.schedule.status == .completed)
    }

    @Test func `a series that nobody activates expires at its deadline`() throws {
        var story = try ScheduleStory()
        try story.command(.create(Terms.monthly()))
        story.wait(until: "2026-01-09T00:00:00Z")
        #expect(story.schedule.status == .expired)
        try story.command(.activate(ScheduleStory.activation))
        #expect(story.names == ["schedule.registration_unwanted.v1"] && story.schedule.status == .expired)
    }

    // MARK: pauses and changes

    @Test func `a pause charges nothing, and what it left out is skipped or caught up`() throws {
        for (missed, expected) in [(ScheduleEvent.Missed.skip, [1]), (.catchUp, [1, 3])] {
            var story = try ScheduleStory(Terms.monthly())
            story.wait(until: "2026-02-01T00:00:00Z")
            try story.command(.pause(reason: "asked"))
            story.wait(until: "2026-04-02T00:00:00Z")
            #expect(story.started == [1])
            try story.command(.resume(missed))
            story.wait(until: "2026-04-03T00:00:00Z")
            #expect(story.started == expected)
            story.wait(until: "2026-05-01T00:00:00Z")
            #expect(story.started == expected + [4])
        }
    }

    @Test func `a new rule goes on with new ordinals, and nothing of the old one is charged`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.wait(until: "2026-02-01T00:00:00Z")
        story.succeed()
        let weekly = try #require(Terms.monthly("2026-02-10", cadence: .every(1, .week)).rule)
        try story.command(.change(ScheduleChange(rule: weekly)))
        #expect(story.names == ["occurrence.skipped.v1", "schedule.changed.v1", "occurrence.planned.v1"])
        story.wait(until: "2026-02-25T00:00:00Z")
        #expect(story.started == [1, 3, 4, 5])
        #expect(Set(story.orders.map(\.input)).count == 4)
    }

    @Test func `a new amount holds from the next charge on`() throws {
        var story = try ScheduleStory(Terms.monthly())
        try story.command(.change(ScheduleChange(amount: .rubles(777))))
        story.wait(until: "2026-02-28T12:00:00Z")
        #expect(story.orders.map(\.started.amount) == [.rubles(777), .rubles(777)])
    }

    @Test func `a new amount that is more than the total leaves is not charged`() throws {
        var story = try ScheduleStory(Terms.monthly(end: RuleEnd(total: .rubles(1200))))
        story.wait(until: "2026-01-31T07:00:00Z")
        story.succeed()
        try story.command(.change(ScheduleChange(amount: .rubles(800))))
        #expect(story.names == ["schedule.changed.v1", "occurrence.skipped.v1", "schedule.completed.v1"])
    }

    @Test func `one occurrence is moved to another day, and the anchor stays`() throws {
        var story = try ScheduleStory(Terms.monthly())
        try story.command(.change(ScheduleChange(nextDate: CivilDate("2026-02-03"))))
        #expect(try story.schedule.nextTimer == at("2026-02-03T07:00:00Z"))
        story.wait(until: "2026-03-01T00:00:00Z")
        #expect(story.orders.map(\.started.at) == [try at("2026-02-03T07:00:00Z"), try at("2026-02-28T07:00:00Z")])
        for day in ["2026-02-28", "2026-04-30"] {
            #expect(throws: ScheduleRejection.self) {
                try story.command(.change(ScheduleChange(nextDate: CivilDate(day))))
            }
        }
    }

    @Test func `new holidays that bring an occurrence to a day that was charged leave it out`() throws {
        let zone = try ZoneShelf.zone("Europe/Moscow")
        func calendar(_ version: Int, _ holidays: ClosedRange<Int>?) -> CalendarData {
            let days = holidays.map { $0.compactMap { CivilDate("2026-05-0\($0)") } } ?? []
            let business = BusinessCalendar(name: "ru", version: version, weekend: [6, 7], holidays: Set(days))
            return CalendarData(zone: zone, business: business)
        }
        let weekly = ScheduleRule(
            cadence: .every(1, .week),
            start: try #require(CivilDate("2026-05-01")),
            time: .noon,
            zone: "Europe/Moscow",
            businessDays: BusinessDayRule(shift: .preceding, calendar: "ru")
        )
        var story = try ScheduleStory()
        story.calendar = calendar(1, nil)
        try story.command(.create(Terms.make(rule: weekly)))
        try story.command(.activate(ScheduleStory.activation))
        story.wait(until: "2026-05-01T09:00:00Z")
        #expect(story.started == [1] && story.schedule.open[2]?.plan.date == CivilDate("2026-05-08"))
        story.calendar = calendar(2, 2...8)
        story.observe(.calendarAdopted)
        #expect(story.names == ["occurrence.skipped.v1", "occurrence.planned.v1"])
        story.wait(until: "2026-05-15T09:00:00Z")
        #expect(story.started == [1, 3])
    }

    @Test func `new zone data moves what was not charged yet, and names its digest`() throws {
        var story = try ScheduleStory(Terms.monthly())
        let zone = try ZoneData(Tzif(footer: "AAA-4").bytes)
        story.calendar = CalendarData(zone: zone)
        story.observe(.calendarAdopted)
        #expect(story.names == ["occurrence.planned.v1"])
        #expect(try story.schedule.nextTimer == at("2026-01-31T06:00:00Z"))
        #expect(story.schedule.open[1]?.plan.zoneDigest == zone.digest)
        story.observe(.calendarAdopted)
        #expect(story.last == ScheduleDecision())
    }
}

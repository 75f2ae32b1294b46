import Kernel
import Schedules
import TestKit
import Testing

/// What follows a decline, inside caps, quiet hours and the mandate.
struct ScheduleDunningTests {
    private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private func declined(_ kind: DeclineKind, _ terms: ScheduleTerms = Terms.monthly()) throws -> ScheduleStory {
        var story = try ScheduleStory(terms)
        story.wait(until: "2026-01-31T07:00:00Z")
        story.fail(kind)
        return story
    }

    @Test func `a soft decline is tried again after one, three and seven days, with a payment of its own each`() throws
    {
        var story = try declined(.soft)
        #expect(story.names == ["occurrence.failed.v1", "occurrence.retried.v1"])
        #expect(try story.schedule.open[1]?.startAt == at("2026-02-01T07:00:00Z"))
        for _ in 0..<3 {
            story.wait(until: try #require(story.schedule.nextTimer))
            story.fail(.soft)
        }
        #expect(story.orders.map(\.started.attempt) == [1, 2, 3, 4])
        #expect(Set(story.orders.map(\.started.payment)).count == 4)
        #expect(story.schedule.status == .paused)
        #expect(story.names == ["occurrence.failed.v1", "occurrence.gave_up.v1", "schedule.paused.v1"])
    }

    @Test func `a retry that succeeds pays the ordinal, and the next one comes on its own day`() throws {
        var story = try declined(.insufficientFunds)
        story.wait(until: "2026-02-02T00:00:00Z")
        story.succeed()
        #expect(story.schedule.paid[1] == story.orders.last?.started.payment)
        #expect(try story.schedule.nextTimer == at("2026-02-28T07:00:00Z"))
    }

    @Test func `every decision names its policy and version`() throws {
        let story = try declined(.soft, Terms.monthly(dunning: Terms.marking))
        guard case .retried(let retry)? = story.last.events.last else {
            Issue.record("no retry")
            return
        }
        #expect(retry.policy == ScheduleEvent.PolicyVersion(name: "marking", version: 3) && retry.after == .soft)
    }

    @Test func `another policy decides what follows from then on, and stays in range, too`() throws {
        var story = try ScheduleStory(Terms.monthly())
        try story.command(.change(ScheduleChange(policy: FiringPolicy(dunning: Terms.marking))))
        #expect(story.names == ["schedule.changed.v1"])
        story.wait(until: "2026-01-31T07:00:00Z")
        story.fail(.fraud)
        guard case .gaveUp(1, .mark, let policy, _)? = story.last.events.dropFirst().first else {
            Issue.record("\(story.names)")
            return
        }
        #expect(policy == ScheduleEvent.PolicyVersion(name: "marking", version: 3))
        #expect(story.schedule.status == .active)
        let wild = CatchUp(mode: .all, cap: 32, graceSeconds: 0, spreadSeconds: 0)
        #expect(throws: ScheduleRejection.self) {
            try story.command(.change(ScheduleChange(policy: FiringPolicy(catchUp: wild))))
        }
    }

    @Test func `a hard decline is never tried again with the same card, and the fallback is charged`() throws {
        var story = try declined(.hard, Terms.monthly(fallback: ScheduleStory.spare))
        story.wait(until: "2026-01-31T08:00:00Z")
        #expect(story.orders.map(\.started.instrument) == [ScheduleStory.card, ScheduleStory.spare])
        story.fail(.hard)
        #expect(story.schedule.status == .paused)
        #expect(try declined(.hard).schedule.status == .paused)
        #expect(try declined(.fraud, Terms.monthly(fallback: ScheduleStory.spare)).started == [1])
    }

    @Test func `what gives up pauses, cancels or marks`() throws {
        for (action, status) in [
            (DunningPolicy.GiveUp.pause, ScheduleStatus.paused), (.cancel, .cancelled), (.mark, .active),
        ] {
            let policy = DunningPolicy(name: "p", version: 1, steps: [:], caps: [], giveUp: action, endsAtNext: true)
            let story = try declined(.soft, Terms.monthly(dunning: policy))
            #expect(story.schedule.status == status)
            #expect(story.names[1] == "occurrence.gave_up.v1")
        }
    }

    @Test func `a step up asks the customer, and is given up at its deadline`() throws {
        var story = try declined(.stepUpRequired)
        #expect(story.names == ["occurrence.failed.v1", "occurrence.step_up_requested.v1"])
        var other = story
        try other.command(.run(ordinal: 1, amount: nil, presence: .customerPresent))
        #expect(other.orders.last?.started.attempt == 2 && other.orders.last?.started.presence == .customerPresent)
        story.wait(until: "2026-02-03T07:00:00Z")
        #expect(story.names == ["occurrence.gave_up.v1", "schedule.paused.v1"])
    }

    @Test func `a payment that waits for the customer is no second try`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.wait(until: "2026-01-31T07:00:00Z")
        story.observe(.payment(story.orders[0].started.payment, .waitsForCustomer))
        #expect(story.names == ["occurrence.step_up_requested.v1"])
        #expect(throws: ScheduleRejection.self) {
            try story.command(.run(ordinal: 1, amount: nil, presence: .customerPresent))
        }
        story.succeed()
        #expect(story.schedule.paid[1] == story.orders[0].started.payment)
    }

    @Test(arguments: [Presence.customerPresent, .unattended])
    func `a page that ended unused is asked for until the same deadline, and nothing is charged without the customer`(
        presence: Presence
    ) throws {
        var story = try ScheduleStory(Terms.make(presence: presence, rule: Terms.monthly().rule))
        story.wait(until: "2026-01-31T07:00:00Z")
        let asked = story.orders[0]
        let threeDays: Int64 = 259_200
        #expect(asked.asksSeconds == (presence == .customerPresent ? threeDays : nil))
        story.observe(.payment(asked.started.payment, .waitsForCustomer))
        story.wait(until: "2026-02-01T07:00:00Z")
        let expired = ScheduleEvent.Failure(kind: .unknown, code: ScheduleEvent.Failure.expired)
        story.observe(.payment(asked.started.payment, .failed(expired)))
        #expect(story.names == ["occurrence.failed.v1", "occurrence.step_up_requested.v1"])
        #expect(try story.schedule.nextTimer == at("2026-02-03T07:00:00Z"))
        var other = story
        try other.command(.run(ordinal: 1, amount: nil, presence: .customerPresent))
        #expect(other.orders.last?.asksSeconds == threeDays)
        story.wait(until: "2026-02-10T07:00:00Z")
        #expect(story.orders.count == 1)
        #expect(story.names == ["occurrence.gave_up.v1", "schedule.paused.v1"])
    }

    @Test func `the card scheme's cap ends the tries`() throws {
        let policy = DunningPolicy(
            name: "capped",
            version: 1,
            steps: [.soft: .retry(afterSeconds: [3600, 3600, 3600, 3600])],
            caps: [NetworkCap(scheme: "visa", attempts: 2, days: 30)],
            giveUp: .mark,
            endsAtNext: true
        )
        for (scheme, tries) in [("visa", 2), ("mir", 5)] {
            var story = try ScheduleStory(Terms.monthly(dunning: policy))
            story.cards[ScheduleStory.card] = ScheduleContext.Card(expiry: nil, scheme: scheme)
            story.wait(until: "2026-01-31T07:00:00Z")
            for _ in 0..<6 {
                story.fail(.soft)
                story.wait(until: story.now.adding(.seconds(3600)))
            }
            #expect(story.orders.count == tries)
        }
    }

    @Test func `a cap counts the declines of one card, and neither charges nor another card's`() throws {
        let policy = DunningPolicy(
            name: "capped",
            version: 1,
            steps: [.soft: .retry(afterSeconds: [3600, 3600]), .hard: .replaceInstrument],
            caps: [NetworkCap(scheme: "visa", attempts: 2, days: 30)],
            giveUp: .mark,
            endsAtNext: true
        )
        let daily = Terms.monthly(
            "2026-01-02",
            dunning: policy,
            fallback: ScheduleStory.spare,
            cadence: .every(1, .day)
        )
        var story = try ScheduleStory(daily)
        let visa = ScheduleContext.Card(expiry: nil, scheme: "visa")
        story.cards = [ScheduleStory.card: visa, ScheduleStory.spare: visa]
        for day in 2...21 {
            story.wait(until: try at("2026-01-01T07:00:00Z").adding(.seconds(86_400 * Int64(day - 1))))
            story.succeed()
        }
        story.wait(until: "2026-01-22T07:00:00Z")
        #expect(story.orders.count == 21)
        // Twenty charges are no declines: the card is tried again, then the other one, which has a cap of its own.
        story.fail(.soft)
        story.wait(until: "2026-01-22T08:00:00Z")
        story.fail(.hard)
        #expect(
            story.orders.suffix(3).map(\.started.instrument) == [
                ScheduleStory.card, ScheduleStory.card, ScheduleStory.spare,
            ]
        )
        story.fail(.hard)
        // Two declines of the card within a month: it is not tried a third time.
        story.wait(until: "2026-01-23T07:00:00Z")
        story.fail(.soft)
        #expect(story.names.contains("occurrence.gave_up.v1"))
    }

    @Test func `a payment that somebody voided is followed by nothing, and the series goes on`() throws {
        var story = try ScheduleStory(Terms.monthly(fallback: ScheduleStory.spare))
        story.wait(until: "2026-01-31T07:00:00Z")
        story.observe(.payment(story.orders[0].started.payment, .voided))
        #expect(story.names == ["occurrence.failed.v1", "occurrence.gave_up.v1"])
        story.wait(until: "2026-02-28T07:00:00Z")
        #expect(story.started == [1, 2] && story.schedule.status == .active)
        #expect(story.orders.allSatisfy { $0.started.instrument == ScheduleStory.card })
    }

    @Test func `retries keep the customer's quiet hours`() throws {
        let quiet = QuietHours(
            from: try #require(TimeOfDay("09:30")),
            to: try #require(TimeOfDay("12:15")),
            zone: "Europe/Moscow"
        )
        let story = try declined(.soft, Terms.monthly(quiet: quiet))
        #expect(try story.schedule.open[1]?.startAt == at("2026-02-01T09:15:00Z"))
    }

    @Test func `quiet hours over midnight end in the morning`() throws {
        let zone = try ZoneShelf.zone("Europe/Moscow")
        let night = QuietHours(
            from: try #require(TimeOfDay("22:00")),
            to: try #require(TimeOfDay("08:00")),
            zone: "Europe/Moscow"
        )
        #expect(night.next(try at("2026-01-01T20:00:00Z"), in: zone) == (try at("2026-01-02T05:00:00Z")))
        #expect(night.next(try at("2026-01-01T22:00:00Z"), in: zone) == (try at("2026-01-02T05:00:00Z")))
        #expect(night.next(try at("2026-01-02T05:00:00Z"), in: zone) == (try at("2026-01-02T05:00:00Z")))
        #expect(night.next(try at("2026-01-02T12:00:00Z"), in: zone) == (try at("2026-01-02T12:00:00Z")))
    }

    @Test func `a try that would come with the next occurrence is given up`() throws {
        var story = try ScheduleStory(Terms.monthly("2026-01-02", dunning: Terms.marking, cadence: .every(1, .day)))
        story.wait(until: "2026-01-02T07:00:00Z")
        story.now = try at("2026-01-02T08:00:00Z")
        story.fail(.soft)
        #expect(story.names == ["occurrence.failed.v1", "occurrence.gave_up.v1"])
    }

    @Test func `success that comes late pays the ordinal and stops the retry, and a second one is reported`() throws {
        var story = try declined(.soft)
        let first = story.orders[0].started.payment
        var late = story
        late.succeed(first)
        #expect(late.schedule.open[1] == nil && late.schedule.paid[1] == first)
        story.wait(until: "2026-02-02T00:00:00Z")
        story.succeed()
        story.succeed(first)
        #expect(story.names == ["occurrence.paid_twice.v1"])
        #expect(story.schedule.anomalies == [.paidTwice: 1])
        story.succeed(first)
        #expect(story.last == ScheduleDecision())
    }

    @Test func `an outcome that comes twice changes nothing`() throws {
        var story = try declined(.soft)
        story.fail(.soft)
        #expect(story.last == ScheduleDecision())
    }

    @Test func `a card that ends before the next charge is noticed ahead, once, and then the fallback is charged`()
        throws
    {
        var story = try ScheduleStory()
        story.cards[ScheduleStory.card] = ScheduleContext.Card(expiry: CardExpiry(year: 2026, month: 2), scheme: nil)
        try story.command(.create(Terms.monthly(fallback: ScheduleStory.spare)))
        try story.command(.activate(ScheduleStory.activation))
        story.wait(until: "2026-04-01T00:00:00Z")
        let noticed = story.events.compactMap { event -> Int? in
            if case .expiryNoticed(ScheduleStory.card, _, let ordinal, _) = event { ordinal } else { nil }
        }
        #expect(noticed == [3])
        #expect(
            story.orders.map(\.started.instrument) == [ScheduleStory.card, ScheduleStory.card, ScheduleStory.spare]
        )
    }

    @Test func `another card and the fallback are looked at when they are named and when an occurrence is planned`()
        throws
    {
        var story = try ScheduleStory(Terms.monthly(fallback: ScheduleStory.spare))
        let other = InstrumentId(Uuid(high: 1, low: 3))
        let ending = ScheduleContext.Card(expiry: CardExpiry(year: 2026, month: 1), scheme: nil)
        story.cards = [other: ending, ScheduleStory.spare: ending]
        story.wait(until: "2026-01-31T07:00:00Z")
        #expect(story.schedule.noticed == [ScheduleStory.spare])
        try story.command(.change(ScheduleChange(instrument: other)))
        #expect(story.names == ["schedule.changed.v1", "schedule.instrument_expiry_noticed.v1"])
        #expect(story.schedule.noticed == [ScheduleStory.spare, other])
        try story.command(.change(ScheduleChange(fallback: other)))
        #expect(story.names == ["schedule.changed.v1"], "it was told already")
    }

    @Test func `without any usable card nothing is charged and the occurrence fails`() throws {
        var story = try ScheduleStory(Terms.monthly())
        story.cards[ScheduleStory.card] = ScheduleContext.Card(expiry: CardExpiry(year: 2025, month: 12), scheme: nil)
        story.wait(until: "2026-02-01T00:00:00Z")
        #expect(story.orders.isEmpty && story.schedule.status == .paused)
    }

    // MARK: mandates

    private func mandated(_ days: Int, until last: String = "2027-01-01", _ dunning: DunningPolicy = Terms.marking)
        -> ScheduleTerms
    {
        Terms.monthly(
            mandate: Mandate(expiresOn: CivilDate(last), minimumDays: days),
            catchUp: CatchUp(mode: .all, cap: 31, graceSeconds: 600, spreadSeconds: 600),
            dunning: dunning
        )
    }

    @Test func `two charges are never closer than the mandate allows, after an outage and after retries too`() throws {
        var story = try ScheduleStory(mandated(28))
        story.outage(until: "2026-04-10T00:00:00Z")
        for day in 0..<200 {
            story.wait(until: try at("2026-04-10T00:00:00Z").adding(.seconds(86_400 * Int64(day))))
            guard let order = story.orders.last, story.schedule.isInFlight(order.started.payment) else { continue }
            if day % 3 == 0 { story.fail(.insufficientFunds) } else { story.succeed() }
        }
        let paid = story.orders.filter { story.schedule.tries[$0.started.payment]?.outcome == .succeeded }
        #expect(paid.count >= 5)
        let zone = try #require(story.calendar?.zone)
        let days = paid.map { zone.local(at: $0.started.at).date.daysSinceEpoch }
        for (one, next) in zip(days, days.dropFirst()) { #expect(next - one >= 28) }
    }

    @Test func `nothing is charged while the last charge has no outcome`() throws {
        var story = try ScheduleStory(mandated(20))
        // Timers come early or twice, too: the late ones are planned by the first and due at the second.
        for day in ["2026-05-14", "2026-05-15"] {
            story.wait(until: "\(day)T00:00:00Z")
            story.observe(.timer)
        }
        #expect(story.started == [1])
        story.succeed()
        story.wait(until: "2026-05-16T00:00:00Z")
        #expect(story.started.count == 2)
    }

    @Test func `nothing is charged after the mandate's last day`() throws {
        var story = try ScheduleStory(mandated(20, until: "2026-03-30"))
        story.wait(until: "2026-03-01T00:00:00Z")
        story.succeed()
        story.wait(until: "2026-06-01T00:00:00Z")
        story.succeed()
        story.wait(until: "2026-07-01T00:00:00Z")
        #expect(story.started == [1, 2])
        #expect(story.schedule.status == .expired)
    }

    @Test func `a run that the mandate forbids is refused`() throws {
        var story = try ScheduleStory(mandated(20))
        story.wait(until: "2026-01-31T07:00:00Z")
        #expect(throws: ScheduleRejection.self) {
            try story.command(.run(ordinal: nil, amount: nil, presence: .unattended))
        }
        story.succeed()
        do {
            try story.command(.run(ordinal: nil, amount: nil, presence: .unattended))
            Issue.record("a run was allowed")
        } catch let rejection as ScheduleRejection { #expect(rejection.code == .tooClose) }
    }

    // MARK: series without a calendar

    @Test func `an autopayment is charged when the backend asks, each time under another ordinal`() throws {
        var story = try ScheduleStory(Terms.make(kind: .autopayment, rule: nil, amount: nil))
        #expect(story.schedule.nextTimer == nil)
        try story.command(.run(ordinal: nil, amount: .rubles(100), presence: .unattended))
        try story.command(.run(ordinal: nil, amount: .rubles(250), presence: .unattended))
        #expect(story.orders.map(\.started.amount) == [.rubles(100), .rubles(250)])
        #expect(story.started == [1, 2])
        story.fail(.soft)
        story.wait(until: "2026-02-01T00:00:00Z")
        #expect(story.started == [1, 2, 2])
    }

    @Test func `what the backend asked for stands for itself: a later one ends no retry of an earlier one`() throws {
        var story = try ScheduleStory(Terms.make(kind: .autopayment, rule: nil, amount: nil))
        try story.command(.run(ordinal: nil, amount: .rubles(100), presence: .unattended))
        story.fail(.soft)
        try story.command(.run(ordinal: nil, amount: .rubles(250), presence: .unattended))
        story.wait(until: "2026-02-01T00:00:00Z")
        #expect(story.started == [1, 2, 1])
    }
}

import EventSourcing
import Kernel
import Schedules
import TestKit
import Testing

/// What a provider that runs a series is told, and what follows from its answers.
struct SeriesMessageTests {
    private func story() throws -> ScheduleStory {
        try ScheduleStory(Terms.make(runner: .provider, rule: Terms.monthly().rule))
    }

    private func effect(_ number: UInt64) -> EffectId { EffectId(Uuid(high: 9, low: number)) }

    private func license(_ ask: SeriesAsk, _ number: UInt64, series: String? = nil) -> SeriesLicense {
        SeriesLicense(
            ask,
            series: series,
            MessageLicense(
                effect: effect(number),
                ordinal: 1,
                templateDigest: "00",
                account: Uuid(high: 1, low: 1),
                accountVersion: 1,
                adapterVersion: 1,
                licensedAt: .epoch,
                sendBefore: .epoch
            )
        )
    }

    private func answer(_ schedule: inout Schedule, _ outcome: SeriesOutcome, _ number: UInt64, _ ordinal: Int32 = 1)
        -> SeriesLicense?
    {
        let follows = schedule.decide(outcome, effect: effect(number), ordinal: ordinal, at: .epoch)
        for event in follows.events { schedule.evolve(event) }
        return follows.repeats
    }

    private func asked(_ schedule: Schedule, _ event: ScheduleEvent) -> SeriesAsk? {
        var after = schedule
        after.evolve(event)
        return schedule.ask(after: [event], after)
    }

    @Test func `a cancel and a change of amount or rule are told, and nothing else is`() throws {
        let schedule = try story().schedule
        let change = ScheduleChange(amount: .rubles(700))
        #expect(asked(schedule, .changed(change, by: "a", at: .epoch)) == .update)
        #expect(asked(schedule, .cancelled(reason: nil, by: "a", at: .epoch)) == .cancel)
        let details = ScheduleChange(details: ["a": "b"])
        #expect(asked(schedule, .changed(details, by: "a", at: .epoch)) == nil)
        // What the provider ended itself it need not be told.
        #expect(asked(schedule, .cancelled(reason: nil, by: Schedule.provider, at: .epoch)) == nil)
        let own = try ScheduleStory(Terms.make(rule: Terms.monthly().rule)).schedule
        #expect(asked(own, .cancelled(reason: nil, by: "a", at: .epoch)) == nil)
    }

    @Test func `one message is under way at a time, and what changed meanwhile is told behind its answer`() throws {
        let change = ScheduleEvent.changed(ScheduleChange(amount: .rubles(700)), by: "a", at: .epoch)
        for (outcome, end) in [
            (SeriesOutcome.done, SeriesAsk.update), (.refused(code: nil), .update), (.unknown(reason: "x"), .cancel),
        ] {
            var schedule = try story().schedule
            schedule.evolve(change)
            schedule.evolve(.requestLicensed(license(.update, 1)))
            #expect(schedule.untold == nil)
            let event = end == .cancel ? ScheduleEvent.cancelled(reason: nil, by: "a", at: .epoch) : change
            #expect(asked(schedule, event) == nil)
            schedule.evolve(event)
            // Not even repeated: the newer message says it all.
            #expect(answer(&schedule, outcome, 1) == nil)
            #expect(schedule.ask(after: [.requestEnded(effect(1), at: .epoch)], schedule) == end)
            schedule.evolve(.requestLicensed(license(end, 2)))
            #expect(schedule.untold == nil && schedule.request?.license.message.effect == effect(2))
        }
    }

    @Test func `an answer that says nothing is followed by another try, up to the last`() throws {
        var schedule = try story().schedule
        schedule.evolve(.requestLicensed(license(.cancel, 1)))
        #expect(schedule.request?.word == "asked" && schedule.liveEffects.count == 1)
        var ordinal: Int32 = 1
        while let next = answer(&schedule, .unknown(reason: "timeout"), 1, ordinal) {
            #expect(next.message.ordinal == ordinal + 1 && next.ask == .cancel)
            schedule.evolve(.requestLicensed(next))
            ordinal = next.message.ordinal
        }
        #expect(ordinal == SeriesLicense.repetition.tries)
        #expect(schedule.request?.word == "unknown" && schedule.liveEffects.isEmpty)
    }

    @Test func `what was taken over or refused ends the request, once`() throws {
        for (outcome, word) in [(SeriesOutcome.done, "done"), (.refused(code: "3181"), "refused")] {
            var schedule = try story().schedule
            schedule.evolve(.requestLicensed(license(.update, 1)))
            #expect(answer(&schedule, outcome, 1) == nil)
            #expect(schedule.request?.word == word && schedule.liveEffects.isEmpty)
            #expect(schedule.decide(outcome, effect: effect(1), ordinal: 1, at: .epoch).events.isEmpty)
        }
    }

    @Test func `an update that a cancel overtook is not repeated`() throws {
        var schedule = try story().schedule
        schedule.evolve(.requestLicensed(license(.update, 1)))
        schedule.evolve(.requestLicensed(license(.cancel, 2)))
        #expect(answer(&schedule, .unknown(reason: "timeout"), 1) == nil)
        #expect(schedule.request?.license.ask == .cancel && schedule.request?.word == "asked")
        #expect(answer(&schedule, .done, 2) == nil)
        #expect(schedule.liveEffects.isEmpty)
    }

    private func activation(_ number: UInt64, series: String?) -> Activation {
        Activation(payment: PaymentId(Uuid(high: 2, low: number)), mode: .sale, instrument: nil, series: series)
    }

    @Test func `a series that was registered when the schedule was over is cancelled at the provider, and told once`()
        throws
    {
        for runner in ScheduleRunner.allCases {
            for isCancelled in [true, false] {
                var story = try ScheduleStory()
                try story.command(.create(Terms.make(runner: runner, rule: Terms.monthly().rule)))
                if isCancelled {
                    try story.command(.cancel(reason: nil))
                } else {
                    story.wait(until: "2026-01-09T00:00:00Z")
                }
                let before = story.schedule
                let late = activation(9, series: "4712")
                try story.command(.activate(late))
                #expect(story.names == ["schedule.registration_unwanted.v1"])
                #expect(story.schedule.status == (isCancelled ? .cancelled : .expired))
                #expect(story.schedule.anomalies == [.registrationUnwanted: 1])
                #expect(before.ask(after: story.last.events, story.schedule) == (runner == .provider ? .cancel : nil))
                #expect(before.registration(askedAbout: story.last.events) == late)
                try story.command(.activate(late))
                #expect(story.last == ScheduleDecision())
            }
        }
    }

    @Test func `a second series that the provider would run is cancelled, and the first goes on`() throws {
        var story = try story()
        let before = story.schedule
        try story.command(.activate(activation(9, series: "4711")))
        #expect(story.last == ScheduleDecision(), "the provider knew it already")
        try story.command(.activate(activation(9, series: "4712")))
        #expect(before.ask(after: story.last.events, story.schedule) == .cancel)
        #expect(story.schedule.activation?.series == "4711" && story.schedule.status == .active)
        var schedule = story.schedule
        schedule.evolve(.requestLicensed(license(.cancel, 1, series: "4712")))
        #expect(schedule.request == nil, "what is asked about the schedule's own series is another matter")
        schedule.evolve(.requestLicensed(license(.update, 2)))
        let next = try #require(answer(&schedule, .unknown(reason: "timeout"), 1))
        #expect(next.series == "4712" && next.ask == .cancel)
    }

    @Test func `a first payment that could not make the series active is refused`() throws {
        func refusal(_ schedule: Schedule, _ mode: ActivationMode?) -> ScheduleRejection.Code? {
            do throws(ScheduleRejection) {
                try schedule.checkActivation(by: mode)
                return nil
            } catch { return error.code }
        }
        var story = try story()
        #expect(refusal(story.schedule, .sale) == nil)
        #expect(
            refusal(story.schedule, .tokenize) == .cannotActivate && refusal(story.schedule, nil) == .cannotActivate
        )
        try story.command(.cancel(reason: nil))
        #expect(refusal(story.schedule, .sale) == .scheduleOver)
    }

    @Test func `a series that the provider ended is cancelled here, and a debit after that is an alert`() throws {
        var story = try story()
        story.observe(.seriesEnded)
        #expect(story.schedule.status == .cancelled)
        story.observe(.seriesEnded)
        let moment = try #require(Timestamp("2026-01-31T07:00:05Z"))
        story.wait(until: moment)
        let payment = PaymentId(Uuid(high: 7, low: 1))
        story.observe(.debit(payment, series: "4711", amount: .rubles(500), .succeeded(.rubles(500)), at: moment))
        #expect(story.schedule.unmatched == [payment] && story.schedule.paid.isEmpty)
    }
}

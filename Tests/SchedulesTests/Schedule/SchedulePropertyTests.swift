import EventSourcing
import Kernel
import Schedules
import TestKit
import Testing

/// Whatever happens to a schedule, in whatever order: no ordinal is paid by two tries at once, and no limit is passed.
struct SchedulePropertyTests {
    private func pick<Value>(_ values: [Value], _ random: inout SplitMix64) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private func terms(_ random: inout SplitMix64) -> ScheduleTerms {
        let cadences: [(Cadence, Int)] = [
            (.every(1, .day), 1), (.every(3, .day), 3), (.every(1, .week), 7), (.every(1, .month), 28),
        ]
        let (cadence, days) = pick(cadences, &random)
        let ends = [
            RuleEnd(), RuleEnd(count: 9), RuleEnd(total: .rubles(4000)), RuleEnd(lastDate: CivilDate("2026-09-01")),
        ]
        let hasMandate = Bool.random(using: &random)
        return Terms.monthly(
            "2026-01-03",
            time: pick(["00:00", "10:00", "23:30"], &random),
            end: pick(ends, &random),
            mandate: hasMandate ? Mandate(expiresOn: CivilDate("2026-11-01"), minimumDays: days) : Mandate(),
            catchUp: CatchUp(
                mode: pick(CatchUp.Mode.allCases, &random),
                cap: Int.random(in: 0...31, using: &random),
                graceSeconds: pick([0, 600, 86_400], &random),
                spreadSeconds: pick([0, 900, 7200], &random)
            ),
            dunning: pick([.standard, Terms.marking], &random),
            quiet: Bool.random(using: &random)
                ? QuietHours(from: TimeOfDay("21:00") ?? .noon, to: TimeOfDay("09:00") ?? .noon, zone: "Europe/Moscow")
                : nil,
            fallback: Bool.random(using: &random) ? ScheduleStory.spare : nil,
            cadence: cadence
        )
    }

    private func step(_ story: inout ScheduleStory, _ random: inout SplitMix64) {
        let flying = story.orders.map(\.started.payment).filter { story.schedule.isInFlight($0) }
        let all = story.orders.map(\.started.payment)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            let seconds = pick([60, 3600, 86_400, 3 * 86_400, 30 * 86_400] as [Int64], &random)
            story.wait(until: story.now.adding(.seconds(seconds)))
        case 4:
            let seconds = pick([86_400, 7 * 86_400, 60 * 86_400] as [Int64], &random)
            story.now = story.now.adding(.seconds(seconds))
        case 5: story.now = story.now.adding(.seconds(-7200))
        case 6, 7: if !flying.isEmpty { story.succeed(pick(flying, &random)) }
        case 8: if !flying.isEmpty { story.fail(pick(DeclineKind.allCases, &random), pick(flying, &random)) }
        case 9: if !all.isEmpty { story.succeed(pick(all, &random)) }
        case 10:
            let commands: [ScheduleCommand] = [
                .pause(reason: "x"), .resume(.skip), .resume(.catchUp), .change(ScheduleChange(amount: .rubles(400))),
                .run(ordinal: nil, amount: nil, presence: pick(Presence.allCases, &random)),
            ]
            try? story.command(pick(commands, &random))
        default: story.observe(.timer)
        }
    }

    private func check(_ story: ScheduleStory) throws {
        let schedule = story.schedule
        #expect(schedule == Schedule.fold(schedule.id, story.events))
        try #require(Set(story.orders.map(\.input)).count == story.orders.count, "an input was asked for twice")
        for (ordinal, tries) in Dictionary(grouping: story.orders, by: \.started.ordinal) {
            try #require(tries.map(\.started.attempt) == Array(1...tries.count), "attempts of \(ordinal)")
        }
        guard let terms = schedule.terms else { return }
        if let total = terms.rule?.end.total, !story.events.contains(where: { $0.name == .paidTwice }) {
            let late = story.events.contains { if case .gaveUp = $0 { true } else { false } }
            if !late { try #require(schedule.collected <= total.minor, "the total was passed") }
        }
        if let count = terms.rule?.end.count { try #require(story.started.allSatisfy { $0 <= count }) }
    }

    /// Replays the tries in their order: what was known when each of them began.
    private func checkTries(_ story: ScheduleStory) throws {
        guard let terms = story.schedule.terms, let zone = story.calendar?.zone else { return }
        var flying: [Int: PaymentId] = [:]
        var outcomes: [PaymentId: Bool] = [:]
        var begun: [PaymentId: Timestamp] = [:]
        for event in story.events {
            switch event {
            case .started(let one):
                try #require(flying[one.ordinal] == nil, "two tries of \(one.ordinal) at once")
                try #require(!begun.keys.contains(one.payment), "a payment began twice")
                if let days = terms.mandate.minimumDays {
                    for (payment, time) in begun where outcomes[payment] != false {
                        let distance =
                            zone.local(at: one.at).date.daysSinceEpoch - zone.local(at: time).date.daysSinceEpoch
                        try #require(distance >= Int64(days), "\(distance) days between two charges")
                    }
                }
                if let last = terms.mandate.expiresOn { try #require(zone.local(at: one.at).date <= last) }
                flying[one.ordinal] = one.payment
                begun[one.payment] = one.at
            case .succeeded(let ordinal, let payment, _, _), .paidTwice(let ordinal, let payment, _, _):
                outcomes[payment] = true
                if flying[ordinal] == payment { flying[ordinal] = nil }
            case .failed(let ordinal, let payment?, _, _):
                outcomes[payment] = false
                if flying[ordinal] == payment { flying[ordinal] = nil }
            case .failed, .registered, .activated, .planned, .retried, .stepUpRequested, .gaveUp, .skipped,
                .debitUnmatched, .expiryNoticed, .paused, .resumed, .changed, .completed, .cancelled, .expired,
                .requestLicensed, .requestObserved, .requestEnded:
                break
            }
        }
    }

    @Test func `no order of timers, outages, outcomes and commands breaks a limit`() throws {
        try forAll(runs: 400, seed: 0x5CED) { random in
            var story = try ScheduleStory(terms(&random))
            for _ in 0..<80 {
                step(&story, &random)
                try #require(story.last.events.count < 60, "\(story.names)")
            }
            try check(story)
            try checkTries(story)
        }
    }

    @Test func `a timer that is due always leads somewhere`() throws {
        try forAll(runs: 200, seed: 0x71E) { random in
            var story = try ScheduleStory(terms(&random))
            for _ in 0..<40 {
                step(&story, &random)
                var rounds = 0
                while let wake = story.schedule.wake, wake <= story.now {
                    story.observe(.timer)
                    rounds += 1
                    try #require(!story.last.events.isEmpty, "a due timer decided nothing")
                    try #require(rounds < 50, "timers without end")
                }
            }
        }
    }

    @Test func `the same input decides the same bytes`() throws {
        try forAll(runs: 50, seed: 0xB17E5) { random in
            var story = try ScheduleStory(terms(&random))
            for _ in 0..<30 {
                let context = story.context
                let (one, two) = (story.schedule.decide(.timer, context), story.schedule.decide(.timer, context))
                try #require(one.events.map(\.draft.data) == two.events.map(\.draft.data))
                try #require(one.starts == two.starts)
                step(&story, &random)
            }
        }
    }
}

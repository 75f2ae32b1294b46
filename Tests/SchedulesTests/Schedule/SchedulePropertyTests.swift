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

    /// A schedule whose customer agreed some days after it was registered, with cards of any kind.
    private func story(_ random: inout SplitMix64) throws -> ScheduleStory {
        var story = try ScheduleStory()
        for card in [ScheduleStory.card, ScheduleStory.spare] { story.cards[card] = self.card(&random) }
        try story.command(.create(terms(&random)))
        story.now = story.now.adding(.seconds(Int64.random(in: 0..<6 * 86_400, using: &random)))
        try story.command(.activate(ScheduleStory.activation))
        return story
    }

    private func activatedAt(_ story: ScheduleStory) -> Timestamp {
        for case .activated(_, let at) in story.events { return at }
        return story.now
    }

    private func card(_ random: inout SplitMix64) -> ScheduleContext.Card? {
        guard Bool.random(using: &random) else { return nil }
        let expiry = CardExpiry(year: 2026, month: Int.random(in: 1...12, using: &random))
        return ScheduleContext.Card(
            expiry: Bool.random(using: &random) ? expiry : nil,
            scheme: pick(["visa", "mastercard", nil], &random)
        )
    }

    private func command(_ story: ScheduleStory, _ random: inout SplitMix64) -> ScheduleCommand {
        let day = CivilDate(daysSinceEpoch: story.now.seconds / 86_400)
        let other = day.adding(days: Int64.random(in: 0...40, using: &random)) ?? day
        let rule = Terms.monthly(
            other.text,
            end: pick([RuleEnd(), RuleEnd(count: 4), RuleEnd(total: .rubles(9000))], &random),
            cadence: pick([.every(1, .week), .every(2, .week), .every(1, .month)], &random)
        ).rule
        switch Int.random(in: 0..<20, using: &random) {
        case 0...3: return .pause(reason: "x")
        case 4...6: return .resume(.skip)
        case 7...9: return .resume(.catchUp)
        case 10...11: return .change(ScheduleChange(amount: .rubles(pick([400, 700], &random))))
        case 12...13: return .change(ScheduleChange(nextDate: other))
        case 14: return .change(ScheduleChange(rule: rule))
        case 15: return .change(ScheduleChange(instrument: pick([ScheduleStory.card, ScheduleStory.spare], &random)))
        case 16 where Bool.random(using: &random): return .cancel(reason: nil)
        default: return .run(ordinal: nil, amount: nil, presence: pick(Presence.allCases, &random))
        }
    }

    private func succeed(_ story: inout ScheduleStory, _ payments: [OccurrenceTry], _ random: inout SplitMix64) {
        guard !payments.isEmpty else { return }
        let one = pick(payments, &random)
        story.succeed(one.payment, one.amount)
    }

    /// Something happens; whether somebody charged by hand.
    private func step(_ story: inout ScheduleStory, _ random: inout SplitMix64) throws -> Bool {
        let all = story.orders.map(\.started)
        let flying = all.filter { story.schedule.isInFlight($0.payment) }
        switch Int.random(in: 0..<26, using: &random) {
        case 0...7:
            let seconds = pick([60, 3600, 86_400, 3 * 86_400, 30 * 86_400] as [Int64], &random)
            story.wait(until: story.now.adding(.seconds(seconds)))
        case 8, 9:
            let seconds = pick([1800, 86_400, 7 * 86_400, 60 * 86_400] as [Int64], &random)
            story.now = story.now.adding(.seconds(seconds))
        case 10, 11: story.now = max(story.now.adding(.seconds(-7200)), activatedAt(story))
        case 12...15: succeed(&story, flying, &random)
        case 16, 17:
            if !flying.isEmpty { story.fail(pick(DeclineKind.allCases, &random), pick(flying, &random).payment) }
        case 18: succeed(&story, all, &random)
        case 19...21:
            let command = command(story, &random)
            try? story.command(command)
            if case .run = command { return true }
        case 22:
            let zones = [try ZoneShelf.zone("Europe/Moscow"), try ZoneData(Tzif(footer: "AAA-4").bytes)]
            story.calendar = CalendarData(zone: pick(zones, &random))
            story.observe(.calendarAdopted)
        case 23: story.cards[pick([ScheduleStory.card, ScheduleStory.spare], &random)] = card(&random)
        case 24: if let one = flying.first { story.observe(.payment(one.payment, .voided)) }
        default: story.observe(.timer)
        }
        return false
    }

    @Test func `no order of timers, outages, outcomes, changes and commands breaks a limit`() throws {
        try forAll(runs: 600, seed: 0x5CED) { random in
            var story = try story(&random)
            var watch = ScheduleWatch()
            for _ in 0..<80 {
                let isByHand = try step(&story, &random)
                try #require(story.last.events.count < 60, "\(story.names)")
                try watch.take(story, isByHand: isByHand)
            }
            try #require(Set(story.orders.map(\.input)).count == story.orders.count, "an input was asked for twice")
        }
    }

    @Test func `a timer that is due always leads somewhere`() throws {
        try forAll(runs: 200, seed: 0x71E) { random in
            var story = try story(&random)
            for _ in 0..<40 {
                _ = try step(&story, &random)
                var rounds = 0
                while let wake = story.schedule.nextTimer, wake <= story.now {
                    story.observe(.timer)
                    rounds += 1
                    try #require(!story.last.events.isEmpty, "a due timer decided nothing")
                    try #require(rounds < 50, "timers without end")
                }
            }
        }
    }

    @Test func `each debit of the provider's own is booked once, or an alert, in whatever order it comes`() throws {
        try forAll(runs: 300, seed: 0xDEB17) { random in
            let rule = Terms.monthly(
                "2026-01-03",
                end: pick([RuleEnd(), RuleEnd(count: 6), RuleEnd(lastDate: CivilDate("2026-06-01"))], &random),
                cadence: pick([.every(1, .day), .every(1, .week), .every(1, .month)], &random)
            ).rule
            var story = try ScheduleStory(Terms.make(runner: .provider, rule: rule))
            var taken: [PaymentId: Int64] = [:]
            for _ in 0..<40 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...2: story.wait(until: story.now.adding(.seconds(pick([3600, 86_400, 9 * 86_400], &random))))
                case 3: story.now = story.now.adding(.seconds(40 * 86_400))
                case 4: try? story.command(.change(ScheduleChange(amount: .rubles(pick([400, 700], &random)))))
                case 5 where Bool.random(using: &random): story.observe(.seriesEnded)
                default:
                    let payment = PaymentId(Uuid(high: 7, low: UInt64.random(in: 0..<30, using: &random)))
                    let amount = Money.rubles(pick([500, 600], &random))
                    let declined = ScheduleEvent.Failure(kind: .soft, code: nil)
                    let results: [ScheduleObservation.PaymentResult] = [
                        .succeeded(amount), .succeeded(amount), .failed(declined),
                    ]
                    let result = pick(results, &random)
                    let series = pick(["4711", "4711", "4711", "9"], &random)
                    let at = story.now.adding(.seconds(pick([0, -3600, -5 * 86_400], &random)))
                    story.observe(.debit(payment, series: series, amount: amount, result, at: at))
                    if case .succeeded = result, story.schedule.tries[payment] != nil, taken[payment] == nil {
                        taken[payment] = amount.minor
                    }
                    let isKnown = story.schedule.tries[payment] != nil || story.schedule.unmatched.contains(payment)
                    try #require(isKnown, "a debit left no trace")
                }
                let schedule = story.schedule
                try #require(story.orders.isEmpty && schedule.collected == taken.values.reduce(0, +))
                try #require(Set(schedule.paid.values).count == schedule.paid.count)
                try #require(schedule.anomalies[.debitUnmatched, default: 0] == schedule.unmatched.count)
                try #require(schedule == Schedule.fold(schedule.id, story.events))
                try #require(schedule.nextTimer.map { $0 > story.now } ?? true || !schedule.status.isOver)
            }
        }
    }

    @Test func `the same input decides the same bytes`() throws {
        try forAll(runs: 50, seed: 0xB17E5) { random in
            var story = try story(&random)
            for _ in 0..<30 {
                let context = story.context
                let (one, two) = (story.schedule.decide(.timer, context), story.schedule.decide(.timer, context))
                try #require(one.events.map(\.draft.data) == two.events.map(\.draft.data))
                try #require(one.starts == two.starts)
                _ = try step(&story, &random)
            }
        }
    }
}

import EventSourcing
import Kernel
import Schedules
import TestKit

/// A schedule with a clock: decides, folds through the stored form, and keeps what was asked for.
struct ScheduleStory {
    var schedule = Schedule(id: ScheduleId(Uuid(high: 0x5C, low: 0x4D)))
    var now = Timestamp("2026-01-01T06:00:00Z") ?? .epoch
    var limits = RecurrenceLimits(runners: [.paystream, .provider])
    var calendar: CalendarData?
    var cards: [InstrumentId: ScheduleContext.Card] = [:]
    var quietZone: ZoneData?
    private(set) var events: [ScheduleEvent] = []
    private(set) var last = ScheduleDecision()
    private(set) var orders: [PaymentOrder] = []
    private var inputs: UInt64 = 0

    static let card = InstrumentId(Uuid(high: 1, low: 1))
    static let spare = InstrumentId(Uuid(high: 1, low: 2))
    static let first = PaymentId(Uuid(high: 2, low: 1))

    init(zone: String = "Europe/Moscow") throws {
        calendar = CalendarData(zone: try ZoneShelf.zone(zone))
        quietZone = calendar?.zone
    }

    /// An active schedule of these terms.
    init(_ terms: ScheduleTerms, zone: String = "Europe/Moscow") throws {
        try self.init(zone: zone)
        try command(.create(terms))
        try command(.activate(Self.activation))
    }

    static var activation: Activation { Activation(payment: first, mode: .verify, instrument: card, series: "4711") }

    var context: ScheduleContext {
        ScheduleContext(
            now: now,
            input: Uuid(high: 3, low: inputs),
            actor: "alice",
            calendar: calendar,
            quietZone: quietZone,
            limits: limits,
            cards: cards
        )
    }

    mutating func command(_ command: ScheduleCommand) throws {
        inputs += 1
        apply(try schedule.decide(command, context))
    }

    mutating func observe(_ observation: ScheduleObservation) {
        inputs += 1
        apply(schedule.decide(observation, context))
    }

    mutating func succeed(_ payment: PaymentId? = nil, _ amount: Money = .rubles(500)) {
        guard let payment = payment ?? orders.last?.started.payment else { return }
        observe(.payment(payment, .succeeded(amount)))
    }

    mutating func fail(_ kind: DeclineKind = .soft, _ payment: PaymentId? = nil) {
        guard let payment = payment ?? orders.last?.started.payment else { return }
        observe(.payment(payment, .failed(ScheduleEvent.Failure(kind: kind, code: "51"))))
    }

    /// Moves the clock to a moment, firing each timer that is due on the way.
    mutating func wait(until moment: String) { Timestamp(moment).map { wait(until: $0) } }

    mutating func wait(until moment: Timestamp) {
        var rounds = 0
        while let wake = schedule.nextTimer, wake <= moment, rounds < 10_000 {
            now = max(now, wake)
            observe(.timer)
            rounds += 1
        }
        now = max(now, moment)
    }

    /// Moves the clock as an outage does: nothing fires on the way.
    mutating func outage(until moment: String) {
        if let time = Timestamp(moment) { now = time }
        drain()
    }

    /// Fires the timer until nothing is due.
    mutating func drain() {
        var rounds = 0
        while let wake = schedule.nextTimer, wake <= now, rounds < 10_000 {
            observe(.timer)
            rounds += 1
        }
    }

    private mutating func apply(_ decision: ScheduleDecision) {
        last = decision
        events += decision.events
        orders += decision.starts
        for event in decision.events {
            guard let read = try? ScheduleEvent(type: event.draft.type, data: event.draft.data) else {
                preconditionFailure("\(event.name) is not read back")
            }
            precondition(read == event, "\(event.name) is read back as another event")
            schedule.evolve(read)
        }
    }

    /// Ordinals of what was started, in order.
    var started: [Int] { orders.map(\.started.ordinal) }
    var names: [String] { last.events.map(\.name.rawValue) }
}

/// Terms to begin with.
enum Terms {
    static func monthly(
        _ start: String = "2026-01-31",
        time: String = "10:00",
        end: RuleEnd = RuleEnd(),
        amount: Int64 = 500,
        mandate: Mandate = Mandate(),
        catchUp: CatchUp = .standard,
        dunning: DunningPolicy = .standard,
        quiet: QuietHours? = nil,
        fallback: InstrumentId? = nil,
        cadence: Cadence = .every(1, .month)
    ) -> ScheduleTerms {
        make(
            rule: ScheduleRule(
                cadence: cadence,
                start: CivilDate(start) ?? CivilDate(daysSinceEpoch: 0),
                time: TimeOfDay(time) ?? .noon,
                zone: "Europe/Moscow",
                end: end
            ),
            amount: amount,
            mandate: mandate,
            policy: FiringPolicy(catchUp: catchUp, dunning: dunning, quiet: quiet),
            fallback: fallback
        )
    }

    static func make(
        kind: ScheduleKind = .regular,
        runner: ScheduleRunner = .paystream,
        presence: Presence = .unattended,
        rule: ScheduleRule?,
        amount: Int64? = 500,
        mandate: Mandate = Mandate(),
        activation: ActivationMode = .verify,
        policy: FiringPolicy = FiringPolicy(),
        fallback: InstrumentId? = nil
    ) -> ScheduleTerms {
        ScheduleTerms(
            kind: kind,
            runner: runner,
            presence: presence,
            account: Uuid(high: 9, low: 9),
            instrument: nil,
            fallback: fallback,
            customer: "c-1",
            reference: "sub-1",
            description: nil,
            amount: amount.map { .rubles($0) },
            rule: rule,
            mandate: mandate,
            activation: activation,
            activateBy: Timestamp("2026-01-08T00:00:00Z") ?? .epoch,
            policy: policy,
            details: [:],
            metadata: [:]
        )
    }

    /// Gives up alone what can't be charged, so that the series goes on.
    static let marking = DunningPolicy(
        name: "marking",
        version: 3,
        steps: DunningPolicy.standard.steps,
        caps: DunningPolicy.standard.caps,
        giveUp: .mark,
        endsAtNext: true
    )
}

import EventSourcing
package import Kernel

/// A request of a backend, an operator or the engine about a schedule.
package enum ScheduleCommand: StoredCommand, Hashable {
    case create(ScheduleTerms)
    /// The first customer-present payment succeeded, or the provider says that the series is registered already.
    case activate(Activation)
    case pause(reason: String)
    case resume(ScheduleEvent.Missed)
    case change(ScheduleChange)
    case cancel(reason: String?)
    /// Charges an occurrence now: the named one, else the next one, else a new one of a series without a calendar.
    case run(ordinal: Int?, amount: Money?, presence: Presence)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case create = "schedule.create"
        case activate = "schedule.activate"
        case pause = "schedule.pause"
        case resume = "schedule.resume"
        case change = "schedule.change"
        case cancel = "schedule.cancel"
        case run = "schedule.run"
    }

    package var name: Name {
        switch self {
        case .create: .create
        case .activate: .activate
        case .pause: .pause
        case .resume: .resume
        case .change: .change
        case .cancel: .cancel
        case .run: .run
        }
    }
}

/// A change from now on; a value that is `nil` stays as it is.
package struct ScheduleChange: Hashable, Sendable {
    package let amount: Money?
    package let instrument: InstrumentId?
    package let fallback: InstrumentId?
    /// Another rule; its ordinals go on after those that were used.
    package let rule: ScheduleRule?
    /// Another day for the next occurrence alone.
    package let nextDate: CivilDate?
    package let details: Json?
    /// Another policy in the place of the whole one; what it decided already stays.
    package let policy: FiringPolicy?

    package init(
        amount: Money? = nil,
        instrument: InstrumentId? = nil,
        fallback: InstrumentId? = nil,
        rule: ScheduleRule? = nil,
        nextDate: CivilDate? = nil,
        details: Json? = nil,
        policy: FiringPolicy? = nil
    ) {
        self.amount = amount
        self.instrument = instrument
        self.fallback = fallback
        self.rule = rule
        self.nextDate = nextDate
        self.details = details
        self.policy = policy
    }
}

/// News for a schedule; none of it is refused.
package enum ScheduleObservation: Hashable, Sendable {
    /// Something is due.
    case timer
    /// A payment of an occurrence came to something.
    case payment(PaymentId, PaymentResult)
    /// The provider debited by itself.
    case debit(PaymentId, series: String, amount: Money, PaymentResult, at: Timestamp)
    /// The provider says that the series is over.
    case seriesEnded
    /// Other zone data or holidays hold from now on; they are in the context.
    case calendarAdopted

    package enum PaymentResult: Hashable, Sendable {
        case succeeded(Money)
        case failed(ScheduleEvent.Failure)
        /// The customer must take part.
        case waitsForCustomer
        /// Somebody here took it back: that is no decline, and nothing else is charged for it.
        case voided
    }
}

/// Everything a decision may look at beside the state and the input; recorded with the decision.
package struct ScheduleContext: Hashable, Sendable {
    package let now: Timestamp
    /// Id of the input.
    package let input: Uuid
    package let actor: String
    /// Of the rule's zone and business calendar, the new ones where a command brings a rule.
    package let calendar: CalendarData?
    /// Of the quiet hours' zone.
    package let quietZone: ZoneData?
    package let limits: RecurrenceLimits
    /// The known cards, by their instruments.
    package let cards: [InstrumentId: Card]

    package struct Card: Hashable, Sendable {
        package let expiry: CardExpiry?
        package let scheme: String?
        /// When its payer's mandate lets it be charged again; `nil` where nothing is in the way.
        package let chargeableFrom: Timestamp?
        /// From then on that mandate is over.
        package let mandateEndsAt: Timestamp?

        package init(
            expiry: CardExpiry?,
            scheme: String?,
            chargeableFrom: Timestamp? = nil,
            mandateEndsAt: Timestamp? = nil
        ) {
            self.expiry = expiry
            self.scheme = scheme
            self.chargeableFrom = chargeableFrom
            self.mandateEndsAt = mandateEndsAt
        }
    }

    package init(
        now: Timestamp,
        input: Uuid,
        actor: String,
        calendar: CalendarData?,
        quietZone: ZoneData? = nil,
        limits: RecurrenceLimits = RecurrenceLimits(),
        cards: [InstrumentId: Card] = [:]
    ) {
        self.now = now
        self.input = input
        self.actor = actor
        self.calendar = calendar
        self.quietZone = quietZone
        self.limits = limits
        self.cards = cards
    }
}

/// A decision: events to append, and payments to ask for with inputs of their own streams.
package struct ScheduleDecision: Hashable, Sendable {
    package var events: [ScheduleEvent]
    /// In the order in which they were started.
    package var starts: [PaymentOrder]

    package init(events: [ScheduleEvent] = [], starts: [PaymentOrder] = []) {
        self.events = events
        self.starts = starts
    }
}

/// A payment that an occurrence asks for: becomes a create command of the payment's stream.
package struct PaymentOrder: Hashable, Sendable {
    /// Id of the create command's input; the payment's id derives from it.
    package let input: Uuid
    package let started: OccurrenceTry
    /// The customer is asked to take part for so long; `nil` for a charge without them.
    package let asksSeconds: Int64?
    package let account: Uuid
    package let customer: String?
    package let reference: String?
    package let description: String?
    package let details: Json
    package let metadata: Json
}

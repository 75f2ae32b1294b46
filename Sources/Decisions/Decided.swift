package import EventSourcing
package import Kernel
package import Payments

/// A decision in the form that is committed, before its templates are sealed.
package struct Decided: Sendable {
    package var events: [EventDraft] = []
    package var outcome: DecisionOutcome = .events(0)
    package var versions: Json = [:]
    package var references: [Reference] = []
    /// Their templates are canonical JSON, not sealed yet.
    package var effects: [EffectChange] = []
    package var timers: Timers = .none
    package var forwards: [InputRecord] = []
    /// Derived from the events and told beside the log: no part of the decision.
    package var notices: [Notice] = []
    /// The state that the events lead to; `nil` where nobody made it.
    package var after: (any Aggregate)?

    /// Something that people and figures hear of once the decision is committed.
    package enum Notice: Hashable, Sendable {
        case alarm(MoneyAlarm)
        case alert(AppAlert)
        /// A sign of how an account's provider does.
        case health(AccountHealthSignal)
    }

    /// Money that nobody expected, or that two claims tell differently; told at once, whoever owes what then.
    package struct MoneyAlarm: Hashable, Sendable {
        package enum What: String, Hashable, Sendable, CaseIterable {
            /// Paid after it was told as failed, expired or cancelled.
            case lateSuccess = "late_success"
            /// A rule gives money back that arrived for a cancelled payment or a superseded attempt.
            case givenBack = "given_back"
            case contradiction
            /// More was taken or given back than was held or asked for.
            case excess
            /// The provider took or undid what nobody asked it to.
            case unasked
            /// The provider no longer shows what it had shown.
            case vanished
            /// The provider tells money, look after look, and no operation that explains it.
            case moneyWithoutOperation = "money_without_operation"
            case overReturned = "over_returned"
            /// The provider debited what no occurrence of a schedule explains.
            case debitUnmatched = "debit_unmatched"
            /// A debit of a series is missing, another than was due, or one too many; or the series can't be ended.
            case series
            /// A word of the provider that no table knows.
            case unrecognised
        }

        package let provider: String
        package let what: What
        package let detail: String
    }

    /// Something that an app reported and a person must know of.
    package struct AppAlert: Hashable, Sendable {
        package let provider: String
        package let concern: ClaimConcern
        package let code: String
    }

    package init() {}

    /// A decision that is these events and the state that they lead to.
    init<State: Aggregate>(_ events: [State.Event], after: State, versions: Json, timers: Timers = .none) {
        self.events = events.map { $0.draft }
        self.after = after
        outcome = .events(events.count)
        self.versions = versions
        self.timers = timers
    }

    /// Removes the rows of messages that nobody will send any more.
    mutating func remove(_ gone: Set<EffectId>) {
        effects += gone.sorted { $0.uuid < $1.uuid }.map { .remove($0.uuid) }
    }

    /// A timer that found nothing it could do rests for a while instead of being due at once again.
    func resting(_ clock: DueTimer.Clock, until later: Timestamp, from now: Timestamp) -> Decided {
        var decided = self
        switch clock {
        case .machine:
            guard let due = timers.machine, due <= now else { return self }
            decided.timers = Timers(machine: later, business: timers.business)
        case .business:
            guard let due = timers.business, due <= now else { return self }
            decided.timers = Timers(machine: timers.machine, business: later)
        }
        return decided
    }

    package static func rejected(_ rejection: Rejection, keeping timers: Timers, versions: Json) -> Decided {
        var decided = Decided()
        decided.outcome = .rejected(code: rejection.code, detail: rejection.canonical)
        decided.timers = timers
        decided.versions = versions
        return decided
    }
}

/// A health signal of one message, and the account that it is about.
package struct AccountHealthSignal: Hashable, Sendable {
    package let account: Uuid
    package let signal: HealthSignal
}

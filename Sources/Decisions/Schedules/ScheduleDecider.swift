package import EventSourcing
import Kernel
import Payments
package import ProviderKit
import Schedules

/// Decides an input of a schedule's stream, purely, and forwards the payments that it starts.
package struct ScheduleDecider: Sendable {
    /// Raised when the same input may decide other events than before.
    package static let version = 7

    /// A charge without the customer may be tried so long after it was started.
    private static let paymentLifetime = Duration.seconds(86_400)

    let adapters: AdapterRegistry
    private let folds: FoldCache

    package init(adapters: AdapterRegistry, folds: FoldCache) {
        self.adapters = adapters
        self.folds = folds
    }

    package func decide(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let schedule: Schedule = try folds.state(input, history)
        let seen = try self.context(input, context)
        switch input.kind {
        case .command:
            do throws(ScheduleRejection) {
                if input.name == OccurrenceResult.name {
                    guard let result = OccurrenceResult(input) else { throw Self.malformed }
                    return decided(schedule, try result.decide(schedule, seen), input, context)
                }
                if input.name == CalendarAdoption.name {
                    guard CalendarAdoption(input) != nil else { throw Self.malformed }
                    return decided(schedule, schedule.decide(.calendarAdopted, seen), input, context)
                }
                if SeriesNews.isNamed(input) {
                    guard let news = SeriesNews(input) else { throw Self.malformed }
                    return decided(schedule, schedule.decide(news.observation, seen), input, context)
                }
                let command: ScheduleCommand
                do throws(CodecFailure) { command = try input.command() } catch { throw Self.malformed }
                let decision = try schedule.decide(command, seen)
                let refusal =
                    refusal(of: command, input, context) ?? refusal(of: command, schedule, context)
                    ?? refusal(ofCardsIn: command, schedule, context, at: seen.now)
                if let refusal {
                    return .rejected(refusal, keeping: timers(of: schedule), versions: versions)
                }
                return decided(schedule, decision, input, context)
            } catch {
                let refusal = Rejection(planCode: error.code.rawValue, error.detail, path: error.path)
                return .rejected(refusal, keeping: timers(of: schedule), versions: versions)
            }
        case .timer:
            let fired = decided(schedule, schedule.decide(.timer, seen), input, context)
            // What did something may have to do something else at once.
            guard fired.events.isEmpty else { return fired }
            return fired.resting(.business, until: seen.now.adding(Self.rest), from: seen.now)
        case .answer: return try answer(schedule, input, context)
        case .notification, .browserReturn, .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    /// A timer that can do nothing, as with a zone that nobody knows any more, rests so long.
    private static let rest = Duration.seconds(3600)

    private static let malformed = ScheduleRejection(.commandMalformed, "The stored command can't be read.")

    /// The refusal of a new schedule: its account was closed, or the adapter would refuse its payments.
    private func refusal(of command: ScheduleCommand, _ input: InputRecord, _ context: DecisionContext) -> Rejection? {
        guard case .create(let terms) = command, let sender = context.sender(adapters) else { return nil }
        guard sender.account.isOpen else { return .closedAccount }
        if terms.runner == .provider {
            do throws(PlanFailure) {
                guard let series = sender.adapter.series else { throw PlanFailure.runsNoSeries }
                _ = try series.registration(of: terms, sender.settings)
                return nil
            } catch { return Rejection(planCode: error.code, error.detail, path: error.path) }
        }
        guard let amount = terms.amount ?? terms.rule?.listedAmount(1) else { return nil }
        let name = OccurrenceName(schedule: input.stream.id, ordinal: 1)
        let payment = PaymentTerms(
            mode: .sale,
            method: terms.presence.method,
            amount: amount,
            reference: terms.reference,
            description: terms.description,
            customer: terms.customer,
            instrument: terms.instrument,
            expiresAt: context.now.adding(Self.paymentLifetime),
            details: terms.details,
            metadata: terms.metadata,
            occurrence: name
        )
        do throws(PlanFailure) {
            try sender.adapter.check(payment, sender.settings, at: context.now)
            return nil
        } catch {
            return Rejection(planCode: error.code, error.detail, path: error.path)
        }
    }

    /// The refusal of credentials that a command names, unless they are this customer's, at this account, and usable.
    private func refusal(
        ofCardsIn command: ScheduleCommand,
        _ schedule: Schedule,
        _ context: DecisionContext,
        at now: Timestamp
    ) -> Rejection? {
        let terms: ScheduleTerms?
        let named: [(InstrumentId?, String)]
        switch command {
        case .create(let new):
            terms = new
            named = [(new.instrument, "instrument"), (new.fallback, "fallback")]
        case .change(let change):
            terms = schedule.terms
            named = [(change.instrument, "instrument"), (change.fallback, "fallback")]
        case .activate, .pause, .resume, .cancel, .run: return nil
        }
        guard let terms else { return nil }
        let known = context.schedule?.instruments ?? []
        for case (let id?, let path) in named {
            let instrument = known.first { $0.id == id } ?? Instrument(id: id)
            do throws(Rejection) {
                try instrument.checkUse(by: terms.customer, account: terms.account, at: now)
            } catch { return Rejection(planCode: error.code, error.detail, path: path) }
        }
        return nil
    }

    private func context(_ input: InputRecord, _ context: DecisionContext) throws(Undecidable) -> ScheduleContext {
        var limits = RecurrenceLimits.none
        if let sender = context.sender(adapters), let recurring = sender.adapter.recurring {
            limits = recurring.recurrence(sender.settings)
        }
        return ScheduleContext(
            now: context.schedule?.clock ?? context.now,
            input: input.id,
            actor: input.kind == .timer ? "scheduler" : try InputMeta(input).actor.id,
            calendar: context.schedule?.calendar,
            quietZone: context.schedule?.quietZone,
            limits: limits,
            cards: context.schedule?.cards ?? [:]
        )
    }

    private var versions: Json {
        ["currencies": .integer(Int64(Currency.tableVersion)), "decider": .integer(Int64(Self.version))]
    }

    private func timers(of schedule: Schedule) -> Timers { Timers(machine: nil, business: schedule.nextTimer) }

    /// Tells of what a person must look at, each once.
    private func alarms(_ before: Schedule, _ after: Schedule, _ context: DecisionContext) -> [Decided.MoneyAlarm] {
        Anomaly.allCases.filter { after.anomalies[$0, default: 0] > before.anomalies[$0, default: 0] }.map { odd in
            let what: Decided.MoneyAlarm.What =
                switch odd {
                case .debitUnmatched: .debitUnmatched
                case .debitMissing, .amountDiffers, .paidTwice, .registrationUnwanted: .series
                }
            return alarm(what, odd.rawValue, context)
        }
    }

    private func alarm(_ what: Decided.MoneyAlarm.What, _ detail: String, _ context: DecisionContext)
        -> Decided.MoneyAlarm
    {
        Decided.MoneyAlarm(provider: context.account?.facts.provider ?? "", what: what, detail: detail)
    }

    func decided(
        _ schedule: Schedule,
        _ decision: ScheduleDecision,
        _ input: InputRecord,
        _ context: DecisionContext
    ) -> Decided {
        var after = schedule
        var events = decision.events
        let message = message(schedule, events, context)
        if let message { events.append(message.event) }
        var odd: [InputRecord] = []
        for event in events {
            let before = after.anomalies
            after.evolve(event)
            if let anomaly = AnomalyForward(event, before, after.anomalies) {
                odd.append(anomaly.input(after, input, at: context.now))
            }
        }
        var decided = Decided(events, after: after, versions: versions, timers: timers(of: after))
        decided.notices = alarms(schedule, after, context).map { .alarm($0) }
        if let ask = schedule.ask(after: decision.events, after), message == nil,
            schedule.ask(after: [], schedule) != ask
        {
            // The provider goes on as before and nobody can tell it: a person must.
            decided.notices.append(.alarm(alarm(.series, "\(ask.rawValue) not sent", context)))
        }
        if let message { decided.effects.append(message.effect) }
        decided.remove(schedule.liveEffects.subtracting(after.liveEffects))
        decided.forwards = decision.starts.map { forward($0, after, input.stream, context) }
        if let news = DebitNews(input) { decided.forwards.append(news.adoption(of: after, input, at: context.now)) }
        // Behind the adoption: nobody can be told of a payment that isn't there yet.
        decided.forwards += odd
        return decided
    }

    /// The terms with what a payment of the series says to its provider besides.
    ///
    /// Where the adapter refuses, the payment's own decision does.
    private func enrolled(_ payment: PaymentTerms, _ schedule: Schedule, _ context: DecisionContext) -> PaymentTerms {
        guard let terms = schedule.terms, let sender = context.sender(adapters),
            let recurring = sender.adapter.recurring
        else { return payment }
        return (try? recurring.enrol(payment, in: terms, sender.settings)) ?? payment
    }

    /// The series at the provider is the first payment's card: another card is none of it.
    private func series(of started: OccurrenceTry, _ schedule: Schedule) -> String? {
        guard started.presence == .unattended, let activation = schedule.activation else { return nil }
        return started.instrument == nil || started.instrument == activation.instrument ? activation.series : nil
    }

    /// A payment that its customer confirms lives as long as they are asked, where the provider's page does.
    private func lifetime(_ order: PaymentOrder, _ context: DecisionContext) -> Duration {
        guard let seconds = order.asksSeconds else { return Self.paymentLifetime }
        let page = context.sender(adapters).flatMap { try? $0.adapter.capabilities($0.settings) }?.lifetimes.page
        return min(.seconds(seconds), page ?? .seconds(seconds))
    }

    /// The create command of an occurrence's payment.
    private func forward(
        _ order: PaymentOrder,
        _ schedule: Schedule,
        _ stream: StreamName,
        _ context: DecisionContext
    ) -> InputRecord {
        let (started, now) = (order.started, context.now)
        let terms = PaymentTerms(
            mode: .sale,
            method: started.presence.method,
            amount: started.amount,
            reference: order.reference,
            description: order.description,
            customer: order.customer,
            instrument: started.instrument,
            expiresAt: now.adding(lifetime(order, context)),
            details: order.details,
            metadata: order.metadata,
            occurrence: OccurrenceName(
                schedule: stream.id,
                ordinal: started.ordinal,
                series: series(of: started, schedule)
            )
        )
        return .sent(
            order.input,
            to: StreamName(stream.merchant, .payment, started.payment.uuid),
            PaymentCommand.create(enrolled(terms, schedule, context)),
            by: ScheduleId(stream.id).text,
            account: order.account,
            at: now
        )
    }
}

extension Presence {
    /// How an occurrence's payment meets the provider.
    fileprivate var method: PaymentMethod {
        switch self {
        case .unattended: .instrument
        case .customerPresent: .hosted
        }
    }
}

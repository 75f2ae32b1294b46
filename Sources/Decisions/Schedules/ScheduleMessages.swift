import Crypto
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Schedules

/// Messages to the provider that runs a series: its changes and its end.
extension ScheduleDecider {
    /// The message that a decision asks for, with its licence as an event; `nil` where nothing is to be asked.
    func message(
        _ before: Schedule,
        _ events: [ScheduleEvent],
        _ context: DecisionContext
    ) -> (event: ScheduleEvent, effect: EffectChange)? {
        let after = before.after(events)
        guard let ask = before.ask(after: events, after), let terms = after.terms,
            let activation = after.registration(askedAbout: events), let series = activation.series,
            let sender = context.sender(adapters), let adapter = sender.adapter.series
        else { return nil }
        let place = SeriesContext(
            series: series,
            registeredBy: activation.reference ?? "",
            settings: sender.settings
        )
        // What the provider has no words for was refused with the command.
        guard let template = try? template(ask, terms, adapter, place) else { return nil }
        let (license, row) = sender.message(template, after.seriesEffect, at: context.now)
        let isOwn = activation.payment == after.activation?.payment
        return (.requestLicensed(SeriesLicense(ask, series: isOwn ? nil : series, license)), row)
    }

    private func template(
        _ ask: SeriesAsk,
        _ terms: ScheduleTerms,
        _ adapter: any SeriesAdapter,
        _ place: SeriesContext
    ) throws(PlanFailure) -> RequestTemplate {
        switch ask {
        case .cancel: try adapter.plan(.cancel, place)
        case .update: try adapter.plan(.update(try adapter.registration(of: terms, place.settings)), place)
        }
    }

    /// Reads what became of such a message, and asks again where nobody knows.
    func answer(_ schedule: Schedule, _ input: InputRecord, _ context: DecisionContext) throws(Undecidable) -> Decided {
        let meta = try InputMeta(input)
        guard let effect = meta.effect, let ordinal = meta.ordinal, let known = schedule.requests[effect] else {
            throw Undecidable("answer to nothing")
        }
        guard let sender = context.sender(adapters), let adapter = sender.adapter.series else {
            throw Undecidable("account")
        }
        let outcome = adapter.readSeries(try input.answer(meta), known.license.ask, sender.settings)
        let follows = schedule.decide(outcome, effect: effect, ordinal: ordinal, at: context.now)
        var decided = decided(schedule, ScheduleDecision(events: follows.events), input, context)
        if let next = follows.repeats {
            decided.effects.append(.again(next.message, SeriesLicense.repetition))
        }
        if case .requestEnded? = follows.events.last, outcome != .done {
            let word = if case .refused(let code) = outcome { "refused \(code ?? "")" } else { "unknown" }
            let alert = Decided.AppAlert(
                provider: sender.account.facts.provider,
                concern: .task,
                code: "series.\(known.license.ask.rawValue) \(word)"
            )
            decided.notices.append(.alert(alert))
        }
        return decided
    }

    /// Refuses what the provider that runs the series can't do.
    func refusal(of command: ScheduleCommand, _ schedule: Schedule, _ context: DecisionContext) -> Rejection? {
        guard let terms = schedule.terms, terms.runner == .provider, let sender = context.sender(adapters) else {
            return nil
        }
        switch command {
        case .pause, .resume:
            return Rejection(
                planCode: ScheduleRejection.Code.runnerIsProvider.rawValue,
                "The provider debits this series by itself and can't pause: cancel it.",
                path: nil
            )
        case .change(let change):
            guard change.nextDate == nil, change.instrument == nil, change.fallback == nil, change.policy == nil else {
                return Rejection(
                    planCode: ScheduleRejection.Code.runnerIsProvider.rawValue,
                    "The provider debits this series by itself: its amount and its rule can be changed.",
                    path: nil
                )
            }
            var changed = terms
            changed.amount = change.amount ?? terms.amount
            changed.rule = change.rule ?? terms.rule
            do throws(PlanFailure) {
                guard let series = sender.adapter.series else { throw PlanFailure.runsNoSeries }
                _ = try series.registration(of: changed, sender.settings)
                return nil
            } catch { return Rejection(planCode: error.code, error.detail, path: error.path) }
        case .create, .activate, .cancel, .run: return nil
        }
    }
}

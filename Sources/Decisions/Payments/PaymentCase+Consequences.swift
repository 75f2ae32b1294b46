import Crypto
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Schedules

extension PaymentCase {
    /// Everything that is told beside the log, as the events show it.
    func notices(_ events: [PaymentEvent], _ after: Payment) -> [Decided.Notice] {
        let health = health(events).map { AccountHealthSignal(account: account.facts.id, signal: $0) }
        return events.compactMap { alert($0).map { .alert($0) } }
            + events.compactMap { alarm($0, after).map { .alarm($0) } } + (health.map { [.health($0)] } ?? [])
    }

    /// The health signal of an answer, or of the want of one; a word of the payment's own says nothing of the provider.
    private func health(_ events: [PaymentEvent]) -> HealthSignal? {
        guard input.kind == .answer, let name = AnswerName(rawValue: input.name) else { return nil }
        let reason = DispatchReason(meta.reason)
        switch name {
        case .notSent:
            guard case .unreachable = reason else { return nil }
            return .down(reason.text)
        case .noAnswer:
            return [.senderVanished, .cancelled, .stopped].contains(reason) ? nil : .down("no answer: \(reason.text)")
        case .answered:
            let status = meta.status
            if status >= 500 { return .down("status \(status)") }
            let isDown = events.contains { event in
                switch event {
                case .dispatchObserved(_, _, .notExecuted(let decline), _),
                    .dispatchObserved(_, _, .refused(let decline), _):
                    decline.reason == .providerDown
                case .operationReported(_, let sighted, _): sighted.outcome.isProviderDown
                case .attemptReported(.closed(.declined(let decline)), _): decline.reason == .providerDown
                case .created, .routed, .attemptOpened, .dispatchLicensed, .dispatchObserved, .dispatchRevoked,
                    .operationRequested, .operationAdopted, .operationEnded, .totalReported, .attemptReported,
                    .attemptClosed,
                    .orderOpened, .cancelRequested, .expiryReached, .holdExpired, .claimRecorded, .contradictionFound,
                    .lateSuccess, .overReturned, .instrumentSaved, .instrumentReported, .receiptReported,
                    .methodReported, .seriesReported, .seriesDebitReported, .feeReported,
                    .commissionReported,
                    .unrecognisedReported, .auxiliaryRequested, .disputeRecorded, .evidenceAdded, .resolutionProposed,
                    .resolutionApproved,
                    .recoveryBegan:
                    false
                }
            }
            return isDown ? .down("declined: provider down") : .up
        }
    }

    /// The alert about something that an app reported and a person must know of.
    private func alert(_ event: PaymentEvent) -> Decided.AppAlert? {
        guard case .claimRecorded(_, let code, let concern?, _) = event, concern.isOfApp else { return nil }
        return Decided.AppAlert(provider: account.facts.provider, concern: concern, code: code)
    }

    /// The alarm about money that surprises.
    private func alarm(_ event: PaymentEvent, _ after: Payment) -> Decided.MoneyAlarm? {
        func alarm(_ what: Decided.MoneyAlarm.What, _ detail: String) -> Decided.MoneyAlarm {
            Decided.MoneyAlarm(provider: account.facts.provider, what: what, detail: detail)
        }
        if case .lateSuccess(let operation) = event { return alarm(.lateSuccess, operation.text) }
        if case .contradictionFound(let found) = event { return alarm(.init(found.kind), found.text) }
        if case .unrecognisedReported(let what, let value) = event { return alarm(.unrecognised, "\(what): \(value)") }
        if case .overReturned(let amount) = event { return alarm(.overReturned, "\(amount)") }
        if case .seriesDebitReported(let debit, _) = event, seriesNews(event, after) == nil {
            return alarm(
                .debitUnmatched,
                "\(debit.amount.map { "\($0)" } ?? "an unknown amount") of series \(debit.series): \(debit.payment)"
            )
        }
        if case .operationRequested(let request) = event, request.actor == Payment.ruleActor, !request.kind.isInitial {
            return alarm(.givenBack, request.kind.rawValue)
        }
        return nil
    }

    /// The first payment that goes to an account whose pause is over tells its breaker; those that go with it say the same.
    func probe(_ decision: RouteDecision) -> InputRecord? {
        guard let chosen = decision.chosen?.id, let breaker = context.routes?.routing.breakers[chosen],
            case .open = breaker.phase, breaker.gate(at: decision.at) == .probing
        else { return nil }
        return .sent(
            .version5(namespace: chosen, name: "probe:\(breaker.changedAt)"),
            to: DerivedNames.routing(input.stream.merchant),
            RoutingCommand.probe(chosen),
            by: payment.id.text,
            account: chosen,
            at: context.now
        )
    }
}

extension ProviderOutcome {
    fileprivate var isProviderDown: Bool {
        if case .declined(let decline) = self { decline.reason == .providerDown } else { false }
    }
}

extension Decided.MoneyAlarm.What {
    fileprivate init(_ kind: ContradictionKind) {
        switch kind {
        case .amount, .currency, .identity, .outcome: self = .contradiction
        case .excess: self = .excess
        case .unasked: self = .unasked
        case .vanished: self = .vanished
        case .moneyWithoutOperation: self = .moneyWithoutOperation
        }
    }
}

extension Contradiction {
    fileprivate var text: String { "\(kind.rawValue): \(detail)" }
}

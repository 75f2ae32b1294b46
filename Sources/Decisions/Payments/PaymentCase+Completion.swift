import EventSourcing
import Kernel
import Payments
import ProviderKit

extension PaymentCase {
    /// Plans and licenses the messages of a decision and puts together what is committed.
    func complete(_ decision: PaymentDecision, refuses: Bool) throws(Rejection) -> Decided {
        var events = decision.events
        var after = payment.after(events)
        var effects: [EffectChange] = []
        if refuses { try rehearse(decision.rehearsals) }
        for request in decision.dispatches {
            do throws(PlanFailure) {
                let license = try license(request, after, &effects)
                events.append(.dispatchLicensed(license))
                after.evolve(.dispatchLicensed(license))
            } catch {
                if refuses { throw Rejection(planCode: error.code, error.detail, path: error.path) }
                // Nothing that was sent before ends because it can't be sent once more.
                guard request.ordinal == 1 else { continue }
                // A handover that can't be made ends what it was to begin.
                let begun = request.planned.purpose == .handover ? after.initial(of: request.attempt)?.id : nil
                guard let operation = request.operation ?? begun else { continue }
                let ended = PaymentEvent.operationEnded(operation, .notSent(reason: "plan: \(error.code)"))
                events.append(ended)
                after.evolve(ended)
            }
        }
        assert(isLicensed(effects, by: events), "each message has its licence, and each licence its message")
        assert(repeated(effects).isSubset(of: payment.liveEffects), "what is sent once more still has its row")
        var decided = Decided(events, after: after, versions: versions, timers: timers(of: after))
        decided.effects = effects
        decided.remove(payment.liveEffects.subtracting(after.liveEffects))
        let needless = after.needlessEffects.subtracting(payment.needlessEffects)
        decided.effects += needless.sorted { $0.uuid < $1.uuid }.map { .revoke($0.uuid) }
        decided.references = events.compactMap { reference($0, after) } + mandateUse(events)
        decided.forwards = forwards(events, after)
        if let told = after.occurrenceForward(since: payment, input, at: context.now) { decided.forwards.append(told) }
        decided.notices = notices(events, after)
        return decided
    }

    private func repeated(_ effects: [EffectChange]) -> Set<EffectId> {
        Set(
            effects.compactMap { effect in
                if case .resend(let id, _, _, _) = effect { EffectId(id) } else { nil }
            }
        )
    }

    private func isLicensed(_ effects: [EffectChange], by events: [PaymentEvent]) -> Bool {
        let licensed = events.compactMap { event -> Uuid? in
            guard case .dispatchLicensed(let license) = event, license.purpose != .handover else { return nil }
            return license.effect.uuid
        }
        let sent = effects.compactMap { effect -> Uuid? in
            switch effect {
            case .create(let row): row.id
            case .resend(let id, _, _, _): id
            case .revoke, .remove: nil
            }
        }
        return licensed == sent
    }

    /// Plans what is licensed later, so that what can't be sent is refused now.
    private func rehearse(_ rehearsals: [PlannedDispatch]) throws(Rejection) {
        guard let terms = payment.terms else { return }
        for planned in rehearsals {
            do throws(PlanFailure) {
                _ = try adapter.plan(
                    planned,
                    PlanContext(terms: terms, settings: sender.settings, instrument: context.instrument)
                )
            } catch {
                throw Rejection(planCode: error.code, error.detail, path: error.path)
            }
        }
    }

    private func license(
        _ request: DispatchRequest,
        _ payment: Payment,
        _ effects: inout [EffectChange]
    ) throws(PlanFailure) -> DispatchLicense {
        let sender = try sender(payment.account(of: request.attempt)?.id)
        let digest: String
        let first = request.operation.flatMap { payment.operation($0) }?.dispatches
            .first { $0.license.effect == request.effect }
        if request.ordinal > 1, let first, self.payment.liveEffects.contains(request.effect) {
            digest = first.license.templateDigest
            effects.append(
                .resend(
                    request.effect.uuid,
                    ordinal: request.ordinal,
                    notBefore: request.notBefore,
                    sendBefore: request.sendBefore
                )
            )
        } else {
            guard let terms = payment.terms else { throw PlanFailure(code: "payment_unknown", detail: "no terms") }
            let template = try sender.adapter.plan(
                request.planned,
                PlanContext(terms: terms, settings: sender.settings, instrument: context.instrument)
            )
            digest = template.digest
            // Its row went when the operation seemed over: the same message is made again, or none.
            guard first == nil || digest == first?.license.templateDigest else {
                throw PlanFailure(code: "message_changed", detail: "the repetition would be another message")
            }
            if request.planned.purpose != .handover {
                effects.append(
                    sender.row(
                        template,
                        request.effect,
                        ordinal: request.ordinal,
                        notBefore: request.notBefore,
                        sendBefore: request.sendBefore
                    )
                )
            }
        }
        return sender.license(
            request.effect,
            request.planned.purpose,
            operation: request.operation,
            ordinal: request.ordinal,
            ground: request.ground,
            digest: digest,
            at: context.now,
            notBefore: request.notBefore,
            sendBefore: request.sendBefore
        )
    }

    /// Of all charges by a payer's mandate that would go out beside each other one may: the index holds it once.
    private func mandateUse(_ events: [PaymentEvent]) -> [Reference] {
        guard case .created? = events.first, let use = context.instrument?.nextUse else { return [] }
        return [Reference(account: account.facts.id, kind: Reference.mandateUse, value: use)]
    }

    /// Our names at the provider lead notifications to this stream: at the account of the attempt that each belongs to.
    private func reference(_ event: PaymentEvent, _ after: Payment) -> Reference? {
        switch event {
        case .attemptOpened(let number, let reference, _):
            let id = after.account(of: number)?.id ?? account.facts.id
            return Reference(account: id, kind: "payment", value: reference)
        case .operationRequested(let request) where !request.kind.isInitial:
            let id = after.operation(request.id).flatMap { after.account(of: $0.attempt)?.id }
            return Reference(account: id ?? account.facts.id, kind: "operation", value: request.reference)
        case .orderOpened(let order):
            return .order(order, account)
        case .seriesReported(let series):
            return .series(series, account)
        case .created, .routed, .dispatchLicensed, .dispatchObserved, .dispatchRevoked, .operationRequested,
            .operationAdopted,
            .operationReported, .operationEnded, .totalReported, .attemptReported, .attemptClosed, .cancelRequested,
            .expiryReached,
            .holdExpired, .claimRecorded, .contradictionFound, .lateSuccess, .overReturned, .instrumentSaved,
            .instrumentReported, .receiptReported, .seriesDebitReported, .methodReported, .feeReported,
            .commissionReported,
            .unrecognisedReported, .auxiliaryRequested, .disputeRecorded, .evidenceAdded,
            .resolutionProposed, .resolutionApproved, .recoveryBegan:
            return nil
        }
    }
}

extension Reference {
    /// The name of what a provider opened.
    static func order(_ order: ProviderOrder, _ account: ConfiguredAccount) -> Reference {
        Reference(account: account.facts.id, kind: "order", value: order.id)
    }

    /// The name of a series of debits.
    static func series(_ series: SeriesFact, _ account: ConfiguredAccount) -> Reference {
        Reference(account: account.facts.id, kind: "series", value: series.id)
    }
}

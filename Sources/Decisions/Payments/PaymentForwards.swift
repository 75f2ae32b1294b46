import Crypto
import EventSourcing
import Kernel
import Payments

/// Commands that a payment's decision sends to other streams: saved credentials and the routing.
extension PaymentCase {
    /// Credentials that evidence offered, that the payment uses, and that it showed to be of no use any more.
    func forwards(_ events: [PaymentEvent], _ after: Payment) -> [InputRecord] {
        var forwards: [InputRecord] = []
        var charged = charged(events, after)
        for event in events {
            if let news = seriesNews(event, after) ?? adoption(event, after) { forwards.append(news) }
            switch event {
            case .created(let terms, _):
                guard let id = terms.instrument else { continue }
                forwards.append(
                    forward(.use(input.stream.id, InstrumentUser(input.stream.kind)), to: id, "use:\(input.stream.id)")
                )
            case .instrumentSaved(let id, let fact):
                // What was paid by a card that was removed meanwhile is no new consent of its payer to keep it.
                if let used = context.instrument, used.id == id, used.removed != nil { continue }
                let saved = SavedInstrument(
                    fact: fact,
                    account: account.facts.id,
                    customer: after.terms?.customer,
                    payment: after.id
                )
                guard id != after.terms?.instrument, let taken = charged.firstIndex(of: id) else {
                    forwards.append(forward(.save(saved), to: id, "save:\(input.id)"))
                    continue
                }
                // It is new to the payment, so that no charge was forwarded by this name: one input tells both.
                charged.remove(at: taken)
                let charge = InstrumentCommand.Charge(by: input.stream.id, at: context.clock ?? context.now)
                forwards.append(forward(.save(saved, charged: charge), to: id, "charge:\(input.stream.id)"))
            case .instrumentReported(let id, let report):
                forwards.append(forward(.report(report), to: id, "report:\(input.id)"))
            case .routed(let decision): forwards += probe(decision).map { [$0] } ?? []
            case .attemptOpened, .dispatchLicensed, .dispatchObserved, .dispatchRevoked, .operationRequested,
                .operationAdopted, .operationReported, .operationEnded, .totalReported, .attemptReported, .orderOpened,
                .attemptClosed, .cancelRequested, .expiryReached, .holdExpired, .claimRecorded, .contradictionFound,
                .lateSuccess, .overReturned, .receiptReported, .methodReported, .seriesReported, .seriesDebitReported,
                .feeReported,
                .commissionReported, .unrecognisedReported, .auxiliaryRequested, .disputeRecorded, .evidenceAdded,
                .resolutionProposed,
                .resolutionApproved, .recoveryBegan:
                continue
            }
        }
        for id in charged {
            forwards.append(forward(.charge(input.stream.id, at: context.clock), to: id, "charge:\(input.stream.id)"))
        }
        if payment.status.isOpen, !after.status.isOpen, let id = after.terms?.instrument, !charged.contains(id) {
            forwards.append(forward(.endUse(input.stream.id), to: id, "end use:\(input.stream.id)"))
        }
        if capabilities.declinesEndInstruments, payment.instrumentRefusal == nil,
            let refusal = after.instrumentRefusal, let id = after.terms?.instrument
        {
            forwards.append(forward(.report(.invalid(code: refusal.code)), to: id, "refused:\(input.id)"))
        }
        return forwards
    }

    /// The credentials by which the payment has taken money now: the one that it was created with, and those that it saved.
    private func charged(_ events: [PaymentEvent], _ after: Payment) -> [InstrumentId] {
        guard let initial = after.initial, initial.state == .succeeded, let terms = after.terms else { return [] }
        switch terms.mode {
        case .verify, .tokenize: return []
        case .sale, .authorize, .transfer: break
        }
        let saved = events.compactMap { event -> InstrumentId? in
            if case .instrumentSaved(let id, _) = event { id } else { nil }
        }
        guard payment.initial?.state != .succeeded else { return saved }
        return Set([terms.instrument].compactMap(\.self) + after.instruments).sorted { $0.uuid < $1.uuid }
    }

    private func forward(_ command: InstrumentCommand, to id: InstrumentId, _ name: String) -> InputRecord {
        .sent(
            .version5(namespace: id.uuid, name: name),
            to: StreamName(input.stream.merchant, .instrument, id.uuid),
            command,
            by: payment.id.text,
            account: account.facts.id,
            at: context.now
        )
    }
}

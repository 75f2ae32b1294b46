import Crypto
import Kernel

extension Payment {
    func propose(
        _ verdict: Resolution.Verdict,
        _ evidence: String,
        _ seen: Int32,
        _ draft: inout PaymentDraft
    ) throws(Rejection) {
        try refuseStranger(draft.context.actor)
        try refuseStale(seen)
        try refuseNeedless(verdict)
        draft.add(
            .resolutionProposed(
                Resolution(
                    id: .version5(namespace: id.uuid, name: "resolution:\(draft.context.input)"),
                    verdict: verdict,
                    evidence: evidence,
                    by: draft.context.actor.id,
                    seenVersion: seen
                )
            )
        )
    }

    func approve(_ proposal: Uuid, _ seen: Int32, _ draft: inout PaymentDraft) throws(Rejection) {
        try refuseStranger(draft.context.actor)
        guard let resolution = proposals[proposal] else {
            throw Rejection(.proposalUnknown, "There is no such proposal.")
        }
        guard !approved.contains(proposal) else { return }
        guard resolution.by != draft.context.actor.id else {
            throw Rejection(.sameActor, "A second person approves.")
        }
        try refuseStale(resolution.seenVersion)
        try refuseStale(seen)
        guard seen >= proposedAt[proposal] ?? 0 else {
            throw Rejection(.proposalStale, "Version \(seen) does not hold the proposal yet; look again.")
        }
        try refuseNeedless(resolution.verdict)
        draft.add(.resolutionApproved(proposal: proposal, by: draft.context.actor.id))
        carryOut(resolution, &draft)
    }

    private func carryOut(_ resolution: Resolution, _ draft: inout PaymentDraft) {
        switch resolution.verdict {
        case .succeeded(let operation, let amount): draft.add(.operationEnded(operation, .bookedByOperator(amount)))
        case .failed(let operation):
            draft.add(.operationEnded(operation, .failedByOperator(resolution.evidence)))
            if operation == initial?.id, attempt?.isOpen == true {
                let decline = Decline(reason: .unknown, code: "operator", tableVersion: 0)
                draft.add(.attemptClosed(.declined(decline), by: .operatorDecision))
            }
        case .sendAgain(let operation):
            if let operation = draft.payment.operation(operation) {
                draft.resend(operation, .operatorOverride, after: .zero)
            }
        case .acknowledged: break
        case .attemptDead: draft.add(.attemptClosed(.cancelled, by: .operatorDecision))
        }
    }

    private func refuseStranger(_ actor: Actor) throws(Rejection) {
        guard actor.isOperator else { throw Rejection(.operatorNeeded, "An operator resolves payments.") }
    }

    /// Newer evidence makes what a person saw stale.
    private func refuseStale(_ seen: Int32) throws(Rejection) {
        guard seen >= evidenceVersion, seen <= version else {
            throw Rejection(.proposalStale, "Evidence arrived since version \(seen); look again.")
        }
    }

    /// Whether a verdict could still be carried out: what evidence or another resolution has settled needs no second person.
    func isNeeded(_ verdict: Resolution.Verdict) -> Bool {
        do throws(Rejection) { try refuseNeedless(verdict) } catch { return false }
        return true
    }

    private func refuseNeedless(_ verdict: Resolution.Verdict) throws(Rejection) {
        let isNeeded: Bool
        switch verdict {
        case .succeeded(let id, let amount):
            isNeeded = operation(id).map { !$0.isClosed || $0.hasUnknownAmount } ?? false
            if isNeeded, let operation = operation(id) { try check(amount, of: operation) }
        case .failed(let id): isNeeded = operation(id).map { !$0.isClosed } ?? false
        case .sendAgain(let id):
            isNeeded = operation(id).map { !$0.isClosed && !$0.dispatches.isEmpty && !$0.isInFlight } ?? false
            if isNeeded, let operation = operation(id), !fits(operation) {
                throw Rejection(.amountExceeds, "The operation does not fit what is left any more.")
            }
        case .acknowledged:
            isNeeded =
                isFrozen || !openLateSuccesses.isEmpty || !openDebits.isEmpty || !openConcerns.isEmpty
                || flags.settledExcess < overReturned || !openGaps.isEmpty
        case .attemptDead: isNeeded = attempt?.isOpen == true && status.isOpen
        }
        guard isNeeded else { throw Rejection(.nothingToResolve, "Evidence has settled this already.") }
    }

    /// An operator books what was asked for or a part of it, never another currency and never more.
    private func check(_ amount: Money, of operation: Operation) throws(Rejection) {
        guard amount.currency == currency ?? amount.currency else {
            throw Rejection(.currencyMismatch, "The payment is in another currency.", path: "verdict.amount")
        }
        switch operation.kind {
        case .verify, .tokenize:
            guard amount.minor == 0 else {
                throw Rejection(.amountNotAllowed, "No money moves here.", path: "verdict.amount")
            }
        case .sale, .authorize, .transfer, .capture, .void, .refund, .refundReversal:
            guard amount.minor > 0 else {
                throw Rejection(.amountNotPositive, "The amount must be more than zero.", path: "verdict.amount")
            }
            if let requested = operation.requested, amount.minor > requested.minor {
                throw Rejection(.amountExceeds, "Asked for were \(requested).", path: "verdict.amount")
            }
        }
    }
}

import Crypto
import Kernel

extension Payment {
    func propose(
        _ verdict: Resolution.Verdict,
        _ evidence: String,
        _ seen: Int32,
        _ draft: inout PaymentDraft
    ) throws(Rejection) {
        try refuseStale(seen)
        try refuseIdle(verdict)
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
        guard let resolution = proposals[proposal] else {
            throw Rejection(.proposalUnknown, "There is no such proposal.")
        }
        guard !approved.contains(proposal) else { return }
        guard resolution.by != draft.context.actor.id else {
            throw Rejection(.sameActor, "A second person approves.")
        }
        try refuseStale(min(seen, resolution.seenVersion))
        try refuseIdle(resolution.verdict)
        draft.add(.resolutionApproved(proposal: proposal, by: draft.context.actor.id))
        switch resolution.verdict {
        case .succeeded(let operation, let amount): draft.add(.operationEnded(operation, .bookedByOperator(amount)))
        case .failed(let operation): draft.add(.operationEnded(operation, .failedByOperator(resolution.evidence)))
        case .sendAgain(let operation):
            if let operation = draft.payment.operation(operation) {
                draft.resend(operation, .operatorOverride, after: .zero)
            }
        case .acknowledged: break
        case .attemptDead: draft.add(.attemptClosed(.cancelled, by: .operatorDecision))
        }
    }

    /// Newer evidence makes what a person saw stale.
    private func refuseStale(_ seen: Int32) throws(Rejection) {
        guard seen >= evidenceVersion, seen <= version else {
            throw Rejection(.proposalStale, "Evidence arrived since version \(seen); look again.")
        }
    }

    private func refuseIdle(_ verdict: Resolution.Verdict) throws(Rejection) {
        let isNeeded: Bool
        switch verdict {
        case .succeeded(let id, _), .failed(let id): isNeeded = operation(id).map { !$0.isClosed } ?? false
        case .sendAgain(let id): isNeeded = operation(id).map { !$0.isClosed && !$0.dispatches.isEmpty } ?? false
        case .acknowledged: isNeeded = isFrozen || (!lateSuccesses.isEmpty && !acknowledged)
        case .attemptDead: isNeeded = attempt?.isOpen ?? false
        }
        guard isNeeded else { throw Rejection(.nothingToResolve, "Evidence has settled this already.") }
    }
}

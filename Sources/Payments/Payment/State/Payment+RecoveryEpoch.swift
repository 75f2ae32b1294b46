package import EventSourcing
package import Kernel

/// A recovery epoch as it reached one payment.
package struct Recovery: Hashable, Sendable {
    package let epoch: RecoveryEpoch
    /// The version of the stream that it made: what is seen first behind it may be the trace of a lost message.
    package let version: Int32
}

extension Payment {
    /// After so long nobody uses the key of a lost command again: payments that begin later had no earlier life.
    package static let retryWindow = Duration.seconds(3 * 86_400)
    /// How long after a restore a question proves what was sent before it, where the provider declares no absence proof.
    package static let quietAfterRestore = Duration.seconds(120)
    /// So long a question may not show what was done before it, where the provider declares no time for any kind.
    package static let undeclaredPatience = Duration.seconds(900)

    /// Whether an epoch concerns this payment: it was there before, or may be the second life of one that was lost.
    func isReached(by epoch: RecoveryEpoch, at now: Timestamp) -> Bool {
        guard epoch.number > recovery?.epoch.number ?? 0 else { return false }
        let began = operations.first?.requestedAt ?? now
        return began < epoch.begunAt.adding(Self.retryWindow)
    }

    /// From when on a question shows everything that was sent before the epoch; `nil` without one.
    ///
    /// Requests that are slow to arrive, operations that are slow to show and answers that are old lie behind it.
    package func conclusiveFrom(_ can: Capabilities) -> Timestamp? {
        guard let recovery else { return nil }
        return recovery.epoch.begunAt.adding(can.recovery.absenceProofs.max() ?? Self.quietAfterRestore)
    }

    /// Whether it was there before the newest epoch, so that the part of the log that was lost may have been about it.
    var isSetBack: Bool {
        guard let recovery, let first = operations.first else { return false }
        return first.requestedAt < recovery.epoch.begunAt
    }

    /// Whether the provider has still to be asked how things stand before anything new may be sent.
    package func mustLook(_ can: Capabilities) -> Bool {
        guard let from = conclusiveFrom(can) else { return false }
        return !queries.contains { $0.outcome == .answered && $0.license.leavesAt >= from }
    }

    /// Whether it is asked without another cause: it was there before the epoch, and an answer can still be had.
    func owesLook(_ can: Capabilities) -> Bool {
        guard isSetBack, mustLook(can), let from = conclusiveFrom(can) else { return false }
        return queryEnd(can).map { from < $0 } ?? true
    }

    /// The same as far as the stream alone tells: nothing was answered since the epoch.
    var isUnasked: Bool {
        guard isSetBack, let recovery else { return false }
        return !queries.contains { $0.outcome == .answered && $0.version > recovery.version }
    }

    /// Whether an answer to this question shows all that was sent before the epoch.
    func isConclusive(_ asked: DispatchLicense, _ can: Capabilities) -> Bool {
        conclusiveFrom(can).map { asked.leavesAt >= $0 } ?? true
    }

    /// Whether another licence may have followed this one, which never left, in the part of the log that was lost.
    func mayHaveLostSuccessor(_ license: DispatchLicense, _ reason: String, _ can: Capabilities) -> Bool {
        guard let recovery, license.operation != nil, DispatchReason(reason).passes else { return false }
        return license.leavesAt < recovery.epoch.begunAt && mustLook(can)
    }

    /// Whether an operation that nobody here asked for may be a command of ours that the log has lost.
    ///
    /// It is one that could be asked for once more: there is room for it, and its provider would not know it again.
    func isLostTwin(_ operation: Operation) -> Bool {
        guard let recovery, operation.origin == .provider, let currency else { return false }
        let room: Int64
        switch operation.kind {
        case .capture, .void: room = sums(of: operation.attempt).held
        case .refund: room = amounts.captured.subtractingClamped(amounts.refunded)
        case .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal: return false
        }
        guard room > 0 else { return false }
        if operation.isRemainder {
            let steps = totals[Totals.Key(kind: operation.kind, attempt: operation.attempt)]?.steps ?? []
            return operation.share ?? 0 <= room && steps.contains { $0.version > recovery.version }
        }
        return operation.transactions.values.contains { transaction in
            let latest = transaction.latest
            let isDead = latest.outcome.isFinal && !transaction.succeeded
            guard !isDead, latest.ourReference == nil, firstSeen[latest.providerId] ?? 0 > recovery.version else {
                return false
            }
            if let made = latest.createdAt, made > recovery.epoch.begunAt.adding(Self.clockSkew) { return false }
            guard let amount = transaction.finalAmount ?? latest.amount.money, amount.currency == currency else {
                return true
            }
            return amount.minor <= room
        }
    }
}

extension DispatchLicense {
    /// The first moment at which it may leave.
    var leavesAt: Timestamp { max(licensedAt, notBefore) }
}

extension PaymentDraft {
    /// Takes note of an epoch that the payment has not met yet, before anything else is decided.
    mutating func enterEpoch() {
        guard let epoch = context.epoch, payment.isCreated, payment.isReached(by: epoch, at: context.now) else {
            return
        }
        add(.recoveryBegan(epoch))
    }

    /// Takes an operation that a lost command had asked for as this command's, where the provider tells our name of it.
    ///
    /// The client gets its answer, and nothing is sent.
    mutating func reclaim(_ kind: OperationKind, target: OperationId? = nil, reason: String?, details: Json?) -> Bool {
        guard payment.recovery != nil else { return false }
        let id = payment.operationId(for: context.input, kind)
        let reference = Payment.reference(id.uuid)
        let found = payment.operations.lazy.filter { $0.origin == .provider && $0.kind == kind }
            .flatMap { operation in operation.orderedTransactions.map { (operation.attempt, $0) } }
            .first { $0.1.latest.ourReference == reference }
        guard let (number, transaction) = found, let amount = transaction.finalAmount ?? transaction.latest.amount.money
        else {
            return false
        }
        add(
            .operationRequested(
                OperationRequest(
                    id: id,
                    kind: kind,
                    amount: amount,
                    target: target,
                    reference: reference,
                    actor: context.actor.id,
                    reason: reason,
                    at: context.now,
                    details: details,
                    attempt: payment.isPast(number) ? number : nil
                )
            )
        )
        add(.operationReported(id, transaction.latest, at: context.now))
        return true
    }
}

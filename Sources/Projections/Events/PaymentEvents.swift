package import EventSourcing
package import Kernel
package import Payments

extension PublicEvent {
    /// What a decision about a payment or a transfer tells; `last` is its last event, `createdAt` the time of the stream's first.
    package static func all(_ last: RecordedEvent, from before: Payment, to after: Payment, createdAt: Timestamp)
        -> [PublicEvent]
    {
        guard after.isCreated else { return [] }
        let document = after.publicDocument(createdAt: createdAt, updatedAt: last.recordedAt)
        return all(
            PaymentChange(before, after).changes,
            or: after.isTransfer ? .transferUpdated : .paymentUpdated,
            last,
            EventDocument(
                after.objectName,
                after.shownId,
                document,
                isChanged: document
                    != before.publicDocument(createdAt: createdAt, updatedAt: last.recordedAt, version: after.version)
            )
        )
    }
}

extension Payment {
    /// The payment as events show it: as it is read, but for what is owed, which time and the account's settings change without an event.
    package func publicDocument(createdAt: Timestamp, updatedAt: Timestamp, version: Int32? = nil) -> [UInt8] {
        document([], createdAt: createdAt, updatedAt: updatedAt, version: version)
    }
}

/// What became of a payment from one state to another.
private struct PaymentChange {
    private let before: Payment
    private let after: Payment
    /// What is owed before and after; nothing of a payment that isn't there.
    private let owed: (before: [Obligation], after: [Obligation])
    private let status: (before: PaymentStatus, after: PaymentStatus)
    private let sums: (before: PaymentAmounts, after: PaymentAmounts)

    init(_ before: Payment, _ after: Payment) {
        self.before = before
        self.after = after
        let (was, now) = (Debts(before), Debts(after))
        owed = (was.obligations, now.obligations)
        status = (was.status, now.status)
        sums = (before.amounts, after.amounts)
    }

    /// What is told of it, in the order of the catalogue.
    var changes: [PublicChange] { (after.isTransfer ? transfer : payment) + refunds + disputes + items }

    private func isNew(_ one: PaymentStatus) -> Bool { status.after == one && status.before != one }

    private var isCreated: Bool { !before.isCreated }

    /// Another step of the payer, or his first.
    private var wantsAction: Bool {
        after.payerAction(status.after).map { $0 != before.payerAction(status.before) } ?? false
    }

    /// Whether money came after the end, and is not given back.
    private var isLate: Bool {
        owed.after.contains { $0.kind == .lateSuccess } && !owed.before.contains { $0.kind == .lateSuccess }
    }

    /// Cancelled without money; what gives a hold back is told as that.
    private var isCancelled: Bool { isNew(.voided) && sums.after.authorized == 0 }

    private var payment: [PublicChange] {
        let (was, sums) = sums
        let all: [(PublicEventType, Bool)] = [
            (.paymentCreated, isCreated), (.paymentActionRequired, wantsAction),
            (.paymentProcessing, isNew(.processing)), (.paymentAuthorised, sums.authorized > was.authorized),
            (.paymentCaptured, sums.captured > was.captured), (.paymentCaptureFailed, hasFailed(.capture)),
            (.paymentReleased, sums.released + sums.holdExpired > was.released + was.holdExpired),
            (.paymentReleaseFailed, hasFailed(.void)), (.paymentVerified, isNew(.verified)),
            (.paymentTokenised, isNew(.tokenized)), (.paymentFailed, isNew(.failed)),
            (.paymentCancelled, isCancelled), (.paymentExpired, isNew(.expired)),
            (.paymentUnknown, isNew(.indeterminate)), (.paymentLateSuccess, isLate),
        ]
        return all.compactMap { $0.1 ? PublicChange($0.0) : nil }
    }

    private var transfer: [PublicChange] {
        let all: [(PublicEventType, Bool)] = [
            (.transferCreated, isCreated), (.transferActionRequired, wantsAction),
            (.transferProcessing, isNew(.processing)),
            (.transferSucceeded, sums.after.transferred > sums.before.transferred),
            (.transferFailed, isNew(.failed)), (.transferCancelled, isCancelled), (.transferExpired, isNew(.expired)),
            (.transferUnknown, isNew(.indeterminate)), (.transferLateSuccess, isLate),
        ]
        return all.compactMap { $0.1 ? PublicChange($0.0) : nil }
    }

    /// Whether an operation of a kind ended without an effect.
    private func hasFailed(_ kind: OperationKind) -> Bool {
        after.operations.contains { $0.kind == kind && $0.isFailed && before.operation($0.id)?.isFailed != true }
    }

    private var refunds: [PublicChange] {
        let all = after.operations.flatMap { operation -> [(PublicEventType, OperationId)] in
            let known = before.operation(operation.id)
            guard let word = operation.refundWord, word != known?.refundWord else { return [] }
            return [(word, operation.id)]
        }
        guard !all.isEmpty else { return [] }
        return PublicEventType.operations.flatMap { type in
            all.filter { $0.0 == type }.map { PublicChange(type, ["object": "operation", "id": $0.1.json]) }
        }
    }

    private var disputes: [PublicChange] {
        guard !after.disputes.isEmpty else { return [] }
        let all = after.disputes.values.sorted { $0.id.uuid < $1.id.uuid }.filter { dispute in
            before.disputes[dispute.id]?.stage != dispute.stage
        }
        return PublicEventType.disputes.flatMap { type in
            all.filter { $0.type == type }.map { PublicChange(type, ["object": "dispute", "id": $0.id.json]) }
        }
    }

    /// What needs an operator, as far as the stream alone tells.
    private var items: [PublicChange] {
        let (was, now) = (owed.before.items, owed.after.items)
        return now.filter { !was.contains($0) }.map { PublicChange(.itemOpened, $0) }
            + was.filter { !now.contains($0) }.map { PublicChange(.itemClosed, $0) }
    }
}

extension Operation {
    fileprivate var isFailed: Bool {
        switch state {
        case .failed, .notExecuted: true
        case .requested, .pending, .indeterminate, .succeeded: false
        }
    }

    /// How a refund stands, or that one was taken back.
    fileprivate var refundWord: PublicEventType? {
        switch kind {
        case .refund:
            switch state {
            case .requested, .pending: .refundPending
            case .indeterminate: .refundUnknown
            case .succeeded: .refundSucceeded
            case .failed, .notExecuted: .refundFailed
            }
        case .refundReversal: state == .succeeded ? .refundReversed : nil
        case .sale, .authorize, .verify, .tokenize, .transfer, .capture, .void: nil
        }
    }
}

extension Dispute {
    fileprivate var type: PublicEventType {
        switch stage {
        case .opened: .disputeOpened
        case .won: .disputeWon
        case .lost: .disputeLost
        }
    }
}

extension [Obligation] {
    /// Each kind of obligation of an operator, once.
    fileprivate var items: [Json] {
        var found: [Json] = []
        for owed in self where owed.owner == .operator {
            let item: Json = .compact([
                ("object", "item"), ("kind", .string(owed.kind.rawValue)), ("reason", .string(owed.reason)),
                ("operation", owed.operation?.json),
            ])
            if !found.contains(item) { found.append(item) }
        }
        return found
    }
}
